/*
 * api_rma.c: one-sided messages, from arguments to checked calls
 */
#include "core/site.h"
#include "nccl/api.h"
#include "nccl/group.h"
#include "nccl/reduce.h"
#include "simgpu/nccl_window.h"

/* ---- windows ------------------------------------------------------------- */

static int is_symmetric(const struct comm_buffer *b)
{
    return b && b->shared && b->shared->symmetric;
}

/* Local memory must lie in a symmetric window, too. */
static ncclResult_t check_local(const struct call *c, size_t nbytes)
{
    const char *const p = c->sendbuf;
    for (int i = 0; i < COMM_REGISTERED; i++) {
        const struct comm_buffer *const b = &c->comm->buffer[i];
        if (is_symmetric(b) && p >= b->base &&
            p + nbytes <= b->base + b->nbytes)
            return ncclSuccess;
    }
    return nccl_error(ncclInvalidArgument,
                      "%s : localbuff %p is not in a symmetric window of this "
                      "rank (ncclCommWindowRegister)",
                      c->name + 4, c->sendbuf);
}

static ncclResult_t check_window(struct call *c, ncclWindow_t win,
                                 size_t offset)
{
    const size_t nbytes = c->count * reduce_type_size(c->type);
    const struct comm_buffer *const b = comm_window(c->comm, win);
    if (nbytes == 0)
        return ncclSuccess;
    if (!is_symmetric(b))
        return nccl_error(ncclInvalidArgument,
                          "%s : peerWin %p is no symmetric window of this "
                          "communicator",
                          c->name + 4, (void *)win);
    if (offset > b->nbytes || nbytes > b->nbytes - offset)
        return nccl_error(ncclInvalidArgument,
                          "%s : %zu bytes at offset %zu exceed the window of "
                          "%zu bytes",
                          c->name + 4, nbytes, offset, b->nbytes);
    c->target = b->shared->base[c->root] + offset;
    return check_local(c, nbytes);
}

/* ---- everything else ----------------------------------------------------- */

/* The signal's kind, from its index and context. */
static ncclResult_t check_signal(struct call *c, int index, int context)
{
    const struct config *const f = &c->comm->config;
    if (index < 0 || index >= f->rma_signals)
        return nccl_error(ncclInvalidArgument,
                          "%s : sigIdx %d is not in the 0..%d range "
                          "(numRmaSig of the configuration)",
                          c->name + 4, index, f->rma_signals - 1);
    if (context < 0 || context >= f->rma_contexts)
        return nccl_error(ncclInvalidArgument,
                          "%s : ctx %d is not in the 0..%d range (numRmaCtx of "
                          "the configuration)",
                          c->name + 4, context, f->rma_contexts - 1);
    c->signal = context * f->rma_signals + index;
    return ncclSuccess;
}

static ncclResult_t check_flags(const struct call *c, unsigned flags)
{
    return flags == 0 ? ncclSuccess
                      : nccl_error(ncclInvalidArgument,
                                   "%s : flags are %#x, must be 0", c->name + 4,
                                   flags);
}

/* A call without data. */
#define CALL(call_name, call_kind)                                             \
    {                                                                          \
        .kind = call_kind, .name = call_name, .site = CALLER_SITE(),           \
        .comm = comm, .type = ncclInt8                                         \
    }

ncclResult_t pncclPutSignal(const void *localbuff, size_t count,
                            ncclDataType_t datatype, int peer,
                            ncclWindow_t peerWin, size_t peerWinOffset,
                            int sigIdx, int ctx, unsigned int flags,
                            ncclComm_t comm, cudaStream_t stream)
{
    struct call c = API_CALL("ncclPutSignal", CALL_PUT, 0);
    c.sendbuf = localbuff;
    c.root = peer;
    group_enter();
    ncclResult_t err = api_check(&c, stream);
    if (err == ncclSuccess)
        err = check_flags(&c, flags);
    if (err == ncclSuccess)
        err = check_signal(&c, sigIdx, ctx);
    if (err == ncclSuccess)
        err = check_window(&c, peerWin, peerWinOffset);
    return group_leave(err == ncclSuccess ? group_add(&c) : err);
}

ncclResult_t pncclSignal(int peer, int sigIdx, int ctx, unsigned int flags,
                         ncclComm_t comm, cudaStream_t stream)
{
    struct call c = CALL("ncclSignal", CALL_PUT);
    c.root = peer;
    group_enter();
    ncclResult_t err = api_check(&c, stream);
    if (err == ncclSuccess)
        err = check_flags(&c, flags);
    if (err == ncclSuccess)
        err = check_signal(&c, sigIdx, ctx);
    return group_leave(err == ncclSuccess ? group_add(&c) : err);
}

/* Each descriptor is an operation of its own. */
static ncclResult_t add_wait(struct call *c, const ncclWaitSignalDesc_t *d,
                             cudaStream_t stream)
{
    c->root = d->peer;
    c->nsignals = d->opCnt > 0 ? (uint32_t)d->opCnt : 0;
    ncclResult_t err = api_check(c, stream);
    if (err == ncclSuccess && (d->opCnt < 1 || d->opCnt > HUB_SIGNAL_DEPTH))
        err = nccl_error(ncclInvalidArgument,
                         "%s : opCnt is %d, must be from 1 to %d", c->name + 4,
                         d->opCnt, HUB_SIGNAL_DEPTH);
    if (err == ncclSuccess)
        err = check_signal(c, d->sigIdx, d->ctx);
    return err == ncclSuccess ? group_add(c) : err;
}

ncclResult_t pncclWaitSignal(int nDesc, ncclWaitSignalDesc_t *signalDescs,
                             ncclComm_t comm, cudaStream_t stream)
{
    struct call c = CALL("ncclWaitSignal", CALL_WAIT);
    ncclResult_t err = ncclSuccess;
    group_enter();
    if (nDesc < 1 || !signalDescs)
        err =
            nccl_error(ncclInvalidArgument, "WaitSignal : %d descriptors at %p",
                       nDesc, (void *)signalDescs);
    for (int i = 0; i < nDesc && err == ncclSuccess; i++)
        err = add_wait(&c, &signalDescs[i], stream);
    return group_leave(err);
}

NCCL_ALIAS(ncclPutSignal)
NCCL_ALIAS(ncclSignal)
NCCL_ALIAS(ncclWaitSignal)
