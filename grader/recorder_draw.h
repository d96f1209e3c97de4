/*
 * recorder_draw.h: values that a rank asks the recorder for, not having seeds
 *
 * They go to the rank, or to its device's memory, which comes with the request.
 */
#ifndef GRADER_RECORDER_DRAW_H
#define GRADER_RECORDER_DRAW_H

#include "recorder_rank.h"

/* The rank's record is a request, which has come whole. */
void recorder_draw_answer(struct recorder *r, struct rank *k);

#endif
