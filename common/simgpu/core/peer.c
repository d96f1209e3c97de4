#include "core/peer.h"

#include <errno.h>   /* ENOENT */
#include <fcntl.h>   /* O_RDWR */
#include <pthread.h> /* pthread_mutex_t */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* calloc */
#include <unistd.h>  /* access */

/* The peers that this process knows; the lock guards adding. */
static struct peer *_Atomic peers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct peer *peer_first(void)
{
    return atomic_load(&peers);
}

static struct peer *find(const struct proc_id *id)
{
    for (struct peer *p = peer_first(); p; p = p->next)
        if (p->id.nonce == id->nonce && p->id.pid == id->pid)
            return p;
    return NULL;
}

struct peer *simgpu_peer_attach(const struct proc_id *id)
{
    const struct proc *const self = simgpu_proc();
    pthread_mutex_lock(&lock);
    struct peer *p = find(id);
    struct control *const page = p ? NULL
                                 : id->nonce == self->id.nonce
                                     ? control_own()
                                     : control_map(id);
    if (page && (p = calloc(1, sizeof *p))) {
        p->id = *id;
        p->control = page;
        p->next = peer_first();
        atomic_store(&peers, p);
    }
    pthread_mutex_unlock(&lock);
    return p;
}

struct peer *peer_find(uint32_t rank)
{
    for (struct peer *p = peer_first(); p; p = p->next)
        if (p->control->rank == rank)
            return p;
    return NULL;
}

uint32_t peer_rank(const struct peer *p)
{
    return p->control->rank;
}

int peer_pid(const struct peer *p)
{
    return p->control->pid;
}

/* A killed process that has not been reaped still has a PID, but no files. */
int peer_alive(const struct peer *p)
{
    char path[64];
    if (atomic_load(&p->control->state) != CONTROL_RUNNING)
        return 0;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", p->id.pid, p->id.fd);
    return access(path, F_OK) == 0 || errno != ENOENT;
}

int peer_open_heap(const struct peer *p, int slot)
{
    return simgpu_proc_open(peer_pid(p), p->control->heap_fd[slot], O_RDWR);
}

int peer_open_graph(const struct peer *p)
{
    return p ? simgpu_proc_open(p->control->pid, p->control->graph_fd, O_RDONLY)
             : -1;
}

int peer_any_flag_waits(void)
{
    int waits = atomic_load(&control_own()->flag_waits) > 0;
    for (struct peer *p = peer_first(); p && !waits; p = p->next)
        waits = atomic_load(&p->control->flag_waits) > 0;
    return waits;
}
