/*
 * runner.h: the threads that run a grid's blocks
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
    pthread_cond_t turned;   /* its turn has come */
    struct cluster *cluster; /* its block's; NULL: grid has no clusters */
    uint64_t block;          /* the latest block it has started */
    int busy;                /* that block has not ended */
    int mapped;              /* another block may use its shared memory */
    char *shared;            /* a fixed place in its thread-local memory */
};

struct grid {
    const struct launch *launch;
    struct children *children; /* kernels that its threads launch */
    void (*run_one)(uint64_t block);
    void (*forget)(void); /* frees what a runner has, at its end */
    uint64_t next, n;     /* next block to start, number of blocks */
    uint64_t progress;
    void *log, *sync;        /* the worker's */
    _Atomic uint32_t *pulse; /* the worker's wait_pulse() */
    struct runner *runner[MAX_RUNNERS];
    int nrunners, nlive, turn;
    uint64_t arrived, generation; /* for grid barriers */
    unsigned cluster_size;        /* in blocks; 1: no clusters */
    struct cluster *clusters;     /* running or partly started */
    int signals; /* a thread has synchronised by other means than a barrier */
    pthread_mutex_t lock;
};

struct cluster {
    struct cluster *next;
    uint64_t index;           /* position in the grid */
    unsigned ended;           /* number of ended blocks */
    uint64_t arrived, exited; /* threads: at the barrier; ended */
    uint64_t generation;      /* how often the barrier has completed */
    struct words *words;      /* who touched them (sharing/distant.h) */
};

/* The calling thread's runner (live.c). */
extern __thread struct runner *runner_me __asm__("simgpu_runner_me")
    __attribute__((tls_model("initial-exec")));

/* One runner of a grid runs at a time: wait until it is r's turn, and give it
 * to the one with this index. */
void runner_wait_turn(struct runner *r);
void runner_give_turn(struct grid *g, int to);

/* The index of the next runner that has not ended, or that of r. */
int runner_next(const struct runner *r);

/* Let the other runners run. Returns in the caller's next turn. */
void runner_pass_turn(struct runner *me);

/* Start no further blocks of the calling thread's grid. */
void runner_stop(void);

#endif
