/*
 * recorder_draw.h: values that a rank requests because it has no seeds
 *
 * They go to the rank, or to its device's memory, which was sent along with the
 * request. Values of an iteration depend on the outputs of the iteration before
 * (judge/chain.h).
 */
#ifndef GRADER_RECORDER_DRAW_H
#define GRADER_RECORDER_DRAW_H

#include "grader/recorder/recorder_rank.h"

/* The rank from whose seed k's request draws: rank 0 or k itself. */
struct rank *recorder_draw_from(struct recorder *r, struct rank *k);

/* Answer k's request, which is complete. What recorder_draw_from() has sent so
 * far must have been taken. */
void recorder_draw_answer(struct recorder *r, struct rank *k);

#endif
