/*
 * calls.h: what kernels call, from a file's assembly
 *
 * Everything that can be inlined into a kernel is (compile_rewritten()). The
 * assembly therefore shows what a kernel does besides plain accesses: each
 * atomic operation, fence, volatile access, output and launch is a call. A
 * kernel is *independent*, which means that its blocks don't depend on each
 * other, if it and its callees call only functions of this file, hooks of
 * accesses, barriers of a block, and mathematical functions. If it calls no
 * barrier either, its threads never *wait*. A kernel's promises are written in
 * front of its code (simgpu/kernel.h), where kernel_promises() finds them.
 */
#ifndef SIMNVCC_CALLS_H
#define SIMNVCC_CALLS_H

#include <stddef.h>

struct calls;

/* Read g++'s assembly for x86-64 or arm64, which must outlive the result. */
struct calls *calls_read(const char *assembly);
void calls_free(struct calls *c);

/* The promises, as numbered in kernel.h, of the kernel with this name of n
 * characters. 0 if it isn't a kernel or its blocks depend on each other. */
unsigned calls_promised(const struct calls *c, const char *name, size_t n);

/*
 * True if a kernel calls what could not be inlined: through a pointer or a
 * virtual function, or a recursive function of the program's own (headers in
 * `folder` are simgpu's). *place is set to the first such call; its line is 0
 * if the assembly has no line numbers (-g).
 */
struct call_place {
    char file[256];
    int line;
    int by_pointer;
    char callee[256]; /* calls_outside(): the function's symbol */
};
int calls_not_inlined(const struct calls *c, const char *folder,
                      struct call_place *place);

/* True if a kernel calls a function outside of this file that graded device
 * code may not call (callable.h). *place is set to the first such call. */
int calls_outside(const struct calls *c, struct call_place *place);

#endif
