#include "device/fiber.h"

/*
 * simgpu_switch_stacks() pushes the registers that a function must preserve,
 * swaps the stacks, pops those of the other fiber, and continues behind its
 * call, which returns `gets`. An odd stack pointer marks a fiber that has not
 * run: its stack has the address of entry(), which is called. The control words
 * of the floating-point units are left alone: kernels do not change them.
 *
 * A processor predicts that a return jumps behind the latest call. It is right
 * if both fibers have called from the same place, as in a loop with a barrier.
 * Otherwise an indirect jump is predicted better: most fibers of a block
 * continue at the same place, one after the other.
 */
#if defined(__x86_64__)
/*     sp -> r15 r14 r13 r12 rbx rbp | return address | its caller's frame */
__asm__(".text\n"
        ".p2align 5\n"
        ".globl simgpu_switch_stacks\n"
        ".hidden simgpu_switch_stacks\n"
        ".type simgpu_switch_stacks, @function\n"
        "simgpu_switch_stacks:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq 48(%rsp), %rcx\n" // where this fiber continues
        "    movq %rdx, %rax\n"
        "    testb $1, %sil\n"
        "    jne 1f\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    cmpq %rcx, (%rsp)\n"
        "    jne 2f\n"
        "    ret\n"
        "2:  popq %rcx\n"
        "    jmp *%rcx\n"
        "1:  leaq -1(%rsi), %rsp\n"
        "    xorl %ebp, %ebp\n" // the first of its frames
        "    call *(%rsp)\n"
        ".size simgpu_switch_stacks, . - simgpu_switch_stacks\n");

#elif defined(__aarch64__)
/*     sp -> x29 x30 | x19 ... x28 | d8 ... d15 | its caller's frame */
__asm__(".text\n"
        ".globl simgpu_switch_stacks\n"
        ".hidden simgpu_switch_stacks\n"
        ".type simgpu_switch_stacks, @function\n"
        "simgpu_switch_stacks:\n"
        "    stp x29, x30, [sp, #-160]!\n"
        "    stp x19, x20, [sp, #16]\n"
        "    stp x21, x22, [sp, #32]\n"
        "    stp x23, x24, [sp, #48]\n"
        "    stp x25, x26, [sp, #64]\n"
        "    stp x27, x28, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov x10, x30\n" // where this fiber continues
        "    mov x0, x2\n"
        "    tbnz x1, #0, 1f\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #16]\n"
        "    ldp x21, x22, [sp, #32]\n"
        "    ldp x23, x24, [sp, #48]\n"
        "    ldp x25, x26, [sp, #64]\n"
        "    ldp x27, x28, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    ldp x29, x30, [sp], #160\n"
        "    cmp x10, x30\n"
        "    b.ne 2f\n"
        "    ret\n"
        "2:  br x30\n"
        "1:  sub x1, x1, #1\n"
        "    mov sp, x1\n"
        "    mov x29, xzr\n" // the first of its frames
        "    ldr x9, [sp]\n"
        "    blr x9\n"
        ".size simgpu_switch_stacks, . - simgpu_switch_stacks\n");
#endif

#if FIBER_SAVES_STACK
void fiber_init(struct fiber *f, void *stack, size_t nbytes,
                void (*entry)(void))
{
    const uintptr_t top = ((uintptr_t)stack + nbytes) & ~(uintptr_t)15;
    void **const sp = (void **)top - 2; // a multiple of 16, too
    *sp = (void *)entry;
    f->sp = (char *)sp + 1;
}

#else
void fiber_init(struct fiber *f, void *stack, size_t nbytes,
                void (*entry)(void))
{
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = stack;
    f->context.uc_stack.ss_size = nbytes;
    f->context.uc_link = NULL;
    makecontext(&f->context, entry, 0);
}

uint64_t fiber_switch(struct fiber *from, struct fiber *to)
{
    swapcontext(&from->context, &to->context);
    return from->gets;
}
#endif
