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
 * and after the last one {"nonce": "0x..."}. It gets a case only after all
 * ranks have ended the case before, and wipes that case's text from its memory
 * then, so it never holds anything about later cases. It knows only its own
 * seeds.
 */
#ifndef COMMLAB_LAB_JOB_H
#define COMMLAB_LAB_JOB_H

#include "lab/lab.h"

/*
 * All ranks call. Returns the exit status: 0 if all cases were run. If a case
 * leaves work on a device that never completes, the process exits with status 1
 * after that case, and later cases are not started.
 */
int job_run(struct lab_run *r, const char *dir);

#endif
