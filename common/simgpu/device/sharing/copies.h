/*
 * copies.h: asynchronous copies to shared memory (cp.async)
 *
 * A copy reads its source when it is made, and writes its target when its
 * thread waits for it: the last moment that a GPU may choose. A kernel that
 * lacks the wait therefore reads what was there before, and where it was
 * nothing, the check of shared memory reports it. What a thread has not waited
 * for when its block ends is dropped.
 *
 * Kernels call simgpu_copy_later() and its neighbours in simgpu/kernel.h.
 */
#ifndef SIMGPU_DEVICE_COPIES_H
#define SIMGPU_DEVICE_COPIES_H

/* Free what the calling worker has, before it ends. */
void copies_forget(void);

#endif
