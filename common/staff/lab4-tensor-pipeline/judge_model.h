/*
 * judge_model.h: the parameters of lab 4's cases, for the ranks that run them
 * and for the judge: sizes, values, and which rank has what. Given: nothing to
 * edit here.
 *
 * A layer (kinds split, column, row, block, gather):
 *
 *     with: {rows: 5, in: 3, out: 4}       in and out are multiplied by the
 *                                          number of ranks
 *
 * Training (kinds train, bubble, memory, ...): as in common/nn/task.h, and
 *
 *     with: {tp: 2, pp: 2, micro: 4, schedule: 1f1b, chunks: 1, checkpoint: 0}
 *
 * tp and pp are reduced to divisors of the number of ranks; the rest is data
 * parallel. Without pp, all ranks are stages. blocks, if given, is the number
 * of blocks per stage and replaces depth. chunks is for the interleaved
 * schedule, which also rounds micro up to a multiple of pp. Rank 0's seed of an
 * iteration determines the weights and, through model_data_seed(), the data.
 */
#ifndef LAB4_JUDGE_MODEL_H
#define LAB4_JUDGE_MODEL_H

#include "judge/judge.h"
#include "nn/draws.h"
#include "nn/task.h"

/* The matrices of a layer. */
enum model_what { MODEL_X, MODEL_W, MODEL_DY, MODEL_DW, MODEL_B, MODEL_DB };

struct model_layer {
    int rows, in, out; /* whole */
};
struct model_layer model_layer(const struct plan_case *c, int nranks);

/*
 * Small integers, so that sums are exact in any order; or numbers in [-1, 1).
 */
void model_integers(uint64_t seed, enum model_what what, size_t count,
                    float *out);
void model_reals(uint64_t seed, enum model_what what, size_t count, float *out);

/* Draws (judge/draw.h) besides those of nn/draws.h. */
enum { MODEL_DRAW_INTEGERS = NN_DRAWS };

enum model_schedule {
    MODEL_FILL_DRAIN,
    MODEL_1F1B,
    MODEL_INTERLEAVED,
    MODEL_ZERO_H1, /* these two have backward passes in halves */
    MODEL_ZERO_V
};

struct model { /* a training run */
    struct nn_task task;
    enum model_schedule schedule;
    int tp, pp, dp; /* ranks in each direction */
    int chunks, checkpoint;
};
struct model model_of(const struct plan_case *c, int nranks);

/* With halves, the number of results that a stage keeps for one kind of pass
 * and one chunk. A micro-batch's result replaces that of MODEL_BUFFERS
 * micro-batches earlier. */
enum { MODEL_BUFFERS = 4 };

int model_has_halves(const struct model *m); /* zero-h1, zero-v */

/* The run of the network that a stage's chunk holds: runs go around a ring of
 * stages, or along a V and back. */
int model_run(int nstages, int vee, int stage, int chunk);

/* The first block of run v, of n runs that share nblocks; nblocks for v = n. */
int model_first_block(int nblocks, int v, int n);

/* The data of a micro-batch of replica d in a step. */
uint64_t model_data_seed(uint64_t seed, int d, int step, int micro);

#endif
