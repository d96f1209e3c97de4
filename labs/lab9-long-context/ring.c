/*
 * Part 3: ring attention.
 *
 * Queries stay, keys and values travel around the ring. In step j, rank r has
 * those of rank r - j and passes them on while it attends to them:
 *
 *     compute    | keys of 2  | keys of 1  | keys of 0  |   on rank 2 of 3
 *     messages   | 1's arrive | 0's arrive |
 *
 * A softmax over all keys can be built from blocks in any order: nn/attend.h
 * says how. Two pairs of buffers are enough: an arriving block overwrites the
 * block before the one in use.
 */
#include "lab9.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

struct pair { /* blocks of keys and values */
    const float *k, *v;
};

/*
 * Send the pair of step j to the next rank, and receive that of step j + 1 from
 * the previous rank, on s->comm_stream, after the work on s->compute so far.
 * Sets *next to the pair that arrives.
 */
static ncclResult_t pass(struct seq *s, int j, struct pair now,
                         struct pair *next)
{
    // Yours to write: part 3: pass (about 14 lines)
    LAB_HOLE("part 3: pass");
}

ncclResult_t ring_forward(struct seq *s, const float *q, const float *k,
                          const float *v, const struct nn_attend_state *st)
{
    // Yours to write: part 3: the ring (about 18 lines)
    // seq_places says where queries and keys are in the sequence. Each
    // message begins before the attention that it overlaps with.
    LAB_HOLE("part 3: the ring");
}
