/*
 * api.c: NCCL's collectives and messages, from arguments to a checked call
 */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* vsnprintf */
#include <stdlib.h> /* getenv */

#include "core/device.h"
#include "core/heap/fault.h" /* FAULT_FREED */
#include "core/heap/reach.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/stream.h"
#include "nccl/api.h"
#include "nccl/coll.h"
#include "nccl/explain.h"
#include "nccl/group.h"
#include "nccl/reduce.h"

/* ---- what a call is ------------------------------------------------------ */

struct nccl_call api_collective(const char *name, enum coll_kind coll,
                                ncclComm_t comm, size_t count,
                                ncclDataType_t type, uint32_t site)
{
    return (struct nccl_call){.kind = CALL_COLL,
                              .coll = coll,
                              .name = name,
                              .site = site,
                              .comm = comm,
                              .count = count,
                              .type = type,
                              .scale = 1};
}

struct nccl_call api_message(const char *name, enum call_kind kind, int peer,
                             ncclComm_t comm, size_t count, ncclDataType_t type,
                             uint32_t site)
{
    return (struct nccl_call){.kind = kind,
                              .name = name,
                              .site = site,
                              .comm = comm,
                              .count = count,
                              .type = type,
                              .scale = 1,
                              .root = peer};
}

/* ---- buffers ------------------------------------------------------------- */

static int checks_pointers(void)
{
    const char *const env = getenv("NCCL_CHECK_POINTERS");
    return env && *env && *env != '0';
}

/* NCCL_CHECK_POINTERS=1 requires memory that the communicator's device can
 * reach. */
static ncclResult_t check_pointer(const struct nccl_call *c, const void *p,
                                  const char *which)
{
    struct cudaPointerAttributes a;
    if (cudaPointerGetAttributes(&a, p) != cudaSuccess || !a.devicePointer)
        return nccl_error(
            ncclInvalidArgument, "%s : %s %s is not a valid pointer",
            call_short_name(c), which, simgpu_pointer_text(p).text);
    if (a.type == cudaMemoryTypeDevice && a.device != c->comm->device)
        return nccl_error(ncclInvalidArgument,
                          "%s : %s allocated on device %d mismatchs with NCCL "
                          "device %d",
                          call_short_name(c), which, a.device, c->comm->device);
    return ncclSuccess;
}

/* End the run: "ncclSend at a.c:7: sendbuff " and this text. */
__attribute__((format(printf, 3, 4))) static _Noreturn void
refuse(const struct nccl_call *c, const char *which, const char *format, ...)
{
    char site[256], what[2 * REACH_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    simgpu_report_fault(NULL, "%s at %s: %s %s", c->name,
                        simgpu_site_text(c->site, site, sizeof site), which,
                        what);
}

/* A buffer that the communicator's device cannot reach, or that is too short,
 * sooner or later crashes a program on real GPUs. */
static void check_extent(const struct nccl_call *c, const void *p,
                         const char *which, size_t nbytes)
{
    const int device = c->comm->device;
    struct cudaPointerAttributes a;
    struct heap_block b;
    char what[REACH_TEXT];
    if (nbytes == 0)
        return;
    if (simgpu_heap_is_freed(p))
        refuse(c, which, "is at %s.\n%s",
               simgpu_heap_describe(p, what, sizeof what), FAULT_FREED);
    if (!p)
        refuse(c, which,
               "is NULL, but must hold %zu bytes.\nAllocate it with "
               "cudaMalloc.",
               nbytes);
    if (cudaPointerGetAttributes(&a, p) != cudaSuccess || !a.devicePointer)
        refuse(c, which,
               "%s is host memory that no GPU can reach.\nAllocate it with "
               "cudaMalloc or cudaMallocHost.",
               simgpu_pointer_text(p).text);
    const int found = simgpu_heap_find(p, &b) == 0;
    if (found && !simgpu_heap_reaches(device, &b))
        refuse(c, which, "is %s", simgpu_heap_unreached(device, &b, what));
    if (found && (const char *)p + nbytes > b.base + b.nbytes)
        refuse(c, which,
               "must hold %zu bytes, but starts at %s.\nIs count per rank "
               "here, or for all ranks together?",
               nbytes, simgpu_heap_describe(p, what, sizeof what));
}

/* A kernel that reduces accesses elements; others move bytes. */
static void check_elements(const struct nccl_call *c, const void *p,
                           const char *which, size_t nbytes)
{
    char what[REACH_TEXT];
    const size_t size = reduce_type_size(c->type);
    if (nbytes == 0 || c->kind != CALL_COLL || !coll_reduces(c->coll) ||
        (uintptr_t)p % size == 0)
        return;
    refuse(c, which,
           "is at %s.\nThe address is %zu past a multiple of %zu, the size of "
           "an element: on a GPU, the kernel ends with\nerror 716 "
           "(cudaErrorMisalignedAddress).",
           simgpu_heap_describe(p, what, sizeof what), (uintptr_t)p % size,
           size);
}

static ncclResult_t check_buffers(const struct nccl_call *c)
{
    size_t sent = 0, received = 0;
    ncclResult_t err = ncclSuccess;
    if (c->kind == CALL_COLL)
        coll_sizes(c, &sent, &received);
    else
        *(c->kind == CALL_RECV ? &received : &sent) =
            c->count * reduce_type_size(c->type);
    if (checks_pointers()) {
        if (sent)
            err = check_pointer(c, c->sendbuf, "sendbuff");
        if (received && err == ncclSuccess)
            err = check_pointer(c, c->recvbuf, "recvbuff");
    }
    if (err != ncclSuccess)
        return err;
    check_extent(c, c->sendbuf, "sendbuff", sent);
    check_extent(c, c->recvbuf, "recvbuff", received);
    check_elements(c, c->sendbuf, "sendbuff", sent);
    check_elements(c, c->recvbuf, "recvbuff", received);
    return ncclSuccess;
}

/* ---- checking everything else -------------------------------------------- */

/* A reduction uses a built-in operation or one that the program created. */
static ncclResult_t check_op(struct nccl_call *c)
{
    if (c->op > ncclMaxRedOp)
        return nccl_error(ncclInvalidArgument,
                          "%s : invalid reduction operation %d",
                          call_short_name(c), (int)c->op);
    if (c->op < ncclNumOps)
        return ncclSuccess;
    const unsigned i = (unsigned)c->op - ncclNumOps;
    if (i >= COMM_OPS || !c->comm->op[i].taken)
        return nccl_error(ncclInvalidArgument,
                          "%s : reduction operation %d unknown to this "
                          "communicator",
                          call_short_name(c), (int)c->op);
    if (c->comm->op[i].type != (int)c->type)
        return nccl_error(ncclInvalidArgument,
                          "Data type supplied to user-created ncclRedOp_t does "
                          "not match type given to reduction operation");
    c->op = ncclNumOps; // created by the program: a sum of scaled inputs
    c->scalar = c->comm->op[i].scalar;
    c->scale = c->comm->op[i].scale;
    return ncclSuccess;
}

/* Find the stream that a handle names on the communicator's device: NCCL
 * launches there, even if another device is current. */
static ncclResult_t find_stream(struct nccl_call *c, cudaStream_t handle)
{
    const int device = simgpu_device_current();
    simgpu_device_set(c->comm->device);
    c->handle = handle;
    c->stream = simgpu_stream_of(handle);
    simgpu_device_set(device);
    if (c->stream && simgpu_stream_device(c->stream) == c->comm->device)
        return ncclSuccess;
    return nccl_error(
        ncclUnhandledCudaError,
        c->stream ? "Cuda failure 400 'invalid resource handle': the stream "
                    "does not belong to the communicator's device %d"
                  : "Cuda failure 400 'invalid resource handle': "
                    "device %d has no such stream",
        c->comm->device);
}

ncclResult_t api_check(struct nccl_call *c, cudaStream_t stream)
{
    ncclResult_t err = comm_use(c->comm, call_short_name(c), c->site);
    if (err != ncclSuccess)
        return err;
    if (c->root < 0 || c->root >= c->comm->nranks)
        return nccl_error(ncclInvalidArgument,
                          "%s : invalid root %d (root should be in the 0..%d "
                          "range)",
                          call_short_name(c), c->root, c->comm->nranks);
    if (reduce_type_size(c->type) == 0)
        return nccl_error(ncclInvalidArgument, "%s : invalid type %d",
                          call_short_name(c), (int)c->type);
    err = check_op(c);
    if (err == ncclSuccess)
        err = find_stream(c, stream);
    if (err == ncclSuccess)
        err = check_buffers(c);
    return err == ncclSuccess ? explain_check_choice(c) : err;
}

ncclResult_t api_submit(struct nccl_call *c, cudaStream_t stream,
                        ncclResult_t err)
{
    group_enter();
    if (err == ncclSuccess)
        err = api_check(c, stream);
    // NCCL drops an empty collective, but sends an empty message
    if (err == ncclSuccess && (c->count > 0 || c->kind != CALL_COLL))
        err = group_add(c);
    return group_leave(err);
}

/* ---- the functions ------------------------------------------------------- */

ncclResult_t pncclAllReduce(const void *sendbuff, void *recvbuff, size_t count,
                            ncclDataType_t datatype, ncclRedOp_t op,
                            ncclComm_t comm, cudaStream_t stream)
{
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclAllReduce", COLL_ALLREDUCE, comm,
                                        count, datatype, CALLER_SITE());
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.op = op;
    return api_submit(&c, stream, ncclSuccess);
}

ncclResult_t pncclBroadcast(const void *sendbuff, void *recvbuff, size_t count,
                            ncclDataType_t datatype, int root, ncclComm_t comm,
                            cudaStream_t stream)
{
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclBroadcast", COLL_BROADCAST, comm,
                                        count, datatype, CALLER_SITE());
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.root = root;
    return api_submit(&c, stream, ncclSuccess);
}

ncclResult_t pncclBcast(void *buff, size_t count, ncclDataType_t datatype,
                        int root, ncclComm_t comm, cudaStream_t stream)
{
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclBcast", COLL_BROADCAST, comm,
                                        count, datatype, CALLER_SITE());
    c.sendbuf = c.recvbuf = buff;
    c.root = root;
    return api_submit(&c, stream, ncclSuccess);
}

ncclResult_t pncclReduce(const void *sendbuff, void *recvbuff, size_t count,
                         ncclDataType_t datatype, ncclRedOp_t op, int root,
                         ncclComm_t comm, cudaStream_t stream)
{
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclReduce", COLL_REDUCE, comm, count,
                                        datatype, CALLER_SITE());
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.root = root;
    c.op = op;
    return api_submit(&c, stream, ncclSuccess);
}

ncclResult_t pncclAllGather(const void *sendbuff, void *recvbuff, size_t count,
                            ncclDataType_t datatype, ncclComm_t comm,
                            cudaStream_t stream)
{
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclAllGather", COLL_ALLGATHER, comm,
                                        count, datatype, CALLER_SITE());
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    return api_submit(&c, stream, ncclSuccess);
}

ncclResult_t pncclReduceScatter(const void *sendbuff, void *recvbuff,
                                size_t count, ncclDataType_t datatype,
                                ncclRedOp_t op, ncclComm_t comm,
                                cudaStream_t stream)
{
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclReduceScatter", COLL_REDUCESCATTER,
                                        comm, count, datatype, CALLER_SITE());
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.op = op;
    return api_submit(&c, stream, ncclSuccess);
}

ncclResult_t pncclAlltoAll(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, ncclComm_t comm,
                           cudaStream_t stream)
{
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclAlltoAll", COLL_ALLTOALL, comm,
                                        count, datatype, CALLER_SITE());
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    return api_submit(&c, stream, ncclSuccess);
}

ncclResult_t pncclGather(const void *sendbuff, void *recvbuff, size_t count,
                         ncclDataType_t datatype, int root, ncclComm_t comm,
                         cudaStream_t stream)
{
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclGather", COLL_GATHER, comm, count,
                                        datatype, CALLER_SITE());
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.root = root;
    return api_submit(&c, stream, ncclSuccess);
}

ncclResult_t pncclScatter(const void *sendbuff, void *recvbuff, size_t count,
                          ncclDataType_t datatype, int root, ncclComm_t comm,
                          cudaStream_t stream)
{
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclScatter", COLL_SCATTER, comm,
                                        count, datatype, CALLER_SITE());
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.root = root;
    return api_submit(&c, stream, ncclSuccess);
}

ncclResult_t pncclSend(const void *sendbuff, size_t count,
                       ncclDataType_t datatype, int peer, ncclComm_t comm,
                       cudaStream_t stream)
{
    NCCL_ENTER();
    struct nccl_call c = api_message("ncclSend", CALL_SEND, peer, comm, count,
                                     datatype, CALLER_SITE());
    c.sendbuf = sendbuff;
    return api_submit(&c, stream, ncclSuccess);
}

ncclResult_t pncclRecv(void *recvbuff, size_t count, ncclDataType_t datatype,
                       int peer, ncclComm_t comm, cudaStream_t stream)
{
    NCCL_ENTER();
    struct nccl_call c = api_message("ncclRecv", CALL_RECV, peer, comm, count,
                                     datatype, CALLER_SITE());
    c.recvbuf = recvbuff;
    return api_submit(&c, stream, ncclSuccess);
}

NCCL_ALIAS(ncclAllReduce)
NCCL_ALIAS(ncclBroadcast)
NCCL_ALIAS(ncclBcast)
NCCL_ALIAS(ncclReduce)
NCCL_ALIAS(ncclAllGather)
NCCL_ALIAS(ncclReduceScatter)
NCCL_ALIAS(ncclAlltoAll)
NCCL_ALIAS(ncclGather)
NCCL_ALIAS(ncclScatter)
NCCL_ALIAS(ncclSend)
NCCL_ALIAS(ncclRecv)
