/*
 * Part 5: a tensor distributed over ranks.
 *
 *     element   0 ... per-1 | per ... 2 per-1 | 2 per ... count-1
 *     rank             0    |        1        |        2
 *                        |------ a range -------|     three copies
 */
#include "lab5.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

ncclResult_t dtensor_open(struct dtensor *t, struct symm *s, size_t count)
{
    // BEGIN HOLE part 5: spread (about 4 lines)
    // HINT: every rank allocates the same number of elements; the last ranks
    // HINT: don't use all of them.
    const size_t n = (size_t)s->view.nranks;
    *t = (struct dtensor){.s = s, .count = count, .per = (count + n - 1) / n};
    return symm_alloc(s, t->per * sizeof *t->local, (void **)&t->local);
    // END HOLE
}

struct piece { /* the part of a range that one rank has */
    int rank;
    float *own; /* its first element's address in this rank's heap */
    size_t count;
};

/* The first piece of the range begin ... end - 1. */
static struct piece piece_at(const struct dtensor *t, size_t begin, size_t end)
{
    // BEGIN HOLE part 5: piece (about 6 lines)
    const size_t rank = begin / t->per, last = (rank + 1) * t->per;
    return (struct piece){.rank = (int)rank,
                          .own = t->local + begin % t->per,
                          .count = (end < last ? end : last) - begin};
    // END HOLE
}

/* True if these elements exist. */
static int is_inside(const struct dtensor *t, size_t begin, size_t count)
{
    return begin <= t->count && count <= t->count - begin;
}

ncclResult_t dtensor_get(const struct dtensor *t, size_t begin, size_t count,
                         float *out, cudaStream_t stream)
{
    // BEGIN HOLE part 5: get a range (about 10 lines)
    if (!is_inside(t, begin, count))
        return ncclInvalidArgument;
    const size_t end = begin + count;
    for (size_t at = begin; at < end;) {
        const struct piece p = piece_at(t, at, end);
        LAB_TRY(symm_get(t->s, out + (at - begin), p.own, p.count * sizeof *out,
                         p.rank, stream));
        at += p.count;
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t dtensor_put(const struct dtensor *t, size_t begin, size_t count,
                         const float *in, cudaStream_t stream)
{
    // BEGIN HOLE part 5: put a range (about 10 lines)
    if (!is_inside(t, begin, count))
        return ncclInvalidArgument;
    const size_t end = begin + count;
    for (size_t at = begin; at < end;) {
        const struct piece p = piece_at(t, at, end);
        LAB_TRY(symm_put(t->s, p.own, in + (at - begin), p.count * sizeof *in,
                         p.rank, stream));
        at += p.count;
    }
    return ncclSuccess;
    // END HOLE
}
