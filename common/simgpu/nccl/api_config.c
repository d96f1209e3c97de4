/*
 * api_config.c: collectives with a configuration of their own
 *
 * Limits of channels and the choice of algorithms are checked as NCCL does;
 * what this machine would choose stays as it is. The event is recorded before
 * the launch, as NCCL does with CUDA before 12.3.
 */
#include <string.h>  /* memcpy */
#include <strings.h> /* strncasecmp */

#include "nccl/api.h"

/* ---- checking ------------------------------------------------------------ */

/* "ring,tree", "^nvls": names that NCCL knows. */
static int knows_algorithms(const char *words)
{
    static const char *const names[] = {"tree", "ring",     "collnetdirect",
                                        "nvls", "nvlstree", "collnetchain",
                                        "pat"};
    for (const char *w = words + (*words == '^'); *w; w += *w == ',') {
        const size_t length = strcspn(w, ",");
        int known = 0;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            known |= strlen(names[i]) == length &&
                     strncasecmp(names[i], w, length) == 0;
        if (!known)
            return 0;
        w += length;
    }
    return 1;
}

static ncclResult_t check_limits(const ncclCollConfig_t *f,
                                 const struct ncclComm *comm, const char *call)
{
    const int least = f->minCTAs, most = f->maxCTAs;
    const int limit = comm->config.max_ctas, none = NCCL_CONFIG_UNDEF_INT;
    if ((least != none && least < 1) || (most != none && most < 1) ||
        (least != none && most != none && least > most))
        return nccl_error(ncclInvalidArgument,
                          "%s : invalid minCTAs %d and maxCTAs %d", call, least,
                          most);
    if (most != none && limit != none && most > limit)
        return nccl_error(ncclInvalidArgument,
                          "%s : maxCTAs %d exceeds the communicator's %d", call,
                          most, limit);
    if (f->CTAPolicy != none && (f->CTAPolicy < 0 || f->CTAPolicy > 3))
        return nccl_error(ncclInvalidArgument, "%s : invalid CTAPolicy %d",
                          call, f->CTAPolicy);
    return ncclSuccess;
}

/* Take what the configuration says into the call. */
static ncclResult_t take(struct call *c, const ncclCollConfig_t *from)
{
    ncclCollConfig_t f = NCCL_COLLCONFIG_INITIALIZER;
    const char *const call = c->name + 4;
    size_t nbytes; // a struct of another NCCL may be shorter or longer
    if (!from)
        return ncclSuccess;
    const ncclResult_t bad = comm_check(c->comm, call);
    if (bad != ncclSuccess)
        return bad;
    memcpy(&nbytes, from, sizeof nbytes);
    f.magic = 0; // the program must set it
    memcpy(&f, from, nbytes < sizeof f ? nbytes : sizeof f);
    if (f.magic != NCCL_API_MAGIC)
        return nccl_error(ncclInvalidArgument,
                          "ncclCollConfig_t argument not initialized via "
                          "NCCL_COLLCONFIG_INITIALIZER");
    if (f.algSelection && f.forceAlgSelection &&
        !knows_algorithms(f.algSelection))
        return nccl_error(ncclInvalidArgument,
                          "%s : algSelection \"%s\" names no algorithm", call,
                          f.algSelection);
    c->launched = f.launchCompletionEvent;
    return check_limits(&f, c->comm, call);
}

/* ---- the functions ------------------------------------------------------- */

ncclResult_t pncclAllReduceConfig(const void *sendbuff, void *recvbuff,
                                  size_t count, ncclDataType_t datatype,
                                  ncclRedOp_t op, ncclComm_t comm,
                                  cudaStream_t stream,
                                  const ncclCollConfig_t *config)
{
    struct call c = API_CALL("ncclAllReduceConfig", CALL_COLL, COLL_ALLREDUCE);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.op = op;
    return api_submit(&c, stream, take(&c, config));
}

ncclResult_t pncclBroadcastConfig(const void *sendbuff, void *recvbuff,
                                  size_t count, ncclDataType_t datatype,
                                  int root, ncclComm_t comm,
                                  cudaStream_t stream,
                                  const ncclCollConfig_t *config)
{
    struct call c = API_CALL("ncclBroadcastConfig", CALL_COLL, COLL_BROADCAST);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.root = root;
    return api_submit(&c, stream, take(&c, config));
}

ncclResult_t pncclReduceConfig(const void *sendbuff, void *recvbuff,
                               size_t count, ncclDataType_t datatype,
                               ncclRedOp_t op, int root, ncclComm_t comm,
                               cudaStream_t stream,
                               const ncclCollConfig_t *config)
{
    struct call c = API_CALL("ncclReduceConfig", CALL_COLL, COLL_REDUCE);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.op = op;
    c.root = root;
    return api_submit(&c, stream, take(&c, config));
}

ncclResult_t pncclAllGatherConfig(const void *sendbuff, void *recvbuff,
                                  size_t count, ncclDataType_t datatype,
                                  ncclComm_t comm, cudaStream_t stream,
                                  const ncclCollConfig_t *config)
{
    struct call c = API_CALL("ncclAllGatherConfig", CALL_COLL, COLL_ALLGATHER);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    return api_submit(&c, stream, take(&c, config));
}

ncclResult_t pncclReduceScatterConfig(const void *sendbuff, void *recvbuff,
                                      size_t count, ncclDataType_t datatype,
                                      ncclRedOp_t op, ncclComm_t comm,
                                      cudaStream_t stream,
                                      const ncclCollConfig_t *config)
{
    struct call c =
        API_CALL("ncclReduceScatterConfig", CALL_COLL, COLL_REDUCESCATTER);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.op = op;
    return api_submit(&c, stream, take(&c, config));
}

ncclResult_t pncclAlltoAllConfig(const void *sendbuff, void *recvbuff,
                                 size_t count, ncclDataType_t datatype,
                                 ncclComm_t comm, cudaStream_t stream,
                                 const ncclCollConfig_t *config)
{
    struct call c = API_CALL("ncclAlltoAllConfig", CALL_COLL, COLL_ALLTOALL);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    return api_submit(&c, stream, take(&c, config));
}

ncclResult_t pncclGatherConfig(const void *sendbuff, void *recvbuff,
                               size_t count, ncclDataType_t datatype, int root,
                               ncclComm_t comm, cudaStream_t stream,
                               const ncclCollConfig_t *config)
{
    struct call c = API_CALL("ncclGatherConfig", CALL_COLL, COLL_GATHER);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.root = root;
    return api_submit(&c, stream, take(&c, config));
}

ncclResult_t pncclScatterConfig(const void *sendbuff, void *recvbuff,
                                size_t count, ncclDataType_t datatype, int root,
                                ncclComm_t comm, cudaStream_t stream,
                                const ncclCollConfig_t *config)
{
    struct call c = API_CALL("ncclScatterConfig", CALL_COLL, COLL_SCATTER);
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    c.root = root;
    return api_submit(&c, stream, take(&c, config));
}

NCCL_ALIAS(ncclAllReduceConfig)
NCCL_ALIAS(ncclBroadcastConfig)
NCCL_ALIAS(ncclReduceConfig)
NCCL_ALIAS(ncclAllGatherConfig)
NCCL_ALIAS(ncclReduceScatterConfig)
NCCL_ALIAS(ncclAlltoAllConfig)
NCCL_ALIAS(ncclGatherConfig)
NCCL_ALIAS(ncclScatterConfig)
