/*
 * job.h: a run for the grader
 *
 * COMMLAB_JOB=DIR: a rank joins the recorder of that folder (base/recorder.h)
 * before any student code runs, and asks it for one case after the other, each
 * a JSON object:
 *
 *     {"no": 0, "name": ..., "kind": ..., "with": {...}, "iterations": 2,
 *      "warmup": 0, "modelled": true, "seed": "0x..."}
 *
 * and after the last one {"nonce": "0x..."}. It gets a case when all ranks have
 * ended the one before it, whose text is wiped from its memory then, so it
 * never holds anything of the cases that follow. It knows only its own seeds.
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
