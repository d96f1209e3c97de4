/*
 * request.h: a call of NVSHMEM, from host code or from a kernel
 *
 * A function of the API fills in a request and passes it to request_run(). In a
 * kernel, the request runs at once. The calling thread does the work, or for a
 * warp's or block's call its first thread, while the others wait. A host call
 * becomes a kernel of its own, or a copy, on the caller's stream or on the
 * PE's. Host calls, calls on streams and calls in kernels therefore do the same
 * work and cost the same.
 */
#ifndef SIMGPU_NVSHMEM_REQUEST_H
#define SIMGPU_NVSHMEM_REQUEST_H

#include "extras/nvshmem/reduce.h" /* enum reduce_type */
#include "nvshmemx.h"

enum scope { SCOPE_THREAD, SCOPE_WARP, SCOPE_BLOCK, SCOPE_STREAM };

enum request_kind {
    REQUEST_PUT,
    REQUEST_GET,
    REQUEST_IPUT,
    REQUEST_IGET,
    REQUEST_PUT_SIGNAL,
    REQUEST_SIGNAL,
    REQUEST_STORE, /* nvshmem_p */
    REQUEST_UPDATE,
    REQUEST_WAIT,
    REQUEST_QUIET,
    REQUEST_FENCE,
    REQUEST_BARRIER,
    REQUEST_SYNC,
    REQUEST_BROADCAST,
    REQUEST_FCOLLECT,
    REQUEST_ALLTOALL,
    REQUEST_REDUCE,
    REQUEST_REDUCESCATTER,
};

enum update {
    UPDATE_FETCH,
    UPDATE_SET,
    UPDATE_ADD,
    UPDATE_AND,
    UPDATE_OR,
    UPDATE_XOR,
    UPDATE_SWAP_IF
};

struct shmem_request {
    const char *call; /* the function's name */
    const void *pc;   /* the call's return address */
    enum request_kind kind;
    enum scope scope;
    cudaStream_t stream; /* for SCOPE_STREAM */
    int nbi;             /* the caller doesn't wait */
    void *dest;
    const void *source;
    size_t nelems, size; /* size: bytes in an element */
    ptrdiff_t dst, sst;  /* increments of iput and iget */
    int pe;
    uint64_t value, compare; /* as bits; for UPDATE the operands */
    uint64_t *sig;
    uint64_t signal;
    int sig_op;
    int is_word; /* STORE: other PEs may wait for it */
    enum update update;
    enum reduce_type type;
    void *result;       /* for UPDATE and g; NULL: not wanted */
    int cmp, is_signed; /* WAIT, for all nelems in dest with status 0 */
    const int *status;
    const void *values; /* one per element; NULL: all use `value` */
    nvshmem_team_t team;
    int root;
    enum reduce_op op;
};

/* Run a request with these members, which follow the first four. */
#define REQUEST(CALL, SCOPE, STREAM, ...)                                      \
    request_run(&(struct shmem_request){.call = (CALL),                        \
                                        .pc = __builtin_return_address(0),     \
                                        .scope = (SCOPE),                      \
                                        .stream = (STREAM),                    \
                                        __VA_ARGS__})
void request_run(const struct shmem_request *r);

/* Define a function and its three variants. PARAMS is in parentheses, RETURN
 * follows the request. */
#define SHMEM_UNWRAP(...) __VA_ARGS__
#define SHMEM_DEFINE(R, NAME, PARAMS, RETURN, ...)                             \
    R nvshmem_##NAME PARAMS                                                    \
    {                                                                          \
        REQUEST("nvshmem_" #NAME, SCOPE_THREAD, NULL, __VA_ARGS__);            \
        RETURN;                                                                \
    }                                                                          \
    R nvshmemx_##NAME##_warp PARAMS                                            \
    {                                                                          \
        REQUEST("nvshmemx_" #NAME "_warp", SCOPE_WARP, NULL, __VA_ARGS__);     \
        RETURN;                                                                \
    }                                                                          \
    R nvshmemx_##NAME##_block PARAMS                                           \
    {                                                                          \
        REQUEST("nvshmemx_" #NAME "_block", SCOPE_BLOCK, NULL, __VA_ARGS__);   \
        RETURN;                                                                \
    }                                                                          \
    R nvshmemx_##NAME##_on_stream(SHMEM_UNWRAP PARAMS, cudaStream_t cstrm)     \
    {                                                                          \
        REQUEST("nvshmemx_" #NAME "_on_stream", SCOPE_STREAM, cstrm,           \
                __VA_ARGS__);                                                  \
        RETURN;                                                                \
    }

/* End the run with a message about this call's mistake. */
void request_fault(const struct shmem_request *r, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

/* A request for messages about a call that is not run as a request. */
#define CALLED(NAME)                                                           \
    (struct shmem_request)                                                     \
    {                                                                          \
        .call = (NAME), .pc = __builtin_return_address(0)                      \
    }

/* Call these around calls of the runtime on behalf of the request. */
void request_calls(const struct shmem_request *r);
void request_called(void);

#endif
