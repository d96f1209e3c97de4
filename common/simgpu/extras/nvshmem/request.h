/*
 * request.h: a call of NVSHMEM, from host code or from a kernel
 *
 * A function of the API fills in a request and hands it to request_run(). In a
 * kernel it is done at once, by the calling thread or, of a warp's or a block's
 * call, by its first thread while the others wait. From the host it becomes a
 * kernel of its own, or a copy, on the caller's stream or on the PE's; so host
 * calls, calls on streams and calls of kernels do the same, and cost what it
 * costs.
 */
#ifndef SIMGPU_NVSHMEM_REQUEST_H
#define SIMGPU_NVSHMEM_REQUEST_H

#include "nvshmem/reduce.h" /* enum reduce_type */
#include "nvshmemx.h"

enum scope { SCOPE_THREAD, SCOPE_WARP, SCOPE_BLOCK, SCOPE_STREAM };

enum request_kind {
    REQUEST_PUT,
    REQUEST_GET,
    REQUEST_IPUT,
    REQUEST_IGET,
    REQUEST_PUT_SIGNAL,
    REQUEST_SIGNAL,
    REQUEST_STORE, /* p */
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

struct request {
    const char *call; /* the function's name */
    const void *pc;   /* where it was called */
    enum request_kind kind;
    enum scope scope;
    cudaStream_t stream; /* SCOPE_STREAM */
    int nbi;             /* the caller doesn't wait */
    void *dest;
    const void *source;
    size_t nelems, size; /* size: of an element */
    ptrdiff_t dst, sst;  /* steps of iput and iget */
    int pe;
    uint64_t value, compare; /* by bits; of UPDATE: the operands */
    uint64_t *sig;
    uint64_t signal;
    int sig_op;
    int is_word; /* STORE: others may wait for it */
    enum update update;
    enum reduce_type type;
    void *result;       /* of an UPDATE, a g; NULL: not wanted */
    int cmp, is_signed; /* WAIT, for all nelems of dest with status 0 */
    const int *status;
    const void *values; /* a value for each; NULL: `value` for all */
    nvshmem_team_t team;
    int root;
    enum reduce_op op;
};

/* Run a request with the fields given behind the first four. */
#define REQUEST(CALL, SCOPE, STREAM, ...)                                      \
    request_run(&(struct request){.call = (CALL),                              \
                                  .pc = __builtin_return_address(0),           \
                                  .scope = (SCOPE),                            \
                                  .stream = (STREAM),                          \
                                  __VA_ARGS__})
void request_run(const struct request *r);

/* Define a function and its three variants: PARAMS in parentheses. RETURN is
 * what follows the request. */
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

/* The call made a mistake: end the run with a message that names it. */
void request_fault(const struct request *r, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

/* A call of host code alone, or of both, as a request for messages. */
#define CALLED(NAME)                                                           \
    (struct request)                                                           \
    {                                                                          \
        .call = (NAME), .pc = __builtin_return_address(0)                      \
    }

/* The program's line, for messages. */
const char *request_site(const struct request *r, char *out, size_t nbytes);

/* Say that the runtime is called for this request. */
void request_calls(const struct request *r);
void request_called(void);

/* In a kernel: do what the request says. */
void request_do(const struct request *r);

#endif
