/*
 * job.h: a run for the grader
 *
 * COMMLAB_JOB=DIR: DIR/rank-R.job is a JSON object
 *
 *     {"nonce": "0x...", "evidence": "/path", "cases": [{"no": 0, "name": ...,
 *       "kind": ..., "with": {...}, "iterations": 2, "warmup": 0,
 *       "seed": "0x..."}, ...]}
 *
 * A rank reads its own file, removes it before any student code runs, and
 * writes evidence to the named file, which exists. It knows only its own seeds.
 */
#ifndef COMMLAB_LAB_JOB_H
#define COMMLAB_LAB_JOB_H

#include "lab/lab.h"

/*
 * All ranks call. Returns the exit status: 0 if all cases were run. If a case
 * leaves work on devices that never completes, the process exits with 1 after
 * it, and later cases are not started.
 */
int job_run(struct lab_run *r, const char *dir);

#endif
