/*
 * cuda_pipeline.h: asynchronous copies to shared memory
 *
 * A copy is done when its thread waits for it, the last moment that a GPU may
 * choose.
 */
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_

#include "cuda_runtime.h"
#ifdef __SIMNVCC__
static inline void __pipeline_memcpy_async(void *to, const void *from,
                                           size_t nbytes, size_t zeros = 0)
{
    alignas(16) char value[SIMGPU_COPY_MOST] = {};
    if (nbytes - zeros == 16)
        *(uint4 *)value = *(const uint4 *)from;
    else
        for (size_t i = 0; i < nbytes - zeros; i += 4)
            *(unsigned *)(value + i) = *(const unsigned *)((char *)from + i);
    for (size_t i = nbytes - zeros; i < nbytes; i++)
        value[i] = 0;
    if (simgpu_is_shared(to))
        simgpu_copy_later(to, value, nbytes);
    else
        memcpy(to, value, nbytes);
}
static inline void __pipeline_commit()
{
    simgpu_copies_commit();
}
static inline void __pipeline_wait_prior(size_t n)
{
    simgpu_copies_wait((int)n);
}
#endif
#endif
