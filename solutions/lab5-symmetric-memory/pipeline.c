/*
 * Part 5: hand-off to the next stage of a pipeline.
 *
 * In a send and receive, the sender has to learn from the receiver where to
 * write and when it may. Here both are settled in advance: the hand-off has
 * slots of its own, and a flag in each direction counts messages. No stream
 * waits while a slot is free, and the hosts never wait.
 */
#include "lab5.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

/* The slot of message i (the first is 0), in this rank's heap. */
static float *slot_of(const struct handoff *h, unsigned i)
{
    return h->slots + i % HANDOFF_SLOTS * h->count;
}

ncclResult_t handoff_send(struct handoff *h, const float *src,
                          cudaStream_t stream)
{
    // BEGIN HOLE part 5: send (about 8 lines)
    // HINT: message i reuses the slot of message i - HANDOFF_SLOTS: which value
    // HINT: must h->empty have reached?
    const int next = h->s->view.rank + 1;
    if (h->sent >= HANDOFF_SLOTS)
        LAB_TRY(symm_wait(h->s, h->empty, h->sent - HANDOFF_SLOTS + 1, stream));
    LAB_TRY(symm_put(h->s, slot_of(h, h->sent), src, h->count * sizeof *src,
                     next, stream));
    h->sent++;
    return symm_signal(h->s, h->full, h->sent, next, stream);
    // END HOLE
}

ncclResult_t handoff_recv(struct handoff *h, float **msg, cudaStream_t stream)
{
    // BEGIN HOLE part 5: receive (about 4 lines)
    *msg = slot_of(h, h->taken);
    h->taken++;
    return symm_wait(h->s, h->full, h->taken, stream);
    // END HOLE
}

ncclResult_t handoff_done(struct handoff *h, cudaStream_t stream)
{
    // BEGIN HOLE part 5: give back (about 3 lines)
    h->freed++;
    return symm_signal(h->s, h->empty, h->freed, h->s->view.rank - 1, stream);
    // END HOLE
}
