/*
 * report.h: verdicts as JSON, for programs
 */
#ifndef COMMLAB_JUDGE_REPORT_H
#define COMMLAB_JUDGE_REPORT_H

#include <jansson.h>

#include "judge/judge.h"
#include "judge/outcome.h"

/*
 * One case as {"name", "part", "score", "max_score", "outcome", "message",
 * "time_us", "reference_us", "limit_us", "ranks", "topology", "rerun",
 * "hidden"}. Missing times are null. Added with the value true are
 * "right", if the case has the right result but does not pass, and
 * "unfinished", if the run did not get to an answer.
 */
json_t *report_case(const struct plan_case *c, const struct judge_verdict *v,
                    enum outcome outcome, double score, int nranks,
                    const char *rerun);

/* Text that need not be UTF-8 as a JSON string: invalid text must not make
 * a report fail. */
json_t *report_text(const char *text);

/* A number, or null for NaN, which JSON lacks, and infinity. */
json_t *report_number(double value);

#endif
