/*
 * alone.h: kernels that nothing else can disturb
 *
 * An atomic instruction takes as long as ten others. A kernel needs none if
 * nothing but its own threads can change the word: those run one after the
 * other, and take turns only where they wait. So the first atomic of a kernel
 * asks whether the kernel is alone: the process is the only rank, and runs no
 * other kernel. A kernel that starts afterwards waits until the other one is no
 * longer alone, which it notices at its next atomic, at its next block, or
 * while its threads wait.
 *
 * This holds for device memory only. The host, which may change managed and
 * pinned memory at any time, doesn't ask.
 */
#ifndef SIMGPU_DEVICE_ALONE_H
#define SIMGPU_DEVICE_ALONE_H

/* Call these around a kernel's run, on its worker. */
void alone_begin(void);
void alone_end(const void *kernel);

/* Have the kernel, which is identified by any pointer that is its own, be alone
 * from now on. Returns 0 if it isn't. */
int alone_ask(const void *kernel);

/* The number of kernels that wait for another one, which is alone. */
extern int alone_wanted;

/* True if the kernel, which was alone, still is. */
static inline int alone_holds(void)
{
    return !__atomic_load_n(&alone_wanted, __ATOMIC_RELAXED);
}

/* Called between atomics: let other kernels begin, for which the kernel isn't
 * alone any more. */
void alone_yield(const void *kernel);

/* The number of kernels that run in this process. */
int alone_nkernels(void);

#endif
