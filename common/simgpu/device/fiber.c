#include "device/fiber.h"

#include <stdint.h> /* uintptr_t */

/*
 * simgpu_switch_stacks() pushes the registers that a function must preserve,
 * swaps the stacks, pops those of the other fiber, and returns to its caller.
 * The control words of the floating-point units are left alone: kernels do not
 * change them.
 */
#if defined(__x86_64__)
/*     sp -> r15 r14 r13 r12 rbx rbp | return address | its caller's frame */
__asm__(".text\n"
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
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size simgpu_switch_stacks, . - simgpu_switch_stacks\n");

/* The number of words saved from sp on, and the index of the return address. No
 * word lies above it, so entry() starts with the stack of a called function: 8
 * off a multiple of 16. */
enum { SAVED = 8, RETURN = 6 };

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
        "    ret\n"
        ".size simgpu_switch_stacks, . - simgpu_switch_stacks\n");

/* The number of words saved from sp on, and the index of
 * x30, to which ret jumps. */
enum { SAVED = 20, RETURN = 1 };
#endif

#if FIBER_SAVES_STACK
void fiber_init(struct fiber *f, void *stack, size_t nbytes,
                void (*entry)(void))
{
    const uintptr_t top = ((uintptr_t)stack + nbytes) & ~(uintptr_t)15;
    void **const sp = (void **)top - SAVED;
    for (int i = 0; i < SAVED; i++)
        sp[i] = NULL;
    sp[RETURN] = (void *)entry;
    f->sp = sp;
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

void fiber_switch(struct fiber *from, struct fiber *to)
{
    swapcontext(&from->context, &to->context);
}
#endif
