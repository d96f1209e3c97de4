/*
 * lab1.h: collectives, from one NCCL call down to the messages in it
 *
 * The functions that you write, part by part, and their contracts. All of them
 * are *collective*: every rank of c->comm calls them, in the same order, with
 * the same count, type, op and root. They enqueue work on c->stream and return
 * without blocking; the caller synchronises.
 *
 * Buffers are device memory. count is in elements. "In place" means that
 * sendbuf and recvbuf are the same bytes (for gather, scatter, all-gather and
 * reduce-scatter: the caller's own block of the larger buffer).
 *
 * A function whose call fails returns the error: LAB_TRY and LAB_TRY_CUDA do
 * that. One that has created something, such as an event, destroys it first:
 * lab/try.h shows the pattern for that, with LAB_OUT and a label `out`.
 */
#ifndef LAB1_H
#define LAB1_H

#include <cuda_runtime.h> /* cudaStream_t */
#include <mpi.h>          /* MPI_Comm */
#include <nccl.h>         /* ncclComm_t, ncclDataType_t, ncclRedOp_t */
#include <stddef.h>       /* size_t */

#ifdef __cplusplus
extern "C" {
#endif

/* The arguments that all collectives of this lab share. */
struct coll {
    ncclComm_t comm;
    int rank, nranks;
    int ranks_per_node; /* ranks 0 .. ranks_per_node-1 share node 0, the next
                           ones node 1, ...; the last node may have fewer */
    cudaStream_t stream;
    void *scratch; /* device memory to receive into before you combine */
    size_t scratch_nbytes; /* at least 2 * count * size of an element */
};

/* ---- given: common/staff/lab1-collectives -------------------------------- */

/* Bytes of one element. */
size_t coll_type_size(ncclDataType_t type);

/* The address of element i of a buffer. */
void *coll_at(const void *buf, size_t i, ncclDataType_t type);

/*
 * Element-wise acc = acc op in, for count elements, as a kernel on the stream.
 * Types: int8, uint8, int32, uint32, int64, uint64, float, double. Operations:
 * sum, prod, max, min. ncclInvalidArgument for others.
 */
ncclResult_t coll_combine(void *acc, const void *in, size_t count,
                          ncclDataType_t type, ncclRedOp_t op,
                          cudaStream_t stream);

/* Copy count elements on the stream. Does nothing if dst == src. */
ncclResult_t coll_copy(void *dst, const void *src, size_t count,
                       ncclDataType_t type, cudaStream_t stream);

/*
 * Split count elements into n chunks whose sizes differ by at most one: the
 * first element of chunk i (count for i = n). If count < n, some are empty.
 */
size_t coll_chunk(size_t count, int n, int i);

/* A piece of a vector: elements [begin, end). */
struct piece {
    size_t begin, end;
};

/* Chunk i modulo n: -1 is the last chunk, n the first one again. */
struct piece coll_piece(size_t count, int n, int i);

/*
 * One step of an algorithm: send piece `out` of buf to rank `to`, and at the
 * same time receive as many elements as piece `in` has from rank `from` into
 * `into`. Empty pieces are not sent. Rank -1: no partner on that side.
 */
ncclResult_t coll_exchange(void *buf, struct piece out, int to, void *into,
                           struct piece in, int from, ncclDataType_t type,
                           const struct coll *c);

/* Like coll_exchange(), but receives into c->scratch and then combines that
 * with piece `in` of buf. */
ncclResult_t coll_exchange_combine(void *buf, struct piece out, int to,
                                   struct piece in, int from,
                                   ncclDataType_t type, ncclRedOp_t op,
                                   const struct coll *c);

/* Sort n values and return their median. */
double measure_median(double *values, int n);

/* Replace *us by the largest on any rank, with an all-reduce on c->stream. */
ncclResult_t measure_slowest(double *us, const struct coll *c);

/* ---- part 1: bootstrap (bootstrap.c) ------------------------------------- */

/*
 * Make a communicator of all ranks of mpi_comm, this process driving the
 * current device. Rank 0 makes the unique id; MPI carries it to the others.
 */
ncclResult_t boot_comm(MPI_Comm mpi_comm, ncclComm_t *comm);

/*
 * Sum `mine` over all ranks with ncclAllReduce on c->comm: copies it to the
 * device (c->scratch), reduces it, copies the result back, and returns once
 * *sum holds it. sum is in pinned memory, so a copy there is asynchronous.
 */
ncclResult_t boot_sum(const struct coll *c, double mine, double *sum);

/* ---- part 2: collectives of sends and receives (p2p.c) ------------------- */

/*
 * Broadcast: copies root's sendbuf to every rank's recvbuf. A binomial tree of
 * ceil(log2 n) steps: a rank receives one message and sends at most
 * ceil(log2 n). sendbuf is read on the root only.
 */
ncclResult_t p2p_broadcast(const void *sendbuf, void *recvbuf, size_t count,
                           ncclDataType_t type, int root, const struct coll *c);

/*
 * Scatter: rank i receives block i (count elements) of root's sendbuf, which
 * has n * count elements. In place on the root: recvbuf is its own block.
 */
ncclResult_t p2p_scatter(const void *sendbuf, void *recvbuf, size_t count,
                         ncclDataType_t type, int root, const struct coll *c);

/* Gather: the reverse; root's recvbuf has n * count elements. */
ncclResult_t p2p_gather(const void *sendbuf, void *recvbuf, size_t count,
                        ncclDataType_t type, int root, const struct coll *c);

/*
 * All-gather: copies rank i's sendbuf to block i of every rank's recvbuf. A
 * ring of n-1 steps; in each, every rank sends one block to its right.
 */
ncclResult_t p2p_all_gather(const void *sendbuf, void *recvbuf, size_t count,
                            ncclDataType_t type, const struct coll *c);

/*
 * Reduce: writes the element-wise reduction of all sendbufs to root's recvbuf.
 * A binomial tree: every rank sends at most once. recvbuf is written on the
 * root only; sendbuf is unchanged unless in place.
 */
ncclResult_t p2p_reduce(const void *sendbuf, void *recvbuf, size_t count,
                        ncclDataType_t type, ncclRedOp_t op, int root,
                        const struct coll *c);

/*
 * Reduce-scatter: writes block i of the reduction of all sendbufs (n * count
 * elements each) to rank i's recvbuf (count elements). A ring of n-1 steps.
 * sendbuf is unchanged, except that in place its own block is the result.
 */
ncclResult_t p2p_reduce_scatter(const void *sendbuf, void *recvbuf,
                                size_t count, ncclDataType_t type,
                                ncclRedOp_t op, const struct coll *c);

/* ---- part 3: all-reduce four ways (allreduce.c) -------------------------- */

/*
 * All-reduce: writes the reduction of all sendbufs to every rank's recvbuf.
 * Works for any n and any count (also count < n), in place or not. sendbuf is
 * unchanged unless in place. May use c->scratch.
 */
typedef ncclResult_t allreduce_fn(const void *sendbuf, void *recvbuf,
                                  size_t count, ncclDataType_t type,
                                  ncclRedOp_t op, const struct coll *c);

/*
 * All-reduce in place over a ring of m ranks, in which this rank has position
 * `index` between ranks `left` and `right`: m-1 steps of reduce-scatter, then
 * m-1 of all-gather. Chunk i starts at position i; after the first half,
 * position i holds the complete chunk i + 1.
 */
ncclResult_t allreduce_over_ring(void *buf, size_t count, ncclDataType_t type,
                                 ncclRedOp_t op, int m, int index, int left,
                                 int right, const struct coll *c);

/* 2(n-1) steps; every rank sends 2(n-1)/n of the vector, one chunk per step. */
allreduce_fn allreduce_ring;

/* Reduce to rank 0, then broadcast: 2 ceil(log2 n) steps of whole vectors. */
allreduce_fn allreduce_tree;

/*
 * All-reduce in place among p ranks (a power of two). This rank is number v;
 * rank_of[] maps numbers to ranks of c->comm. The chunks that each number works
 * on, for p = 4:
 *
 *            start   halve by 2   halve by 1   double by 1   double by 2
 *   v = 0    0123    01           0            01            0123
 *   v = 1    0123    01            1           01            0123
 *   v = 2    0123      23           2            23          0123
 *   v = 3    0123      23            3           23          0123
 */
ncclResult_t allreduce_over_cube(void *buf, size_t count, ncclDataType_t type,
                                 ncclRedOp_t op, int p, int v,
                                 const int *rank_of, const struct coll *c);

/*
 * The ranks that take part when there are n: p of them, the largest power of
 * two up to n. Of the first 2(n-p) ranks only the odd ones take part, each also
 * on behalf of the even rank below it. Fills rank_of[p] and returns p. Given.
 */
int coll_active_ranks(int n, int *rank_of);

/*
 * Recursive halving, then doubling: 2 log2(n) steps, 2(n-1)/n of the vector.
 * If n isn't a power of two, the first 2(n-p) ranks fold into pairs first (p as
 * in coll_active_ranks()), which costs one step before and one after.
 */
allreduce_fn allreduce_halving_doubling;

/*
 * Inside each node, then across nodes, then inside again. With m nodes, each
 * sends 2(m-1)/m of the vector to the next one, however many ranks it has, and
 * all its ranks send a share of it. Nodes: c->ranks_per_node.
 */
allreduce_fn allreduce_hierarchical;

/* Calls the fastest of the four for this size and this number of ranks. */
allreduce_fn allreduce_best;

/* ---- part 4: three ways to a sum (alphabeta.c) --------------------------- */

/*
 * Sum all sendbufs into every rank's recvbuf, in one of three ways, each with
 * the same payload of M = count floats: ncclAllReduce; ncclReduce, then
 * ncclBroadcast; ncclReduceScatter, then ncclAllGather. count is a multiple of
 * n. Mind what count means in each of the NCCL calls.
 */
enum sum_way { SUM_ALLREDUCE, SUM_REDUCE_BROADCAST, SUM_SCATTER_GATHER };
ncclResult_t sum_by(enum sum_way way, const float *sendbuf, float *recvbuf,
                    size_t count, const struct coll *c);

/* ---- part 5: a fair clock (alphabeta.c) ---------------------------------- */

/*
 * The median time in microseconds of one call of sum_by(), measured with events
 * on c->stream, after `warmup` calls that don't count. All ranks get the same
 * value, the slowest rank's.
 */
ncclResult_t measure_sum(enum sum_way way, const float *sendbuf, float *recvbuf,
                         size_t count, int warmup, int iterations,
                         const struct coll *c, double *us);

/* ---- part 6: a cost model (alphabeta.c) ---------------------------------- */

/*
 * Fit us[i] = alpha + bytes[i] / beta by least squares, weighted by 1 / us[i]^2
 * so that small sizes count: alpha in microseconds, beta in bytes per
 * microsecond. n >= 2, with at least two different sizes.
 */
void fit_alpha_beta(const double *bytes, const double *us, int n, double *alpha,
                    double *beta);

#ifdef __cplusplus
}
#endif
#endif
