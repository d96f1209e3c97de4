/*
 * recorder_cases.h: which case the recorder's ranks are at
 *
 * All ranks get a case when all have ended the one before, and nobody can join
 * any more when the first is given out: what comes later is not the kit.
 */
#ifndef GRADER_RECORDER_CASES_H
#define GRADER_RECORDER_CASES_H

#include "recorder_rank.h"

/* If all ranks ask for it, give them the next case. */
void recorder_cases_go_on(struct recorder *r);

/* A rank's outputs are those of this iteration from here on. */
void recorder_cases_iteration(struct rank *k, uint32_t iteration);

/* Stop listening. */
void recorder_cases_close(struct recorder *r);

#endif
