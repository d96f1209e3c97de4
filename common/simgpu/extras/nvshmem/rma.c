/*
 * rma.c: the functions of nvshmem/rma.h, and signals
 */
#include "extras/nvshmem/request.h"
#include "extras/nvshmem/word.h"

#define TO_PE(KIND, SIZE)                                                      \
    .kind = (KIND), .dest = dest, .source = source, .nelems = nelems,          \
    .size = (SIZE), .pe = pe
#define AND_SIGNAL .sig = sig_addr, .signal = signal, .sig_op = sig_op

/* clang-format off */
#define PUTS(PUT, T, SIZE)                                                     \
    SHMEM_DEFINE(void, PUT,                                                    \
                 (T *dest, const T *source, size_t nelems, int pe), ,          \
                 TO_PE(REQUEST_PUT, SIZE))                                     \
    SHMEM_DEFINE(void, PUT##_nbi,                                              \
                 (T *dest, const T *source, size_t nelems, int pe), ,          \
                 TO_PE(REQUEST_PUT, SIZE), .nbi = 1)                           \
    SHMEM_DEFINE(void, PUT##_signal,                                           \
                 (T *dest, const T *source, size_t nelems,                     \
                  uint64_t *sig_addr, uint64_t signal, int sig_op, int pe), ,  \
                 TO_PE(REQUEST_PUT_SIGNAL, SIZE), AND_SIGNAL)                  \
    SHMEM_DEFINE(void, PUT##_signal_nbi,                                       \
                 (T *dest, const T *source, size_t nelems,                     \
                  uint64_t *sig_addr, uint64_t signal, int sig_op, int pe), ,  \
                 TO_PE(REQUEST_PUT_SIGNAL, SIZE), AND_SIGNAL, .nbi = 1)
#define GETS(GET, T, SIZE)                                                     \
    SHMEM_DEFINE(void, GET,                                                    \
                 (T *dest, const T *source, size_t nelems, int pe), ,          \
                 TO_PE(REQUEST_GET, SIZE))                                     \
    SHMEM_DEFINE(void, GET##_nbi,                                              \
                 (T *dest, const T *source, size_t nelems, int pe), ,          \
                 TO_PE(REQUEST_GET, SIZE), .nbi = 1)
#define STRIDED(NAME, KIND, T, SIZE)                                           \
    SHMEM_DEFINE(void, NAME,                                                   \
                 (T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst,      \
                  size_t nelems, int pe), ,                                    \
                 TO_PE(KIND, SIZE), .dst = dst, .sst = sst)
/* clang-format on */

#define TYPE(NAME, T)                                                          \
    PUTS(NAME##_put, T, sizeof(T))                                             \
    GETS(NAME##_get, T, sizeof(T))                                             \
    STRIDED(NAME##_iput, REQUEST_IPUT, T, sizeof(T))                           \
    STRIDED(NAME##_iget, REQUEST_IGET, T, sizeof(T))                           \
    T nvshmem_##NAME##_g(const T *source, int pe)                              \
    {                                                                          \
        T dest;                                                                \
        REQUEST("nvshmem_" #NAME "_g", SCOPE_THREAD, NULL,                     \
                .kind = REQUEST_GET, .dest = &dest, .source = source,          \
                .nelems = 1, .size = sizeof(T), .pe = pe);                     \
        return dest;                                                           \
    }                                                                          \
    T nvshmemx_##NAME##_g_on_stream(const T *source, int pe,                   \
                                    cudaStream_t cstrm)                        \
    {                                                                          \
        T dest;                                                                \
        REQUEST("nvshmemx_" #NAME "_g_on_stream", SCOPE_STREAM, cstrm,         \
                .kind = REQUEST_GET, .dest = &dest, .source = source,          \
                .nelems = 1, .size = sizeof(T), .pe = pe);                     \
        cudaStreamSynchronize(cstrm);                                          \
        return dest;                                                           \
    }
SIMGPU_SHMEM_TYPES(TYPE)

#define STORE(NAME, T, IS_WORD)                                                \
    void nvshmem_##NAME##_p(T *dest, const T value, int pe)                    \
    {                                                                          \
        REQUEST("nvshmem_" #NAME "_p", SCOPE_THREAD, NULL,                     \
                .kind = REQUEST_STORE, .dest = dest, .size = sizeof(T),        \
                .value = word_bits(&value, sizeof value), .pe = pe,            \
                .is_word = (IS_WORD));                                         \
    }                                                                          \
    void nvshmemx_##NAME##_p_on_stream(T *dest, const T value, int pe,         \
                                       cudaStream_t cstrm)                     \
    {                                                                          \
        REQUEST("nvshmemx_" #NAME "_p_on_stream", SCOPE_STREAM, cstrm,         \
                .kind = REQUEST_STORE, .dest = dest, .size = sizeof(T),        \
                .value = word_bits(&value, sizeof value), .pe = pe,            \
                .is_word = (IS_WORD));                                         \
    }
#define STORE_DATA(NAME, T) STORE(NAME, T, 0)
#define STORE_WORD(NAME, T) STORE(NAME, T, 1)
SIMGPU_SHMEM_FLOATS(STORE_DATA)
SIMGPU_SHMEM_SMALL(STORE_DATA)
SIMGPU_SHMEM_WORDS(STORE_WORD)

#define SIZE(BITS)                                                             \
    PUTS(put##BITS, void, BITS / 8)                                            \
    GETS(get##BITS, void, BITS / 8)                                            \
    STRIDED(iput##BITS, REQUEST_IPUT, void, BITS / 8)                          \
    STRIDED(iget##BITS, REQUEST_IGET, void, BITS / 8)
SIMGPU_SHMEM_SIZES(SIZE)

PUTS(putmem, void, 1)
GETS(getmem, void, 1)

/* ---- order --------------------------------------------------------------- */

#define ORDER(NAME, SCOPE, KIND)                                               \
    void NAME(void)                                                            \
    {                                                                          \
        REQUEST(#NAME, SCOPE, NULL, .kind = (KIND));                           \
    }
#define ORDER_ON_STREAM(NAME)                                                  \
    void NAME(cudaStream_t cstrm)                                              \
    {                                                                          \
        REQUEST(#NAME, SCOPE_STREAM, cstrm, .kind = REQUEST_QUIET);            \
    }
ORDER(nvshmem_fence, SCOPE_THREAD, REQUEST_FENCE)
ORDER(nvshmem_quiet, SCOPE_THREAD, REQUEST_QUIET)
ORDER(nvshmemx_flush, SCOPE_THREAD, REQUEST_QUIET)
ORDER(nvshmemx_flush_warp, SCOPE_WARP, REQUEST_QUIET)
ORDER(nvshmemx_flush_block, SCOPE_BLOCK, REQUEST_QUIET)
ORDER_ON_STREAM(nvshmemx_quiet_on_stream)
ORDER_ON_STREAM(nvshmemx_flush_on_stream)

/* ---- signals ------------------------------------------------------------- */

void nvshmemx_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
    REQUEST("nvshmemx_signal_op", SCOPE_THREAD, NULL, .kind = REQUEST_SIGNAL,
            AND_SIGNAL, .pe = pe);
}

void nvshmemx_signal_op_on_stream(uint64_t *sig_addr, uint64_t signal,
                                  int sig_op, int pe, cudaStream_t cstrm)
{
    REQUEST("nvshmemx_signal_op_on_stream", SCOPE_STREAM, cstrm,
            .kind = REQUEST_SIGNAL, AND_SIGNAL, .pe = pe);
}
