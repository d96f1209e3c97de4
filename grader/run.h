/*
 * run.h: one mpirun of a program, with the cases that run together
 */
#ifndef GRADER_RUN_H
#define GRADER_RUN_H

#include "place.h"
#include "recorder.h"
#include "request.h"
#include "result.h"
#include "sandbox.h"

enum {
    RUN_MAX_CASES = 1024,
    RUN_MAX_RANKS = 64,
    RUN_ITERATIONS = 2,
    RUN_CASE_SEC = 30, /* of a case without progress, on a busy machine */
};

struct batch { /* cases that run together */
    int nranks;
    const char *topo; /* machine that they are modelled on; NULL: measured */
    int case_no[RUN_MAX_CASES];
    int n;
    int iterations, warmup;
    int round;        /* of measuring, from 1; 0: none */
    int of_reference; /* run the solution, not the submission */
};

struct run {                 /* one that was made */
    char dir[PATH_MAX + 32]; /* its files: evidence, graphs */
    uint64_t nonce;          /* that its evidence has to carry */
    struct sandbox_end end;
    struct recorder_end recorded;
    char left[160]; /* which rank ended first, and how; or "" (wardens.h) */
};

/* 0, or -1 with the outcome set when this machine is at fault; how a submission
 * ended is in run->end. */
int run_make(const struct request *q, const struct place *p,
             const struct batch *b, struct run *run, struct result *r);

/* The seed of a rank in a case: secret, unless it was asked for. */
uint64_t run_seed(const struct request *q, const struct place *p,
                  const struct batch *b, int case_no, int rank);

/* Why a run stopped before its end, for the message. */
void run_last_words(const struct place *p, const struct run *run, char *out,
                    size_t nbytes);

#endif
