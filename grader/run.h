/*
 * run.h: running a submission's cases, and judging them
 *
 *   run.c     one mpirun of a program, with the cases that run together
 *   shown.c   what it has shown, and the verdicts on it
 *   cases.c   which cases run together; a case that ends the run pays alone
 *   rounds.c  times that are measured: reference and submission by turns
 */
#ifndef GRADER_RUN_H
#define GRADER_RUN_H

#include "grade.h"

enum {
    RUN_MAX_CASES = 1024,
    RUN_MAX_RANKS = 64,
    RUN_ITERATIONS = 2,
    RUN_FOLDER = PATH_MAX + 32,
    RUN_CASE_SEC = 20, /* of a case without progress, on a busy machine */
};

struct batch { /* cases that run together */
    int nranks;
    const char
        *topo; /* the machine that they are modelled on; NULL: measured */
    int case_no[RUN_MAX_CASES];
    int n;
    int iterations, warmup;
    int round;        /* of measuring, from 1; 0: none */
    int of_reference; /* run the solution, not the submission */
    uint64_t nonce;   /* of the run, by run_batch() */
};

/* Run it, its files in a new folder, whose path goes to dir. 0, or -1 having set
 * the grade's outcome when it is this machine's fault; how a submission ends is in
 * *end. */
int run_batch(struct grade *g, struct batch *b, char dir[RUN_FOLDER],
              struct sandbox_end *end);

/* The seed of a rank in a case. */
uint64_t run_seed(const struct grade *g, const struct batch *b, int case_no,
                  int rank);

/* How a run that did not get to its end ended, for the message. */
void run_last_words(const struct grade *g, const struct sandbox_end *end,
                    char *out, size_t nbytes);

/* ---- what a run has shown (shown.c) ------------------------------------------ */

struct shown {
    struct evidence *evidence;
    struct graph *graph; /* NULL: measured, or problem says why */
    struct spans *spans;
    char problem[512];
    char *answers; /* text of answers.txt, or NULL */
};

/* Of the run whose files are in dir; shown_release() whatever came of it. */
void shown_load(struct shown *s, const struct grade *g, const struct batch *b,
                const char *dir);
void shown_release(struct shown *s);

/* Has case i of the batch begun, on any rank; did it end, on all? */
int shown_began(const struct shown *s, const struct batch *b, int i);
int shown_finished(const struct shown *s, const struct batch *b, int i);

/* The verdict on case i of the batch. */
void shown_judge(const struct shown *s, struct grade *g, const struct batch *b,
                 int i, const struct sandbox_end *end, struct judge_verdict *v);

/* A picture for the student's page, of one iteration of a visible case: of those
 * that the submission makes, the largest that isn't too large. */
void shown_keep_timeline(const struct shown *s, struct grade *g,
                         const struct batch *b);

/* ---- verdicts (cases.c) ------------------------------------------------------ */

/* Keep a case's verdict: over its rank counts the first of the lowest score. */
void run_keep(struct grade *g, int case_no, int nranks,
              const struct judge_verdict *v);

/* ---- measuring (rounds.c) ---------------------------------------------------- */

/*
 * Time the batch's cases, whose results were right: the reference and the
 * submission by turns, each case's verdict kept. 0, or -1 with the outcome set.
 */
int rounds_run(struct grade *g, struct batch *b);

/* A student's copy of the kit has no reference: there, what is right is all that
 * can be said. */
int rounds_possible(const struct grade *g);

#endif
