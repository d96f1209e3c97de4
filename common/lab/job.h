/*
 * job.h: a run for the grader
 *
 * COMMLAB_JOB=DIR: DIR/rank-R.job is a JSON object
 *
 *     {"nonce": "0x...", "evidence": "/path", "cases": [{"no": 0, "name": ...,
 *       "kind": ..., "with": {...}, "iterations": 2, "warmup": 0,
 *       "seed": "0x..."}, ...]}
 *
 * A rank reads its own, removes it before any student code runs, and writes
 * evidence into the file, which exists. It knows its own seeds only.
 */
#ifndef COMMLAB_LAB_JOB_H
#define COMMLAB_LAB_JOB_H

#include "lab/lab.h"

/*
 * All ranks call. Returns the exit status: 0 when all cases were run to their
 * end. When one leaves devices that never come to rest, the process exits with
 * 1 after it, and the cases behind it have not begun.
 */
int job_run(struct lab_run *r, const char *dir);

#endif
