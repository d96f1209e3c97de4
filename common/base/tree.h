/*
 * tree.h: what a process and its descendants do, and the memory they take
 *
 * It is read from /proc, which needs no privilege. Processes that end
 * meanwhile, or that this user may not inspect, count nothing.
 */
#ifndef COMMLAB_TREE_H
#define COMMLAB_TREE_H

#include <sys/types.h>

struct tree {
    double cpu_sec;     /* CPU time, also of descendants that have ended */
    double wait_sec;    /* how long the present threads were ready to run, but
                           other threads had the cores; 0 if unknown */
    int nstalled;       /* threads that wait for a disk */
    long long resident; /* bytes of memory; what is shared counts for each */
};

/* Look at a process and its descendants, and at this process, which serves
 * them: but not at its other children. */
void tree_look(pid_t root, struct tree *t);

/* The number of the descendants' threads. */
int tree_nthreads(pid_t root);

/* Bytes of memory that the descendants take; what they share counts once. It
 * takes longer than tree_look(). */
long long tree_nbytes(pid_t root);

/* Kill all descendants, even if they start others faster than one can look:
 * this user's processes may first be forbidden to start any. */
void tree_kill(pid_t root);

#endif
