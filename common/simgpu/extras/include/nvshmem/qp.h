/*
 * qp.h: functions that choose a queue pair of the network card
 *
 * Here a PE has one queue pair, so they do what the functions without one do.
 */
#ifndef SIMGPU_NVSHMEM_QP_H
#define SIMGPU_NVSHMEM_QP_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    NVSHMEMX_QP_HOST = 0,
    NVSHMEMX_QP_DEFAULT = 1,
    NVSHMEMX_QP_ANY = INT_MAX,
    NVSHMEMX_QP_ALL = INT_MAX
} nvshmemx_qp_handle_index_t;

/* *out_qp_array gets num_qps handles; the program frees the array. */
int nvshmemx_qp_create(int num_qps, nvshmemx_qp_handle_t **out_qp_array);

#define SIMGPU_GROUPS(NAME, ...)                                               \
    void nvshmemx_qp_##NAME(__VA_ARGS__);                                      \
    void nvshmemx_qp_##NAME##_warp(__VA_ARGS__);                               \
    void nvshmemx_qp_##NAME##_block(__VA_ARGS__);
#define SIMGPU_COPY(NAME, T)                                                   \
    SIMGPU_GROUPS(NAME, T *dest, const T *source, size_t nelems, int pe,       \
                  nvshmemx_qp_handle_t qp_index)
#define SIMGPU_SIGNALLED(NAME, T)                                              \
    SIMGPU_GROUPS(NAME, T *dest, const T *source, size_t nelems,               \
                  uint64_t *sig_addr, uint64_t signal, int sig_op, int pe,     \
                  nvshmemx_qp_handle_t qp_index)
#define SIMGPU_TYPE(NAME, T)                                                   \
    void nvshmemx_qp_##NAME##_p(T *dest, const T value, int pe,                \
                                nvshmemx_qp_handle_t qp_index);                \
    T nvshmemx_qp_##NAME##_g(const T *source, int pe,                          \
                             nvshmemx_qp_handle_t qp_index);                   \
    SIMGPU_COPY(NAME##_put, T)                                                 \
    SIMGPU_COPY(NAME##_get, T)                                                 \
    SIMGPU_COPY(NAME##_put_nbi, T)                                             \
    SIMGPU_COPY(NAME##_get_nbi, T)                                             \
    SIMGPU_SIGNALLED(NAME##_put_signal, T)                                     \
    SIMGPU_SIGNALLED(NAME##_put_signal_nbi, T)
SIMGPU_SHMEM_TYPES(SIMGPU_TYPE)
#undef SIMGPU_TYPE
#undef SIMGPU_SIGNALLED
#undef SIMGPU_COPY

void nvshmemx_qp_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op,
                           int pe, nvshmemx_qp_handle_t qp_index);
SIMGPU_GROUPS(quiet, int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps)
SIMGPU_GROUPS(fence, int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps)
#undef SIMGPU_GROUPS

#ifdef __cplusplus
}
#endif
#endif
