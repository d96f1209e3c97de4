/*
 * calls.h: what kernels call, by a file's assembly
 *
 * Everything is inlined into a kernel that can be (compile_rewritten()), so its
 * assembly tells what it does beside plain accesses: each atomic operation,
 * fence, volatile access, output and launch is a call. A kernel is
 * *independent*, as its blocks are of each other, if it and what it calls call
 * nothing but functions of this file, accesses' hooks, barriers of a block, and
 * mathematics. If it calls no barrier either, none of its threads ever *waits*.
 * A kernel's promises are put in front of its code (simgpu/kernel.h), where the
 * runtime looks for them: kernel_promises().
 */
#ifndef SIMNVCC_CALLS_H
#define SIMNVCC_CALLS_H

#include <stddef.h>

struct calls;

/* Of g++'s assembly for x86-64 or arm64, which has to outlive the result. */
struct calls *calls_read(const char *assembly);
void calls_free(struct calls *c);

/* What the kernel with this name of n characters promises, as kernel.h numbers
 * it. 0: it is no kernel, or its blocks depend on each other. */
unsigned calls_promised(const struct calls *c, const char *name, size_t n);

/* Does a kernel call what could not be inlined: by a pointer or a table of
 * virtual functions, or a function of the program's own, which recurs? Headers
 * in `folder` are ours. Then the first place where one does; line is 0 if the
 * assembly has no lines (-g). */
struct call_place {
    char file[256];
    int line;
    int by_pointer;
};
int calls_not_inlined(const struct calls *c, const char *folder,
                      struct call_place *place);

#endif
