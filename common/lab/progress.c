#define _GNU_SOURCE
#include "lab/progress.h"

#include <errno.h>    /* errno */
#include <fcntl.h>    /* open */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* setenv */
#include <string.h>   /* strerror */
#include <sys/mman.h> /* mmap */
#include <unistd.h>   /* ftruncate */

#include "base/must.h"

static size_t size_of(int ncases)
{
    return sizeof(struct lab_progress) +
           (size_t)ncases * sizeof(struct progress_case);
}

/* Map fd, or private memory of this process if fd is -1. */
static struct lab_progress *map(int fd, int ncases)
{
    const int kind = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *const p =
        mmap(NULL, size_of(ncases), PROT_READ | PROT_WRITE, kind, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void clear(struct lab_progress *p, int ncases)
{
    p->ncases = ncases;
    atomic_store(&p->now, -1);
}

struct lab_progress *progress_new(int ncases)
{
    char name[64];
    const int fd = memfd_create("commlab-progress", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)size_of(ncases)) != 0)
        return NULL;
    struct lab_progress *const p = map(fd, ncases);
    // keep the descriptor open: the ranks open it by this name
    snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)getpid(), fd);
    if (!p || setenv(PROGRESS_ENV, name, 1) != 0)
        return NULL;
    clear(p, ncases);
    p->is_shared = 1;
    return p;
}

struct lab_progress *progress_open(int ncases)
{
    const char *const name = getenv(PROGRESS_ENV);
    const int fd = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
    if (name && fd < 0)
        must_stop(__FILE__, __LINE__, name, strerror(errno));
    struct lab_progress *const p = map(fd, ncases);
    if (!p)
        must_stop(__FILE__, __LINE__, "mmap", strerror(errno));
    if (fd >= 0)
        close(fd);
    else
        clear(p, ncases);
    if (p->ncases != ncases)
        must_stop(__FILE__, __LINE__, PROGRESS_ENV, "it is of another plan");
    return p;
}

void progress_free(struct lab_progress *p)
{
    if (p)
        munmap(p, size_of(p->ncases));
}
