/*
 * recorder_evidence.h: a rank's evidence, record by record
 *
 * What no honest run sends is refused (recorder.h); the rest goes to its file,
 * but for requests, which are answered.
 */
#ifndef GRADER_RECORDER_EVIDENCE_H
#define GRADER_RECORDER_EVIDENCE_H

#include "recorder_rank.h"

/* Take bytes, cut anywhere. */
void recorder_evidence_take(struct recorder *r, struct rank *k,
                            const char *data, size_t nbytes);

#endif
