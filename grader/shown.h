/*
 * shown.h: what a run has shown, and the verdicts on it
 */
#ifndef GRADER_SHOWN_H
#define GRADER_SHOWN_H

#include "run.h"

struct shown {
    const struct request *request;
    const struct place *place;
    const struct batch *batch;
    const struct run *run;
    struct evidence *evidence;
    struct graph *graph; /* NULL: measured, or problem says why */
    struct spans *spans;
    struct replay *early; /* instead, of a run that ended early: for pictures */
    struct topo *early_topo;
    char problem[512];
    char *answers; /* text of answers.txt, or NULL */
};

/* Load the files of a run of the batch; shown_release() in any case. All that
 * is passed has to outlive s, and not to change. */
void shown_load(struct shown *s, const struct request *q, const struct place *p,
                const struct batch *b, const struct run *run);
void shown_release(struct shown *s);

/* True if case i of the batch started on any rank; if it ended on all. */
int shown_began(const struct shown *s, int i);
int shown_finished(const struct shown *s, int i);

/* The verdict on case i of the batch. */
void shown_judge(const struct shown *s, int i, struct judge_verdict *v);

/* Keep a timeline for the student's page, of one iteration of a visible case:
 * of all that a submission makes, the largest that is not too large. */
void shown_keep_timeline(const struct shown *s, struct result *r);

/* Case i ended the run: keep a timeline of it up to there, if it is a visible
 * one and the first of its submission. */
void shown_keep_end(const struct shown *s, int i, struct result *r);

#endif
