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
 * On simgpu the run's execution graph is evidence, too: it says when each operation
 * began and ended on the modelled machine (spans.h). Timed cases are scored by
 * it; on real GPUs, by the times that ranks show.
 *
 * Seeds: each rank knows its own only; the judge knows all of them. A rank's
 * input of an iteration follows from its seed and from what it showed for the
 * iteration before (chain.h): judge_input_seed().
 */
#ifndef COMMLAB_JUDGE_JUDGE_H
#define COMMLAB_JUDGE_JUDGE_H

#include <math.h> /* NAN */

#include "judge/evidence.h"
#include "judge/plan.h"

enum { JUDGE_RED_ZONE = 256, JUDGE_RED = 0xA5 }; /* around every output */

struct graph; /* graph/read.h */
struct spans; /* spans.h */

struct judge_task { /* one case, run on nranks */
    const struct plan_case *c;
    unsigned case_no;
    int nranks;
    int iterations;
    const uint64_t *seed; /* of each rank, for this case */
    const struct evidence *evidence;
    const struct graph *graph; /* of the run; NULL on real GPUs */
    const struct spans *spans; /* graph, replayed; NULL with it */
    const char *graph_problem; /* why there is no graph where one should be, as
                                  the student may read it; else NULL */
    const char *answers;       /* text of answers.txt, NULL: there is none */
    int clocked; /* by real GPUs, whose clocks a host's can be held against */
};

struct judge_verdict {
    int pass; /* all points */
    int not_implemented;
    int suspected;       /* a person has to look at it */
    int skipped;         /* this machine cannot run it */
    double score;        /* 0 to 1: share of the points; 1 if pass */
    double time_us;      /* median of the slowest rank's; NaN if not timed */
    double reference_us; /* of the solution; NaN if the case isn't timed */
    double limit_us;     /* no machine of that kind can do it in less; or NaN */
    double low, high;    /* time over the reference's, where both are measured:
                            the ends of its interval (interval.h); else NaN */
    char message[480]; /* one or two lines for the student; "" if all is well */
};

/* Nothing judged yet. */
#define JUDGE_VERDICT_NONE                                                     \
    ((struct judge_verdict){.time_us = NAN,                                    \
                            .reference_us = NAN,                               \
                            .limit_us = NAN,                                   \
                            .low = NAN,                                        \
                            .high = NAN})

/*
 * Judge one kind of case. Statuses other than RUN_OK, and missing ranks, have
 * been dealt with by judge_case(), and pass is 1 on entry: call judge_fail().
 */
typedef void judge_fn(const struct judge_task *t, struct judge_verdict *v);

struct judge_kind {
    const char *name; /* plan_case.kind */
    judge_fn *judge;
    /* Least time that the machine of t->spans needs for a timed case; may be
     * NULL, and is asked on simgpu only. */
    double (*limit_us)(const struct judge_task *t);
};

struct judge_answer; /* answers.h */

struct judge_lab {                  /* one per lab, exported by its judge.c */
    const char *lab;                /* "lab1-collectives" */
    const struct judge_kind *kinds; /* ended by a NULL name */
    const struct judge_answer *answers; /* to cases of kind `answer`, likewise;
                                           NULL: the lab has no such cases */
    int shares_gpus; /* may ranks outnumber GPUs? Then several have the same one,
                        and there is no lab_run.comm */
    int least_gpus;  /* that it makes sense on, of one node; 0: no matter */
};

#define JUDGE_ANSWER "answer" /* the kind that every lab has */

/* All labs that this program can judge, ended by NULL: defined by its main. */
extern const struct judge_lab *const judge_labs[];
const struct judge_lab *judge_lab_find(const char *lab);

/* The whole verdict on one case at one rank count. */
void judge_case(const struct judge_lab *lab, const struct judge_task *t,
                struct judge_verdict *v);

/* The seed of a rank's input of an iteration: lab_run.seed in that rank. */
uint64_t judge_input_seed(const struct judge_task *t, int rank, int iteration);

/* splitmix64 of both: number i of the sequence that a seed stands for. */
uint64_t judge_seed(uint64_t seed, uint64_t i);

/* The seed of a case, from the run's seed and the case's name. */
uint64_t judge_case_seed(uint64_t seed, const char *case_name);

void judge_fail(struct judge_verdict *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * A rank's output without its red zones, when it has nbytes and the zones are
 * whole. NULL otherwise, having failed the verdict.
 */
const void *judge_output(const struct judge_task *t, int rank, int iteration,
                         const char *name, size_t nbytes,
                         struct judge_verdict *v);

#endif
