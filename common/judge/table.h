/*
 * table.h: verdicts as a table, for students and TAs
 */
#ifndef COMMLAB_JUDGE_TABLE_H
#define COMMLAB_JUDGE_TABLE_H

#include <stdio.h>

#include "judge/judge.h"

void table_head(FILE *out, const char *title);

/*
 * A line for a case: part, name, verdict, time, points; under it, if it is timed,
 * its time against the reference's; and when it doesn't have all points, why, and
 * how to run just that case again (rerun may be NULL).
 */
void table_row(FILE *out, const struct plan_case *c,
               const struct judge_verdict *v, const char *rerun);
void table_total(FILE *out, double points, double most);

/* Text of others, cut after `most` bytes: plain ASCII, so that nothing in it can
 * steer a terminal; a second line is indented like the first. */
void table_text(FILE *out, const char *text, int most);

#endif
