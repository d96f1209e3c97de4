/*
 * cases.h: the functions that run lab 4's cases. Given: nothing to edit here.
 */
#ifndef LAB4_CASES_H
#define LAB4_CASES_H

#include "lab/lab.h"

/* cases_tensor.c */
ncclResult_t case_split(struct lab_run *r);
ncclResult_t case_column(struct lab_run *r);
ncclResult_t case_row(struct lab_run *r);
ncclResult_t case_gather(struct lab_run *r);
ncclResult_t case_block_forward(struct lab_run *r);
ncclResult_t case_block_backward(struct lab_run *r);
ncclResult_t case_sp_gather(struct lab_run *r);
ncclResult_t case_sp_scatter(struct lab_run *r);
ncclResult_t case_sp_speed(struct lab_run *r);

/* cases_train.c */
ncclResult_t case_schedule(struct lab_run *r);
ncclResult_t case_grid(struct lab_run *r);
ncclResult_t case_pipe(struct lab_run *r);
ncclResult_t case_hybrid(struct lab_run *r);
ncclResult_t case_bubble(struct lab_run *r);
ncclResult_t case_speed(struct lab_run *r);

#endif
