/*
 * judge_model.h: what a case of lab 4 is about, for the ranks that run it and
 * for the judge: sizes, values and who has what. Given: nothing to edit here.
 *
 * A layer (kinds split, column, row, block, gather):
 *
 *     with: {rows: 5, in: 3, out: 4}       in and out are multiplied by the
 *                                          number of ranks
 *
 * Training (kinds train, bubble, memory, ...): as common/nn/task.h, and
 *
 *     with: {tp: 2, pp: 2, micro: 4, schedule: 1f1b, chunks: 1, checkpoint: 0}
 *
 * tp and pp are what they are asked to be as far as they divide the number of
 * ranks; the rest is data parallel. Without pp, all ranks are stages. blocks,
 * if it is given, are those of each stage, in place of a depth. Chunks are for
 * the interleaved schedule, which also rounds micro up to a multiple of pp.
 * Rank 0's seed of an iteration makes the weights, and, by model_data_seed(),
 * the data.
 */
#ifndef LAB4_JUDGE_MODEL_H
#define LAB4_JUDGE_MODEL_H

#include "judge/judge.h"
#include "nn/task.h"

/* What a layer's values are for. */
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

enum model_schedule { MODEL_FILL_DRAIN, MODEL_1F1B, MODEL_INTERLEAVED };

struct model { /* of a training run */
    struct nn_task task;
    enum model_schedule schedule;
    int tp, pp, dp; /* ranks in each direction */
    int chunks, checkpoint;
};
struct model model_of(const struct plan_case *c, int nranks);

/* The first block of run v of n, which share `nblocks`; v = n: the end. */
int model_first_block(int nblocks, int v, int n);

/* The data of a micro-batch of replica d in a step. */
uint64_t model_data_seed(uint64_t seed, int d, int step, int micro);

#endif
