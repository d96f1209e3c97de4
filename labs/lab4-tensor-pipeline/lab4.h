/*
 * lab4.h: one network on many GPUs: tensor, pipeline and data parallel
 *
 * What you write, part by part, and what each function promises. A block, a
 * stage and a slot are given (stage.h), as is a block on one device (dense.c).
 *
 *   tensor parallel     each rank has a part of every matrix
 *   pipeline parallel   each rank has some of the blocks
 *   data parallel       each group of ranks has all of it, and rows of its own
 *
 * All functions are collective over the ranks of the communicator that they
 * work with, unless they say otherwise. They enqueue work on the stream that
 * they are given and return; nobody waits. Matrices lie row by row.
 */
#ifndef LAB4_H
#define LAB4_H

#include "stage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- part 1: tensor parallel (tensor.c) ---------------------------------- */

/*
 * This rank's columns, or rows, of a whole matrix (in, out): of n ranks, rank
 * r has columns r * out/n ..., or rows r * in/n .... part is (in, out/n) or
 * (in/n, out). out, or in, is a multiple of n. Not collective.
 */
ncclResult_t tp_split_columns(const struct tp *t, const float *whole, int in,
                              int out, float *part);
ncclResult_t tp_split_rows(const struct tp *t, const float *whole, int in,
                           int out, float *part);

/*
 * A linear layer (in, out) of which each rank has columns: w is (in, out/n). x
 * is (rows, in), the same on all ranks; y, this rank's columns, is (rows,
 * out/n). Forward sends nothing.
 */
ncclResult_t tp_column_forward(const struct tp *t, const float *x,
                               const float *w, float *y, int rows, int in,
                               int out);

/* Its way back: dw += x^T dy; dx, (rows, in), is the whole derivative on all
 * ranks. dy is (rows, out/n). One all-reduce. */
ncclResult_t tp_column_backward(const struct tp *t, const float *x,
                                const float *w, const float *dy, float *dw,
                                float *dx, int rows, int in, int out);

/*
 * A linear layer (in, out) of which each rank has rows: w is (in/n, out). x is
 * this rank's columns, (rows, in/n); y, (rows, out), is the whole product on
 * all ranks. One all-reduce.
 */
ncclResult_t tp_row_forward(const struct tp *t, const float *x, const float *w,
                            float *y, int rows, int in, int out);

/* Its way back: dw += x^T dy; dx is this rank's columns, (rows, in/n). dy,
 * (rows, out), is the same on all ranks. Sends nothing. */
ncclResult_t tp_row_backward(const struct tp *t, const float *x, const float *w,
                             const float *dy, float *dw, float *dx, int rows,
                             int in, int out);

/*
 * A block of which each rank has columns of A and the same rows of B. As
 * dense_forward() and dense_backward(), with hidden/n in place of hidden: x,
 * y, dy and dx are whole and the same on all ranks. One all-reduce each.
 */
ncclResult_t tp_block_forward(const struct tp *t, const struct block *b,
                              const float *x, const struct saved *s, float *y);
ncclResult_t tp_block_backward(const struct tp *t, const struct block *b,
                               const float *x, const struct saved *s, float *dy,
                               float *scratch, float *dx);

/*
 * The other form: a column layer whose output everybody gets. y is (rows,
 * out), whole, on all ranks, and so is dy on the way back. space has room for
 * rows * out floats. Forward one all-gather, backward one all-reduce.
 */
ncclResult_t tp_gather_forward(const struct tp *t, const float *x,
                               const float *w, float *y, float *space, int rows,
                               int in, int out);
ncclResult_t tp_gather_backward(const struct tp *t, const float *x,
                                const float *w, const float *dy, float *dw,
                                float *dx, float *space, int rows, int in,
                                int out);

/* ---- part 2: pipeline (schedule.c, pipeline.c) --------------------------- */

enum pipe_kind { PIPE_FORWARD, PIPE_BACKWARD };

struct pipe_action { /* a pass of one micro-batch through one chunk */
    enum pipe_kind kind;
    int micro, chunk;
};

/*
 * The passes of a stage in a step, in order, into out, which has room for 2 *
 * nmicro of them. All have chunk 0. Returns how many there are. Not
 * collective.
 *
 *   fill-drain   all forward passes, then all backward passes, micro-batch 0
 *                first
 *   1F1B         min(nstages - stage - 1, nmicro) forward passes to warm up;
 *                then a forward and a backward pass by turns, while there are
 *                forward passes; then the other backward passes. Micro-batch 0
 *                first
 */
int schedule_fill_drain(int nstages, int stage, int nmicro,
                        struct pipe_action *out);
int schedule_1f1b(int nstages, int stage, int nmicro, struct pipe_action *out);

struct pipe {
    ncclComm_t comm; /* of the stages: stage i is rank i */
    struct stage *stage;
};

struct pipe_message {
    float *buf;
    size_t count; /* floats */
    int peer;     /* stage on the other side; -1: there is no message */
};

/*
 * The message that an action needs before it can begin; that it has for
 * somebody when it is over. A forward pass needs its slot's x[0] from the
 * stage before and hands y on; a backward pass needs dy from the stage behind
 * and hands dx back. The network's first chunk has its input from the batch,
 * its last one dy from the loss. Not collective.
 */
struct pipe_message pipe_input(const struct pipe *p,
                               const struct pipe_action *a);
struct pipe_message pipe_output(const struct pipe *p,
                                const struct pipe_action *a);

/* Send what actions done[0] .. have, and receive what next[0] .. need, in that
 * order of actions, as one group. ndone or nnext may be 0. */
ncclResult_t pipe_exchange(const struct pipe *p, const struct pipe_action *done,
                           int ndone, const struct pipe_action *next,
                           int nnext);

/* Take n actions in order, with an exchange before each and behind the last. */
ncclResult_t pipe_run(const struct pipe *p, const struct pipe_action *a, int n);

/* ---- part 3: checkpoints (checkpoint.c) ---------------------------------- */

/* Make a new slot's memory: its own x[0], for all else that of s->work, which
 * is made with the first slot. */
ncclResult_t checkpoint_slot(struct stage *s, struct slot *k);

/* As slot_backward(), of a slot of which only the input is left. */
ncclResult_t checkpoint_backward(struct stage *s, struct slot *k);

/* ---- part 3: hybrid (hybrid.c) ------------------------------------------- */

struct grid {
    int tp, dp, pp; /* ranks along each edge */
    int tp_rank, dp_rank, pp_rank;
};

/* Where a rank is, as the head of hybrid.c shows. tp * pp divides nranks. Not
 * collective. */
struct grid grid_of(int rank, int nranks, int tp, int pp);

/* The communicators along this rank's three edges. In each, a rank has the
 * number that it has in the grid. */
ncclResult_t grid_split(const struct grid *g, ncclComm_t comm,
                        ncclComm_t *tp_comm, ncclComm_t *dp_comm,
                        ncclComm_t *pp_comm);

enum hybrid_schedule { HYBRID_FILL_DRAIN, HYBRID_1F1B, HYBRID_INTERLEAVED };

struct hybrid_config {
    struct nn_shape shape; /* rows: of one micro-batch */
    int tp, pp;
    int nmicro; /* micro-batches of a step, of each replica */
    enum hybrid_schedule schedule;
    int nchunks; /* of a stage, when interleaved */
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
    cudaEvent_t done;                    /* all all-reduces are */
    float *state;                        /* AdamW's, of this rank's weights */
    int step;                            /* updates so far */
};

/* Given (support.c): make it, weights not set; release it, waiting for the
 * device. */
ncclResult_t hybrid_init(struct hybrid *h, const struct hybrid_config *c,
                         int rank, int nranks, ncclComm_t comm,
                         cudaStream_t stream);
void hybrid_release(struct hybrid *h);

/* Given: the actions of a step, as many as are returned; take them; the
 * optimizer's update of this rank's weights. */
int hybrid_schedule(const struct hybrid *h, struct pipe_action *out);
ncclResult_t hybrid_run(const struct hybrid *h, const struct pipe *p,
                        const struct pipe_action *a, int n);
ncclResult_t hybrid_update(struct hybrid *h);

/*
 * The stage's hook; arg is the struct hybrid. Replaces a block's gradients, da
 * and db, by their mean over the replicas: on comm_stream, behind all that the
 * stage's stream has been given so far, beside all that it is given later.
 * With one replica it does nothing. One all-reduce.
 */
ncclResult_t hybrid_reduce(void *arg, int block);

/* The stage's stream waits for all that comm_stream has been given. */
ncclResult_t hybrid_finish(struct hybrid *h);

/* One step of nmicro micro-batches, batch[0] .. : gradients from zero, all
 * passes, the update from the means of all replicas. */
ncclResult_t hybrid_step(struct hybrid *h, const struct nn_batch *batch);

/* ---- part 4, a bonus: interleaved (schedule.c, pipeline.c) --------------- */

/*
 * As schedule_1f1b(), of stages that have nchunks chunks each; nmicro is a
 * multiple of nstages, out has room for 2 * nmicro * nchunks. Pass number k,
 * counted forward, is of
 *
 *     chunk        k / nstages % nchunks
 *     micro-batch  k / (nstages * nchunks) * nstages + k % nstages
 *
 * and backward likewise, but chunks the other way round. To warm up there are
 * 2 * (nstages - stage - 1) + (nchunks - 1) * nstages forward passes, or all.
 */
int schedule_interleaved(int nstages, int stage, int nmicro, int nchunks,
                         struct pipe_action *out);

/* As pipe_run(), by turns: in the part where a forward and a backward pass go
 * by turns, both of them come between two exchanges. */
ncclResult_t pipe_run_interleaved(const struct pipe *p,
                                  const struct pipe_action *a, int n);

#ifdef __cplusplus
}
#endif
#endif
