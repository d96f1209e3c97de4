/*
 * result.h: the result of grading one submission
 */
#ifndef GRADER_RESULT_H
#define GRADER_RESULT_H

#include <jansson.h>

#include "grader/sandbox/log.h"
#include "grader/sandbox/sandbox.h"
#include "judge/judge.h"
#include "judge/outcome.h"
#include "judge/plan.h"

struct case_result { /* over all of the case's rank counts */
    int judged;
    struct judge_verdict verdict; /* first verdict with the lowest score */
    int ranks;                    /* rank count of that verdict */
    enum outcome outcome;
    double score;
    double beneath; /* lowest share of the points without any suspicion */
    char beneath_message[1000];
};

struct result {
    struct case_result *cases; /* by case of the plan */
    enum outcome outcome;
    double score, max_score;
    int nskipped;       /* number of cases that this machine can't run */
    int nanswered;      /* number of answers that this plan can't judge */
    char message[3200]; /* why nothing could be judged; else "" */
    char broken[1024];  /* errors of files that do not compile; "": none */
    char notes[512];    /* oddities of the files; "": none */
    char missing[128];  /* limits that could not be set; "": none */
    const char *memory, *processes; /* what limited them; NULL: nothing ran */
    const char *limits; /* which level of limits that is (sandbox.h) */
    long refused;       /* processes and threads that a control group refused to
                           the run that wanted most */
    double sec;         /* duration of the grading */
    int nruns;          /* runs of programs so far, which numbers them */
    char *answers;      /* text of answers.txt; may be NULL */
    char *worklog;      /* text of the work log; may be NULL */
    char *svg;          /* a timeline; may be NULL */
    char *view;     /* data for an interactive page of it (graph/draw/view.h);
                           may be NULL */
    int svg_of_end; /* it shows a case that ended its run, so no other
                           replaces it */
    json_t *clocks[2]; /* GPUs' clocks before and after; NULL when modelled */
    struct log log;    /* output of compilers and runs */
};

/* Start a result for a plan with ncases cases, with nothing judged. */
void result_init(struct result *r, int ncases);
void result_release(struct result *r);

/* Set outcome and message. Returns -1. */
int result_stop(struct result *r, enum outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add a line about the files to the notes, for the student. */
void result_note(struct result *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Add a sandbox's output to the log; `what` is its purpose ("build", "run").
 * Also note which limits it lacked. Returns 0, or -1 with OUTCOME_INFRA if this
 * machine is at fault.
 */
int result_log(struct result *r, const char *what,
               const struct sandbox_end *end);

/* Keep a verdict on a case at one rank count, unless a lower one is kept. */
void result_keep(struct result *r, int case_no, int nranks,
                 const struct judge_verdict *v);

/* Compute points and outcomes from the kept verdicts. */
void result_total(struct result *r, const struct plan *p);

#endif
