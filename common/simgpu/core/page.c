#define _GNU_SOURCE
#include "core/page.h"

#include <errno.h>      /* ESRCH */
#include <fcntl.h>      /* open */
#include <pthread.h>    /* pthread_mutex_t */
#include <stdio.h>      /* snprintf, perror */
#include <stdlib.h>     /* calloc */
#include <sys/mman.h>   /* memfd_create */
#include <sys/random.h> /* getrandom */
#include <unistd.h>     /* ftruncate */

#include "core/check.h"

/* The process's own page and the peers it knows; peers_lock guards adding. */
static struct page *own;
static struct proc_id own_id;
static struct peer *_Atomic peers;
static pthread_mutex_t peers_lock = PTHREAD_MUTEX_INITIALIZER;

struct page *page_own(void)
{
    return own;
}

struct peer *page_peers(void)
{
    return atomic_load(&peers);
}

void page_create(uint32_t rank)
{
    own_id.pid = getpid();
    own_id.fd = memfd_create("simgpu-page", MFD_CLOEXEC);
    if (own_id.fd < 0 || ftruncate(own_id.fd, sizeof *own) != 0 ||
        getrandom(&own_id.nonce, sizeof own_id.nonce, 0) < 0) {
        perror("simgpu: cannot make the control page");
        _exit(PROC_EXIT_FAULT);
    }
    own = mmap(NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_SHARED, own_id.fd,
               0);
    if (own == MAP_FAILED) {
        perror("simgpu: cannot map the control page");
        _exit(PROC_EXIT_FAULT);
    }
    own->pid = own_id.pid;
    own->rank = rank;
    own->nonce = own_id.nonce;
    for (int i = 0; i <= PROC_MAX_DEVICES; i++)
        own->heap_fd[i] = -1;
    atomic_store(&own->state, PAGE_RUNNING);
}

struct proc_id page_id(void)
{
    return own_id;
}

static struct page *map_page(const struct proc_id *id)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", id->pid, id->fd);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct page *const page =
        mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (page == MAP_FAILED)
        return NULL;
    if (page->nonce != id->nonce) { // another process has that PID now
        munmap(page, sizeof *page);
        errno = ESRCH;
        return NULL;
    }
    return page;
}

static struct peer *find(const struct proc_id *id)
{
    for (struct peer *p = atomic_load(&peers); p; p = p->next)
        if (p->id.nonce == id->nonce && p->id.pid == id->pid)
            return p;
    return NULL;
}

struct peer *proc_attach(const struct proc_id *id)
{
    proc();
    struct peer *p = find(id);
    if (p)
        return p;
    pthread_mutex_lock(&peers_lock);
    p = find(id);
    struct page *const page = p                           ? NULL
                              : id->nonce == own_id.nonce ? own
                                                          : map_page(id);
    if (page && (p = calloc(1, sizeof *p))) {
        p->id = *id;
        p->page = page;
        p->next = atomic_load(&peers);
        atomic_store(&peers, p);
    }
    pthread_mutex_unlock(&peers_lock);
    return p;
}

void proc_meet(const struct proc_id *ids, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!proc_attach(&ids[i]))
            proc_fault(NULL, "rank %u (process %d) is gone or not ours: %m", i,
                       ids[i].pid);
    check_meet();
}

struct peer *proc_peer(uint32_t rank)
{
    for (struct peer *p = atomic_load(&peers); p; p = p->next)
        if (p->page->rank == rank)
            return p;
    return NULL;
}

uint32_t peer_rank(const struct peer *p)
{
    return p->page->rank;
}

int peer_pid(const struct peer *p)
{
    return p->page->pid;
}

int peer_graph_fd(const struct peer *p)
{
    return p->page->graph_fd;
}

/* A killed process that nobody has reaped still has a PID, but no files. */
int peer_alive(const struct peer *p)
{
    char path[64];
    if (atomic_load(&p->page->state) != PAGE_RUNNING)
        return 0;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", p->id.pid, p->id.fd);
    return access(path, F_OK) == 0 || errno != ENOENT;
}

void page_active(int change)
{
    atomic_fetch_add(&own->active, change);
}

void page_hungry(int change)
{
    atomic_fetch_add(&own->hungry, change);
}

int page_anyone_hungry(void)
{
    int hungry = atomic_load(&own->hungry) > 0;
    for (struct peer *p = atomic_load(&peers); p && !hungry; p = p->next)
        hungry = atomic_load(&p->page->hungry) > 0;
    return hungry;
}

void proc_progress(void)
{
    atomic_fetch_add_explicit(&own->progress, 1, memory_order_relaxed);
}

void page_lose_all(void)
{
    for (struct peer *p = atomic_load(&peers); p; p = p->next) {
        if (p->page == own)
            continue;
        atomic_store(&p->page->lost, 1);
        proc_wake(&p->page->lost);
    }
}

int page_claim(const char *key)
{
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * 1099511628211u;
    // The page that everybody agrees on: the lowest rank's that is known.
    struct page *board = own;
    for (struct peer *p = atomic_load(&peers); p; p = p->next)
        if (p->page->rank < board->rank)
            board = p->page;
    for (int i = 0; i < PAGE_FAULT_KEYS; i++) {
        uint64_t seen = 0;
        if (atomic_compare_exchange_strong(&board->fault_key[i], &seen, hash))
            return 1;
        if (seen == hash)
            return 0;
    }
    return 0;
}
