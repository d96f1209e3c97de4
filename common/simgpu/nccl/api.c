/*
 * api.c: NCCL's collectives and messages, from arguments to a checked call
 */
#include "nccl/coll.h"
#include "nccl/group.h"
#include "nccl/reduce.h"

/* Everything that a call may get wrong, but its buffers. */
static ncclResult_t check(const struct call *c)
{
    const ncclResult_t err = comm_check(c->comm, c->name);
    if (err != ncclSuccess)
        return err;
    if (!c->stream)
        return comm_error(ncclInvalidArgument, "%s: invalid stream", c->name);
    if (reduce_type_size(c->type) == 0)
        return comm_error(ncclInvalidArgument, "%s: invalid type %d", c->name,
                          (int)c->type);
    if (c->root < 0 || c->root >= c->comm->nranks)
        return comm_error(ncclInvalidArgument,
                          "%s: invalid root or peer %d (of %d ranks)", c->name,
                          c->root, c->comm->nranks);
    return ncclSuccess;
}

/* Memory that a GPU cannot reach, or that ends too early, is a crash on a real
 * one, sooner or later. */
static void check_buffer(const struct call *c, const void *p, const char *which,
                         size_t nbytes)
{
    struct cudaPointerAttributes a;
    struct heap_block b;
    char site[256], what[512];
    if (nbytes == 0)
        return;
    if (cudaPointerGetAttributes(&a, p) != cudaSuccess ||
        a.type == cudaMemoryTypeUnregistered)
        proc_fault(NULL,
                   "%s at %s: %s %p is memory of the host that no GPU can "
                   "reach.\nAllocate it with cudaMalloc, or cudaMallocHost.",
                   c->name, proc_site_text(c->site, site, sizeof site), which,
                   p);
    if (heap_find(p, &b) == 0 && (const char *)p + nbytes > b.base + b.nbytes)
        proc_fault(NULL,
                   "%s at %s: %s has to hold %zu bytes, but begins at %s.\n"
                   "Is count per rank here, or for all ranks together?",
                   c->name, proc_site_text(c->site, site, sizeof site), which,
                   nbytes, heap_describe(p, what, sizeof what));
}

static ncclResult_t submit(struct call *c)
{
    const ncclResult_t err = check(c);
    if (err != ncclSuccess)
        return err;
    if (c->count == 0) // nothing to do, but the others count it too
        return c->kind == CALL_COLL ? ncclSuccess : group_add(c);
    size_t sent = 0, received = 0;
    if (c->kind == CALL_COLL)
        coll_sizes(c, &sent, &received);
    else
        *(c->kind == CALL_SEND ? &sent : &received) =
            c->count * reduce_type_size(c->type);
    check_buffer(c, c->sendbuf, "sendbuff", sent);
    check_buffer(c, c->recvbuf, "recvbuff", received);
    return group_add(c);
}

/* A reduction's operation: a built-in one, or one that the program made. */
static ncclResult_t set_op(struct call *c, ncclRedOp_t op)
{
    const ncclResult_t err = comm_check(c->comm, c->name);
    if (err != ncclSuccess)
        return err;
    c->op = op;
    if ((unsigned)op < ncclNumOps)
        return ncclSuccess;
    const unsigned i = (unsigned)op - ncclNumOps;
    if (i >= COMM_OPS || !c->comm->op[i].taken)
        return comm_error(ncclInvalidArgument, "%s: invalid operation %d",
                          c->name, (int)op);
    if (c->comm->op[i].type != (int)c->type)
        return comm_error(ncclInvalidArgument,
                          "%s: the operation was made for another type",
                          c->name);
    c->op = ncclSum;
    c->scaled = 1;
    c->scale = c->comm->op[i].scale;
    return ncclSuccess;
}

#define CALL(call_name, call_kind, call_coll)                                  \
    {                                                                          \
        .kind = call_kind, .name = call_name, .site = PROC_SITE(),             \
        .address = __builtin_return_address(0), .comm = comm,                  \
        .stream = stream_of(stream), .coll = call_coll, .count = count,        \
        .type = datatype,                                                      \
    }

ncclResult_t pncclAllReduce(const void *sendbuff, void *recvbuff, size_t count,
                            ncclDataType_t datatype, ncclRedOp_t op,
                            ncclComm_t comm, cudaStream_t stream)
{
    struct call c = CALL("ncclAllReduce", CALL_COLL, COLL_ALLREDUCE);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    const ncclResult_t err = set_op(&c, op);
    return err != ncclSuccess ? err : submit(&c);
}

ncclResult_t pncclBroadcast(const void *sendbuff, void *recvbuff, size_t count,
                            ncclDataType_t datatype, int root, ncclComm_t comm,
                            cudaStream_t stream)
{
    struct call c = CALL("ncclBroadcast", CALL_COLL, COLL_BROADCAST);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.root = root;
    return submit(&c);
}

ncclResult_t pncclBcast(void *buff, size_t count, ncclDataType_t datatype,
                        int root, ncclComm_t comm, cudaStream_t stream)
{
    struct call c = CALL("ncclBcast", CALL_COLL, COLL_BROADCAST);
    c.sendbuf = c.recvbuf = buff;
    c.root = root;
    return submit(&c);
}

ncclResult_t pncclReduce(const void *sendbuff, void *recvbuff, size_t count,
                         ncclDataType_t datatype, ncclRedOp_t op, int root,
                         ncclComm_t comm, cudaStream_t stream)
{
    struct call c = CALL("ncclReduce", CALL_COLL, COLL_REDUCE);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.root = root;
    const ncclResult_t err = set_op(&c, op);
    return err != ncclSuccess ? err : submit(&c);
}

ncclResult_t pncclAllGather(const void *sendbuff, void *recvbuff, size_t count,
                            ncclDataType_t datatype, ncclComm_t comm,
                            cudaStream_t stream)
{
    struct call c = CALL("ncclAllGather", CALL_COLL, COLL_ALLGATHER);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    return submit(&c);
}

ncclResult_t pncclReduceScatter(const void *sendbuff, void *recvbuff,
                                size_t count, ncclDataType_t datatype,
                                ncclRedOp_t op, ncclComm_t comm,
                                cudaStream_t stream)
{
    struct call c = CALL("ncclReduceScatter", CALL_COLL, COLL_REDUCESCATTER);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    const ncclResult_t err = set_op(&c, op);
    return err != ncclSuccess ? err : submit(&c);
}

ncclResult_t pncclAlltoAll(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, ncclComm_t comm,
                           cudaStream_t stream)
{
    struct call c = CALL("ncclAlltoAll", CALL_COLL, COLL_ALLTOALL);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    return submit(&c);
}

ncclResult_t pncclGather(const void *sendbuff, void *recvbuff, size_t count,
                         ncclDataType_t datatype, int root, ncclComm_t comm,
                         cudaStream_t stream)
{
    struct call c = CALL("ncclGather", CALL_COLL, COLL_GATHER);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.root = root;
    return submit(&c);
}

ncclResult_t pncclScatter(const void *sendbuff, void *recvbuff, size_t count,
                          ncclDataType_t datatype, int root, ncclComm_t comm,
                          cudaStream_t stream)
{
    struct call c = CALL("ncclScatter", CALL_COLL, COLL_SCATTER);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.root = root;
    return submit(&c);
}

ncclResult_t pncclSend(const void *sendbuff, size_t count,
                       ncclDataType_t datatype, int peer, ncclComm_t comm,
                       cudaStream_t stream)
{
    struct call c = CALL("ncclSend", CALL_SEND, 0);
    c.sendbuf = sendbuff;
    c.root = peer;
    return submit(&c);
}

ncclResult_t pncclRecv(void *recvbuff, size_t count, ncclDataType_t datatype,
                       int peer, ncclComm_t comm, cudaStream_t stream)
{
    struct call c = CALL("ncclRecv", CALL_RECV, 0);
    c.recvbuf = recvbuff;
    c.root = peer;
    return submit(&c);
}

/* ---- operations, memory, registration ------------------------------------------------ */

ncclResult_t pncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar,
                                       ncclDataType_t datatype,
                                       ncclScalarResidence_t residence,
                                       ncclComm_t comm)
{
    const ncclResult_t err = comm_check(comm, "ncclRedOpCreatePreMulSum");
    if (err != ncclSuccess)
        return err;
    if (!op || !scalar || reduce_type_size(datatype) == 0)
        return comm_error(ncclInvalidArgument,
                          "ncclRedOpCreatePreMulSum: a NULL argument, or an "
                          "invalid type");
    // A device scalar is read now; NCCL reads it when the operation runs.
    const void *const p =
        residence == ncclScalarDevice ? heap_raw(scalar) : scalar;
    for (int i = 0; i < COMM_OPS; i++)
        if (!comm->op[i].taken) {
            comm->op[i] =
                (struct premul){1, (int)datatype, reduce_value(p, datatype)};
            *op = (ncclRedOp_t)(ncclNumOps + i);
            return ncclSuccess;
        }
    return comm_error(ncclInvalidUsage, "more than %d operations of one's own",
                      COMM_OPS);
}

ncclResult_t pncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm)
{
    const ncclResult_t err = comm_check(comm, "ncclRedOpDestroy");
    const unsigned i = (unsigned)op - ncclNumOps;
    if (err != ncclSuccess)
        return err;
    if ((unsigned)op < ncclNumOps || i >= COMM_OPS || !comm->op[i].taken)
        return comm_error(ncclInvalidArgument,
                          "ncclRedOpDestroy: operation %d was not made by "
                          "ncclRedOpCreatePreMulSum",
                          (int)op);
    comm->op[i].taken = 0;
    return ncclSuccess;
}

ncclResult_t pncclMemAlloc(void **ptr, size_t size)
{
    if (!ptr || size == 0)
        return comm_error(ncclInvalidArgument, "ncclMemAlloc: ptr is NULL, or "
                                               "size 0");
    return heap_alloc(device_current(), size, 0, PROC_SITE(), ptr) == 0
               ? ncclSuccess
               : ncclUnhandledCudaError;
}

ncclResult_t pncclMemFree(void *ptr)
{
    return cudaFree(ptr) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t pncclCommRegister(const ncclComm_t comm, void *buff, size_t size,
                               void **handle)
{
    const ncclResult_t err = comm_check(comm, "ncclCommRegister");
    if (err != ncclSuccess)
        return err;
    if (!buff || !handle || size == 0)
        return comm_error(ncclInvalidArgument,
                          "ncclCommRegister: a NULL argument, or size 0");
    *handle = buff; // all memory is reachable: nothing to prepare
    return ncclSuccess;
}

ncclResult_t pncclCommDeregister(const ncclComm_t comm, void *handle)
{
    const ncclResult_t err = comm_check(comm, "ncclCommDeregister");
    return err == ncclSuccess && !handle
               ? comm_error(ncclInvalidArgument,
                            "ncclCommDeregister: handle is NULL")
               : err;
}

NCCL_ALIAS(ncclMemAlloc)
NCCL_ALIAS(ncclMemFree)
NCCL_ALIAS(ncclCommRegister)
NCCL_ALIAS(ncclCommDeregister)
NCCL_ALIAS(ncclRedOpCreatePreMulSum)
NCCL_ALIAS(ncclRedOpDestroy)
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
