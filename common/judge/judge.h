/*
 * judge.h: from evidence to a verdict
 *
 * A lab's staff code has two halves. `run` lives in the rank's process, calls
 * the student's functions and writes evidence (lab/lab.h). `judge`, declared
 * here, is pure: from the case's parameters, the ranks' seeds and the evidence
 * it computes what should have come out, and says what did. The same judge runs
 * in the student's own program for quick feedback and in the grader, where
 * alone seeds are secret.
 *
 * Seeds: each rank knows its own only. A rank's input of iteration i follows
 * from judge_seed(its seed, i); the judge knows all of them.
 */
#ifndef COMMLAB_JUDGE_JUDGE_H
#define COMMLAB_JUDGE_JUDGE_H

#include "judge/evidence.h"
#include "judge/plan.h"

struct judge_task { /* one case, run on nranks */
    const struct plan_case *c;
    unsigned case_no;
    int nranks;
    int iterations;       /* counted ones */
    const uint64_t *seed; /* of each rank, for this case */
    const struct evidence *evidence;
};

struct judge_verdict {
    int pass;          /* correctness */
    int suspected;     /* a person should look: message says why */
    double time_us;    /* of one iteration, slowest rank; NaN if not timed */
    double floor_us;   /* no machine of this kind is faster; 0 if unknown */
    double fraction;   /* of the points: 0 or 1, or by time */
    char message[480]; /* one or two lines for the student */
};

/*
 * Judge one kind of case. Statuses other than RUN_OK, and missing ranks, have
 * been dealt with by judge_case() already. Sets pass, message, time_us and
 * floor_us; judge_case() computes the fraction.
 */
typedef void judge_fn(const struct judge_task *t, struct judge_verdict *v);

struct judge_kind {
    const char *name; /* plan_case.kind */
    judge_fn *judge;
};

struct judge_lab {   /* one per lab, exported by its judge.c as judge_labN */
    const char *lab; /* "lab1-collectives" */
    const struct judge_kind *kinds; /* ended by a NULL name */
};

/* The whole verdict on one case at one rank count. */
void judge_case(const struct judge_lab *lab, const struct judge_task *t,
                struct judge_verdict *v);

/* 1 up to `full`, 0 from `none` on, log-linear between. */
double judge_fraction(double ratio, double full, double none);

/* splitmix64 of both: the seed of iteration i; of rank r from a master seed. */
uint64_t judge_seed(uint64_t seed, uint64_t i);

void judge_fail(struct judge_verdict *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
