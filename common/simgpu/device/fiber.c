#include "device/fiber.h"

#include <stdint.h> /* uintptr_t */

#if defined(__x86_64__)
/*
 * Push the registers that a function must preserve, swap the stacks, and pop
 * those of the other fiber; ret returns to its caller. The control words of the
 * floating-point units are left alone: kernels do not change them.
 *
 *     sp -> r15 r14 r13 r12 rbx rbp | return address | its caller's frame
 */
void simgpu_switch_stacks(void **save, void *sp);
__asm__(".text\n"
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

enum { SAVED = 6 };

void fiber_init(struct fiber *f, void *stack, size_t nbytes,
                void (*entry)(void))
{
    // on entry to a function the stack is 8 off a multiple of 16
    const uintptr_t top = ((uintptr_t)stack + nbytes) & ~(uintptr_t)15;
    void **const sp = (void **)(top - 2 * sizeof(void *));
    sp[1] = NULL; // where entry would return to
    sp[0] = (void *)entry;
    for (int i = 1; i <= SAVED; i++)
        sp[-i] = NULL;
    f->sp = sp - SAVED;
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
    simgpu_switch_stacks(&from->sp, to->sp);
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
