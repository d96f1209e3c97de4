/*
 * handle.h: what cuBLAS's functions share
 *
 * A handle belongs to the device that was current when it was created, and
 * enqueues on its stream: the legacy default stream, until another is set. Each
 * call is one operation of the execution graph: its flops, the kind of
 * arithmetic, and every byte range that it touches.
 *
 * OpenBLAS does the arithmetic, on the stream's worker, with one thread:
 * results do not depend on schedule or load. It selects its code by the CPU, so
 * two machines may differ in the last bits, as two GPUs do.
 */
#ifndef SIMGPU_CUBLAS_HANDLE_H
#define SIMGPU_CUBLAS_HANDLE_H

#include <complex.h>
#include <cublas_v2.h>

#include "core/op.h"

#define HANDLE_MAGIC UINT64_C(0x636f6d6d6c626c73)

struct cublasContext {
    uint64_t magic;
    int device;
    cudaStream_t stream;
    cublasPointerMode_t pointer_mode;
    cublasMath_t math_mode;
    cublasAtomicsMode_t atomics_mode; /* these two only answer */
    int sm_count_target;              /* 0: the device's */
};

/*
 * The stream that a call uses. NOT_INITIALIZED: no handle; EXECUTION_FAILED:
 * the handle, its stream and the current device don't belong together, or the
 * device has failed.
 */
cublasStatus_t handle_stream(cublasHandle_t handle, struct stream **out);

/* The name and the description of a status. */
const char *handle_status_name(cublasStatus_t status);
const char *handle_status_text(cublasStatus_t status);

/* ---- operands ------------------------------------------------------------ */

struct site { /* of a call: for messages and the graph */
    const char *name;
    uint32_t site;
};

/*
 * Bytes that an operation touches, collected before it is enqueued: columns of
 * matrices give a range each, unless they are contiguous.
 */
struct touches {
    struct site call;
    struct graph_access *access;
    size_t n, room;
    uint64_t nbytes; /* read and written, in all */
};

/*
 * Add the touch of `columns` pieces of column_nbytes, pitch_nbytes apart,
 * starting at p. Returns the address at which simgpu itself accesses p. Memory
 * that no GPU can reach, or that ends too early, is reported and ends the run:
 * on a GPU it would be an illegal address, noticed later.
 */
void *touch(struct touches *t, const char *what, const void *p,
            size_t column_nbytes, size_t pitch_nbytes, size_t columns,
            int write);

/* A vector of n numbers of `size` bytes, inc apart: as touch(). */
void *touch_vector(struct touches *t, const char *what, const void *p,
                   size_t size, int n, int inc, int write);

/* The triangle of an n x n matrix that fill names, as touch(). */
void *touch_triangle(struct touches *t, const char *what, const void *p,
                     size_t size, cublasFillMode_t fill, int n, int ld,
                     int write);

/* alpha or beta: every type's fits in a pair of doubles. */
struct scalar {
    cudaDataType type;
    double complex value;
    const void *at; /* in device memory, read when the operation runs; or NULL
                     */
};
struct scalar touch_scalar(struct touches *t, cublasHandle_t handle,
                           const char *what, const void *p, cudaDataType type);
double scalar_now(const struct scalar *s); /* on the stream's worker */
double complex scalar_now_complex(const struct scalar *s);
int scalar_is_zero(const struct scalar *s); /* and known to be */

/*
 * Enqueue op with its touches, and free them. flops and math as in the graph.
 */
struct fence enqueue(struct stream *s, struct op *op, struct touches *t,
                     double flops, enum topo_math math);

#endif
