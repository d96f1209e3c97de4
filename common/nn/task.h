/*
 * task.h: a training run of a few steps, as described by a case of a plan
 *
 *     with: {depth: 6, in: 12, hidden: 16, out: 8, rows: 6, loss: mse,
 *            steps: 5, micro: 2, optimizer: adamw, lr: 0.01,
 *            tied: 1, tied_to: 4, frozen: 2, unused: 3,
 *            clip: 0.5, resume: 2, onto: 3, late: 1, narrow: 1}
 *
 * Every key has a default. `frozen` and `unused` are layers: rank r skips layer
 * `unused` in step s if r + s is odd. 0 means none, because the first layer is
 * never frozen or skipped. `clip` is the gradient's greatest norm (0: any).
 * From step `resume` on, only ranks 0 .. onto-1 train (onto 0: all do). A step
 * applies the gradients of `late` steps before; the first `late` apply none.
 * narrow: forward and backward passes see parameters rounded to bf16.
 *
 * Rank r draws the data of step s, micro-batch j, from nn_data_seed(its seed,
 * s, j). The run is right if, after every step, all ranks have the parameters
 * that one device would have that starts with rank 0's and processes all ranks'
 * rows.
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
    int steps, micro; /* micro-batches of a step */
    enum nn_optimizer_kind optimizer;
    struct nn_hyper hyper;
    int unused;
    double clip;
    int resume, onto;
    int late;
    int narrow;
    int no_descent; /* origins (judge/origin.h) lead to no other rank: data
                      passes through the host, or one rank drives all devices */
    int on_devices; /* what reaches the network comes by no host's memory */
};

struct nn_task nn_task_of(const struct plan_case *c);

/* A rank's nn.skip in a step. */
uint64_t nn_task_skip(const struct nn_task *k, int rank, int step);

/* "params.3": the output with a rank's parameters after a step. */
enum { NN_OUTPUT_NAME = 24 };
const char *nn_task_output(int step, char out[NN_OUTPUT_NAME]);

/*
 * Judge a run by the outputs of all ranks: after each step, rank 0's parameters
 * p have to be within absolute + relative * |p| of the reference's, and the
 * others' identical to rank 0's bit for bit.
 */
void nn_task_judge(const struct judge_task *t, const struct nn_task *k,
                   double relative, double absolute, struct judge_verdict *v);

/* Like nn_task_judge(), but only rank 0 records parameters. */
void nn_task_judge_alone(const struct judge_task *t, const struct nn_task *k,
                         double relative, double absolute,
                         struct judge_verdict *v);

#ifdef __cplusplus
}
#endif
#endif
