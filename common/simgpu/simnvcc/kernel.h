/*
 * kernel.h: the definition of a __global__ function
 *
 * A kernel stays an ordinary function, which device threads call, but gets a
 * prologue: when host code calls it, behind <<<>>>, it launches itself instead.
 * The C++ compiler thus resolves overloads, deduces template arguments and
 * fills in default arguments, and a file that has only seen the declaration can
 * launch the kernel.
 *
 *     template <class T> __global__ void k(T *p, int n = 3)
 *     {
 *         struct simgpu_info {... "k", launch bounds ...};
 *         typedef ::simgpu::entry<simgpu_info,
 *             void (*)(decltype(p), decltype(n)), &k<T> > simgpu_entry;
 *         if (simgpu_is_outside()) {
 *             simgpu_entry::launch(p, n);
 *             return;
 *         }
 *         ...
 *
 * An entry registers the kernel before main, wherever the function is
 * instantiated, so that cudaLaunchKernel() finds it even without a <<<>>>. If
 * no code may run before main, the entry is in a table of the program instead
 * (simgpu/kernel.h), and the kernel is registered when it is first looked up.
 */
#ifndef SIMNVCC_KERNEL_H
#define SIMNVCC_KERNEL_H

#include "edit.h"
#include "tokens.h"

/* Edit the definition whose SIMGPU_GLOBAL is token i. Returns
 * NULL, or an error message. */
const char *kernel_edit(const struct tokens *t, size_t i, struct edits *e);

#endif
