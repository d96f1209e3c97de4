/*
 * hooks.c: the hooks that the compiler makes device code call
 *
 * They are called before each access, as for a thread sanitizer. g++'s objects
 * for x86-64 call most of them only if the instruction's span requires it: see
 * hooks_at.c.
 */
#include <string.h> /* memmove */

#include "core/heap/heap_space.h" /* space_slot */
#include "core/stream/unwaited.h"
#include "device/access_live.h"
#include "device/aligned.h"
#include "device/shared.h"
#include "device/sharing/race.h"
#include "device/sync.h"

/* Fail the kernel if the access is not aligned. */
static void check(const volatile void *p, size_t nbytes, enum touch_kind kind,
                  const void *pc)
{
    if (access_live && !aligned_is(p, nbytes))
        aligned_fail(access_live, p, nbytes, kind, pc);
}

/* Record an atomic on memory other than the block's own. True if a load and a
 * store suffice for it: nothing else can change the word in between. */
static __attribute__((noinline)) int
touch_word(const char *p, unsigned nbytes, enum touch_kind kind, const void *pc)
{
    struct access_log *const g = access_live;
    if (!g)
        return 0;
    if (!aligned_is(p, nbytes))
        aligned_fail(g, p, nbytes, kind, pc);
    access_plain(p, nbytes, kind, pc);
    if (shared_is_own(p))
        return 1;
    if (race_is_on() || space_slot(p) < 0 || !access_is_alone(g, p, nbytes))
        return 0;
    access_learn_words(g, kind, p, nbytes);
    return 1;
}

/*
 * An array in shared memory needs no record, once its bounds are known, unless
 * it is checked for races. The threads that may reach it run one after
 * the other, on one worker or, in a cluster, on several that take turns. Nor do
 * words that have been recorded. When a thread polls, access_forget() drops
 * those.
 * Code in kernels makes the same comparisons (simgpu/atomics.h).
 */
static inline __attribute__((always_inline)) int
touch_quickly(const char *p, unsigned nbytes, enum touch_kind kind)
{
    struct access_log *const g = access_live;
    if (!g || !aligned_is(p, nbytes))
        return 0;
    const struct simgpu_words *const array = &g->atomics.array;
    const struct simgpu_words *const known =
        &g->atomics.words[kind == TOUCH_EXCHANGE];
    return (p >= array->begin && p + nbytes <= array->end) ||
           (p >= known->begin && p + nbytes <= known->end && alone_holds());
}

int simgpu_atomic_access(const volatile void *p, unsigned nbytes)
{
    return touch_quickly((const char *)p, nbytes, TOUCH_ATOMIC) ||
           touch_word((const char *)p, nbytes, TOUCH_ATOMIC,
                      __builtin_return_address(0));
}

int simgpu_atomic_store(const volatile void *p, unsigned nbytes)
{
    return touch_quickly((const char *)p, nbytes, TOUCH_EXCHANGE) ||
           touch_word((const char *)p, nbytes, TOUCH_EXCHANGE,
                      __builtin_return_address(0));
}

/* Compiled without a frame: no call stack is read from these functions. */
#if defined(__clang__)
#define QUICK
#else
#define QUICK __attribute__((optimize("omit-frame-pointer")))
#endif

static inline __attribute__((always_inline)) void
hook(struct access_log *g, const char *p, size_t nbytes, enum touch_kind kind,
     int is_aligned, const void *pc)
{
    struct access_span *const s =
        &g->spans[kind].at[(uintptr_t)pc % ACCESS_LOG_SPANS];
    if (access_in_span(s, p, nbytes))
        return;
    if (is_aligned && !aligned_is(p, nbytes))
        aligned_fail(g, p, nbytes, kind, pc);
    if (space_slot(p) < 0)
        access_outside_heaps(g, s, p, nbytes, kind, pc);
    else if (!access_aside(g, s, p, nbytes, kind))
        access_outside(g, s, p, nbytes, kind, pc);
}

#define HOOK(name, nbytes, kind, is_aligned)                                   \
    void __tsan_##name(void *p);                                               \
    QUICK void __tsan_##name(void *p)                                          \
    {                                                                          \
        const void *const pc = __builtin_return_address(0);                    \
        struct access_log *const g = access_live;                              \
        if (__builtin_expect(g != NULL, 1))                                    \
            hook(g, p, nbytes, kind, is_aligned, pc);                          \
        else if (unwaited_any)                                                 \
            unwaited_touch(p, nbytes, kind, pc);                               \
    }
#define HOOKS(n)                                                               \
    HOOK(read##n, n, TOUCH_READ, 1)                                            \
    HOOK(write##n, n, TOUCH_WRITE, 1)                                          \
    HOOK(unaligned_read##n, n, TOUCH_READ, 0)                                  \
    HOOK(unaligned_write##n, n, TOUCH_WRITE, 0)
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
        const void *const pc = __builtin_return_address(0);                    \
        check(p, n, TOUCH_READ, pc);                                           \
        sync_volatile_read(p, n, pc);                                          \
    }                                                                          \
    void __tsan_volatile_write##n(void *p);                                    \
    void __tsan_volatile_write##n(void *p)                                     \
    {                                                                          \
        const void *const pc = __builtin_return_address(0);                    \
        check(p, n, TOUCH_WRITE, pc);                                          \
        sync_volatile_write(p, n, pc);                                         \
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
RANGE_HOOK(read_range, TOUCH_READ)
RANGE_HOOK(write_range, TOUCH_WRITE)

/*
 * simnvcc replaces device code's memcpy() and the like by these. The compiler
 * calls hooks for copies that it does inline, but not for those that it leaves
 * to the C library.
 */
void *simgpu_memcpy(void *to, const void *from, size_t nbytes);
void *simgpu_memmove(void *to, const void *from, size_t nbytes);
void *simgpu_memset(void *to, int value, size_t nbytes);
int simgpu_memcmp(const void *a, const void *b, size_t nbytes);

void *simgpu_memmove(void *to, const void *from, size_t nbytes)
{
    if (nbytes) {
        access_plain(from, nbytes, TOUCH_READ, __builtin_return_address(0));
        access_plain(to, nbytes, TOUCH_WRITE, __builtin_return_address(0));
    }
    return memmove(to, from, nbytes);
}

void *simgpu_memcpy(void *to, const void *from, size_t nbytes)
{
    if (nbytes) {
        access_plain(from, nbytes, TOUCH_READ, __builtin_return_address(0));
        access_plain(to, nbytes, TOUCH_WRITE, __builtin_return_address(0));
    }
    return memcpy(to, from, nbytes);
}

void *simgpu_memset(void *to, int value, size_t nbytes)
{
    if (nbytes)
        access_plain(to, nbytes, TOUCH_WRITE, __builtin_return_address(0));
    return memset(to, value, nbytes);
}

int simgpu_memcmp(const void *a, const void *b, size_t nbytes)
{
    if (nbytes) {
        access_plain(a, nbytes, TOUCH_READ, __builtin_return_address(0));
        access_plain(b, nbytes, TOUCH_READ, __builtin_return_address(0));
    }
    return memcmp(a, b, nbytes);
}

/* No-ops, since no thread sanitizer is linked. */
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
