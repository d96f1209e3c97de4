/*
 * qp.c: the functions of nvshmem/qp.h
 */
#include "nvshmem/qp.h"

#include <stdlib.h> /* calloc */

#include "extras/nvshmem/request.h"
#include "extras/nvshmem/word.h"

int nvshmemx_qp_create(int num_qps, nvshmemx_qp_handle_t **out_qp_array)
{
    if (num_qps < 1 || !out_qp_array)
        return -1;
    *out_qp_array = calloc((size_t)num_qps, sizeof **out_qp_array);
    for (int i = 0; *out_qp_array && i < num_qps; i++)
        (*out_qp_array)[i] = NVSHMEMX_QP_DEFAULT + 1 + i;
    return *out_qp_array ? 0 : -1;
}

#define DEFINE(NAME, SCOPE, PARAMS, UNUSED, ...)                               \
    void nvshmemx_qp_##NAME PARAMS                                             \
    {                                                                          \
        UNUSED;                                                                \
        REQUEST("nvshmemx_qp_" #NAME, SCOPE, NULL, __VA_ARGS__);               \
    }
#define GROUPS(NAME, PARAMS, UNUSED, ...)                                      \
    DEFINE(NAME, SCOPE_THREAD, PARAMS, UNUSED, __VA_ARGS__)                    \
    DEFINE(NAME##_warp, SCOPE_WARP, PARAMS, UNUSED, __VA_ARGS__)               \
    DEFINE(NAME##_block, SCOPE_BLOCK, PARAMS, UNUSED, __VA_ARGS__)

/* clang-format off */
#define COPY(NAME, T, KIND, ...)                                               \
    GROUPS(NAME,                                                               \
           (T *dest, const T *source, size_t nelems, int pe,                   \
            nvshmemx_qp_handle_t qp_index),                                    \
           (void)qp_index, .kind = (KIND), .dest = dest, .source = source,     \
           .nelems = nelems, .size = sizeof(T), .pe = pe, __VA_ARGS__)
#define SIGNALLED(NAME, T)                                                     \
    GROUPS(NAME,                                                               \
           (T *dest, const T *source, size_t nelems, uint64_t *sig_addr,       \
            uint64_t signal, int sig_op, int pe,                               \
            nvshmemx_qp_handle_t qp_index),                                    \
           (void)qp_index, .kind = REQUEST_PUT_SIGNAL, .dest = dest,           \
           .source = source, .nelems = nelems, .size = sizeof(T), .pe = pe,    \
           .sig = sig_addr, .signal = signal, .sig_op = sig_op)
#define TYPE(NAME, T, IS_WORD)                                                 \
    DEFINE(NAME##_p, SCOPE_THREAD,                                             \
           (T *dest, const T value, int pe, nvshmemx_qp_handle_t qp_index),    \
           (void)qp_index, .kind = REQUEST_STORE, .dest = dest,                \
           .size = sizeof(T), .value = word_bits(&value, sizeof value),        \
           .pe = pe, .is_word = (IS_WORD))                                     \
    T nvshmemx_qp_##NAME##_g(const T *source, int pe,                          \
                             nvshmemx_qp_handle_t qp_index)                    \
    {                                                                          \
        T dest;                                                                \
        (void)qp_index;                                                        \
        REQUEST("nvshmemx_qp_" #NAME "_g", SCOPE_THREAD, NULL,                 \
                .kind = REQUEST_GET, .dest = &dest, .source = source,          \
                .nelems = 1, .size = sizeof(T), .pe = pe);                     \
        return dest;                                                           \
    }                                                                          \
    COPY(NAME##_put, T, REQUEST_PUT, .nbi = 0)                                 \
    COPY(NAME##_get, T, REQUEST_GET, .nbi = 0)                                 \
    COPY(NAME##_put_nbi, T, REQUEST_PUT, .nbi = 1)                             \
    COPY(NAME##_get_nbi, T, REQUEST_GET, .nbi = 1)                             \
    SIGNALLED(NAME##_put_signal, T)                                            \
    SIGNALLED(NAME##_put_signal_nbi, T)
/* clang-format on */
#define DATA(NAME, T) TYPE(NAME, T, 0)
#define WORD(NAME, T) TYPE(NAME, T, 1)
SIMGPU_SHMEM_FLOATS(DATA)
SIMGPU_SHMEM_SMALL(DATA)
SIMGPU_SHMEM_WORDS(WORD)

DEFINE(signal_op, SCOPE_THREAD,
       (uint64_t * sig_addr, uint64_t signal, int sig_op, int pe,
        nvshmemx_qp_handle_t qp_index),
       (void)qp_index, .kind = REQUEST_SIGNAL, .sig = sig_addr,
       .signal = signal, .sig_op = sig_op, .pe = pe)

#define HANDLES (int pe, nvshmemx_qp_handle_t *qp_handle, int num_qps)
#define ALL_OF  ((void)pe, (void)qp_handle, (void)num_qps)
GROUPS(quiet, HANDLES, ALL_OF, .kind = REQUEST_QUIET)
GROUPS(fence, HANDLES, ALL_OF, .kind = REQUEST_FENCE)
