#define _GNU_SOURCE
#include "core/control.h"

#include <errno.h>      /* ESRCH */
#include <fcntl.h>      /* O_RDWR */
#include <stdio.h>      /* fprintf */
#include <sys/mman.h>   /* memfd_create */
#include <sys/random.h> /* getrandom */
#include <unistd.h>     /* ftruncate */

#include "core/limit.h"

/* Set once, when the process starts. */
static struct control *own;
static struct proc_id own_id;

struct control *control_own(void)
{
    return own;
}

/* Report a failure before there is a control page: print a line and exit. */
static _Noreturn void cannot(const char *what)
{
    char hint[LIMIT_HINT];
    fprintf(stderr, "simgpu: cannot %s the control page: %m%s\n", what,
            simgpu_limit_hint(errno, hint, sizeof hint));
    _exit(PROC_EXIT_FAULT);
}

void control_create(uint32_t rank)
{
    own_id.pid = getpid();
    own_id.fd = memfd_create(CONTROL_MEMFD, MFD_CLOEXEC);
    if (own_id.fd < 0 || ftruncate(own_id.fd, sizeof *own) != 0 ||
        getrandom(&own_id.nonce, sizeof own_id.nonce, 0) < 0)
        cannot("make");
    own = mmap(NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_SHARED, own_id.fd,
               0);
    if (own == MAP_FAILED)
        cannot("map");
    own->pid = own_id.pid;
    own->rank = rank;
    own->nonce = own_id.nonce;
    for (int i = 0; i <= PROC_MAX_DEVICES; i++)
        own->heap_fd[i] = -1;
    atomic_store(&own->state, CONTROL_RUNNING);
}

struct proc_id control_id(void)
{
    return own_id;
}

struct control *control_map(const struct proc_id *id)
{
    const int fd = simgpu_proc_open(id->pid, id->fd, O_RDWR);
    if (fd < 0)
        return NULL;
    struct control *const page =
        mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (page == MAP_FAILED)
        return NULL;
    if (page->nonce != id->nonce) { // the PID was reused
        munmap(page, sizeof *page);
        errno = ESRCH;
        return NULL;
    }
    return page;
}

void control_active(int change)
{
    atomic_fetch_add(&own->active, change);
}

void control_flag_waits(int change)
{
    atomic_fetch_add(&own->flag_waits, change);
}

void control_progress(void)
{
    atomic_fetch_add_explicit(&own->progress, 1, memory_order_relaxed);
}
