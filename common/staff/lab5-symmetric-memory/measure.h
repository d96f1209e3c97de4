/*
 * measure.h: the time of anything that is enqueued on a stream. Given: nothing
 * to edit here.
 */
#ifndef LAB5_MEASURE_H
#define LAB5_MEASURE_H

#include "lab/lab.h"

typedef ncclResult_t measured(void *arg);

/*
 * Call f once to warm up, then `iterations` times, and set *us to the mean time
 * of a call on the run's stream, on the slowest rank. All ranks call. Blocks.
 */
ncclResult_t measure_us(struct lab_run *r, measured *f, void *arg,
                        int iterations, double *us);

#endif
