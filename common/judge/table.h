/*
 * table.h: verdicts as a table, for students and TAs
 */
#ifndef COMMLAB_JUDGE_TABLE_H
#define COMMLAB_JUDGE_TABLE_H

#include <stdio.h>

#include "judge/judge.h"

void table_head(FILE *out, const char *title);

/*
 * Print a line for a case: part, name, verdict, time, points. If the case is
 * timed, its time and the reference time follow; if it misses points, so do the
 * reason and the command that reruns only that case (rerun may be NULL), unless
 * only the grader can show the failure.
 */
void table_row(FILE *out, const struct plan_case *c,
               const struct judge_verdict *v, const char *rerun);
/* Print the total, and how many answered questions are not in it. */
void table_total(FILE *out, double points, double most, int nanswered);

/* Print untrusted text, cut after `most` bytes, as plain ASCII, so that it
 * cannot control a terminal; a second line is indented like the first. */
void table_text(FILE *out, const char *text, int most);

#endif
