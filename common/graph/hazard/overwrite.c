#include "graph/hazard/overwrite.h"

enum { MOST_READ = 4 }; /* allocations that an operation may read */

struct box { /* encloses all that is read of an allocation */
    uint64_t alloc, begin, end;
};

/* True if the memory has a number, that is, CUDA allocated it. */
static int is_allocated(const struct graph_access *a)
{
    return (uint32_t)a->alloc != 0;
}

/* Find what is read, by allocation. Returns the number of boxes, -1 if
 * there are too many. */
static int find_read(const struct graph_access *a, size_t naccesses,
                     struct box *box)
{
    int n = 0;
    for (size_t i = 0; i < naccesses; i++) {
        int k = 0;
        if ((a[i].write & GRAPH_TOUCH) != GRAPH_READ || !is_allocated(&a[i]))
            continue;
        while (k < n && box[k].alloc != a[i].alloc)
            k++;
        if (k == MOST_READ)
            return -1;
        if (k == n)
            box[n++] = (struct box){a[i].alloc, a[i].begin, a[i].end};
        if (a[i].begin < box[k].begin)
            box[k].begin = a[i].begin;
        if (a[i].end > box[k].end)
            box[k].end = a[i].end;
    }
    return n;
}

static size_t put(struct graph_access *out, size_t at, uint64_t alloc,
                  uint64_t begin, uint64_t end, uint64_t *nbytes)
{
    if (begin >= end)
        return at;
    *nbytes += end - begin;
    if (out)
        out[at] = (struct graph_access){
            .alloc = alloc, .begin = begin, .end = end, .write = GRAPH_WRITE};
    return at + 1;
}

/* Put what remains of a written range before the box and after it. */
static size_t put_rest(struct graph_access *out, size_t at,
                       const struct graph_access *a, const struct box *read,
                       uint64_t *nbytes)
{
    if (!read || read->end <= a->begin || read->begin >= a->end)
        return put(out, at, a->alloc, a->begin, a->end, nbytes);
    at = put(out, at, a->alloc, a->begin, read->begin, nbytes);
    return put(out, at, a->alloc, read->end, a->end, nbytes);
}

size_t overwrite_find(const struct graph_node *n, const struct graph_access *a,
                      size_t naccesses, struct graph_access *out)
{
    struct box box[MOST_READ];
    size_t at = 0;
    uint64_t nbytes = 0;
    if (n->kind != GRAPH_COPY && n->kind != GRAPH_COLL && n->kind != GRAPH_RECV)
        return 0;
    const int nread = find_read(a, naccesses, box);
    if (nread < 0 || (nread == 0 && n->kind == GRAPH_COPY))
        return 0;
    for (size_t i = 0; i < naccesses; i++) {
        const struct box *read = NULL;
        if (a[i].write != GRAPH_WRITE || !is_allocated(&a[i]) ||
            a[i].alloc & GRAPH_NO_CONTENTS)
            continue;
        for (int k = 0; k < nread; k++)
            if (box[k].alloc == a[i].alloc)
                read = &box[k];
        at = put_rest(out, at, &a[i], read, &nbytes);
    }
    return nbytes < OVERWRITE_LEAST ? 0 : at;
}
