#include "core/peer.h"

#include <errno.h>   /* ENOENT */
#include <fcntl.h>   /* O_RDWR */
#include <poll.h>    /* poll */
#include <pthread.h> /* pthread_mutex_t */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* calloc */
#include <sys/syscall.h>
#include <unistd.h> /* access */

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434 /* on every processor, since Linux 5.3 */
#endif

/* The peers that this process knows. The lock is needed for adding one. */
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

static struct peer *add(const struct proc_id *id)
{
    // the page is mapped, so the PID still belongs to that process
    const int pidfd = (int)syscall(SYS_pidfd_open, id->pid, 0);
    struct control *const page =
        id->nonce == simgpu_proc()->id.nonce ? control_own() : control_map(id);
    struct peer *const p = page ? calloc(1, sizeof *p) : NULL;
    if (!p) {
        const int err = errno;
        close(pidfd);
        errno = err;
        return NULL;
    }
    p->id = *id;
    p->control = page;
    p->pidfd = pidfd;
    p->next = peer_first();
    atomic_store(&peers, p);
    return p;
}

struct peer *simgpu_peer_attach(const struct proc_id *id)
{
    pthread_mutex_lock(&lock);
    struct peer *p = find(id);
    if (!p)
        p = add(id);
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

int simgpu_peer_node(const struct peer *p)
{
    return topo_gpu(simgpu_proc()->topo, p->control->place[0])->node;
}

int peer_pid(const struct peer *p)
{
    return p->control->pid;
}

/*
 * A killed process that has not been reaped still has a PID, but no files: its
 * folder of descriptors belongs to root, so other users get EACCES. Its pidfd
 * reports the end, too. Looking in /proc for a process that is ending would
 * slow Linux down: it drops what it has cached about the process's files, and
 * processes that look there spin while they wait for each other.
 */
int peer_alive(const struct peer *p)
{
    struct pollfd ended = {.fd = p->pidfd, .events = POLLIN};
    char path[64];
    if (atomic_load(&p->control->state) != CONTROL_RUNNING)
        return 0;
    if (p->pidfd >= 0)
        return poll(&ended, 1, 0) <= 0;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", p->id.pid, p->id.fd);
    return access(path, F_OK) == 0 || (errno != ENOENT && errno != EACCES);
}

static void (*_Atomic mourner)(const struct proc_id *dead);
static _Atomic int ndead;

void simgpu_peer_set_mourner(void (*f)(const struct proc_id *dead))
{
    atomic_store(&mourner, f);
}

void peer_mourn(struct peer *p)
{
    void (*const f)(const struct proc_id *) = atomic_load(&mourner);
    if (atomic_exchange(&p->is_mourned, 1))
        return;
    if (f)
        f(&p->id);
    atomic_fetch_add(&ndead, 1); // now MPI's calls may tell the program
}

int simgpu_peer_dead(const struct peer *p)
{
    return atomic_load(&p->is_mourned);
}

int peer_any_dead(void)
{
    return atomic_load(&ndead) > 0;
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
