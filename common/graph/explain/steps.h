/*
 * steps.h: which rank holds which piece, in a collective made of messages
 *
 * The bytes of a span are followed through its messages, copies and kernels.
 * Bytes that a rank reads before anything wrote them are its own: their
 * *origin* is that rank and their offset in its allocation. A message or copy
 * moves contents. A kernel that reads two ranges and writes one of them, of the
 * same length, combines them:
 *
 *                    step 0      step 1        step 2
 *     rank 0        {0} {0}     {0} {0,1}     {0,1} {0,1}
 *     rank 1        {1} {1}     {0,1} {1}     {0,1} {0,1}
 *
 * Origins are cut into *pieces* where messages begin and end. A step is a time
 * at which messages arrive. If contents are never combined, as in a gather,
 * each rank has its own pieces.
 *
 * Only recorded operations count: kernels that did not run (dataless memory)
 * have no accesses, so the contents that they would combine stay separate.
 */
#ifndef COMMLAB_GRAPH_STEPS_H
#define COMMLAB_GRAPH_STEPS_H

#include "graph/replay/replay.h"

struct steps_piece {
    uint32_t rank;       /* owning rank, if `by_rank` */
    uint64_t begin, end; /* offsets in the allocation of its origin */
};

struct steps {
    int by_rank;
    uint32_t nranks, npieces, nsteps; /* nsteps includes step 0, the
                                         beginning */
    struct steps_piece *piece;
    uint64_t *end_ps; /* by step */
    uint64_t *mask;   /* [step][rank][piece]; bit r: it contains data of rank
                         r */
};

enum { STEPS_RANKS = 64, STEPS_PIECES = 256, STEPS_MOST = 512 };

/*
 * Find the steps of a span (names that contain this text). npieces is 0 if it
 * has no messages, or more than the limits above. Returns -1 if memory runs
 * out.
 */
int steps_find(const struct graph *g, const struct replay_time *time,
               const char *span, struct steps *out);
void steps_release(struct steps *s);

#endif
