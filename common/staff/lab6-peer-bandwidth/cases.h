/*
 * cases.h: what the files of lab 6's cases have in common. Given: nothing to
 * edit here.
 */
#ifndef LAB6_CASES_H
#define LAB6_CASES_H

#include "lab/lab.h"
#include "lab6.h"

/* Record a number; format: its name, of a and b. */
void cases_show(struct lab_run *r, double value, const char *format, int a,
                int b);

/* A parameter of the case. */
size_t cases_bytes(const struct lab_run *r, const char *key, size_t otherwise);

/* Ask for random input of a case (drawn.h). */
void cases_draw(struct lab_run *r, int what, const int64_t *arg, void *out,
                size_t nbytes);

/* ---- part 3, and the sick cable (cases_infer.c) -------------------------- */

ncclResult_t run_infer(struct lab_run *r);
ncclResult_t run_ring(struct lab_run *r);
ncclResult_t run_sick(struct lab_run *r);

#endif
