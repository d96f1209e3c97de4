/*
 * idle.h: a run's own time, and how much of it passed without progress
 *
 * On a machine with more work than cores, a healthy run may show nothing for a
 * long time. So what counts is not the clock's time but the run's own: the part
 * of it in which other programs did not keep the run from computing.
 *
 *     it computes on one core or more          all of it
 *     its threads wait for cores, too          the part in which they had one
 *     none of its threads wants a core         all of it, or on a machine with
 *                                              more work than cores, the share
 *                                              that a process gets there
 *     none does, and one waits for a disk      none of it
 *     this process was stopped meanwhile       none of it
 */
#ifndef COMMLAB_IDLE_H
#define COMMLAB_IDLE_H

#include "base/tree.h"

/* How often to look, in s: a look reads several files for each thread. */
#define IDLE_LOOK_SEC 1.0

struct idle {
    double looked;            /* time of the last look (steady_sec()) */
    double began, progressed; /* times of the first look, the last progress */
    double sec;               /* own time without progress */
    double total_sec;         /* own time of the whole run */
    struct tree tree;         /* at the last look */
};

void idle_begin(struct idle *idle, double now);

/* Look at time `now` at the processes below root; `happened` says whether there
 * was progress since the last look. */
void idle_look(struct idle *idle, pid_t root, double now, int happened);

#endif
