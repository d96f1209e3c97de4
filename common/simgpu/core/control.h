/*
 * control.h: the control page, what a process shows the others of its job
 *
 * One memfd per process. Peers open it through /proc/PID/fd/N and map it, so
 * that nothing is left behind however a run dies. Its owner alone writes to it,
 * except that any process may set `lost` to end the job, claim a `fault_key`
 * (report.c) and count itself in `nended` (check.c).
 */
#ifndef SIMGPU_CORE_CONTROL_H
#define SIMGPU_CORE_CONTROL_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/proc.h"
#include "core/site.h"

#define CONTROL_ANY_SIZE UINT64_MAX

enum { CONTROL_RUNNING = 1, CONTROL_EXITED = 2 };
enum {
    CONTROL_FAULT_KEYS = 16,
    CONTROL_WAIT_TEXT = 4096,
    CONTROL_WAITS = 32,
    CONTROL_POSTS = 64,
};

struct control_wait { /* a thread's wait, for hang.h */
    uint32_t thread;  /* of the host; UINT32_MAX: a stream's worker */
    uint32_t at;      /* the operation that the worker runs */
    uint32_t node;    /* what has to end; at: what it runs has to */
    uint32_t peer;    /* 1 + the rank that it waits for; 0: see node */
    uint32_t site;
    char call[44];
};

struct
    control_post { /* a collective call of MPI, for comparison (mpi/post.h) */
    _Atomic uint64_t key; /* the call, the same on all its ranks; 0: none */
    int32_t root;         /* -1: it has none */
    int32_t type, op;     /* of a reduction: MPI's numbers; 0: any */
    uint32_t zero;
    uint64_t nbytes; /* CONTROL_ANY_SIZE: they may differ */
    char name[32];
    struct site_location site;
};

struct control {
    uint64_t nonce;
    int32_t pid;
    uint32_t rank;
    int32_t graph_fd;
    int32_t place[PROC_MAX_DEVICES];       /* proc->place */
    int32_t heap_fd[PROC_MAX_DEVICES + 1]; /* -1: none yet; last: pinned */
    _Atomic uint32_t state;
    _Atomic uint32_t lost;      /* futex: the job is over, end with status 70 */
    _Atomic int32_t active;     /* threads that are not waiting */
    _Atomic int32_t flag_waits; /* operations waiting on a flag (flag.h) */
    _Atomic uint64_t progress;  /* grows when something gets done */
    _Atomic uint32_t aborted;   /* it aborted a communicator (clock.h) */
    _Atomic uint32_t nended;    /* rank 0's: processes that ended (check.h) */
    _Atomic uint32_t beats;     /* rounds of its watchdog; still when stopped */
    _Atomic uint64_t fault_key[CONTROL_FAULT_KEYS]; /* reported, by hash */
    _Atomic uint32_t wait_version; /* odd: what follows is being written */
    uint32_t nwaits;
    struct control_wait wait[CONTROL_WAITS];
    char wait_text[CONTROL_WAIT_TEXT];
    struct control_post post[CONTROL_POSTS]; /* at key % CONTROL_POSTS */
};

/* Make this process's page; called once, when it starts. */
void control_create(uint32_t rank);

/* This process's page, NULL before it has one; and its name for others. */
struct control *control_own(void);
struct proc_id control_id(void);

/* Map another process's page. NULL with errno when it is gone. */
struct control *control_map(const struct proc_id *id);

/* A thread begins (+1) or ends (-1) to be active. */
void control_active(int change);

/* An operation begins (+1) or ends (-1) to wait on a flag. */
void control_flag_waits(int change);

/* Something got done: watchdogs start their count again. */
void control_progress(void);

#endif
