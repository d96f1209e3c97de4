/*
 * sandbox_idle.h: how long nothing has happened, in seconds of an idle machine
 *
 * On a machine with more to do than cores, a run that is well may show nothing
 * for a long time. So a second counts as what a process gets of a core then: a
 * submission does not hang because others are graded beside it.
 */
#ifndef GRADER_SANDBOX_IDLE_H
#define GRADER_SANDBOX_IDLE_H

struct idle {
    double looked; /* when (steady_sec()) */
    double sec;    /* since something happened */
};

void idle_begin(struct idle *idle, double now);

/* It is `now`, and something has happened since the last call, or not. */
void idle_look(struct idle *idle, double now, int happened);

#endif
