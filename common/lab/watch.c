#define _GNU_SOURCE
#include "lab/watch.h"

#include <dirent.h> /* opendir */
#include <fcntl.h>  /* open */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* getenv */
#include <string.h> /* strncmp */
#include <unistd.h> /* readlink */

#include "base/must.h"
#include "graph/record/format.h"
#include "graph/record/live.h"

struct watch {
    struct graph_live *live;
    uint32_t cut; /* number of the last cut before the case; 0 for the first
                     case, whose graph includes the preparations */
    int ncases;
};

struct where { /* the file of a rank's graph: /proc/PID/fd/FD */
    int pid, fd;
};

/* True if this file is this process's own graph; with SIMGPU_CHECK=1 a process
 * also has those of others open. The launcher's variable tells its rank. */
static int is_own(int fd)
{
    struct format_header header;
    const char *const rank = getenv("PMI_RANK");
    return pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header &&
           header.rank == (uint32_t)(rank ? atoi(rank) : 0);
}

/* The descriptor of the file in which this process records its graph; -1 if
 * there is none. */
static int graph_file(void)
{
    static const char memfd[] = "/memfd:" GRAPH_MEMFD;
    int found = -1;
    DIR *const dir = opendir("/proc/self/fd");
    for (struct dirent *d; dir && (d = readdir(dir)) != NULL;) {
        char target[64] = "";
        const ssize_t n =
            readlinkat(dirfd(dir), d->d_name, target, sizeof target - 1);
        if (n > 0 && strncmp(target, memfd, sizeof memfd - 1) == 0 &&
            is_own(atoi(d->d_name)))
            found = atoi(d->d_name);
    }
    if (dir)
        closedir(dir);
    return found;
}

const char *watch_machine(void)
{
    const char *const name = getenv("SIMGPU_TOPO");
    if (graph_file() < 0)
        return NULL;
    return name && *name ? name : PLAN_TOPO;
}

static int attach(struct graph_live *live, uint32_t rank, struct where at)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", at.pid, at.fd);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    const int err = graph_live_attach(live, rank, fd);
    close(fd);
    return err;
}

struct watch *watch_new(const struct lab_run *r)
{
    const struct where mine = {(int)getpid(), graph_file()};
    struct where *const all = calloc((size_t)r->nranks, sizeof *all);
    struct watch *const w = calloc(1, sizeof *w);
    if (!all || !w)
        must_stop(__FILE__, __LINE__, "calloc", "out of memory");
    MPI_MUST(MPI_Gather(&mine, 2, MPI_INT, all, 2, MPI_INT, 0, r->mpi_comm));
    int err =
        r->rank != 0 || (w->live = graph_live_new((uint32_t)r->nranks)) == NULL;
    for (int k = 0; k < r->nranks && !err; k++)
        err = all[k].fd < 0 || attach(w->live, (uint32_t)k, all[k]) != 0;
    free(all);
    if (!err)
        return w;
    watch_free(w);
    return NULL;
}

void watch_free(struct watch *w)
{
    if (!w)
        return;
    graph_live_free(w->live);
    free(w);
}

static void read_on(struct watch *w)
{
    char err[256];
    if (graph_live_update(w->live, err, sizeof err) != 0)
        must_stop(__FILE__, __LINE__, "graph_live_update", err);
}

void watch_begin(struct watch *w, const struct lab_run *r)
{
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    if (!w)
        return;
    read_on(w);
    if (w->ncases++ > 0)
        w->cut = graph_live_cut(w->live, (struct graph_ref){0, UINT32_MAX});
}

/*
 * When rank 0 has left the barrier, every rank has recorded the barrier and
 * records nothing more until rank 0 lets it continue. The barrier's past, back
 * to the last cut before the case, is everything that the case did.
 */
struct graph *watch_end(struct watch *w, const struct lab_run *r, char *err,
                        size_t err_nbytes)
{
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    if (!w)
        return NULL;
    read_on(w);
    struct graph_ref *const roots = calloc((size_t)r->nranks, sizeof *roots);
    if (!roots)
        must_stop(__FILE__, __LINE__, "calloc", "out of memory");
    for (int k = 0; k < r->nranks; k++)
        roots[k] = graph_live_host(w->live, (uint32_t)k, 0).join;
    struct graph *const g =
        graph_past(w->live, roots, (size_t)r->nranks, w->cut, err, err_nbytes);
    free(roots);
    if (g && graph_live_notes(w->live, g) != 0)
        must_stop(__FILE__, __LINE__, "graph_live_notes", "out of memory");
    return g;
}
