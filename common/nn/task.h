/*
 * task.h: a training run of a few steps, as a case of a plan describes it
 *
 *     with: {depth: 6, in: 12, hidden: 16, out: 8, rows: 6, loss: mse,
 *            steps: 5, micro: 2, optimizer: adamw, lr: 0.01,
 *            tied: 1, tied_to: 4, frozen: 2, unused: 3}
 *
 * What isn't given has a default. `frozen` is a layer, as `unused`: layer
 * `unused` is skipped by rank r in step s when r + s is odd. 0 means none, since
 * the first layer is always there.
 *
 * Rank r draws the data of step s, micro-batch j, from nn_data_seed(its seed, s,
 * j). The run is right if, after every step, all ranks hold the parameters that
 * one device would have, which begins with rank 0's and sees all ranks' rows at
 * once.
 */
#ifndef COMMLAB_NN_TASK_H
#define COMMLAB_NN_TASK_H

#include "judge/judge.h"
#include "nn/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

enum nn_optimizer_kind { NN_SGD, NN_ADAMW };

struct nn_task {
    struct nn_shape shape;
    int steps, micro; /* micro-batches of a step */
    enum nn_optimizer_kind optimizer;
    struct nn_hyper hyper;
    int unused;
};

struct nn_task nn_task_of(const struct plan_case *c);

/* nn.skip of a rank in a step. */
uint64_t nn_task_skip(const struct nn_task *k, int rank, int step);

/* "params.3": the output that shows a rank's parameters after a step. */
enum { NN_OUTPUT_NAME = 24 };
const char *nn_task_output(int step, char out[NN_OUTPUT_NAME]);

/*
 * Judge a run by the outputs of all ranks: rank 0's parameters after each step
 * within absolute + relative * |p| of the reference's, the others' the same bits
 * as rank 0's.
 */
void nn_task_judge(const struct judge_task *t, const struct nn_task *k,
                   double relative, double absolute, struct judge_verdict *v);

/* As nn_task_judge(), but rank 0 alone shows parameters. */
void nn_task_judge_alone(const struct judge_task *t, const struct nn_task *k,
                         double relative, double absolute,
                         struct judge_verdict *v);

#ifdef __cplusplus
}
#endif
#endif
