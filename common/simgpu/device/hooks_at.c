/*
 * hooks_at.c: the hooks of g++'s device code for x86-64 (simnvcc/inline.h)
 *
 * Each instruction has its own span, in the thread's memory, which inline code
 * compares with the address; an access outside the span calls a hook. The code
 * was compiled on the assumption that the call changes only rax and rsi
 * (simgpu/inlined.h), so these functions preserve all other registers. This
 * file is compiled to use general registers only (rules.mk).
 */
#include "device/access_live.h"

#if defined(__x86_64__)

#include "core/heap/heap_space.h" /* space_slot */
#include "core/stream/unwaited.h"
#include "device/aligned.h"

#define PRESERVING __attribute__((no_caller_saved_registers))

/* Registers xmm0 to xmm15, saved from the top of the stack. */
#define EACH_XMM(move)                                                         \
    move(0) move(1) move(2) move(3) move(4) move(5) move(6) move(7) move(8)    \
        move(9) move(10) move(11) move(12) move(13) move(14) move(15)
#define SAVE_XMM(i) "movaps %xmm" #i ", 16*" #i "(%rsp)\n\t"
#define LOAD_XMM(i) "movaps 16*" #i "(%rsp), %xmm" #i "\n\t"

/* Define a function that executes `before` and calls `callee`, which may use
 * any register, and preserves all registers. Device code may have aligned the
 * stack to only 8 bytes. */
#define SAVING(name, before, callee)                                           \
    __asm__(".text\n\t"                                                        \
            ".globl " name "\n\t"                                              \
            ".type " name ", @function\n" name ":\n\t"                         \
            "pushq %rbp\n\t"                                                   \
            "movq %rsp, %rbp\n\t"                                              \
            "pushq %rax\n\t"                                                   \
            "pushq %rcx\n\t"                                                   \
            "pushq %rdx\n\t"                                                   \
            "pushq %rsi\n\t"                                                   \
            "pushq %rdi\n\t"                                                   \
            "pushq %r8\n\t"                                                    \
            "pushq %r9\n\t"                                                    \
            "pushq %r10\n\t"                                                   \
            "pushq %r11\n\t"                                                   \
            "subq $272, %rsp\n\t"                                              \
            "andq $-16, %rsp\n\t" EACH_XMM(SAVE_XMM) before                    \
            "call " callee                                                     \
            "\n\t" EACH_XMM(LOAD_XMM) "leaq -72(%rbp), %rsp\n\t"               \
                                      "popq %r11\n\t"                          \
                                      "popq %r10\n\t"                          \
                                      "popq %r9\n\t"                           \
                                      "popq %r8\n\t"                           \
                                      "popq %rdi\n\t"                          \
                                      "popq %rsi\n\t"                          \
                                      "popq %rdx\n\t"                          \
                                      "popq %rcx\n\t"                          \
                                      "popq %rax\n\t"                          \
                                      "popq %rbp\n\t"                          \
                                      "ret\n\t"                                \
                                      ".size " name ", . - " name)

/* Call simgpu_hook_slowly(). */
PRESERVING void simgpu_hook_saving(const char *p, struct access_inlined *s,
                                   const void *pc, size_t nbytes,
                                   enum touch_kind kind);
__asm__(".hidden simgpu_hook_saving");
SAVING("simgpu_hook_saving", "", "simgpu_hook_slowly");

/* Call simgpu_mismatch(): for device code (simgpu/inlined.h), with the third
 * argument in rax. */
SAVING("simgpu_mismatch_at", "movq %rax, %rdx\n\t", "simgpu_mismatch");

/* How far a step at p, which is in the set, may grow. */
static const char *limit(struct access_log *g, const char *p, size_t nbytes,
                         enum touch_kind kind)
{
    const struct touched_line *const l = touched_line(&g->now[kind], p);
    return l->begin <= p ? l->end : p + nbytes;
}

__attribute__((visibility("hidden"), used)) void
simgpu_hook_slowly(const char *p, struct access_inlined *s, const void *pc,
                   size_t nbytes, enum touch_kind kind);
void simgpu_hook_slowly(const char *p, struct access_inlined *at,
                        const void *pc, size_t nbytes, enum touch_kind kind)
{
    struct access_log *const g = access_live;
    struct access_span *const s = &at->span;
    if (!g)
        return unwaited_touch(p, nbytes, (int)kind, pc);
    if (!aligned_is(p, nbytes))
        aligned_fail(g, p, nbytes, kind, pc);
    if (space_slot(p) < 0)
        access_outside_heaps(g, s, p, nbytes, kind, pc);
    else if (access_aside(g, s, p, nbytes, kind)) {
        if (access_log_has_trail(g, at))
            access_log_step(g, kind, at, p, nbytes, limit(g, p, nbytes, kind));
    } else if (!access_in_span(s, p, nbytes))
        access_outside(g, s, p, nbytes, kind, pc);
}

/* A separate function, since it needs more registers than most accesses. */
PRESERVING __attribute__((noinline)) static int
move(struct access_log *g, const char *p, struct access_span *s, size_t nbytes,
     enum touch_kind kind)
{
    return access_move(g, s, p, nbytes, kind);
}

/* An access that the instruction's trail doesn't expect. */
static inline __attribute__((always_inline)) void
leave(const char *p, struct access_inlined *at, const void *pc, size_t nbytes,
      enum touch_kind kind)
{
    struct access_log *const g = access_live;
    struct access_span *const s = &at->span;
    if (space_slot(p) < 0 || !aligned_is(p, nbytes) ||
        (p != s->next && access_log_left(g, at)) ||
        !(access_aside(g, s, p, nbytes, kind) || move(g, p, s, nbytes, kind)))
        simgpu_hook_saving(p, at, pc, nbytes, kind);
}

/*
 * The hooks themselves. An access that the instruction's trail expects, and
 * whose step may grow to include it, returns at once:
 *
 *     to = s->last->then ? s->last->then : s->last + 1
 *     if (p == to->end && p <= to->limit) to->end = p + n;
 *     else if (p < to->begin || p + n > to->end) goto leave;
 *     s->last = to;
 *
 * Most steps have no `then`. The processor predicts that, and computes `to`
 * without waiting for it.
 */
#define HOOK(name, n, kind)                                                    \
    PRESERVING __attribute__((used)) static void __tsan_##name##_leave(        \
        const char *p, struct access_inlined *s)                               \
    {                                                                          \
        leave(p, s, __builtin_return_address(0), n, kind);                     \
    }                                                                          \
    PRESERVING __attribute__((used)) static void __tsan_##name##_host(         \
        const char *p, struct access_inlined *s)                               \
    {                                                                          \
        if (space_slot(p) >= 0)                                                \
            simgpu_hook_saving(p, s, __builtin_return_address(0), n, kind);    \
    }                                                                          \
    void __tsan_##name##_at(const char *p, struct access_inlined *s);          \
    __attribute__((naked)) void __tsan_##name##_at(                            \
        __attribute__((unused)) const char *p,                                 \
        __attribute__((unused)) struct access_inlined *s)                      \
    {                                                                          \
        __asm__("movq %c0(%%rsi), %%rax\n\t" /* last */                        \
                "testq %%rax, %%rax\n\t"                                       \
                "je 4f\n\t"                                                    \
                "cmpq $0, %c2(%%rax)\n\t"                                      \
                "jne 3f\n\t"                                                   \
                "addq $%c7, %%rax\n"                                           \
                "0:\tcmpq %%rdi, %c4(%%rax)\n\t" /* to */                      \
                "jne 1f\n\t"                                                   \
                "cmpq %%rdi, %c5(%%rax)\n\t"                                   \
                "jb 4f\n\t"                                                    \
                "addq $%c6, %c4(%%rax)\n"                                      \
                "2:\tmovq %%rax, %c0(%%rsi)\n\t"                               \
                "incq %c1(%%rsi)\n\t"                                          \
                "ret\n"                                                        \
                "1:\tcmpq %%rdi, %c3(%%rax)\n\t"                               \
                "ja 4f\n\t"                                                    \
                "addq $%c6, %%rdi\n\t"                                         \
                "cmpq %%rdi, %c4(%%rax)\n\t"                                   \
                "leaq -%c6(%%rdi), %%rdi\n\t"                                  \
                "jae 2b\n\t"                                                   \
                "jmp 4f\n"                                                     \
                "3:\tmovq %c2(%%rax), %%rax\n\t"                               \
                "jmp 0b\n"                                                     \
                "4:\tmovq simgpu_access_live@gottpoff(%%rip), %%rax\n\t"       \
                "cmpq $0, %%fs:(%%rax)\n\t"                                    \
                "jne __tsan_" #name "_leave\n\t"                               \
                "cmpl $0, unwaited_any(%%rip)\n\t" /* host code */             \
                "jne __tsan_" #name "_host\n\t"                                \
                "ret"                                                          \
                :                                                              \
                : "i"(offsetof(struct access_inlined, last)),                  \
                  "i"(offsetof(struct access_inlined, nmet)),                  \
                  "i"(offsetof(struct access_step, then)),                     \
                  "i"(offsetof(struct access_step, span.begin)),               \
                  "i"(offsetof(struct access_step, span.end)),                 \
                  "i"(offsetof(struct access_step, span.limit)), "i"(n),       \
                  "i"(sizeof(struct access_step)));                            \
    }
#define HOOKS(n)                                                               \
    HOOK(read##n, n, TOUCH_READ)                                               \
    HOOK(write##n, n, TOUCH_WRITE)
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

#endif
