/*
 * lab1.h: collectives, from one NCCL call down to the messages in it
 *
 * What you write, part by part, and what each function promises. All
 * functions here are *collective*: every rank of c->comm calls them, in the
 * same order, with the same count, type, op and root. All of them only enqueue
 * work on c->stream and return; the caller synchronises.
 *
 * Buffers are device memory. count is in elements. "In place" means that
 * sendbuf and recvbuf are the same bytes (for gather, scatter, all-gather and
 * reduce-scatter: the caller's own block of the larger buffer).
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

/* What every collective of this lab works with. */
struct coll {
    ncclComm_t comm;
    int rank, nranks;
    int ranks_per_node; /* ranks 0 .. ranks_per_node-1 share node 0, the next
                           ones node 1, ...; the last node may have fewer */
    cudaStream_t stream;
    void *scratch; /* device memory for what you receive before you add it */
    size_t scratch_nbytes; /* at least 2 * count * size of an element */
};

/* ---- given (support.c, reduce.cu) ------------------------------------- */

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

/* Copy count elements on the stream; nothing to do when dst == src. */
ncclResult_t coll_copy(void *dst, const void *src, size_t count,
                       ncclDataType_t type, cudaStream_t stream);

/*
 * A vector of count elements in n chunks that differ by at most one element:
 * where chunk i begins (i = n gives count). Some chunks are empty if count < n.
 */
size_t coll_chunk(size_t count, int n, int i);

/* A piece of a vector: elements [begin, end). */
struct piece {
    size_t begin, end;
};

/* Chunk i of n, where i counts round: -1 is the last, n the first again. */
struct piece coll_piece(size_t count, int n, int i);

/*
 * One step of an algorithm: send `out` of buf to rank `to` while receiving
 * `in`, whose size the other side gives, from rank `from` into `into`. Empty
 * pieces are not sent; rank -1 is nobody.
 */
ncclResult_t coll_exchange(void *buf, struct piece out, int to, void *into,
                           struct piece in, int from, ncclDataType_t type,
                           const struct coll *c);

/* As coll_exchange(), by way of c->scratch, and combine what came with `in`
 * of buf. */
ncclResult_t coll_exchange_combine(void *buf, struct piece out, int to,
                                   struct piece in, int from,
                                   ncclDataType_t type, ncclRedOp_t op,
                                   const struct coll *c);

/* ---- part 1: bootstrap (bootstrap.c) ---------------------------------- */

/*
 * Make a communicator of all ranks of mpi_comm, this process driving the
 * current device. Rank 0 makes the unique id; MPI carries it to the others.
 */
ncclResult_t boot_comm(MPI_Comm mpi_comm, ncclComm_t *comm);

/*
 * The sum over all ranks of `mine`, by ncclAllReduce over c->comm: copies it
 * to the device (c->scratch), reduces, copies back, and returns when *sum
 * holds the answer.
 */
ncclResult_t boot_sum(const struct coll *c, double mine, double *sum);

/* ---- part 2: collectives of sends and receives (p2p.c) ----------------- */

/*
 * Broadcast: recvbuf of every rank gets root's sendbuf. A binomial tree: every
 * rank sends at most ceil(log2 n) messages and receives one, and the last one
 * has its data after ceil(log2 n) steps. sendbuf is read on the root only.
 */
ncclResult_t p2p_broadcast(const void *sendbuf, void *recvbuf, size_t count,
                           ncclDataType_t type, int root, const struct coll *c);

/*
 * Scatter: rank i gets block i (count elements) of root's sendbuf, which has
 * n * count elements. In place on the root: recvbuf is its own block.
 */
ncclResult_t p2p_scatter(const void *sendbuf, void *recvbuf, size_t count,
                         ncclDataType_t type, int root, const struct coll *c);

/* Gather: the reverse; root's recvbuf has n * count elements. */
ncclResult_t p2p_gather(const void *sendbuf, void *recvbuf, size_t count,
                        ncclDataType_t type, int root, const struct coll *c);

/*
 * All-gather: block i of every rank's recvbuf gets rank i's sendbuf. A ring:
 * n-1 steps, in each of which every rank sends one block to its right.
 */
ncclResult_t p2p_all_gather(const void *sendbuf, void *recvbuf, size_t count,
                            ncclDataType_t type, const struct coll *c);

/*
 * Reduce: root's recvbuf gets the element-wise reduction of all sendbufs. A
 * binomial tree: every rank sends at most once. recvbuf is written on the
 * root only; sendbuf stays as it is unless in place.
 */
ncclResult_t p2p_reduce(const void *sendbuf, void *recvbuf, size_t count,
                        ncclDataType_t type, ncclRedOp_t op, int root,
                        const struct coll *c);

/*
 * Reduce-scatter: rank i's recvbuf (count elements) gets block i of the
 * reduction of all sendbufs (n * count elements each). A ring of n-1 steps.
 * sendbuf stays as it is, except that in place its own block is the result.
 */
ncclResult_t p2p_reduce_scatter(const void *sendbuf, void *recvbuf,
                                size_t count, ncclDataType_t type,
                                ncclRedOp_t op, const struct coll *c);

/* ---- part 3: all-reduce four ways (allreduce.c) ------------------------ */

/*
 * All-reduce: every rank's recvbuf gets the reduction of all sendbufs, with
 * the same bits on all ranks. Any n, any count (also count < n), in place
 * and not. sendbuf is unchanged unless in place. c->scratch is yours.
 */
typedef ncclResult_t allreduce_fn(const void *sendbuf, void *recvbuf,
                                  size_t count, ncclDataType_t type,
                                  ncclRedOp_t op, const struct coll *c);

/*
 * In place over a ring of m ranks, of which this is number `index`, between
 * ranks `left` and `right`: m-1 steps of reduce-scatter, m-1 of all-gather.
 * Chunk i sets out from number i; after the first half, number i holds chunk
 * i + 1 complete.
 */
ncclResult_t allreduce_over_ring(void *buf, size_t count, ncclDataType_t type,
                                 ncclRedOp_t op, int m, int index, int left,
                                 int right, const struct coll *c);

/* 2(n-1) steps; every rank sends 2(n-1)/n of the vector, a chunk a step. */
allreduce_fn allreduce_ring;

/* Reduce to rank 0, then broadcast: 2 ceil(log2 n) steps of whole vectors. */
allreduce_fn allreduce_tree;

/*
 * In place among p ranks (a power of two), of which this one is number v and
 * rank_of[v] its rank in c->comm. What each still works on, for p = 4:
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
 * The ranks that take part for n ranks: of the first 2(n-p) ranks the odd ones,
 * which speak for the even one below them, and all others; p is the largest
 * power of two in n. Fills rank_of[p] and returns p. Given.
 */
int coll_active_ranks(int n, int *rank_of);

/*
 * Recursive halving, then doubling: 2 log2(n) steps, 2(n-1)/n of the vector.
 * When n isn't a power of two, the first 2(n-p) ranks fold into pairs first
 * (p: the largest power of two in n), which costs a step before and after.
 */
allreduce_fn allreduce_halving_doubling;

/*
 * Inside each node, then across nodes, then inside again: between two nodes
 * pass 2(m-1)/m of the vector for m nodes, however many ranks a node has, and
 * all ranks of a node take part in passing it. Nodes: c->ranks_per_node.
 */
allreduce_fn allreduce_hierarchical;

/* The one of the four that is the fastest for this size and these ranks. */
allreduce_fn allreduce_best;

/* ---- part 4: measure and explain (alphabeta.c) -------------------------- */

/*
 * Three ways to the same result at the same payload of M = count floats:
 * ncclAllReduce; ncclReduce, then ncclBroadcast; ncclReduceScatter, then
 * ncclAllGather. recvbuf of every rank gets the sum of all sendbufs; count
 * is a multiple of n. Mind what count means to each of the NCCL calls.
 */
enum sum_way { SUM_ALLREDUCE, SUM_REDUCE_BROADCAST, SUM_SCATTER_GATHER };
ncclResult_t sum_by(enum sum_way way, const float *sendbuf, float *recvbuf,
                    size_t count, const struct coll *c);

/*
 * Median time in microseconds of one call of sum_by, measured with events on
 * c->stream, after `warmup` calls that don't count. The same on all ranks: the
 * slowest rank's.
 */
ncclResult_t measure_sum(enum sum_way way, const float *sendbuf, float *recvbuf,
                         size_t count, int warmup, int iterations,
                         const struct coll *c, double *us);

/*
 * Least squares of us[i] = alpha + bytes[i] / beta, weighted by 1 / us[i]^2 so
 * that small sizes count: alpha in microseconds, beta in bytes per microsecond.
 * n >= 2 and at least two different sizes.
 */
void fit_alpha_beta(const double *bytes, const double *us, int n, double *alpha,
                    double *beta);

#ifdef __cplusplus
}
#endif
#endif
