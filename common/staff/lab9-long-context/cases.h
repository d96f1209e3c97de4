/*
 * cases.h: what the files of lab 9's cases have in common
 */
#ifndef LAB9_CASES_H
#define LAB9_CASES_H

#include "judge_order.h"
#include "lab/lab.h"
#include "lab9.h"

/* Part 1 (cases_norms.c). */
ncclResult_t run_norms(struct lab_run *r);
void norms_release(void);

#endif
