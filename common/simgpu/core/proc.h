/*
 * proc.h: this process, its peers, and how they wait for each other
 *
 * The processes of one mpirun know each other through *control pages*: a memfd
 * per process, opened by peers through /proc/PID/fd/N, so that nothing is left
 * behind however a run dies. A proc_id names a control page; it travels inside
 * ncclUniqueId, cudaIpcMemHandle_t and the exchange at MPI_Init.
 *
 * Waiting: every wait in simgpu goes through proc_wait(), which sleeps on a
 * futex (ranks outnumber cores, so spinning would stop the one we wait for),
 * notes what is waited for, so that a hang can be explained, and ends when the
 * job is known to be lost.
 *
 * Reports: a fault that ends the run is reported once per job, in a form that
 * a student can act on, then the process exits with status 70 (EX_SOFTWARE).
 */
#ifndef SIMGPU_CORE_PROC_H
#define SIMGPU_CORE_PROC_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "core/names.h"
#include "graph/record.h"
#include "topo/topo.h"

enum {
    PROC_MAX_DEVICES = 64,
    PROC_EXIT_FAULT = 70,
    PROC_GRACE_US = 500000, /* for the rank that reports, before others end */
};

struct proc_id { /* names a process's control page; plain data */
    int32_t pid;
    int32_t fd;
    uint64_t nonce; /* guards against a PID that was used again */
};

struct peer; /* a process whose control page is mapped here; cached for good */

struct proc {
    struct proc_id id;
    uint32_t rank, nranks; /* from the launcher (PMI_RANK), 0 of 1 without */
    int node, local_rank;  /* on the modelled machine */
    struct topo *topo;     /* SIMGPU_TOPO, default dgx-h100 */
    const struct topo_costs *costs;
    struct graph_segment *graph;
    int ndevices;     /* GPUs of its node */
    int first_device; /* the machine's number of its device 0 */
};

/*
 * This process, started on the first call (thread-safe). A bad SIMGPU_* value
 * is reported on standard error and ends the process with status 70: a run on
 * a machine nobody asked for would be worse.
 */
const struct proc *proc(void);

/* Has anybody asked for it yet? */
int proc_started(void);

/* The machine's number of this process's device ordinal: a graph place. */
int32_t proc_place(int device);

/* Number of the calling host thread in the graph; its creator is main. */
uint32_t proc_thread(void);

/* Map a peer's control page. NULL with errno when it is gone. Self works. */
struct peer *proc_attach(const struct proc_id *id);
uint32_t peer_rank(const struct peer *p);
int peer_pid(const struct peer *p);
int peer_graph_fd(const struct peer *p);
/* Still running? A peer that ended has left; one that crashed too. */
int peer_alive(const struct peer *p);

/*
 * The peers this process knows by job rank: all after MPI_Init, those it
 * shares a communicator with otherwise. NULL when unknown.
 */
struct peer *proc_peer(uint32_t rank);

/*
 * Make the job's processes known: ids[i] is rank i's, n of them. Called once,
 * by the MPI wrappers, when MPI_Init has exchanged them.
 */
void proc_meet(const struct proc_id *ids, uint32_t n);

/* ---- waiting ----------------------------------------------------------- */

/* Says in one line what is waited for, when somebody asks. */
typedef void wait_describe(const void *arg, char *out, size_t nbytes);

struct wait_note {
    const char *call;        /* "cudaStreamSynchronize", "ncclAllReduce" */
    uint32_t site;           /* graph_site of the user's call */
    wait_describe *describe; /* may be NULL */
    const void *arg;
    uint32_t node; /* the operation of this process that has to end; 0: the one
                      that the thread is at, or unknown */
    uint32_t peer; /* 1 + the rank that it waits for; 0: see node */
};

/*
 * Sleep until *word != seen. word may lie in memory shared between processes.
 * Returns 0; does not return when the job is lost (the report is printed).
 */
int proc_wait(_Atomic uint32_t *word, uint32_t seen,
              const struct wait_note *note);

/* As proc_wait, at most timeout_ns; returns -1 with ETIMEDOUT. */
int proc_wait_for(_Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns,
                  const struct wait_note *note);

/*
 * Sleep until met(arg), which is asked when the word has changed, and every
 * millisecond. Asking is not progress: a wait that nobody ends is still a hang.
 */
void proc_wait_until(_Atomic uint32_t *word, int (*met)(void *arg), void *arg,
                     const struct wait_note *note);

/* Wake all that wait on the word, in every process. Store to it before. */
void proc_wake(_Atomic uint32_t *word);
void proc_wake_some(_Atomic uint32_t *word, int n); /* n of them at most */

/* Something got done: the hang watchdog starts its count again. */
void proc_progress(void);

/*
 * Note a wait that simgpu doesn't itself perform (MPI calls): between begin
 * and end the calling thread counts as waiting.
 */
void proc_wait_begin(const struct wait_note *note);
void proc_wait_end(void);

/* ---- reports ----------------------------------------------------------- */

/*
 * Report a fault and end this process (status 70), which ends the job. The
 * text says what, where, which values and what to try; lines are prefixed
 * with "simgpu: rank N:". When several ranks report the same `key` within one
 * job, the first prints; key NULL always prints.
 */
_Noreturn void proc_fault(const char *key, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A remark that does not end the run; printed once per call site and text. */
void proc_warn(uint32_t site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A return address as a call site of the graph (graph_site). */
uint32_t proc_site(const void *return_address);

/* A call site of this process as "file:line". */
const char *proc_site_text(uint32_t site, char *out, size_t nbytes);

/* A call site that any process can turn into "file:line"; plain data. */
struct proc_place_in_code {
    uint64_t offset;
    char module[184];
};
void proc_locate(const void *return_address, struct proc_place_in_code *out);
const char *proc_locate_text(const struct proc_place_in_code *where, char *out,
                             size_t nbytes);

/* Call site of the API function that uses it: the caller's address. */
#define PROC_SITE() proc_site(__builtin_return_address(0))

#endif
