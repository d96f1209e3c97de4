/*
 * task.h: a training run of a few steps, as described by a case of a plan
 *
 *     with: {depth: 6, in: 12, hidden: 16, out: 8, rows: 6, loss: mse,
 *            steps: 5, micro: 2, optimizer: adamw, lr: 0.01,
 *            tied: 1, tied_to: 4, frozen: 2, unused: 3,
 *            clip: 0.5, resume: 2, onto: 3, late: 1, narrow: 1,
 *            heads: 2, context: 6, feed: 32}
 *
 * Every key has a default. `frozen` and `unused` are layers: rank r skips layer
 * `unused` in step s if r + s is odd. 0 means none, because the first layer is
 * never frozen or skipped. `clip` is the largest norm that the gradient may
 * have (0: any). From step `resume` on, only ranks 0 .. onto-1 train (onto 0:
 * all do). A step applies the gradients of `late` steps earlier; the first
 * `late` steps apply none. narrow: forward and backward passes see parameters
 * rounded to bf16. With heads, the network is a transformer (nn/shape.h).
 *
 * Rank r draws the data of step s, micro-batch j, from nn_data_seed(its seed,
 * s, j). The run is right if all ranks have, after every step, the parameters
 * of a single device that starts with rank 0's and processes all ranks' rows.
 */
#ifndef COMMLAB_NN_TASK_H
#define COMMLAB_NN_TASK_H

#include "judge/judge.h"
#include "nn/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nn_task {
    struct nn_shape shape;
    int steps, micro; /* micro: micro-batches in a step */
    enum nn_optimizer_kind optimizer;
    struct nn_hyper hyper;
    int unused;
    double clip;
    int resume, onto;
    int late;
    int narrow;
    int no_descent; /* origins (judge/origin/origin.h) don't connect ranks: the
                       host passes data on, or one rank drives all devices */
    int on_devices; /* data reaches the network without passing through
                       host memory */
};

struct nn_task nn_task_of(const struct plan_case *c);

/* The value of nn.skip on a rank in a step. */
uint64_t nn_task_skip(const struct nn_task *k, int rank, int step);

/* "params.3": the name of the output with a rank's parameters after a step. */
enum { NN_OUTPUT_NAME = 24 };
const char *nn_task_output(int step, char out[NN_OUTPUT_NAME]);

/*
 * Judge a run by the outputs of all ranks: after each step, rank 0's parameters
 * p must be within absolute + relative * |p| of the reference's, and the other
 * ranks' must equal rank 0's bit for bit.
 */
void nn_task_judge(const struct judge_task *t, const struct nn_task *k,
                   double relative, double absolute, struct judge_verdict *v);

/* Like nn_task_judge() for a run in which only rank 0 records parameters. */
void nn_task_judge_alone(const struct judge_task *t, const struct nn_task *k,
                         double relative, double absolute,
                         struct judge_verdict *v);

/*
 * Fail unless each rank's collectives are, in each step, one all-reduce for
 * each of nbuckets buckets, with its bytes. bucket[l]: the bucket of layer l's
 * gradient, -1 for none; size: bytes of an element as sent.
 */
void nn_task_judge_buckets(const struct judge_task *t, const struct nn_task *k,
                           const int *bucket, int nbuckets, size_t size,
                           struct judge_verdict *v);

#ifdef __cplusplus
}
#endif
#endif
