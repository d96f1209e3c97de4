/*
 * hooks.c: what the compiler has device code call
 *
 * Before each access, as for a thread sanitizer. g++'s objects for x86-64 call
 * most of these only if the instruction's span says so: hooks_at.c.
 */
#include <string.h> /* memmove */

#include "core/heap_space.h" /* space_slot */
#include "device/access_live.h"
#include "device/cluster.h"
#include "device/sync.h"

void simgpu_atomic_access(const volatile void *p, unsigned nbytes)
{
    access_plain((const char *)p, nbytes, ATOMIC, __builtin_return_address(0));
}

void simgpu_atomic_store(const volatile void *p, unsigned nbytes)
{
    access_plain((const char *)p, nbytes, EXCHANGE,
                 __builtin_return_address(0));
}

/* Without a frame: no call stack is read from here on. */
#if defined(__clang__)
#define QUICK
#else
#define QUICK __attribute__((optimize("omit-frame-pointer")))
#endif

static inline __attribute__((always_inline)) void
hook(struct log *g, const char *p, size_t nbytes, enum kind kind,
     const void *pc)
{
    struct span *const s = &g->spans[kind].at[(uintptr_t)pc % SPANS];
    if (!access_in_span(s, p, nbytes) && !access_aside(g, s, p, nbytes, kind))
        access_outside(g, s, p, nbytes, kind, pc);
}

#define HOOK(name, nbytes, kind)                                               \
    void __tsan_##name(void *p);                                               \
    QUICK void __tsan_##name(void *p)                                          \
    {                                                                          \
        const void *const pc = __builtin_return_address(0);                    \
        struct log *const g = access_live;                                     \
        if (space_slot(p) < 0) {                                               \
            if (__builtin_expect(cluster_nstale, 0))                           \
                cluster_check(p, pc);                                          \
        } else if (__builtin_expect(g != NULL, 1))                             \
            hook(g, p, nbytes, kind, pc);                                      \
    }
#define HOOKS(n)                                                               \
    HOOK(read##n, n, READ)                                                     \
    HOOK(write##n, n, WRITE)                                                   \
    HOOK(unaligned_read##n, n, READ)                                           \
    HOOK(unaligned_write##n, n, WRITE)
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

/* Called before each volatile access. */
#define VOLATILE_HOOKS(n)                                                      \
    void __tsan_volatile_read##n(void *p);                                     \
    void __tsan_volatile_read##n(void *p)                                      \
    {                                                                          \
        sync_volatile_read(p, n, __builtin_return_address(0));                 \
    }                                                                          \
    void __tsan_volatile_write##n(void *p);                                    \
    void __tsan_volatile_write##n(void *p)                                     \
    {                                                                          \
        sync_volatile_write(p, n, __builtin_return_address(0));                \
    }
VOLATILE_HOOKS(1)
VOLATILE_HOOKS(2)
VOLATILE_HOOKS(4)
VOLATILE_HOOKS(8)
VOLATILE_HOOKS(16)

#define RANGE_HOOK(name, kind)                                                 \
    void __tsan_##name(void *p, size_t nbytes);                                \
    void __tsan_##name(void *p, size_t nbytes)                                 \
    {                                                                          \
        if (nbytes)                                                            \
            access_plain(p, nbytes, kind, __builtin_return_address(0));        \
    }
RANGE_HOOK(read_range, READ)
RANGE_HOOK(write_range, WRITE)

/*
 * What device code's memcpy() ... become (simnvcc): the compiler announces what
 * it copies itself, but not what it has the C library copy.
 */
void *simgpu_memcpy(void *to, const void *from, size_t nbytes);
void *simgpu_memmove(void *to, const void *from, size_t nbytes);
void *simgpu_memset(void *to, int value, size_t nbytes);
int simgpu_memcmp(const void *a, const void *b, size_t nbytes);

void *simgpu_memmove(void *to, const void *from, size_t nbytes)
{
    if (nbytes) {
        access_plain(from, nbytes, READ, __builtin_return_address(0));
        access_plain(to, nbytes, WRITE, __builtin_return_address(0));
    }
    return memmove(to, from, nbytes);
}

void *simgpu_memcpy(void *to, const void *from, size_t nbytes)
{
    if (nbytes) {
        access_plain(from, nbytes, READ, __builtin_return_address(0));
        access_plain(to, nbytes, WRITE, __builtin_return_address(0));
    }
    return memcpy(to, from, nbytes);
}

void *simgpu_memset(void *to, int value, size_t nbytes)
{
    if (nbytes)
        access_plain(to, nbytes, WRITE, __builtin_return_address(0));
    return memset(to, value, nbytes);
}

int simgpu_memcmp(const void *a, const void *b, size_t nbytes)
{
    if (nbytes) {
        access_plain(a, nbytes, READ, __builtin_return_address(0));
        access_plain(b, nbytes, READ, __builtin_return_address(0));
    }
    return memcmp(a, b, nbytes);
}

/* No-ops: there is no thread sanitizer. */
void __tsan_init(void);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);
void __tsan_vptr_update(void *p, void *value);
void __tsan_vptr_read(void *p);
void __tsan_init(void) {}
void __tsan_func_entry(void *pc)
{
    (void)pc;
}
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void *p, void *value)
{
    (void)p, (void)value;
}
void __tsan_vptr_read(void *p)
{
    (void)p;
}
