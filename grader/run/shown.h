/*
 * shown.h: the records of a run, and verdicts on them
 */
#ifndef GRADER_SHOWN_H
#define GRADER_SHOWN_H

#include "grader/run/run.h"

struct shown {
    const struct request *request;
    const struct place *place;
    const struct run_batch *batch;
    const struct run *run;
    struct evidence *evidence;
    struct graph *graph; /* NULL if measured, or if problem says why */
    struct spans *spans;
    struct replay *early; /* instead of spans, if the run ended early: for
                             pictures */
    struct topo *topo;    /* the machine that spans and early replay on */
    char problem[512];
    char *answers; /* text of answers.txt; may be NULL */
};

/* options with which `early` is made */
extern const struct replay_options shown_unfinished;

/* Load the files of a run of the batch. Call shown_release() in each case. All
 * arguments must outlive s and not change. */
void shown_load(struct shown *s, const struct request *q, const struct place *p,
                const struct run_batch *b, const struct run *run);
void shown_release(struct shown *s);

/* True if case i of the batch started on any rank, and if it ended on all. */
int shown_began(const struct shown *s, int i);
int shown_finished(const struct shown *s, int i);

/* True if a rank has left the case in this way and said so, even if the
 * others wait for it. */
int shown_left(const struct shown *s, int i, enum run_status how);

/* The verdict on case i of the batch. */
void shown_judge(const struct shown *s, int i, struct judge_verdict *v);

#endif
