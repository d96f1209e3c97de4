/*
 * peer.h: the other processes of the job
 *
 * A process learns of a peer by its proc_id, which travels inside ncclUniqueId,
 * cudaIpcMemHandle_t and the exchange at MPI_Init, and maps its control page.
 */
#ifndef SIMGPU_CORE_PEER_H
#define SIMGPU_CORE_PEER_H

#include "core/control.h"

/* A heap's raw view, as far as it is mapped: heap_map.h. */
struct heap_view {
    char *_Atomic at;
    _Atomic uint64_t nbytes; /* set after it */
};

struct peer { /* kept until this process ends */
    struct proc_id id;
    struct control *control;
    struct peer *next;
    int pidfd;      /* of its process; -1: this system has none */
    uint32_t beats; /* control->beats when our watchdog's quiet began */
    struct heap_view heap[PROC_MAX_DEVICES + 1];
};

/* Map a peer's control page, once. NULL with errno when the peer is gone. This
 * process is a peer too. */
struct peer *simgpu_peer_attach(const struct proc_id *id);

/* All known peers, newest first; the list only grows. */
struct peer *peer_first(void);

/*
 * A peer by its rank in the job, NULL if it is unknown. After MPI_Init all are
 * known, before it those that share a communicator with this process.
 */
struct peer *peer_find(uint32_t rank);

uint32_t peer_rank(const struct peer *p);
int peer_pid(const struct peer *p);

/* True while it runs: not when it has exited or crashed. */
int peer_alive(const struct peer *p);

/* Open a heap of its, by heap_slot(); -1 with errno. */
int peer_open_heap(const struct peer *p, int slot);

/* Open its graph segment for reading; -1 if p is NULL or gone. */
int peer_open_graph(const struct peer *p);

/*
 * True if an operation of any known process waits on a flag. Any operation may
 * be the one that will write it, so under the late schedule none is held back.
 */
int peer_any_flag_waits(void);

#endif
