/*
 * run.h: one mpirun of a program, with the cases that run together
 */
#ifndef GRADER_RUN_H
#define GRADER_RUN_H

#include "grader/job/place.h"
#include "grader/job/request.h"
#include "grader/job/result.h"
#include "grader/recorder/recorder.h"
#include "grader/sandbox/sandbox.h"

enum {
    RUN_MAX_CASES = 1024,
    RUN_MAX_RANKS = 64,
    RUN_ITERATIONS = 2,
    RUN_CASE_SEC = 30, /* for a case without progress on a busy machine */
};

struct run_batch { /* cases that run together */
    int nranks;
    const char *topo; /* machine that they are modelled on; NULL: measured */
    int case_no[RUN_MAX_CASES];
    int n;
    int iterations, warmup;
    int round;        /* round of a measurement, from 1; 0: none */
    int alone;        /* its case ran into a limit on time among others */
    int of_reference; /* run the solution in place of the submission */
};

struct run {                 /* a run that was made */
    char dir[PATH_MAX + 32]; /* its files: evidence, graphs */
    uint64_t nonce;          /* nonce that its evidence must contain */
    struct sandbox_end end;
    struct recorder_end recorded;
    char left[160]; /* which rank ended first, and how (wardens.h); or "" */
};

/* Run a batch. Returns 0, or -1 with the outcome set if this machine is at
 * fault. run->end says how the program ended. */
int run_make(const struct request *q, const struct place *p,
             const struct run_batch *b, struct run *run, struct result *r);

/* The key of a visible case: it is in the case's `again:` line. */
uint64_t run_key(const struct request *q, const struct plan_case *c, int round);

/* The seed of a rank in a case, which is secret unless it was requested. */
uint64_t run_seed(const struct request *q, const struct place *p,
                  const struct run_batch *b, int case_no, int rank);

/* Write why a run stopped before its end, for a message. */
void run_last_words(const struct place *p, const struct run *run, char *out,
                    size_t nbytes);

#endif
