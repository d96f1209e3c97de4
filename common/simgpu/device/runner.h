/*
 * runner.h: the threads that run a grid's blocks; between grid.c and cluster.c
 */
#ifndef SIMGPU_DEVICE_RUNNER_H
#define SIMGPU_DEVICE_RUNNER_H

#include <pthread.h>
#include <stdint.h>

#include "device/launch.h"

/* The blocks that a GPU can run at the same time: 32 on each multiprocessor. */
enum { MAX_SMS = 160, MAX_RUNNERS = MAX_SMS * 32 };

struct runner {
    struct grid *grid;
    pthread_t thread;
    int index, ended;
    struct cluster *cluster; /* of its block; NULL: the grid has none */
    uint64_t block;          /* the latest that it has begun */
    int busy;                /* that block has not ended */
    int mapped;              /* another block may use its shared memory */
    char *shared;            /* a place of the thread-local memory */
};

struct grid {
    const struct launch *launch;
    struct children *children; /* that its threads launch */
    void (*run_one)(uint64_t block);
    void (*forget)(void); /* a runner ends: free what it has */
    uint64_t next, n;     /* blocks */
    uint64_t progress;
    void *log, *sync; /* of the worker */
    struct runner *runner[MAX_RUNNERS];
    int nrunners, nlive, turn;
    uint64_t arrived, generation; /* of grid barriers */
    unsigned cluster_size;        /* blocks; 1: no clusters */
    struct cluster *clusters;     /* that have begun and not ended */
    pthread_mutex_t lock;
    pthread_cond_t turned;
};

/* The calling thread's. */
struct runner *grid_runner(void);

/* Let the other runners go on; returns in the caller's next turn. */
void grid_pass_turn(struct runner *me);

/* Run the blocks from grid->next on, on the calling thread alone. */
void grid_run_alone(struct runner *r);

/* ---- cluster.c ----------------------------------------------------------- */

/* The block me->block begins, or has ended: this returns when the runner may
 * look for another one. */
void cluster_enter(struct runner *me);
void cluster_leave(struct runner *me);

/* True if the next block belongs to a cluster that has begun, and no runner is
 * free to take it. */
int cluster_wants_runner(const struct grid *g);

#endif
