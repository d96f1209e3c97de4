/*
 * Part 3: fewer, larger all-reduces.
 *
 * An all-reduce of M bytes takes a + M/B: a startup time a, plus M bytes at
 * bandwidth B. Many small ones pay `a` many times. So gradients are packed next
 * to each other:
 *
 *   parameter   0      1       2     3    4      registered in this order
 *   gradient   [====] [=====] [==]  [=]  [===]   completed in reverse
 *
 *   bucket 0 = | 4   | 3 | 2  |      cap      bucket 1 = | 1     | 0    |
 */
#include "lab2.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

int bucket_assign(const struct nn *m, size_t cap_nbytes, size_t size_nbytes,
                  int *bucket)
{
    // Yours to write: part 3: assign (about 14 lines)
    // keep track of the bytes in the last bucket so far.
    LAB_HOLE("part 3: assign");
}

ncclResult_t bucket_sync(struct nn *m, size_t cap_nbytes, ncclDataType_t type,
                         const struct sync *s)
{
    int bucket[NN_MAX_DEPTH];
    const int nbuckets =
        bucket_assign(m, cap_nbytes, bucket_size(type), bucket);
    // Yours to write: part 3: one all-reduce a bucket (about 25 lines)
    // packed in order, the buckets follow one another in s->scratch:
    // where does each begin, and where does the last one end?
    LAB_HOLE("part 3: one all-reduce a bucket");
}
