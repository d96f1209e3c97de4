/*
 * lab4.h: one network on many GPUs: tensor, pipeline and data parallel
 *
 * The functions that you write, part by part, and their contracts. Given, in
 * common/staff/lab4-tensor-pipeline: matrices, blocks, stages and slots
 * (stage.h), and a block on one device (dense.c).
 *
 *   tensor parallel     each rank has a part of every matrix
 *   pipeline parallel   each rank has some of the blocks
 *   data parallel       each group of ranks has the whole network, and its own
 *                       rows
 *
 * All functions are collective over the ranks of their communicator, unless
 * they say otherwise. They enqueue work on the stream that they are given and
 * return without blocking. Matrices are stored row by row.
 */
#ifndef LAB4_H
#define LAB4_H

#include "stage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- part 1: tensor parallel (tensor.c) ---------------------------------- */

/*
 * Copy this rank's columns, or rows, of a whole matrix (in, out) to part, which
 * is (in, out/n) or (in/n, out). Of n ranks, rank r has the out/n columns from
 * r * out/n on, or the in/n rows from r * in/n on. out, or in, is a multiple of
 * n. Not collective.
 */
ncclResult_t tp_split_columns(const struct tp *t, struct matrix whole,
                              struct matrix part);
ncclResult_t tp_split_rows(const struct tp *t, struct matrix whole,
                           struct matrix part);

/*
 * Column-parallel linear layer (in, out): w, (in, out/n), is this rank's
 * columns. x is (rows, in), the same on all ranks; y, (rows, out/n), is this
 * rank's columns of the product. Sends nothing.
 */
ncclResult_t tp_column_forward(const struct tp *t, struct matrix x,
                               struct matrix w, struct matrix y);

/* Its backward pass: dw += x^T dy; dx, (rows, in), is the complete derivative
 * on all ranks. dy is (rows, out/n). One all-reduce. */
ncclResult_t tp_column_backward(const struct tp *t, struct matrix x,
                                struct matrix w, struct matrix dy,
                                struct matrix dw, struct matrix dx);

/*
 * Row-parallel linear layer (in, out): w, (in/n, out), is this rank's rows. x,
 * (rows, in/n), is this rank's columns of the input; y, (rows, out), is the
 * complete product on all ranks. One all-reduce.
 */
ncclResult_t tp_row_forward(const struct tp *t, struct matrix x,
                            struct matrix w, struct matrix y);

/* Its backward pass: dw += x^T dy; dx, (rows, in/n), is this rank's columns of
 * the derivative. dy, (rows, out), is the same on all ranks. Sends nothing. */
ncclResult_t tp_row_backward(const struct tp *t, struct matrix x,
                             struct matrix w, struct matrix dy,
                             struct matrix dw, struct matrix dx);

/*
 * A block of which each rank has columns of A and the matching rows of B. Like
 * dense_forward() and dense_backward(), with hidden/n in place of hidden. x, y,
 * dy and dx are complete and the same on all ranks. One all-reduce each.
 */
ncclResult_t tp_block_forward(const struct tp *t, const struct block *block,
                              struct matrix x, const struct saved *s,
                              struct matrix y);
ncclResult_t tp_block_backward(const struct tp *t, const struct block *block,
                               struct matrix x, const struct saved *s,
                               struct matrix dy, struct matrix scratch,
                               struct matrix dx);

/*
 * The other form: a column-parallel layer whose output is gathered. y, (rows,
 * out), is complete on all ranks, and so is dy in the backward pass. space is
 * scratch memory of rows * out floats. One all-gather forward, one all-reduce
 * backward.
 */
ncclResult_t tp_gather_forward(const struct tp *t, struct matrix x,
                               struct matrix w, struct matrix y, float *space);
ncclResult_t tp_gather_backward(const struct tp *t, struct matrix x,
                                struct matrix w, struct matrix dy,
                                struct matrix dw, struct matrix dx,
                                float *space);

/* ---- part 2: pipeline (schedule.c, pipeline.c) --------------------------- */

enum pipe_kind { PIPE_FORWARD, PIPE_BACKWARD, PIPE_WEIGHTS /* part 5 */ };

struct pipe_action { /* one pass of a micro-batch through a chunk */
    enum pipe_kind kind;
    int micro, chunk;
};

/*
 * Write to out, in order, the passes that a stage runs in one step: at most 2 *
 * nmicro, all of chunk 0. Returns their number. Not collective.
 *
 *   fill-drain   all forward passes, then all backward passes, micro-batch 0
 *                first
 *   1F1B         min(nstages - stage - 1, nmicro) forward passes to warm up;
 *                then forward and backward passes alternately until no forward
 *                pass is left; then the remaining backward passes. Micro-batch
 *                0 first
 */
int schedule_fill_drain(int nstages, int stage, int nmicro,
                        struct pipe_action *out);
int schedule_1f1b(int nstages, int stage, int nmicro, struct pipe_action *out);

struct pipe {
    ncclComm_t comm; /* stage i is rank i */
    struct stage *stage;
};

struct pipe_message {
    float *buf;
    size_t count; /* floats */
    int peer;     /* stage on the other side; -1: no message */
};

/*
 * The message that an action needs before it starts, and the one that it
 * produces. A forward pass receives its slot's x[0] from the previous stage and
 * sends y to the next; a backward pass receives dy from the next stage and
 * sends dx to the previous one. The network's first chunk takes its input from
 * the batch, its last chunk takes dy from the loss. Not collective.
 */
struct pipe_message pipe_input(const struct pipe *p,
                               const struct pipe_action *a);
struct pipe_message pipe_output(const struct pipe *p,
                                const struct pipe_action *a);

/* Send what the actions done[0] .. produced and receive what the actions
 * next[0] .. need, in that order, as one group. ndone or nnext may be 0. */
ncclResult_t pipe_exchange(const struct pipe *p, const struct pipe_action *done,
                           int ndone, const struct pipe_action *next,
                           int nnext);

/* Run n actions in order, with an exchange before each and after the last. */
ncclResult_t pipe_run(const struct pipe *p, const struct pipe_action *a, int n);

/* ---- part 3: checkpoints (checkpoint.c) ---------------------------------- */

/* Give a new slot its memory: its own x[0], and the memory of s->work for
 * everything else. s->work is allocated along with the first slot. */
ncclResult_t checkpoint_slot(struct stage *s, struct slot *k);

/* Like slot_backward(), for a slot that has kept only its input. */
ncclResult_t checkpoint_backward(struct stage *s, struct slot *k);

/* ---- part 3: hybrid (hybrid.c) ------------------------------------------- */

struct grid {
    int tp, dp, pp; /* ranks along each dimension */
    int tp_rank, dp_rank, pp_rank;
};

/* A rank's coordinates, as at the head of hybrid.c. tp * pp divides nranks. Not
 * collective. */
struct grid grid_of(int rank, int nranks, int tp, int pp);

/* Create the communicators along the three dimensions through this rank. In
 * each, a rank's number is its coordinate in the grid. */
ncclResult_t grid_split(const struct grid *g, ncclComm_t comm,
                        ncclComm_t *tp_comm, ncclComm_t *dp_comm,
                        ncclComm_t *pp_comm);

enum hybrid_schedule { HYBRID_FILL_DRAIN, HYBRID_1F1B, HYBRID_INTERLEAVED };

struct hybrid_config {
    struct nn_shape shape; /* rows: of one micro-batch */
    int tp, pp;
    int nmicro; /* micro-batches per step and replica */
    enum hybrid_schedule schedule;
    int nchunks; /* per stage, if interleaved */
    int checkpoint;
    enum nn_optimizer_kind optimizer;
    struct nn_hyper hyper;
};

struct hybrid {
    struct hybrid_config c;
    struct grid grid;
    ncclComm_t tp_comm, dp_comm, pp_comm;
    struct stage stage;
    cudaStream_t comm_stream;            /* non-blocking, for all-reduces */
    cudaEvent_t ready[STAGE_MAX_BLOCKS]; /* a block's gradients are complete */
    cudaEvent_t done;                    /* all all-reduces are complete */
    float *state;                        /* AdamW's, for this rank's weights */
    int step;                            /* updates so far */
};

/* Given (support.c). Initialise h, all but the weights; release it, which
 * synchronises with the device. */
ncclResult_t hybrid_init(struct hybrid *h, const struct hybrid_config *c,
                         int rank, int nranks, ncclComm_t comm,
                         cudaStream_t stream);
void hybrid_release(struct hybrid *h);

/* Given: write the actions of a step to out and return their number; run n
 * actions; update this rank's weights with the optimizer. */
int hybrid_schedule(const struct hybrid *h, struct pipe_action *out);
ncclResult_t hybrid_run(const struct hybrid *h, const struct pipe *p,
                        const struct pipe_action *a, int n);
ncclResult_t hybrid_update(struct hybrid *h);

/*
 * The stage's hook; arg is the struct hybrid. Replaces a block's gradients, da
 * and db, by their mean over the replicas: on comm_stream, after the work
 * enqueued on the stage's stream so far, concurrently with what is enqueued
 * there later. One all-reduce. Does nothing if there is only one replica.
 */
ncclResult_t hybrid_reduce(void *arg, int block);

/* Make the stage's stream wait for all work enqueued on comm_stream. */
ncclResult_t hybrid_finish(struct hybrid *h);

/* One training step on nmicro micro-batches, batch[0] ..: zero the gradients,
 * run all passes, and update with the mean gradients of all replicas. */
ncclResult_t hybrid_step(struct hybrid *h, const struct nn_batch *batch);

/* ---- part 4, a bonus: interleaved (schedule.c, pipeline.c) --------------- */

/*
 * Like schedule_1f1b(), for stages with nchunks chunks each. nmicro is a
 * multiple of nstages; out has room for 2 * nmicro * nchunks. Forward pass
 * number k, from 0, runs
 *
 *     chunk        k / nstages % nchunks
 *     micro-batch  k / (nstages * nchunks) * nstages + k % nstages
 *
 * and backward pass number k the same, but with the chunks in reverse. The
 * warm-up is 2 * (nstages - stage - 1) + (nchunks - 1) * nstages forward
 * passes, or all of them if there are fewer.
 */
int schedule_interleaved(int nstages, int stage, int nmicro, int nchunks,
                         struct pipe_action *out);

/* Like pipe_run(), but where forward and backward passes alternate, there is
 * one exchange for each pair of them. */
ncclResult_t pipe_run_interleaved(const struct pipe *p,
                                  const struct pipe_action *a, int n);

/* ---- part 5, a bonus: no bubble (zero.c) --------------------------------- */

/*
 * The backward pass of a block on one device in two halves. The previous stage
 * waits for the first half; no stage waits for the second.
 *
 * zero_inputs() computes dx from dy, as dense_backward() does, and leaves in s
 * what the other half needs. zero_weights() adds to da and db. Passes of other
 * blocks or micro-batches may run in between. Each half takes as long as
 * dense_forward(). Uses no memory but s and scratch, (rows, hidden); may
 * overwrite dy.
 */
ncclResult_t zero_inputs(const struct tp *t, const struct block *block,
                         const struct saved *s, struct matrix dy,
                         struct matrix scratch, struct matrix dx);
ncclResult_t zero_weights(const struct tp *t, const struct block *block,
                          struct matrix x, const struct saved *s);

/*
 * Write to out, in order, the passes that a stage runs in one step, and return
 * their number: for each micro-batch in each chunk a forward pass, a
 * PIPE_BACKWARD (for the inputs) and a PIPE_WEIGHTS. Every pass takes 1 unit of
 * time, or half a unit if there are two chunks. A micro-batch is in flight in a
 * chunk from its forward pass to its PIPE_WEIGHTS. Not collective.
 *
 *   zero-h1   one chunk. nmicro is at least nstages. From the start of stage
 *             0 to the end of the last pass of any stage: 3 * nmicro + nstages
 *             - 1 units. At most nstages micro-batches in flight on a stage.
 *   zero-v    two chunks in a V (stage.h). nmicro is at least 2 * nstages - 1.
 *             No stage ever waits between its first and its last pass. At most
 *             2 * nstages in flight on a stage, those of both chunks together.
 *             On the last stage at most ZERO_BUFFERS results of one chunk wait
 *             for their pass through the other.
 */
int schedule_zero_h1(int nstages, int stage, int nmicro,
                     struct pipe_action *out);
int schedule_zero_v(int nstages, int stage, int nmicro,
                    struct pipe_action *out);

enum { ZERO_CHUNKS = 2, ZERO_BUFFERS = 4 };

struct zero { /* a stage whose backward passes come in halves */
    struct stage *stage;
    ncclComm_t comm[2][ZERO_CHUNKS];   /* [kind][chunk]; stage i is rank i */
    cudaStream_t send[2][ZERO_CHUNKS]; /* non-blocking */
    struct zero_out {                  /* results of passes, and their events */
        float *buf;                    /* (rows, hidden) */
        cudaEvent_t ready, sent;
    } out[2][ZERO_CHUNKS][ZERO_BUFFERS];
};

struct zero_message { /* comm and send are of this kind and chunk */
    float *buf;
    size_t count; /* floats */
    int peer;     /* stage on the other side; -1: no message */
    ncclComm_t comm;
    cudaStream_t send; /* for an outgoing message */
    cudaEvent_t ready; /* likewise, yours to record: buf is full */
    cudaEvent_t sent;  /* likewise: buf may be overwritten */
};

/* Given (halves.c). Initialise z for a stage, with communicators like `comm`;
 * release it, which synchronises with the device. Collective. */
ncclResult_t zero_init(struct zero *z, struct stage *stage, ncclComm_t comm);
void zero_release(struct zero *z);

/* Given. The messages of an action, like pipe_input() and pipe_output() (a
 * PIPE_WEIGHTS has none); and the action itself, on the stage's stream. Not
 * collective. */
struct zero_message zero_input(const struct zero *z,
                               const struct pipe_action *a);
struct zero_message zero_output(const struct zero *z,
                                const struct pipe_action *a);
ncclResult_t zero_pass(const struct zero *z, const struct pipe_action *a);

/*
 * Run n actions in order on the stage's stream, with their messages. A result
 * is sent on its message's own stream, so that passes don't wait until the
 * other side receives it. In one communicator, messages are sent and received
 * in the order of the actions.
 */
ncclResult_t zero_run(const struct zero *z, const struct pipe_action *a, int n);

/* ---- part 6, a bonus: products that hide their messages (pieces.c) ------- */

/*
 * Part 1's block, but each of n ranks has only its own rows/n rows of x and y:
 * rank r those from r * rows/n on. All rows of x are gathered before A, and the
 * sum over ranks is scattered after B. Together, the all-gather and the
 * reduce-scatter send as much as the all-reduce did; both can be split into
 * pieces, one for each rank's rows.
 */
enum { SP_MAX_RANKS = 1024 };

struct sp { /* a rank's place; made by sp_init() */
    struct tp tp;
    cudaStream_t comm_stream;                            /* non-blocking */
    cudaEvent_t ready[SP_MAX_RANKS], here[SP_MAX_RANKS]; /* yours to record */
};

/* Given (sequence.c). Initialise s, on the stream of t; release it. */
ncclResult_t sp_init(struct sp *s, const struct tp *t);
void sp_release(struct sp *s);

/* Given: y = x @ w or, if `transposed`, x @ w^T, on the stream. */
ncclResult_t sp_product(const struct sp *s, struct matrix x, struct matrix w,
                        int transposed, struct matrix y);

/*
 * y = all @ w, where `all`, (rows, in), holds the rows of all ranks: on entry
 * only this rank's own, in their place, on return those of the others, too. The
 * product of rows that have arrived runs while further rows are in transit: n
 * products, and n - 1 messages of rows/n rows to the next rank. The host does
 * not synchronise.
 */
ncclResult_t sp_gather_product(const struct sp *s, struct matrix all,
                               struct matrix w, int transposed,
                               struct matrix y);

/*
 * y, (rows/n, out), = this rank's rows of the sum over ranks of x @ w; x is
 * (rows, in/n). Partial sums travel while the next product runs: n products,
 * and n - 1 messages to the next rank. The host does not synchronise. space is
 * scratch memory of 4 * rows / n * out floats.
 */
ncclResult_t sp_product_scatter(const struct sp *s, struct matrix x,
                                struct matrix w, int transposed,
                                struct matrix y, float *space);

#ifdef __cplusplus
}
#endif
#endif
