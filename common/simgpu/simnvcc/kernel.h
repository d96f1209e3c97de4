/*
 * kernel.h: the definition of a __global__ function
 *
 * It stays an ordinary function, which a device thread calls, and gets a
 * prologue: called by host code, behind <<<>>>, it launches itself instead. So
 * the C++ compiler resolves overloads, deduces template arguments and fills in
 * default arguments, and a launch works from a file that has seen only the
 * declaration.
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
 * instantiated, so that cudaLaunchKernel() knows it without a <<<>>>. Where
 * nothing may run before main, the entry is in a table of the program's instead
 * (simgpu/kernel.h), and the kernel is registered when it is first asked for.
 */
#ifndef SIMNVCC_KERNEL_H
#define SIMNVCC_KERNEL_H

#include "edit.h"
#include "tokens.h"

/* Token i is SIMGPU_GLOBAL. Returns NULL, or what is wrong. */
const char *kernel_edit(const struct tokens *t, size_t i, struct edits *e);

#endif
