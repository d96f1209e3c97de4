/*
 * rma.h: put and get
 *
 * A put returns when its source may be reused. Its bytes arrive at some time
 * before the next nvshmem_quiet(), and before those of puts after the next
 * nvshmem_fence(). A get returns when the bytes are there. For _nbi functions,
 * these guarantees hold only after nvshmem_quiet().
 */
#ifndef SIMGPU_NVSHMEM_RMA_H
#define SIMGPU_NVSHMEM_RMA_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SIMGPU_COPIES(PUT, GET, IPUT, IGET, T)                                 \
    SIMGPU_SHMEM_DECLARE(void, PUT, T *dest, const T *source, size_t nelems,   \
                         int pe)                                               \
    SIMGPU_SHMEM_DECLARE(void, PUT##_nbi, T *dest, const T *source,            \
                         size_t nelems, int pe)                                \
    SIMGPU_SHMEM_DECLARE(void, PUT##_signal, T *dest, const T *source,         \
                         size_t nelems, uint64_t *sig_addr, uint64_t signal,   \
                         int sig_op, int pe)                                   \
    SIMGPU_SHMEM_DECLARE(void, PUT##_signal_nbi, T *dest, const T *source,     \
                         size_t nelems, uint64_t *sig_addr, uint64_t signal,   \
                         int sig_op, int pe)                                   \
    SIMGPU_SHMEM_DECLARE(void, GET, T *dest, const T *source, size_t nelems,   \
                         int pe)                                               \
    SIMGPU_SHMEM_DECLARE(void, GET##_nbi, T *dest, const T *source,            \
                         size_t nelems, int pe)                                \
    SIMGPU_SHMEM_DECLARE(void, IPUT, T *dest, const T *source, ptrdiff_t dst,  \
                         ptrdiff_t sst, size_t nelems, int pe)                 \
    SIMGPU_SHMEM_DECLARE(void, IGET, T *dest, const T *source, ptrdiff_t dst,  \
                         ptrdiff_t sst, size_t nelems, int pe)

#define SIMGPU_TYPE(NAME, T)                                                   \
    SIMGPU_COPIES(NAME##_put, NAME##_get, NAME##_iput, NAME##_iget, T)         \
    void nvshmem_##NAME##_p(T *dest, const T value, int pe);                   \
    T nvshmem_##NAME##_g(const T *source, int pe);                             \
    void nvshmemx_##NAME##_p_on_stream(T *dest, const T value, int pe,         \
                                       cudaStream_t cstrm);                    \
    T nvshmemx_##NAME##_g_on_stream(const T *source, int pe,                   \
                                    cudaStream_t cstrm);
SIMGPU_SHMEM_TYPES(SIMGPU_TYPE)
#undef SIMGPU_TYPE

/* nelems elements of a number of bits. */
#define SIMGPU_SIZE(BITS)                                                      \
    SIMGPU_COPIES(put##BITS, get##BITS, iput##BITS, iget##BITS, void)
SIMGPU_SHMEM_SIZES(SIMGPU_SIZE)
#undef SIMGPU_SIZE

/* nelems bytes. */
SIMGPU_SHMEM_DECLARE(void, putmem, void *dest, const void *source,
                     size_t nelems, int pe)
SIMGPU_SHMEM_DECLARE(void, putmem_nbi, void *dest, const void *source,
                     size_t nelems, int pe)
SIMGPU_SHMEM_DECLARE(void, putmem_signal, void *dest, const void *source,
                     size_t nelems, uint64_t *sig_addr, uint64_t signal,
                     int sig_op, int pe)
SIMGPU_SHMEM_DECLARE(void, putmem_signal_nbi, void *dest, const void *source,
                     size_t nelems, uint64_t *sig_addr, uint64_t signal,
                     int sig_op, int pe)
SIMGPU_SHMEM_DECLARE(void, getmem, void *dest, const void *source,
                     size_t nelems, int pe)
SIMGPU_SHMEM_DECLARE(void, getmem_nbi, void *dest, const void *source,
                     size_t nelems, int pe)
#undef SIMGPU_COPIES

/* Earlier puts arrive before later ones. */
void nvshmem_fence(void);
/* All puts and gets are complete. */
void nvshmem_quiet(void);
void nvshmemx_quiet_on_stream(cudaStream_t cstrm);
/* Sources of _nbi puts may be reused. */
void nvshmemx_flush(void);
void nvshmemx_flush_warp(void);
void nvshmemx_flush_block(void);
void nvshmemx_flush_on_stream(cudaStream_t cstrm);

#ifdef __cplusplus
}
#endif
#endif
