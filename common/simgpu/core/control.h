/*
 * control.h: the control page, which a process shares with the others of its
 * job
 *
 * Each process has a memfd that its peers open through /proc/PID/fd/N and map,
 * so that nothing is left behind however a run dies. Only its owner writes to
 * it, with three exceptions: any process may set `lost` to end the job, claim a
 * `fault_key` (report.c) and count itself in `nended` (check.c).
 */
#ifndef SIMGPU_CORE_CONTROL_H
#define SIMGPU_CORE_CONTROL_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/proc.h"
#include "core/site.h"

#define CONTROL_ANY_SIZE UINT64_MAX
#define CONTROL_MEMFD    "simgpu-control" /* the name of a page's memfd */

enum { CONTROL_RUNNING = 1, CONTROL_EXITED = 2 };
enum control_call { CONTROL_CALL, CONTROL_LAUNCH };
enum {
    CONTROL_FAULT_KEYS = 16,
    CONTROL_WAIT_TEXT = 4096,
    CONTROL_WAITS = 32,
    CONTROL_POSTS = 64,
    CONTROL_LETTERS = 64,
};

struct control_wait { /* a thread's wait, for hang.h */
    uint32_t thread;  /* host thread's number; UINT32_MAX: a worker */
    uint32_t at;      /* the operation that a worker runs */
    uint32_t node;    /* what must end; if equal to `at`, its match */
    uint32_t peer;    /* 1 + the rank it waits for; 0: see node */
    uint32_t site;
    char call[44];
};

struct control_post {     /* a collective call of MPI, for mpi/post.h */
    _Atomic uint64_t key; /* the same on all ranks of the call; 0: none */
    int32_t root;         /* -1: the call has no root */
    int32_t type, op;     /* for reductions: MPI's numbers; 0: any */
    uint32_t zero;
    uint64_t nbytes; /* CONTROL_ANY_SIZE: ranks may differ */
    char name[32];
    struct site_location site;
};

struct control_letter {   /* a message of MPI, for mpi/letter.h */
    _Atomic uint64_t key; /* the same at both ends; 0: none */
    int32_t type;         /* MPI's number of a type that is predefined */
    char name[20];
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
    _Atomic uint32_t in_mpi;    /* between MPI_Init and MPI_Finalize */
    _Atomic uint32_t planted;   /* SIMGPU_FAULT kills it */
    _Atomic uint32_t ends_job;  /* it has decided to end the job */
    _Atomic uint32_t lost;      /* futex: set when the job ends; exit with 70 */
    _Atomic int32_t active;     /* threads that are not waiting */
    _Atomic int32_t polling;    /* those of them that poll (polls.h) */
    _Atomic uint32_t npolls;    /* polls that have failed */
    _Atomic uint64_t poll_ps;   /* a polling thread's time; 0: not read */
    _Atomic int32_t flag_waits; /* operations waiting on a flag (flag.h) */
    _Atomic uint64_t progress;  /* grows with everything that is completed */
    _Atomic uint32_t aborted;   /* has aborted a communicator (clock.h) */
    /* rank 0's: count of ended processes (check.h) */
    _Atomic uint32_t nended;
    _Atomic uint32_t beats; /* its watchdog's rounds; constant if stopped */
    _Atomic uint64_t fault_key[CONTROL_FAULT_KEYS]; /* hashes, for report.c */
    _Atomic uint32_t wait_version; /* odd while the members below are written */
    uint32_t nwaits;
    struct control_wait wait[CONTROL_WAITS];
    char wait_text[CONTROL_WAIT_TEXT];
    struct control_post post[CONTROL_POSTS];       /* at key % CONTROL_POSTS */
    struct control_letter letter[CONTROL_LETTERS]; /* at key % .._LETTERS */
    /* the last call, for called.h */
    struct site_location called;
    uint32_t called_site; /* 0: none */
    enum control_call called_kind;
    char called_name[44];
};

/* Create this process's page; called once, when it starts. */
void control_create(uint32_t rank);

/* This process's page, or NULL before it has one; and the name by which other
 * processes map it. */
struct control *control_own(void);
struct proc_id control_id(void);

/* Map another process's page. Returns NULL with errno
 * if the process is gone. */
struct control *control_map(const struct proc_id *id);

/* Count a thread that becomes active (+1) or stops being active (-1). */
void control_active(int change);

/* Count an operation that begins (+1) or ends (-1) a wait on a flag. */
void control_flag_waits(int change);

/* Note that something was completed: all watchdogs
 * restart their quiet periods. */
void control_progress(void);

#endif
