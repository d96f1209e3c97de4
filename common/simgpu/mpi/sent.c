#define _GNU_SOURCE
#include "mpi/sent.h"

#include <stdatomic.h> /* atomic_fetch_add */
#include <stdlib.h>    /* malloc */
#include <string.h>    /* memcmp */
#include <sys/uio.h>   /* process_vm_readv */
#include <unistd.h>    /* getpid */

#include "core/heap/heap.h"
#include "core/heap/host_memory.h"
#include "core/site.h"
#include "core/watch/check.h"

#pragma weak PMPI_Type_size

/* A buffer of at most WHOLE bytes is copied. Of others, LINES lines are. */
enum { WHOLE = 16 << 10, LINE = 64, LINES = WHOLE / LINE };

enum { MAX_OPEN = 1024 }; /* copies at a time */

struct sent {
    const void *buf;
    size_t nbytes;
    size_t element; /* size of one, in bytes */
    const char *call;
    uint32_t site;
    size_t changed; /* the first byte that is known to have changed */
    int is_gone;    /* its function has returned */
    size_t ncopied;
    char copy[];
};

static _Atomic int nopen;

/* Where the line begins in the buffer. The last one ends with the buffer. */
static size_t line_at(const struct sent *s, size_t line)
{
    if (s->nbytes <= WHOLE)
        return line * LINE;
    return (size_t)((double)(s->nbytes - LINE) / (LINES - 1) * (double)line);
}

/* Read the lines. Returns false if some of their memory can't be read: the
 * program may have unmapped it. */
static int read_lines(const struct sent *s, char *out)
{
    char *const base = simgpu_heap_raw(s->buf);
    struct iovec from[LINES];
    const struct iovec to = {out, s->ncopied};
    size_t n = 0, left = s->ncopied;
    for (; left; n++) {
        const size_t nbytes = left < LINE ? left : LINE;
        from[n] = (struct iovec){base + line_at(s, n), nbytes};
        left -= nbytes;
    }
    return process_vm_readv(getpid(), &to, 1, from, n, 0) ==
           (ssize_t)s->ncopied;
}

/* True if simgpu may read the buffer, and no kernel writes it. */
static int is_comparable(const struct mpi_call *c, const void *buf)
{
    struct heap_block b;
    const int in_heap = simgpu_heap_find(buf, &b) == 0;
    return call_is_dense(c->type) &&
           (in_heap ? b.device == HEAP_PINNED && !b.imported && !b.mapped
                    : !b.base);
}

struct sent *sent_begin(const struct mpi_call *c, const void *buf,
                        size_t nbytes)
{
    const size_t ncopied = nbytes < WHOLE ? nbytes : WHOLE;
    int size = 1;
    if (!buf || buf == MPI_IN_PLACE || !nbytes || !is_comparable(c, buf) ||
        atomic_load(&nopen) >= MAX_OPEN)
        return NULL;
    struct sent *const s = malloc(sizeof *s + ncopied);
    if (!s)
        return NULL;
    PMPI_Type_size(c->type, &size);
    *s = (struct sent){.buf = buf,
                       .nbytes = nbytes,
                       .element = (size_t)size,
                       .call = c->name,
                       .site = c->site,
                       .ncopied = ncopied};
    atomic_fetch_add(&nopen, 1);
    if (read_lines(s, s->copy))
        return s;
    sent_free(s);
    return NULL;
}

/* Find the first byte that has changed. Returns false if none has. */
static int find_change(struct sent *s)
{
    char now[WHOLE];
    if (!read_lines(s, now) || memcmp(now, s->copy, s->ncopied) == 0)
        return 0;
    size_t i = 0;
    while (now[i] == s->copy[i])
        i++;
    s->changed = line_at(s, i / LINE) + i % LINE;
    return 1;
}

/* True if other processes, which may know by other means that the message has
 * arrived, can have made the change. */
static int may_be_others(const struct sent *s)
{
    struct heap_block b;
    return simgpu_heap_find(s->buf, &b) != 0 &&
           host_memory_is_shared((const char *)s->buf + s->changed);
}

int sent_is_disturbed(struct sent *s, const struct mpi_call *c)
{
    s->is_gone = host_memory_has_returned(s->buf, c->frame);
    return s->is_gone || (find_change(s) && !may_be_others(s));
}

void sent_report(const struct sent *s, const struct mpi_call *c)
{
    char from[256], to[256];
    simgpu_site_text(s->site, from, sizeof from);
    simgpu_site_text(c->site, to, sizeof to);
    if (s->is_gone)
        simgpu_check_note(
            s->site,
            "lifetime: %s at %s may read a local variable until a wait finds "
            "the request complete, but its function has returned by %s at %s. "
            "Call MPI_Wait before that, or send from memory that lives longer",
            s->call, from, c->name, to);
    else
        simgpu_check_note(
            s->site,
            "race: host code writes bytes that %s at %s may read until a wait "
            "finds the request complete: by %s at %s, element %zu of %zu has "
            "changed. Write the buffer after that call, or send a copy of it",
            s->call, from, c->name, to, s->changed / s->element,
            s->nbytes / s->element);
}

void sent_free(struct sent *s)
{
    if (s)
        atomic_fetch_sub(&nopen, 1);
    free(s);
}
