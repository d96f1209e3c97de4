/*
 * cases.h: what the files of lab 10's cases have in common. Given: nothing to
 * edit here.
 */
#ifndef LAB10_CASES_H
#define LAB10_CASES_H

#include "lab/lab.h"
#include "support.h"

/* What a case uses. The next iteration releases what the last one left. */
extern struct team cases_team;
extern struct state cases_state;

/* Make a team of all ranks with a communicator of its own, which has been used
 * once: the first call of a peer blocks the host. */
ncclResult_t cases_begin(struct lab_run *r);

/* Record a number "NAME.i". */
void cases_metric(struct lab_run *r, const char *name, int i, double value);

enum { LOAD_NBYTES = 32 << 20 }; /* that much is copied in 20 us or so */

/* ---- parts 2 and 3, and a rank that is left out (cases_recover.c) -------- */

void recover_release(void);
ncclResult_t run_wait(struct lab_run *r);
ncclResult_t run_shrink(struct lab_run *r);
ncclResult_t run_leave_out(struct lab_run *r);
ncclResult_t run_agree(struct lab_run *r);
ncclResult_t run_train(struct lab_run *r);

#endif
