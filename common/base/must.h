/*
 * must.h: calls that must succeed
 *
 * When a call fails, the macros print the rank, file:line, the call and the
 * error, and end all ranks. Include mpi.h, cuda_runtime.h, nccl.h or
 * cublas_v2.h for the macros you use.
 */
#ifndef COMMLAB_BASE_MUST_H
#define COMMLAB_BASE_MUST_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Call MPI_Abort once the launcher has read this rank's output, or after a
 * second. When the launcher ends the ranks, it drops output that is still in a
 * pipe.
 */
void must_abort(int status) __attribute__((noreturn));

/* Print "rank R: file:line: call: error" and stop every rank. */
void must_stop(const char *file, int line, const char *call, const char *error)
    __attribute__((noreturn));
void must_stop_mpi(const char *file, int line, const char *call, int error)
    __attribute__((noreturn));

/*
 * Have must_stop() call this, which writes more about the place to out, or "".
 * The kit's own lines don't tell a student which call of theirs led there.
 */
typedef void must_from_fn(const char *file, int line, char *out, int nbytes);
void must_say_from(must_from_fn *from);

#ifdef __cplusplus
}
#endif

#define MPI_MUST(call)                                                         \
    do {                                                                       \
        const int must_ = (call);                                              \
        if (must_ != MPI_SUCCESS)                                              \
            must_stop_mpi(__FILE__, __LINE__, #call, must_);                   \
    } while (0)

#define CUDA_MUST(call)                                                        \
    do {                                                                       \
        const cudaError_t must_ = (call);                                      \
        if (must_ != cudaSuccess)                                              \
            must_stop(__FILE__, __LINE__, #call, cudaGetErrorString(must_));   \
    } while (0)

#define NCCL_MUST(call)                                                        \
    do {                                                                       \
        const ncclResult_t must_ = (call);                                     \
        if (must_ != ncclSuccess)                                              \
            must_stop(__FILE__, __LINE__, #call, ncclGetErrorString(must_));   \
    } while (0)

#define CUBLAS_MUST(call)                                                      \
    do {                                                                       \
        const cublasStatus_t must_ = (call);                                   \
        if (must_ != CUBLAS_STATUS_SUCCESS)                                    \
            must_stop(__FILE__, __LINE__, #call,                               \
                      cublasGetStatusString(must_));                           \
    } while (0)

#endif
