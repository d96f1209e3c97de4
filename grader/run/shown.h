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

extern const struct replay_options shown_unfinished; /* `early` is made with */

/* Load the files of a run of the batch; shown_release() in any case. All that
 * is passed has to outlive s, and not to change. */
void shown_load(struct shown *s, const struct request *q, const struct place *p,
                const struct batch *b, const struct run *run);
void shown_release(struct shown *s);

/* True if case i of the batch started on any rank; if it ended on all. */
int shown_began(const struct shown *s, int i);
int shown_finished(const struct shown *s, int i);

/* True if a rank has left the case like this: it has said so, even if the
 * others wait for it. */
int shown_left(const struct shown *s, int i, enum run_status how);

/* The verdict on case i of the batch. */
void shown_judge(const struct shown *s, int i, struct judge_verdict *v);

#endif
