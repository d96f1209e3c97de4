/*
 * judge.h: from evidence to a verdict
 *
 * A lab's staff code has two halves. `run` executes in the rank's process,
 * calls the student's functions and writes evidence (lab/lab.h). `judge`,
 * declared here, is pure: it computes the expected output from the case's
 * parameters, the ranks' seeds and the evidence, and compares. The same judge
 * runs in the student's own program, for quick feedback, and in the grader, the
 * only place where seeds are secret.
 *
 * On simgpu the run's execution graph is evidence, too: it determines when each
 * operation began and ended on the modelled machine (spans.h), and so the score
 * of timed cases. On real GPUs these are scored by the times that ranks record.
 *
 * Seeds: the judge knows those of all ranks, a graded rank knows none. A rank's
 * inputs are drawn by the owner of the seeds (draw.h), from the rank's seed and
 * its output of the previous iteration (chain.h): judge_input_seed().
 */
#ifndef COMMLAB_JUDGE_JUDGE_H
#define COMMLAB_JUDGE_JUDGE_H

#include <math.h> /* NAN */

#include "base/rank_set.h"
#include "judge/draw.h"
#include "judge/evidence.h"
#include "judge/plan.h"

enum { JUDGE_RED_ZONE = 256, JUDGE_RED = 0xA5 }; /* around every output */

struct graph; /* graph/record/read.h */
struct spans; /* spans.h */

struct judge_task { /* one case, run on nranks ranks */
    const struct plan_case *c;
    const struct plan *plan; /* the lab's: its files are the student's; NULL:
                                unknown */
    unsigned case_no;
    int nranks;
    int iterations;
    const uint64_t *seed; /* by rank, for this case */
    const struct evidence *evidence;
    const struct graph *graph; /* the run's graph; NULL on real GPUs */
    struct spans *spans;       /* the replayed graph; NULL without a graph */
    const char *graph_problem; /* for students: why a graph that should exist is
                                  missing; else NULL */
    const char *answers;       /* text of answers.txt; NULL if there is no
                                  such file */
    int clocked; /* measured on real GPUs: compare their clocks with the
                    host's */
};

struct judge_verdict {
    int pass; /* all points */
    int not_implemented;
    int unfinished;      /* there is no answer to judge: a rank did not get to
                            the end of the case */
    int right;           /* the results are what they should be; if it does not
                            pass, its method or its time is at fault */
    int suspected;       /* needs review by a person */
    int skipped;         /* this machine cannot run it */
    int answered;        /* an answer whose format is right; graded later, and
                            in no total until then */
    int graders_only;    /* no run of the student's shows it: there is no
                            `again:` line */
    double score;        /* 0 to 1: share of the points; 1 if pass */
    double time_us;      /* median over iterations, slowest rank; or NaN */
    double reference_us; /* the solution's time; NaN if not timed */
    double limit_us;     /* physical lower bound on that machine; or NaN */
    double low, high;    /* interval (interval.h) of time / reference time, if
                            both are measured; else NaN */
    char message[3000];  /* lines for the student; "" on success */
    int trusting;        /* judge as if nothing were suspect */
    double beneath;      /* if suspected: score and message without that */
    char beneath_message[1000];
};

/* A verdict that nothing has been judged for yet. */
#define JUDGE_VERDICT_NONE                                                     \
    ((struct judge_verdict){.time_us = NAN,                                    \
                            .reference_us = NAN,                               \
                            .limit_us = NAN,                                   \
                            .low = NAN,                                        \
                            .high = NAN})

/*
 * Judge one case of this kind. judge_case() has already handled missing ranks
 * and statuses other than RUN_OK. pass is 1 on entry: call judge_fail() to
 * fail, or judge_fail_method() if the result is right all the same.
 */
typedef void judge_fn(const struct judge_task *t, struct judge_verdict *v);

struct judge_kind {
    const char *name; /* plan_case.kind */
    judge_fn *judge;
    /* The lower bound on the time of a timed case on the machine of t->spans,
     * called on simgpu only; NULL if there is none. */
    double (*limit_us)(const struct judge_task *t);
    /* Communication (bits: 1 << enum graph_kind) that a timed case should hide
     * behind kernels whose names begin with `behind`; 0: none. */
    unsigned hides;
    const char *behind;
    /* The case passes several streams, and each has results of its own; else
     * the case's stream has to wait for all (awaited.h). */
    int several_streams;
};

struct judge_student { /* where to look for mistakes in cases of a kind */
    const char *kind;
    const char *functions;   /* "boot_sum() in bootstrap.c" */
    const char *key, *value; /* limit the row to cases with this
                                parameter; or NULL */
};

struct judge_place; /* needs.h */

struct judge_lab {                  /* one per lab, exported by its judge.c */
    const char *lab;                /* "lab1-collectives" */
    const struct judge_kind *kinds; /* ended by a NULL name */
    const struct judge_student *students; /* ended by a NULL kind; the first
                                             that fits a case counts; may be
                                             NULL */
    const struct draw_row *draws; /* the lab's own generators (draw.h), or
                                     NULL */
    int shares_gpus;   /* ranks may outnumber GPUs and share them; then there is
                          no lab_run.comm */
    int reaches_peers; /* kernels must access other ranks' memory (origin.h) */
    int least_gpus;    /* minimum number of GPUs per node; 0: any number */
    /* Limits of the cases, for judge_needs() (needs.h); NULL: all run on any
     * ranks. */
    int (*needs)(const struct plan_case *c, const struct judge_place *p,
                 char *text, size_t nbytes);
};

#define JUDGE_ANSWER "answer" /* the kind of questions, which every lab has */

/* All labs that this program can judge, ended by NULL. Its main
 * file defines them. */
extern const struct judge_lab *const judge_labs[];
const struct judge_lab *judge_lab_find(const char *lab);

/* Check that the lab can judge every case of its plan. Returns 0, or -1 with
 * the case and its kind in err. */
int judge_check_kinds(const struct judge_lab *lab, const struct plan *p,
                      char *err, size_t err_nbytes);

/* The complete verdict on one case at one rank count. */
void judge_case(const struct judge_lab *lab, const struct judge_task *t,
                struct judge_verdict *v);

/* The seed of a rank's input in an iteration. */
uint64_t judge_input_seed(const struct judge_task *t, int rank, int iteration);

/* splitmix64: number i of the sequence that a seed starts. */
uint64_t judge_seed(uint64_t seed, uint64_t i);

/*
 * The seed of a rank in a case that the grader runs. It follows from the case's
 * key, which is in the case's `again:` line; a rank that knows its inputs can
 * compute neither the key nor another rank's inputs.
 */
uint64_t judge_key_seed(uint64_t key, int rank);

/* The seed of a case, from the run's seed and the case's name. */
uint64_t judge_case_seed(uint64_t seed, const char *case_name);

void judge_fail(struct judge_verdict *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fail the verdict of a result that is right: it came about in another way than
 * the part teaches, or took too long. */
void judge_fail_method(struct judge_verdict *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fail the verdict until a person has looked at the case; nothing, if the
 * verdict is trusting. */
void judge_suspect(struct judge_verdict *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Keep with a suspected verdict what it would be without the suspicion: a
 * person who clears it restores that. */
void judge_beneath(struct judge_verdict *v,
                   const struct judge_verdict *trusted);

/*
 * A rank's output without its red zones. Fails the verdict and returns NULL
 * unless it has nbytes and intact zones.
 */
const void *judge_output(const struct judge_task *t, int rank, int iteration,
                         const char *name, size_t nbytes,
                         struct judge_verdict *v);

/*
 * Fail the verdict unless bytes [begin, end) of a rank's output descend from
 * the inputs of all ranks in `need`, through operations that devices are
 * recorded to have done (judge/origin/origin.h). On simgpu only.
 */
void judge_descent(const struct judge_task *t, int rank, int iteration,
                   const char *name, size_t begin, size_t end,
                   struct rank_set need, struct judge_verdict *v);

/* The same, and fail if the bytes descend from anything that the student's code
 * brought from the host: for tasks that need no such data, not even indices. */
void judge_origin(const struct judge_task *t, int rank, int iteration,
                  const char *name, size_t begin, size_t end,
                  struct rank_set need, struct judge_verdict *v);

/* All ranks of a task. */
struct rank_set judge_everybody(const struct judge_task *t);

#endif
