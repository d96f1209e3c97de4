/*
 * train.h: training on real data, for the labs that train
 *
 *     mpirun -n 4 build/lab2 --train --data FILE [--steps N] [--batch N]
 *
 * The data are the bytes of a file; the task is to predict the next byte from
 * the eight before it (as 64 inputs of -1 or 1, one per bit). A step takes
 * `batch` positions of the file, which depend only on the step, and each of n
 * ranks processes 1/n of them. So the loss is the same on any number of ranks,
 * up to rounding.
 */
#ifndef COMMLAB_NN_TRAIN_H
#define COMMLAB_NN_TRAIN_H

#include "lab/lab.h"
#include "nn/optimizer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct trainer { /* the student's training functions and their argument */
    ncclResult_t (*begin)(void *arg, struct nn *m); /* called once; may be
                                                       NULL */
    ncclResult_t (*step)(void *arg, struct nn *m, const struct nn_batch *b,
                         struct nn_optimizer *o);
    void *arg;
};

/* The command. Returns 0, or 2 for wrong usage or an unreadable file. */
int train_main(struct lab_run *r, const struct trainer *t, int argc,
               char **argv);

#ifdef __cplusplus
}
#endif
#endif
