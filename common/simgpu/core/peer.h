/*
 * peer.h: the other processes of the job
 *
 * A process learns of a peer by its proc_id, which is part of ncclUniqueId and
 * cudaIpcMemHandle_t and is exchanged at MPI_Init, and maps its control page.
 */
#ifndef SIMGPU_CORE_PEER_H
#define SIMGPU_CORE_PEER_H

#include "core/control.h"

/* The mapped part of a heap's raw view: heap_map.h. */
struct heap_view {
    char *_Atomic at;
    _Atomic uint64_t nbytes; /* set after `at` */
};

struct peer { /* exists until this process ends */
    struct proc_id id;
    struct control *control;
    struct peer *next;
    int pidfd;              /* refers to its process; -1: not supported */
    _Atomic int is_mourned; /* its death has been noted: peer_mourn() */
    uint32_t beats; /* control->beats when the watchdog's quiet period began */
    uint32_t polls; /* control->npolls in its last round */
    struct heap_view heap[PROC_MAX_DEVICES + 1];
};

/* Map a peer's control page, once. Returns NULL with errno if the peer is gone.
 * This process is a peer, too. */
struct peer *simgpu_peer_attach(const struct proc_id *id);

/* All known peers, newest first; the list only grows. */
struct peer *peer_first(void);

/*
 * A peer by its rank in the job, or NULL if it is unknown. After MPI_Init all
 * are known; before that, those that share a communicator with this process.
 */
struct peer *peer_find(uint32_t rank);

uint32_t peer_rank(const struct peer *p);
int peer_pid(const struct peer *p);

/* True while the process runs, rather than having exited or crashed. */
int peer_alive(const struct peer *p);

/*
 * A process that died, where ranks outlive each other (watch/keeper.h). The
 * watchdog notes the death, and calls the function that a library has set.
 * simgpu_peer_dead() is true for a process that is noted.
 */
void peer_mourn(struct peer *p);
void simgpu_peer_set_mourner(void (*f)(const struct proc_id *dead));
int simgpu_peer_dead(const struct peer *p);
int peer_any_dead(void);

/* The node of the peer's GPUs: only processes of one node share memory. */
int simgpu_peer_node(const struct peer *p);

/* Open one of the peer's heaps, by heap_slot(). Returns -1 with errno. */
int peer_open_heap(const struct peer *p, int slot);

/* Open the peer's graph segment for reading. Returns -1
 * if p is NULL or gone. */
int peer_open_graph(const struct peer *p);

/*
 * True if an operation of any known process waits on a flag. Any operation may
 * be the one that writes the flag, so under the late schedule none is then
 * delayed.
 */
int peer_any_flag_waits(void);

#endif
