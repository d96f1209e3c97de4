/*
 * cuda_pipeline.h: asynchronous copies to shared memory
 *
 * A copy is done at once, which is one of the orders that a GPU may choose.
 */
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_

#include "cuda_runtime.h"
#ifdef __SIMNVCC__
static inline void __pipeline_memcpy_async(void *to, const void *from,
                                           size_t nbytes, size_t zeros = 0)
{
    if (nbytes - zeros == 16) {
        *(uint4 *)to = *(const uint4 *)from;
        return;
    }
    for (size_t i = 0; i < nbytes - zeros; i += 4)
        *(unsigned *)((char *)to + i) = *(const unsigned *)((char *)from + i);
    for (size_t i = nbytes - zeros; i < nbytes; i++)
        ((char *)to)[i] = 0;
}
static inline void __pipeline_commit() {}
static inline void __pipeline_wait_prior(size_t) {}
#endif
#endif
