/*
 * handle.h: what all of cuBLAS's functions share
 *
 * A handle belongs to the device that was current when it was created, and
 * enqueues on its stream, which is the legacy default stream until another is
 * set. Each call is one operation of the execution graph, with its flops, the
 * kind of arithmetic, and every byte range that it touches.
 *
 * OpenBLAS does the arithmetic, on the stream's worker and with one thread, so
 * that results don't depend on schedule or load. It selects its code by the
 * CPU: two machines may differ in the last bits, as two GPUs do.
 */
#ifndef SIMGPU_CUBLAS_HANDLE_H
#define SIMGPU_CUBLAS_HANDLE_H

#include <complex.h>
#include <cublas_v2.h>

#include "core/site.h"
#include "core/stream/op.h"

#define HANDLE_MAGIC UINT64_C(0x636f6d6d6c626c73)

#define HANDLE_DEAD  UINT64_C(0x64656164626c6173)

/* A destroyed handle is kept, so that a later use is certain to be one. */
struct cublasContext {
    uint64_t magic;
    uint32_t site; /* that destroyed it */
    int device;
    cudaStream_t stream;
    cublasPointerMode_t pointer_mode;
    cublasMath_t math_mode;
    cublasAtomicsMode_t atomics_mode; /* simgpu only stores these two */
    int sm_count_target;              /* 0: all of the device's */
};

struct site { /* where a call was made */
    const char *name;
    uint32_t site;
    const void *from; /* return address */
};

/* The return address of the API function that uses this macro. */
#define FROM()                                                                 \
    (simgpu_site_caller ? simgpu_site_caller : __builtin_return_address(0))

/* Returns the status, which is what the call at this site returns. With
 * SIMGPU_CHECK=1, a failure that the program doesn't look at is reported
 * (core/watch/ignored.h). */
cublasStatus_t handle_return(const struct site *at, cublasStatus_t status);

/* The same in the API function that uses this macro. */
#define RETURN(status)                                                         \
    handle_return(&(struct site){__func__, 0, FROM()}, status)

/*
 * Find the stream that a call uses. Returns NOT_INITIALIZED without a handle,
 * and EXECUTION_FAILED if the handle, its stream and the current device don't
 * belong together, if the device has failed, or if a capture forbids the call.
 * A handle that has been destroyed is reported.
 */
cublasStatus_t handle_stream(cublasHandle_t handle, const struct site *at,
                             struct stream **out);

/* A status's name and description. */
const char *handle_status_name(cublasStatus_t status);
const char *handle_status_text(cublasStatus_t status);

/* A function's name without the _v2 that headers hide. Returns out. */
const char *handle_call_name(const char *function, char out[64]);

/* ---- operands ------------------------------------------------------------ */

/*
 * The bytes that an operation touches, collected before it is enqueued. Each
 * column of a matrix is a range, unless the columns are contiguous.
 */
struct touches {
    struct site call;
    struct stream *stream; /* the operation's */
    struct graph_access *access;
    size_t n, room;
    uint64_t nbytes; /* read and written, in total */
};

enum touch_use {
    TOUCH_READ, /* before the operation writes anything */
    TOUCH_WRITE,
    TOUCH_MAYBE, /* read unless a factor is 0 */
    TOUCH_NOT,   /* not even looked at */
};

/*
 * Add `columns` pieces of column_nbytes that are pitch_nbytes apart, starting
 * at p. Returns the address at which simgpu itself accesses p. Memory that no
 * GPU can reach, or that is too short, ends the run with a report: on a GPU it
 * would be an illegal address, noticed later.
 */
void *touch(struct touches *t, const char *what, const void *p,
            size_t column_nbytes, size_t pitch_nbytes, size_t columns,
            enum touch_use use);

/* Like touch(), for a vector of n numbers of `size` bytes, inc apart. */
void *touch_vector(struct touches *t, const char *what, const void *p,
                   size_t size, int n, int inc, enum touch_use use);

/* Like touch(), for the triangle of an n x n matrix that `fill` selects. */
void *touch_triangle(struct touches *t, const char *what, const void *p,
                     size_t size, cublasFillMode_t fill, int n, int ld,
                     enum touch_use use);

/* alpha or beta; a pair of doubles can represent every type. */
struct scalar {
    cudaDataType type;
    double complex value;
    const void *at; /* device address, read when the operation runs; or NULL */
};
struct scalar touch_scalar(struct touches *t, cublasHandle_t handle,
                           const char *what, const void *p, cudaDataType type);
double scalar_now(const struct scalar *s); /* on the stream's worker */
double complex scalar_now_complex(const struct scalar *s);
int scalar_is_zero(const struct scalar *s); /* true if known to be 0 */

/* How an operand is used that is only read to be multiplied by this scalar: NOT
 * if the scalar is 0, MAYBE if only the device knows it. */
enum touch_use scalar_use(const struct scalar *s);

/*
 * Enqueue op, of nbytes, with its touches, and free these. On a captured stream
 * it becomes a node of the graph. flops and math are as in the graph.
 */
struct fence enqueue(struct stream *s, struct op *op, size_t nbytes,
                     struct touches *t, double flops, enum topo_math math);

#endif
