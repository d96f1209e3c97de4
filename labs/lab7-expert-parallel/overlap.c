/*
 * Part 4: the layer in pieces, so that communication is hidden.
 *
 *     stream       G0 G1 G2       E0    E1    E2       S0 S1 S2
 *     comm_stream     D0    D1    D2    R0    R1    R2
 *
 * G gather, D dispatch, E expert, R return and S scatter of pieces 0, 1, 2
 */
#include "lab7.h"

#include "lab/try.h" /* LAB_HOLE, LAB_OUT, LAB_TRY */

/* A piece, as a smaller layer with its own buffers. */
struct piece {
    const float *in, *gate;
    const int *expert;
    float *out;
    int ntokens;
    struct moe_space space;
    struct moe_route route;
};

static void piece_init(struct piece *p, int i, const struct moe *m)
{
    const size_t first = (size_t)i * (size_t)p->ntokens;
    const size_t floats = first * (size_t)m->dim;
    const size_t room = floats * (size_t)m->nranks; // for the pieces before
    p->in += floats;
    p->out += floats;
    p->gate += first;
    p->expert += first;
    p->space.packed += floats;
    p->space.arrived += room;
    p->space.processed += room;
    p->space.order += first;
    p->space.host_order += first;
}

ncclResult_t moe_after(cudaStream_t later, cudaStream_t earlier)
{
    // Yours to write: part 4: order of two streams (about 5 lines)
    // an event, recorded on one stream and waited on by the other. It may
    // be destroyed immediately: the wait keeps what it needs.
    LAB_HOLE("part 4: order of two streams");
}

/* Compute all routes first, in one exchange, because it blocks the host. */
static ncclResult_t plan_pieces(const struct moe *m, struct piece *p, int n)
{
    struct moe_route route[MOE_MAX_PIECES];
    for (int i = 0; i < n; i++)
        moe_sort(p[i].expert, p[i].ntokens, m->nranks, p[i].space.host_order,
                 &route[i]);
    LAB_TRY_CUDA(
        cudaMemcpyAsync(p[0].space.order, p[0].space.host_order,
                        (size_t)(n * p[0].ntokens) * sizeof *p[0].space.order,
                        cudaMemcpyHostToDevice, m->stream));
    LAB_TRY(moe_exchange_counts(m, route, n));
    for (int i = 0; i < n; i++)
        p[i].route = route[i];
    return ncclSuccess;
}

/* Gather and dispatch all pieces. Creates here[i], which is recorded when piece
 * i has arrived. */
static ncclResult_t send_pieces(const struct moe *m, const struct piece *p,
                                int n, cudaEvent_t *here)
{
    // Yours to write: part 4: send the pieces (about 15 lines)
    // moe_gather on m->stream, then moe_dispatch on m->comm_stream.
    // Create here[i] and record it where the piece has arrived.
    LAB_HOLE("part 4: send the pieces");
}

/* Run the expert on each piece, then return the piece. */
static ncclResult_t work_on_pieces(const struct moe *m, const struct piece *p,
                                   int n, const cudaEvent_t *here)
{
    // Yours to write: part 4: work on the pieces (about 12 lines)
    // which event must a piece's expert wait on? What must its return
    // wait for, and what must not wait for that return?
    LAB_HOLE("part 4: work on the pieces");
}

ncclResult_t moe_layer_overlapped(const struct moe *m, const float *in,
                                  const int *expert, const float *gate,
                                  int ntokens, int npieces, float *out,
                                  const struct moe_space *space)
{
    struct piece piece[MOE_MAX_PIECES];
    cudaEvent_t here[MOE_MAX_PIECES] = {NULL};
    ncclResult_t err = ncclSuccess;
    if (npieces < 1 || npieces > MOE_MAX_PIECES || ntokens % npieces != 0)
        return ncclInvalidArgument;
    for (int i = 0; i < npieces; i++) {
        piece[i] = (struct piece){.in = in,
                                  .gate = gate,
                                  .expert = expert,
                                  .out = out,
                                  .ntokens = ntokens / npieces,
                                  .space = *space};
        piece_init(&piece[i], i, m);
    }
    LAB_OUT(plan_pieces(m, piece, npieces));
    LAB_OUT(send_pieces(m, piece, npieces, here));
    LAB_OUT(work_on_pieces(m, piece, npieces, here));
    LAB_OUT(moe_after(m->stream, m->comm_stream));
    for (int i = 0; i < npieces; i++)
        LAB_OUT(moe_scatter(piece[i].space.packed, piece[i].space.order,
                            piece[i].gate, piece[i].ntokens, m->dim,
                            piece[i].out, m->stream));
out:
    for (int i = 0; i < npieces; i++)
        if (here[i])
            cudaEventDestroy(here[i]);
    return err;
}
