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
    // Yours to write: part 5: spread (about 4 lines)
    // every rank allocates the same number of elements; the last ranks
    // don't use all of them.
    LAB_HOLE("part 5: spread");
}

struct piece { /* the part of a range that one rank has */
    int rank;
    float *own; /* its first element's address in this rank's heap */
    size_t count;
};

/* The first piece of the range begin ... end - 1. */
static struct piece piece_at(const struct dtensor *t, size_t begin, size_t end)
{
    // Yours to write: part 5: piece (about 6 lines)
    LAB_HOLE("part 5: piece");
}

/* True if these elements exist. */
static int is_inside(const struct dtensor *t, size_t begin, size_t count)
{
    return begin <= t->count && count <= t->count - begin;
}

ncclResult_t dtensor_get(const struct dtensor *t, size_t begin, size_t count,
                         float *out, cudaStream_t stream)
{
    // Yours to write: part 5: get a range (about 10 lines)
    LAB_HOLE("part 5: get a range");
}

ncclResult_t dtensor_put(const struct dtensor *t, size_t begin, size_t count,
                         const float *in, cudaStream_t stream)
{
    // Yours to write: part 5: put a range (about 10 lines)
    LAB_HOLE("part 5: put a range");
}
