/*
 * hooks_at.c: what g++'s device code for x86-64 calls (simnvcc/inline.h)
 *
 * Each instruction has a span of its own, in the thread's memory, which its
 * code compares with; an access outside comes here. The code was compiled in
 * the belief that the call changes nothing but rax and rsi
 * (simgpu/inlined.h): so these functions preserve all registers. This file is
 * compiled for general registers only (rules.mk).
 */
#include "device/access_live.h"

#if defined(__x86_64__)

#include "core/heap_space.h" /* space_slot */
#include "device/cluster.h"

#define PRESERVING __attribute__((no_caller_saved_registers))

/* Call simgpu_hook_slowly(), which uses any registers. Device code may have
 * left the stack aligned to 8 bytes only. */
PRESERVING void simgpu_hook_saving(const char *p, struct span *s,
                                   const void *pc, size_t nbytes,
                                   enum kind kind);
__asm__(".text\n"
        ".hidden simgpu_hook_saving\n"
        ".globl simgpu_hook_saving\n"
        ".type simgpu_hook_saving, @function\n"
        "simgpu_hook_saving:\n"
        "    pushq %rbp\n"
        "    movq %rsp, %rbp\n"
        "    pushq %rax\n"
        "    pushq %rcx\n"
        "    pushq %rdx\n"
        "    pushq %rsi\n"
        "    pushq %rdi\n"
        "    pushq %r8\n"
        "    pushq %r9\n"
        "    pushq %r10\n"
        "    pushq %r11\n"
        "    subq $272, %rsp\n"
        "    andq $-16, %rsp\n"
        "    movaps %xmm0, (%rsp)\n"
        "    movaps %xmm1, 16(%rsp)\n"
        "    movaps %xmm2, 32(%rsp)\n"
        "    movaps %xmm3, 48(%rsp)\n"
        "    movaps %xmm4, 64(%rsp)\n"
        "    movaps %xmm5, 80(%rsp)\n"
        "    movaps %xmm6, 96(%rsp)\n"
        "    movaps %xmm7, 112(%rsp)\n"
        "    movaps %xmm8, 128(%rsp)\n"
        "    movaps %xmm9, 144(%rsp)\n"
        "    movaps %xmm10, 160(%rsp)\n"
        "    movaps %xmm11, 176(%rsp)\n"
        "    movaps %xmm12, 192(%rsp)\n"
        "    movaps %xmm13, 208(%rsp)\n"
        "    movaps %xmm14, 224(%rsp)\n"
        "    movaps %xmm15, 240(%rsp)\n"
        "    call simgpu_hook_slowly\n"
        "    movaps (%rsp), %xmm0\n"
        "    movaps 16(%rsp), %xmm1\n"
        "    movaps 32(%rsp), %xmm2\n"
        "    movaps 48(%rsp), %xmm3\n"
        "    movaps 64(%rsp), %xmm4\n"
        "    movaps 80(%rsp), %xmm5\n"
        "    movaps 96(%rsp), %xmm6\n"
        "    movaps 112(%rsp), %xmm7\n"
        "    movaps 128(%rsp), %xmm8\n"
        "    movaps 144(%rsp), %xmm9\n"
        "    movaps 160(%rsp), %xmm10\n"
        "    movaps 176(%rsp), %xmm11\n"
        "    movaps 192(%rsp), %xmm12\n"
        "    movaps 208(%rsp), %xmm13\n"
        "    movaps 224(%rsp), %xmm14\n"
        "    movaps 240(%rsp), %xmm15\n"
        "    leaq -72(%rbp), %rsp\n"
        "    popq %r11\n"
        "    popq %r10\n"
        "    popq %r9\n"
        "    popq %r8\n"
        "    popq %rdi\n"
        "    popq %rsi\n"
        "    popq %rdx\n"
        "    popq %rcx\n"
        "    popq %rax\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size simgpu_hook_saving, . - simgpu_hook_saving\n");

/* All memory that is not a heap's and lies behind them: a kernel's shared and
 * local memory. There is nothing to note, unless it is a cluster's. */
static void leave_out(struct log *g, struct span *s, const char *p,
                      enum kind kind)
{
    const char *const begin = space_window(SPACE_HEAPS);
    const char *const end = (const char *)UINTPTR_MAX;
    const unsigned *const c = g->launch->cluster;
    if (!s->end && p >= begin && c[0] * c[1] * c[2] == 1)
        access_log_span(g, kind, s, (struct span){begin, end, end, end, NULL});
}

__attribute__((visibility("hidden"), used)) void
simgpu_hook_slowly(const char *p, struct span *s, const void *pc, size_t nbytes,
                   enum kind kind);
void simgpu_hook_slowly(const char *p, struct span *s, const void *pc,
                        size_t nbytes, enum kind kind)
{
    struct log *const g = access_live;
    if (space_slot(p) < 0) {
        if (cluster_nstale)
            cluster_check(p, pc);
        else if (g)
            leave_out(g, s, p, kind);
    } else if (g && !access_in_span(s, p, nbytes) &&
               !access_aside(g, s, p, nbytes, kind))
        access_outside(g, s, p, nbytes, kind, pc);
}

/* Apart, for it takes more registers than most accesses. */
PRESERVING __attribute__((noinline)) static int
move(struct log *g, const char *p, struct span *s, size_t nbytes,
     enum kind kind)
{
    return access_move(g, s, p, nbytes, kind);
}

#define HOOK(name, nbytes, kind)                                               \
    PRESERVING void __tsan_##name##_at(const char *p, struct span *s);         \
    PRESERVING void __tsan_##name##_at(const char *p, struct span *s)          \
    {                                                                          \
        struct log *const g = access_live;                                     \
        if (space_slot(p) < 0 || !g ||                                         \
            !(access_aside(g, s, p, nbytes, kind) ||                           \
              move(g, p, s, nbytes, kind)))                                    \
            simgpu_hook_saving(p, s, __builtin_return_address(0), nbytes,      \
                               kind);                                          \
    }
#define HOOKS(n)                                                               \
    HOOK(read##n, n, READ)                                                     \
    HOOK(write##n, n, WRITE)
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

#endif
