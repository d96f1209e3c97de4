/*
 * wait.h: signals, and waiting for words of this PE's symmetric memory
 *
 * A put with a signal delivers the signal after its own bytes; a separate
 * signal needs nvshmem_fence() before it. Words are compared by NVSHMEM_CMP_*.
 * Elements of an array whose status is not 0 are ignored.
 */
#ifndef SIMGPU_NVSHMEM_WAIT_H
#define SIMGPU_NVSHMEM_WAIT_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* sig_op is NVSHMEM_SIGNAL_SET or NVSHMEM_SIGNAL_ADD. */
void nvshmemx_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op,
                        int pe);
void nvshmemx_signal_op_on_stream(uint64_t *sig_addr, uint64_t signal,
                                  int sig_op, int pe, cudaStream_t cstrm);
uint64_t nvshmem_signal_fetch(uint64_t *sig_addr);

/* For kernels only, except those on streams. Returns the value found. */
uint64_t nvshmem_signal_wait_until(uint64_t *sig_addr, int cmp,
                                   uint64_t cmp_val);
void nvshmemx_signal_wait_until_on_stream(uint64_t *sig_addr, int cmp,
                                          uint64_t cmp_value,
                                          cudaStream_t cstream);

/* any: returns an index, or SIZE_MAX if there is nothing to wait for. some:
 * returns the number of indices written. _vector: one value per element. */
#define SIMGPU_WAIT(NAME, T)                                                   \
    void nvshmem_##NAME##_wait_until(T *ivar, int cmp, T cmp_value);           \
    void nvshmem_##NAME##_wait_until_all(                                      \
        T *ivars, size_t nelems, const int *status, int cmp, T cmp_value);     \
    size_t nvshmem_##NAME##_wait_until_any(                                    \
        T *ivars, size_t nelems, const int *status, int cmp, T cmp_value);     \
    size_t nvshmem_##NAME##_wait_until_some(                                   \
        T *ivars, size_t nelems, size_t *indices, const int *status, int cmp,  \
        T cmp_value);                                                          \
    void nvshmem_##NAME##_wait_until_all_vector(                               \
        T *ivars, size_t nelems, const int *status, int cmp, T *cmp_values);   \
    size_t nvshmem_##NAME##_wait_until_any_vector(                             \
        T *ivars, size_t nelems, const int *status, int cmp, T *cmp_values);   \
    size_t nvshmem_##NAME##_wait_until_some_vector(                            \
        T *ivars, size_t nelems, size_t *indices, const int *status, int cmp,  \
        T *cmp_values);                                                        \
    int nvshmem_##NAME##_test(T *ivar, int cmp, T cmp_value);                  \
    int nvshmem_##NAME##_test_all(T *ivars, size_t nelems, const int *status,  \
                                  int cmp, T cmp_value);                       \
    size_t nvshmem_##NAME##_test_any(T *ivars, size_t nelems,                  \
                                     const int *status, int cmp, T cmp_value); \
    size_t nvshmem_##NAME##_test_some(T *ivars, size_t nelems,                 \
                                      size_t *indices, const int *status,      \
                                      int cmp, T cmp_value);                   \
    int nvshmem_##NAME##_test_all_vector(                                      \
        T *ivars, size_t nelems, const int *status, int cmp, T *cmp_values);   \
    size_t nvshmem_##NAME##_test_any_vector(                                   \
        T *ivars, size_t nelems, const int *status, int cmp, T *cmp_values);   \
    size_t nvshmem_##NAME##_test_some_vector(                                  \
        T *ivars, size_t nelems, size_t *indices, const int *status, int cmp,  \
        T *cmp_values);                                                        \
    void nvshmemx_##NAME##_wait_until_on_stream(T *ivar, int cmp, T cmp_value, \
                                                cudaStream_t cstream);         \
    void nvshmemx_##NAME##_wait_until_all_on_stream(                           \
        T *ivars, size_t nelems, const int *status, int cmp, T cmp_value,      \
        cudaStream_t cstream);                                                 \
    void nvshmemx_##NAME##_wait_until_all_vector_on_stream(                    \
        T *ivars, size_t nelems, const int *status, int cmp, T *cmp_values,    \
        cudaStream_t cstream);
SIMGPU_SHMEM_WORDS(SIMGPU_WAIT)
#undef SIMGPU_WAIT

#ifdef __cplusplus
}
#endif
#endif
