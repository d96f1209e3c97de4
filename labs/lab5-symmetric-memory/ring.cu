/*
 * Part 5: a ring buffer between two kernels.
 *
 *     slots   | 8 | 9 | 2 | 3 | 4 | 5 | 6 | 7 |    head 10: items put in
 *                       ^ next to take out         tail  2: items taken out
 *
 * The consumer waits on head, the producer on tail: each waits on a flag in its
 * own memory and sets one in the other's.
 *
 *     kernel    computes                              called by
 *     produce   nitems items of r.count float4 from   ring_produce()
 *               src, into the next rank's slots
 *     consume   the items of this rank's slots, to    ring_consume()
 *               dst, (nitems, r.count)
 *
 * Launch: one block each, whose threads take the float4 of an item in turn.
 */
#include "device.cuh"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

enum { THREADS = 64 }; /* two warps are enough to copy an item */

struct ring_view { // a ring as kernels see it
    struct symm_view v;
    size_t count;
    float4 *slots;
    unsigned *head, *tail;
    int next, before; // the ranks to produce for and to consume from
};

static struct ring_view view_of(const struct ring *r)
{
    const struct symm_view *const v = &r->s->view;
    return (struct ring_view){*v,
                              r->count,
                              r->slots,
                              r->head,
                              r->tail,
                              (v->rank + 1) % v->nranks,
                              (v->rank + v->nranks - 1) % v->nranks};
}

__global__ void produce(struct ring_view r, const float4 *src, unsigned nitems)
{
    // Yours to write: part 5: produce (device, about 8 lines)
    // item i goes to slot i % RING_SLOTS. When is that free?
    LAB_DEVICE_HOLE("part 5: produce");
}

__global__ void consume(struct ring_view r, float4 *dst, unsigned nitems)
{
    // Yours to write: part 5: consume (device, about 10 lines)
    // tell the producer once the *block* has taken the item out.
    LAB_DEVICE_HOLE("part 5: consume");
}

ncclResult_t ring_produce(const struct ring *r, const float4 *src,
                          unsigned nitems, cudaStream_t stream)
{
    produce<<<1, THREADS, 0, stream>>>(view_of(r), src, nitems);
    LAB_TRY_CUDA(cudaGetLastError());
    return ncclSuccess;
}

ncclResult_t ring_consume(const struct ring *r, float4 *dst, unsigned nitems,
                          cudaStream_t stream)
{
    consume<<<1, THREADS, 0, stream>>>(view_of(r), dst, nitems);
    LAB_TRY_CUDA(cudaGetLastError());
    return ncclSuccess;
}
