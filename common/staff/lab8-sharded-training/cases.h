/*
 * cases.h: what the files of lab 8's cases have in common. Given: nothing to
 * edit here.
 */
#ifndef LAB8_CASES_H
#define LAB8_CASES_H

#include "judge_split.h"
#include "lab/lab.h"
#include "lab8.h"
#include "nn/exercise.h"

/* This rank's shares, of the current iteration. */
extern struct shard cases_shard;

/* How many layers the plan puts into a unit. */
int cases_per_unit(const struct lab_run *r);

/* Put rank 0's network on every rank, and make this rank's shares of it. Memory
 * that counts as given includes the network's own values and gradients, which
 * the shares replace. */
ncclResult_t cases_begin(struct lab_run *r, struct exercise *e);

/* Record `total` floats of a rank's shares. */
void cases_show(struct lab_run *r, const char *name, const float *shares);

/*
 * Copies of this rank's shares after each step. cases_keep() fills the copy of
 * step i; with ZeRO-2 it copies all values instead. cases_gather() puts
 * together the copies of all ranks of `comm`, which split the network as *p
 * says.
 */
extern float *cases_kept[EXERCISE_STEPS];
ncclResult_t cases_keep(struct exercise *e, const struct shard *s, int i);
void cases_gather(struct lab_run *r, struct exercise *e, const struct split *p,
                  ncclComm_t comm, int i);

/* ---- part 6 (cases_checkpoints.c) ---------------------------------------- */

void checkpoints_release(void);
ncclResult_t run_save(struct lab_run *r);
ncclResult_t run_load(struct lab_run *r);
ncclResult_t run_resume(struct lab_run *r);

#endif
