/*
 * pending.h: what batches have taken in and not graded yet
 *
 * A batch that is interrupted leaves submissions without a grading. Without a
 * record of them, an export would take their students for students who handed
 * in nothing. So an entry `batch` lists what the batch is about to grade:
 *
 *     "pending": {"ada": {"attempt": 2, "digest": "91ab..."}, "bob": null}
 *
 * null withdraws a submission that is no longer there. A grading of the same
 * bytes, or of a later attempt, settles one. There is one for each student: the
 * latest.
 */
#ifndef GRADER_PENDING_H
#define GRADER_PENDING_H

#include <jansson.h>

#include "grader/ledger/ledger.h"

/* Follow one more entry, a batch or a grading of a lab. `pending` is an object,
 * in the end that of the example above, without null. */
void pending_take(json_t *pending, const struct ledger_entry *e);

/* The pending attempt of a student, who handed it in; 0 if there is none. */
int pending_attempt(const json_t *pending, const char *student);

#endif
