/*
 * judge.h: from evidence to a verdict
 *
 * A lab's staff code has two halves. `run` runs in the rank's process, calls
 * the student's functions and writes evidence (lab/lab.h). `judge`, declared
 * here, is pure: from the case's parameters, the ranks' seeds and the evidence
 * it computes the expected output, and compares. The same judge runs in the
 * student's own program for quick feedback and in the grader, the only place
 * where seeds are secret.
 *
 * On simgpu the run's execution graph is evidence, too: it determines when each
 * operation began and ended on the modelled machine (spans.h). Timed cases are
 * scored by it; on real GPUs, by the times that ranks record.
 *
 * Seeds: the judge knows those of all ranks. A graded rank knows none: its
 * inputs are drawn where the seeds are (draw.h). They depend on the rank's seed
 * and on its output of the previous iteration (chain.h): judge_input_seed().
 */
#ifndef COMMLAB_JUDGE_JUDGE_H
#define COMMLAB_JUDGE_JUDGE_H

#include <math.h> /* NAN */

#include "judge/draw.h"
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
    struct spans *spans;       /* graph, replayed; NULL with it */
    const char *graph_problem; /* why a graph is missing that should exist, for
                                  the student to read; else NULL */
    const char *answers;       /* text of answers.txt, NULL: no such file */
    int clocked; /* by real GPUs: compare their clocks with the host's */
};

struct judge_verdict {
    int pass; /* all points */
    int not_implemented;
    int suspected;       /* needs review by a person */
    int skipped;         /* this machine cannot run it */
    int answered;        /* an answer whose format is right; graded later */
    double score;        /* 0 to 1: share of the points; 1 if pass */
    double time_us;      /* median over iterations, slowest rank; or NaN */
    double reference_us; /* of the solution; NaN if the case isn't timed */
    double limit_us;     /* physical lower bound on that machine; or NaN */
    double low, high;    /* interval (interval.h) of time / reference time, if
                            both are measured; else NaN */
    char message[3000];  /* lines for the student; "" on success */
};

/* A verdict before judging. */
#define JUDGE_VERDICT_NONE                                                     \
    ((struct judge_verdict){.time_us = NAN,                                    \
                            .reference_us = NAN,                               \
                            .limit_us = NAN,                                   \
                            .low = NAN,                                        \
                            .high = NAN})

/*
 * Judge one kind of case. judge_case() has already handled statuses other than
 * RUN_OK and missing ranks. pass is 1 on entry: call judge_fail() to fail.
 */
typedef void judge_fn(const struct judge_task *t, struct judge_verdict *v);

struct judge_kind {
    const char *name; /* plan_case.kind */
    judge_fn *judge;
    /* Lower bound on the time of a timed case on the machine of t->spans; may
     * be NULL. Called on simgpu only. */
    double (*limit_us)(const struct judge_task *t);
};

struct judge_student { /* where a student looks for a kind's mistakes */
    const char *kind;
    const char *functions;   /* "boot_sum() in bootstrap.c" */
    const char *key, *value; /* only of cases with this parameter; or NULL */
};

struct judge_lab {                  /* one per lab, exported by its judge.c */
    const char *lab;                /* "lab1-collectives" */
    const struct judge_kind *kinds; /* ended by a NULL name */
    const struct judge_student *students; /* likewise; the first that fits a
                                             case counts; may be NULL */
    const struct draw_row *draws; /* the lab's own generators (draw.h), or
                                     NULL */
    int shares_gpus; /* ranks may outnumber GPUs; then several ranks share one,
                        and there is no lab_run.comm */
    int reaches_peers; /* kernels have to access other ranks' memory
                          (origin.h) */
    int least_gpus;    /* minimum number of GPUs per node; 0: any */
};

#define JUDGE_ANSWER "answer" /* a kind in every lab */

/* All labs that this program can judge, ended by NULL: defined by its main. */
extern const struct judge_lab *const judge_labs[];
const struct judge_lab *judge_lab_find(const char *lab);

/* The complete verdict on one case at one rank count. */
void judge_case(const struct judge_lab *lab, const struct judge_task *t,
                struct judge_verdict *v);

/* The seed of a rank's input of an iteration. */
uint64_t judge_input_seed(const struct judge_task *t, int rank, int iteration);

/* splitmix64: number i of the sequence of a seed. */
uint64_t judge_seed(uint64_t seed, uint64_t i);

/* The seed of a case, from the run's seed and the case's name. */
uint64_t judge_case_seed(uint64_t seed, const char *case_name);

void judge_fail(struct judge_verdict *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * A rank's output without its red zones, if it has nbytes and the zones are
 * intact. Otherwise fails the verdict and returns NULL.
 */
const void *judge_output(const struct judge_task *t, int rank, int iteration,
                         const char *name, size_t nbytes,
                         struct judge_verdict *v);

/*
 * Fail the verdict unless bytes [begin, end) of a rank's output descend from
 * the inputs of all ranks in `need` (bits), through recorded operations of
 * devices (judge/origin.h). On simgpu only.
 */
void judge_descent(const struct judge_task *t, int rank, int iteration,
                   const char *name, size_t begin, size_t end, uint64_t need,
                   struct judge_verdict *v);

/* Likewise, and fail it if they descend from anything that the student's code
 * brought from the host: for tasks that need no such data, not even indices. */
void judge_origin(const struct judge_task *t, int rank, int iteration,
                  const char *name, size_t begin, size_t end, uint64_t need,
                  struct judge_verdict *v);

/* Bits of all ranks of a task. */
uint64_t judge_everybody(const struct judge_task *t);

#endif
