/*
 * result.h: what comes of grading one submission
 */
#ifndef GRADER_RESULT_H
#define GRADER_RESULT_H

#include <jansson.h>

#include "judge/judge.h"
#include "judge/outcome.h"
#include "judge/plan.h"
#include "log.h"
#include "sandbox.h"

struct case_result { /* over all of the case's rank counts */
    int judged;
    struct judge_verdict verdict; /* the first of the lowest score ... */
    int ranks;                    /* ... and its rank count */
    enum outcome outcome;
    double score;
};

struct result {
    struct case_result *cases; /* one for each case of the plan */
    enum outcome outcome;
    double score, max_score;
    int nskipped;       /* cases that this machine cannot run */
    char message[3200]; /* why nothing could be judged; else "" */
    char notes[512];    /* what was odd about the files, or "" */
    char missing[128];  /* limits that could not be set, or "" */
    double sec;         /* how long it took */
    int nruns;          /* of programs, so far: each has its number */
    char *svg;          /* a timeline, or NULL; */
    char *view;        /* and what a page of it shows (graph/view.h), or NULL */
    int svg_of_end;    /* of a case that ended its run: no other replaces it */
    json_t *clocks[2]; /* of GPUs, before and after; NULL when modelled */
    struct log log;    /* what compilers and runs printed */
};

/* Nothing is judged yet, of a plan with ncases cases. */
void result_init(struct result *r, int ncases);
void result_release(struct result *r);

/* Set outcome and message; returns -1. */
int result_stop(struct result *r, enum outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add a line about the files to the notes, for the student. */
void result_note(struct result *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Add to the log what a sandbox printed that was to `what` ("build", "run"),
 * and note which limits it lacked. 0; -1 with OUTCOME_INFRA if this machine is
 * at fault.
 */
int result_log(struct result *r, const char *what,
               const struct sandbox_end *end);

/* Keep a verdict on a case at one rank count, unless there is a lower one. */
void result_keep(struct result *r, int case_no, int nranks,
                 const struct judge_verdict *v);

/* Points and outcomes, from the verdicts that were kept. */
void result_total(struct result *r, const struct plan *p);

#endif
