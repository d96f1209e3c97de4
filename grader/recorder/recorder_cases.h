/*
 * recorder_cases.h: which case the recorder's ranks are running
 *
 * All ranks get a case when all have ended the previous one. Connections are
 * refused once the first case has been given out, since they could not be the
 * kit's.
 */
#ifndef GRADER_RECORDER_CASES_H
#define GRADER_RECORDER_CASES_H

#include "grader/recorder/recorder_rank.h"

/* Give all ranks the next case if all have asked for it. */
void recorder_cases_go_on(struct recorder *r);

/* From now on a rank's outputs belong to this iteration. */
void recorder_cases_iteration(struct rank *k, uint32_t iteration);

/* Stop listening. */
void recorder_cases_close(struct recorder *r);

#endif
