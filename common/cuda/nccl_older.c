/*
 * nccl_older.c: collectives that NCCL has only since 2.28, made of older calls
 *
 * They are groups of sends and receives, as NCCL's own are inside. The sends
 * and receives are called by their second names, pnccl*, because the meter
 * (lab/meter.h) counts what a program calls, not what that is made of. A
 * function returns the error of the first call that fails; a group that it
 * started is ended.
 */
#include <nccl.h>

#if NCCL_VERSION_CODE < NCCL_VERSION(2, 28, 0)

/* Block i of an array. */
static void *block(const void *buf, size_t count, ncclDataType_t type, int i)
{
    static const size_t nbytes[] = {
        [ncclInt8] = 1,    [ncclUint8] = 1,   [ncclInt32] = 4,
        [ncclUint32] = 4,  [ncclInt64] = 8,   [ncclUint64] = 8,
        [ncclFloat16] = 2, [ncclFloat32] = 4, [ncclFloat64] = 8,
        [ncclBfloat16] = 2};
    const size_t each = type > ncclBfloat16 ? 1 : nbytes[type]; // fp8
    return (char *)buf + (size_t)i * count * each;
}

static ncclResult_t begin(ncclComm_t comm, int *rank, int *nranks)
{
    ncclResult_t err = ncclCommUserRank(comm, rank);
    if (err == ncclSuccess)
        err = ncclCommCount(comm, nranks);
    return err == ncclSuccess ? pncclGroupStart() : err;
}

static ncclResult_t end(ncclResult_t err)
{
    const ncclResult_t last = pncclGroupEnd();
    return err == ncclSuccess ? last : err;
}

ncclResult_t ncclAlltoAll(const void *sendbuf, void *recvbuf, size_t count,
                          ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t stream)
{
    int rank, nranks;
    ncclResult_t err = begin(comm, &rank, &nranks);
    if (err != ncclSuccess)
        return err;
    for (int r = 0; r < nranks && err == ncclSuccess; r++) {
        err = pncclSend(block(sendbuf, count, type, r), count, type, r, comm,
                        stream);
        if (err == ncclSuccess)
            err = pncclRecv(block(recvbuf, count, type, r), count, type, r,
                            comm, stream);
    }
    return end(err);
}

ncclResult_t ncclGather(const void *sendbuf, void *recvbuf, size_t count,
                        ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream)
{
    int rank, nranks;
    ncclResult_t err = begin(comm, &rank, &nranks);
    if (err != ncclSuccess)
        return err;
    err = pncclSend(sendbuf, count, type, root, comm, stream);
    for (int r = 0; rank == root && r < nranks && err == ncclSuccess; r++)
        err = pncclRecv(block(recvbuf, count, type, r), count, type, r, comm,
                        stream);
    return end(err);
}

ncclResult_t ncclScatter(const void *sendbuf, void *recvbuf, size_t count,
                         ncclDataType_t type, int root, ncclComm_t comm,
                         cudaStream_t stream)
{
    int rank, nranks;
    ncclResult_t err = begin(comm, &rank, &nranks);
    if (err != ncclSuccess)
        return err;
    for (int r = 0; rank == root && r < nranks && err == ncclSuccess; r++)
        err = pncclSend(block(sendbuf, count, type, r), count, type, r, comm,
                        stream);
    if (err == ncclSuccess)
        err = pncclRecv(recvbuf, count, type, root, comm, stream);
    return end(err);
}

#endif
