/*
 * redop.c: reduction operations that the program creates
 */
#include "core/site.h"
#include "nccl/comm.h"
#include "nccl/reduce.h"

ncclResult_t pncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar,
                                       ncclDataType_t datatype,
                                       ncclScalarResidence_t residence,
                                       ncclComm_t comm)
{
    NCCL_ENTER();
    const ncclResult_t err =
        comm_use(comm, "RedOpCreatePreMulSum", CALLER_SITE());
    if (err != ncclSuccess)
        return err;
    if (!op || !scalar || reduce_type_size(datatype) == 0 ||
        (residence != ncclScalarDevice && residence != ncclScalarHostImmediate))
        return nccl_error(ncclInvalidArgument,
                          "RedOpCreatePreMulSum : a NULL argument, invalid "
                          "type %d, or invalid residence %d",
                          (int)datatype, (int)residence);
    const int on_device = residence == ncclScalarDevice;
    for (int i = 0; i < COMM_OPS; i++)
        if (!comm->op[i].taken) {
            comm->op[i] = (struct comm_premul){
                .taken = 1,
                .type = (int)datatype,
                .scalar = on_device ? scalar : NULL,
                .scale = on_device ? 1 : reduce_value(scalar, datatype)};
            *op = (ncclRedOp_t)(ncclNumOps + i);
            return ncclSuccess;
        }
    return nccl_error(ncclInvalidUsage,
                      "RedOpCreatePreMulSum : more than %d user-defined "
                      "operations",
                      COMM_OPS);
}

ncclResult_t pncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm)
{
    NCCL_ENTER();
    const ncclResult_t err = comm_use(comm, "RedOpDestroy", CALLER_SITE());
    if (err != ncclSuccess)
        return err;
    if (op >= 0 && op < ncclNumOps)
        return nccl_error(ncclInvalidArgument,
                          "ncclRedOpDestroy : operator is a NCCL builtin.");
    const unsigned i = (unsigned)op - ncclNumOps;
    if (i >= COMM_OPS || !comm->op[i].taken)
        return nccl_error(ncclInvalidArgument,
                          "ncclRedOpDestroy : operator unknown to this "
                          "communicator.");
    comm->op[i].taken = 0;
    return ncclSuccess;
}

NCCL_ALIAS(ncclRedOpCreatePreMulSum)
NCCL_ALIAS(ncclRedOpDestroy)
