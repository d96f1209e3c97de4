/*
 * outcome.h: the outcome of a case, and of a whole grading
 */
#ifndef COMMLAB_JUDGE_OUTCOME_H
#define COMMLAB_JUDGE_OUTCOME_H

#include <stddef.h>

/* In ascending order: a grading's outcome is the highest of its cases'. */
enum outcome {
    OUTCOME_PASS,      /* all points */
    OUTCOME_FAIL,      /* some points are missing */
    OUTCOME_INFRA,     /* the machine failed: no score, grade it again */
    OUTCOME_SUSPECTED, /* needs review by a person */
};
enum { OUTCOMES = OUTCOME_SUSPECTED + 1 };

extern const char *const outcome_name[OUTCOMES]; /* "pass", "fail" ... */

/* The word for people: "partial" for a fail with some of the points. */
const char *outcome_word(enum outcome o, double score);

/* How many have each outcome, for people. */
struct outcome_counts {
    int of[OUTCOMES]; /* the count for OUTCOME_FAIL includes partial */
    int partial;
};

void outcome_count(struct outcome_counts *c, enum outcome o, double score);

/* Write "1 pass, 2 partial, 3 fail, 0 suspected, 0 infra". Returns out. */
const char *outcome_summary(const struct outcome_counts *c, char *out,
                            size_t nbytes);

/* The outcome with this name; OUTCOME_INFRA for NULL and unknown names. */
enum outcome outcome_find(const char *name);

#endif
