/*
 * api_rma.c: one-sided messages, from arguments to checked calls
 */
#include "core/report.h"
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

/* Local memory must lie in a symmetric window, as the peer's does. */
static ncclResult_t check_local(const struct nccl_call *c, size_t nbytes)
{
    const char *const p = c->sendbuf;
    for (int i = 0; i < COMM_REGISTERED; i++) {
        const struct comm_buffer *const b = &c->comm->buffer[i];
        if (is_symmetric(b) && p >= b->base &&
            p + nbytes <= b->base + b->nbytes)
            return ncclSuccess;
    }
    return nccl_error(ncclInvalidArgument,
                      "%s : localbuff %s is not in a symmetric window of this "
                      "rank (ncclCommWindowRegister)",
                      call_short_name(c), simgpu_pointer_text(c->sendbuf).text);
}

static ncclResult_t check_window(struct nccl_call *c, ncclWindow_t win,
                                 size_t offset)
{
    const size_t nbytes = c->count * reduce_type_size(c->type);
    const struct comm_buffer *const b = comm_window(c->comm, win);
    if (nbytes == 0)
        return ncclSuccess;
    if (!is_symmetric(b))
        return nccl_error(ncclInvalidArgument,
                          "%s : peerWin %s is no symmetric window of this "
                          "communicator",
                          call_short_name(c), simgpu_pointer_text(win).text);
    if (offset > b->nbytes || nbytes > b->nbytes - offset)
        return nccl_error(ncclInvalidArgument,
                          "%s : %zu bytes at offset %zu exceed the window of "
                          "%zu bytes",
                          call_short_name(c), nbytes, offset, b->nbytes);
    c->target = b->shared->base[c->root] + offset;
    return check_local(c, nbytes);
}

/* ---- checking everything else -------------------------------------------- */

/* Compute the signal's kind from its index and context. */
static ncclResult_t check_signal(struct nccl_call *c, int index, int context)
{
    const struct config *const f = &c->comm->config;
    if (index < 0 || index >= f->rma_signals)
        return nccl_error(ncclInvalidArgument,
                          "%s : sigIdx %d is not in the 0..%d range "
                          "(numRmaSig of the configuration)",
                          call_short_name(c), index, f->rma_signals - 1);
    if (context < 0 || context >= f->rma_contexts)
        return nccl_error(ncclInvalidArgument,
                          "%s : ctx %d is not in the 0..%d range (numRmaCtx of "
                          "the configuration)",
                          call_short_name(c), context, f->rma_contexts - 1);
    c->signal = context * f->rma_signals + index;
    return ncclSuccess;
}

static ncclResult_t check_flags(const struct nccl_call *c, unsigned flags)
{
    return flags == 0 ? ncclSuccess
                      : nccl_error(ncclInvalidArgument,
                                   "%s : flags are %#x, must be 0",
                                   call_short_name(c), flags);
}

ncclResult_t pncclPutSignal(const void *localbuff, size_t count,
                            ncclDataType_t datatype, int peer,
                            ncclWindow_t peerWin, size_t peerWinOffset,
                            int sigIdx, int ctx, unsigned int flags,
                            ncclComm_t comm, cudaStream_t stream)
{
    NCCL_ENTER();
    struct nccl_call c = api_message("ncclPutSignal", CALL_PUT, peer, comm,
                                     count, datatype, CALLER_SITE());
    c.sendbuf = localbuff;
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
    NCCL_ENTER();
    struct nccl_call c = api_message("ncclSignal", CALL_PUT, peer, comm, 0,
                                     ncclInt8, CALLER_SITE());
    group_enter();
    ncclResult_t err = api_check(&c, stream);
    if (err == ncclSuccess)
        err = check_flags(&c, flags);
    if (err == ncclSuccess)
        err = check_signal(&c, sigIdx, ctx);
    return group_leave(err == ncclSuccess ? group_add(&c) : err);
}

/* Add a wait: each descriptor becomes an operation. */
static ncclResult_t add_wait(struct nccl_call *c, const ncclWaitSignalDesc_t *d,
                             cudaStream_t stream)
{
    c->root = d->peer;
    c->nsignals = d->opCnt > 0 ? (uint32_t)d->opCnt : 0;
    ncclResult_t err = api_check(c, stream);
    if (err == ncclSuccess && (d->opCnt < 1 || d->opCnt > HUB_SIGNAL_DEPTH))
        err = nccl_error(ncclInvalidArgument,
                         "%s : opCnt is %d, must be from 1 to %d",
                         call_short_name(c), d->opCnt, HUB_SIGNAL_DEPTH);
    if (err == ncclSuccess)
        err = check_signal(c, d->sigIdx, d->ctx);
    return err == ncclSuccess ? group_add(c) : err;
}

ncclResult_t pncclWaitSignal(int nDesc, ncclWaitSignalDesc_t *signalDescs,
                             ncclComm_t comm, cudaStream_t stream)
{
    NCCL_ENTER();
    struct nccl_call c = api_message("ncclWaitSignal", CALL_WAIT, 0, comm, 0,
                                     ncclInt8, CALLER_SITE());
    ncclResult_t err = ncclSuccess;
    group_enter();
    if (nDesc < 1 || !signalDescs)
        err =
            nccl_error(ncclInvalidArgument, "WaitSignal : %d descriptors at %s",
                       nDesc, simgpu_pointer_text(signalDescs).text);
    for (int i = 0; i < nDesc && err == ncclSuccess; i++)
        err = add_wait(&c, &signalDescs[i], stream);
    return group_leave(err);
}

NCCL_ALIAS(ncclPutSignal)
NCCL_ALIAS(ncclSignal)
NCCL_ALIAS(ncclWaitSignal)
