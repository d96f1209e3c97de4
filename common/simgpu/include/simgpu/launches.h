/*
 * launches.h: kernels of a program, and launching them
 *
 * Included by device.h.
 */
#ifndef SIMGPU_LAUNCHES_H
#define SIMGPU_LAUNCHES_H

#include <stdint.h>

#include <utility>

#include "simgpu/kernel.h"

namespace simgpu
{
/* A kernel's properties in the source. */
struct traits {
    const char *name;
    int is_template;
    unsigned limits[3], dims[3];

    traits(const char *name, int is_template)
        : name(name), is_template(is_template), limits(), dims()
    {
    }
    traits &bounds(unsigned threads, unsigned blocks = 0, unsigned cluster = 0)
    {
        limits[0] = threads, limits[1] = blocks, limits[2] = cluster;
        return *this;
    }
    traits &cluster(unsigned x, unsigned y = 1, unsigned z = 1)
    {
        dims[0] = x, dims[1] = y, dims[2] = z;
        return *this;
    }
};

/* 0, 1 ... N-1 as template parameters; C++11 has no std::index_sequence. */
template <size_t... I> struct places {
};
template <size_t N, size_t... I> struct count_places {
    typedef typename count_places<N - 1, N - 1, I...>::type type;
};
template <size_t... I> struct count_places<0, I...> {
    typedef places<I...> type;
};
template <size_t N> using places_of = typename count_places<N>::type;

/* A parameter's type as in its function's type, without __restrict__, which the
 * compiler keeps on types that depend on a template's parameters. */
template <class T> struct unrestricted {
    typedef T type;
};
template <class T> struct unrestricted<T *__restrict__> {
    typedef T *type;
};
template <class T> struct unrestricted<T *const __restrict__> {
    typedef T *type;
};
template <class T> struct unrestricted<T &__restrict__> {
    typedef T &type;
};
template <class T> using parameter = typename unrestricted<T>::type;

/* How a launch passes a parameter. A reference, which must be to managed
 * memory, is passed as its address. */
/* take() is called, inlined, for each thread of a grid. Instrumented code would
 * not be inlined. */
template <class T> struct passed {
    typedef T type;
    static const T &pass(const T &p)
    {
        return p;
    }
    __attribute__((no_sanitize("thread"))) static T &take(void *p)
    {
        return *(T *)p;
    }
};
template <class T> struct passed<T &> {
    typedef T *type;
    static T *pass(T &p)
    {
        return &p;
    }
    __attribute__((no_sanitize("thread"))) static T &take(void *p)
    {
        return **(T **)p;
    }
};

/* Whether a parameter is a pointer to a function. */
template <class T> struct points_to_code {
    enum { is = 0 };
};
template <class T> struct points_to_code<const T> : points_to_code<T> {
};
template <class R, class... A> struct points_to_code<R (*)(A...)> {
    enum { is = 1 };
};
#if __cplusplus >= 201703L
template <class R, class... A> struct points_to_code<R (*)(A...) noexcept> {
    enum { is = 1 };
};
#endif

/* Such a function ends in a jump to the one that it calls last. A thread that
 * has waited then returns once less; processors predict its returns wrongly. */
#if defined(__clang__)
#define SIMGPU_JUMPS __attribute__((no_sanitize("thread")))
#else
#define SIMGPU_JUMPS                                                           \
    __attribute__((no_sanitize("thread"), optimize("optimize-sibling-calls")))
#endif

/* The bytes of parameters of these types, where `at` bytes precede them. */
template <size_t at, class... P> struct parameters_end {
    static constexpr size_t value = at;
};
template <size_t at, class FIRST, class... MORE>
struct parameters_end<at, FIRST, MORE...>
    : parameters_end<(at + alignof(FIRST) - 1) / alignof(FIRST) *
                             alignof(FIRST) +
                         sizeof(FIRST),
                     MORE...> {
};

/* True if the name of a type has that of a function before "::", as a class
 * defined in a function does; not for lambdas. */
template <class T> constexpr bool is_local()
{
#if __cplusplus >= 201402L && !defined(__clang__)
    for (const char *s = __PRETTY_FUNCTION__; *s; s++)
        if (s[0] == ')' && s[1] == ':' && s[2] == ':' && s[3] != '<')
            return true;
#endif
    return false;
}

/*
 * A kernel f with parameters P. The runtime gets to know it before main, since
 * instantiating the function instantiates `self`; or, if no code may run before
 * main, the kernel is listed in the program's table. INFO::get() returns its
 * traits (simnvcc/kernel.h).
 */
template <class INFO, class F, F f> struct entry;
template <class INFO, class... P, void (*f)(P...)>
struct entry<INFO, void (*)(P...), f> : simgpu_kernel {
    static_assert(parameters_end<0, typename passed<P>::type...>::value <=
                      32764,
                  "Formal parameter space overflowed (max 32764 bytes "
                  "allowed)");
    static_assert(!is_local<void (*)(P...)>(),
                  "A type defined inside a __host__ function cannot be used in "
                  "the template argument type of a __global__ function "
                  "template instantiation");
    template <size_t... I>
    __attribute__((no_sanitize("thread"))) static __forceinline__ void
    apply(__attribute__((unused)) void *const *params, places<I...>)
    {
        f(passed<P>::take(params[I])...);
    }
    SIMGPU_JUMPS static void invoke(const void *, void *const *params)
    {
        apply(params, places_of<sizeof...(P)>());
    }
    entry() : simgpu_kernel()
    {
        static const uint32_t sizes[] = {
            (uint32_t)sizeof(typename passed<P>::type)..., 0};
        static const char code[] = {(char)points_to_code<P>::is..., 0};
        const traits t = INFO::get();
        host_stub = (const void *)f;
        name = t.name;
        is_template = t.is_template;
        max_threads = t.limits[0];
        min_blocks = t.limits[1];
        for (int i = 0; i < 3; i++)
            cluster[i] = t.dims[i];
        call = invoke;
        param_nbytes = sizes;
        nparams = sizeof...(P);
        for (size_t i = 0; i < sizeof...(P); i++)
            if (code[i])
                is_code = code;
        simgpu_register_kernel(this);
    }
#ifdef SIMGPU_NO_CONSTRUCTORS
#if defined(__aarch64__)
#define SIMGPU_SYMBOL "S"
#else
#define SIMGPU_SYMBOL "i"
#endif
    /*
     * The runtime also calls known() for a kernel that it doesn't know yet. The
     * table's entry is a struct listed_kernel, written in assembly because GCC
     * ignores a section attribute on what templates define. On arm64 a symbol
     * has the constraint "S", since "i" excludes symbols in
     * position-independent code.
     */
    static void known()
    {
        if (!simgpu_knows_kernel((const void *)f))
            new entry; // the runtime keeps it
        __asm__(".pushsection simgpu_kernels, \"aw\"\n"
                ".balign 8\n"
                ".dc.a %c0, %c1\n"
                ".popsection" ::SIMGPU_SYMBOL(f),
                SIMGPU_SYMBOL(known));
    }
#else
    static entry self;
    static void known()
    {
        (void)&self;
    }
#endif
    /* Called by a kernel's prologue, when host code launches it. */
    __attribute__((noinline, no_sanitize("thread"))) static void launch(P... p)
    {
        known();
        enqueue(passed<P>::pass(p)...);
    }

  private:
    __attribute__((always_inline, no_sanitize("thread"))) static inline void
    enqueue(const typename passed<P>::type &...p)
    {
        void *pointers[] = {(void *)&p..., nullptr};
        simgpu_launch((const void *)f, pointers);
    }
};
#ifndef SIMGPU_NO_CONSTRUCTORS
template <class INFO, class... P, void (*f)(P...)>
entry<INFO, void (*)(P...), f> entry<INFO, void (*)(P...), f>::self;
#endif

/* k<<<grid, block, shared, stream>>>(...) becomes (configure(...), k(...)).
 * Inlined, so that the launch is reported at the program's line. */
static __forceinline__ void configure(const char *text, dim3 grid, dim3 block,
                                      size_t shared = 0,
                                      cudaStream_t stream = 0)
{
    simgpu_configure(text, (const unsigned *)&grid, (const unsigned *)&block,
                     shared, stream);
}

} // namespace simgpu

#endif
