/*
 * recorder_evidence.h: a rank's evidence, record by record
 *
 * What no honest run sends is refused (recorder.h). The rest goes to the rank's
 * file, except requests, which are answered.
 */
#ifndef GRADER_RECORDER_EVIDENCE_H
#define GRADER_RECORDER_EVIDENCE_H

#include "grader/recorder/recorder_rank.h"

/* Take some of what has arrived on the rank's connection, or hang up if the
 * rank has closed it. */
void recorder_evidence_read(struct recorder *r, struct rank *k);

/* Take bytes, which may be cut anywhere. */
void recorder_evidence_take(struct recorder *r, struct rank *k,
                            const char *data, size_t nbytes);

#endif
