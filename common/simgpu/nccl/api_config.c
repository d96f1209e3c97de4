/*
 * api_config.c: collectives that take a configuration of their own
 *
 * Limits on channels and the choice of algorithms are checked as NCCL checks
 * them, but don't change what the modelled machine chooses. The event is
 * recorded before the launch, as NCCL does with CUDA before 12.3.
 */
#include <string.h>  /* memcpy */
#include <strings.h> /* strncasecmp */

#include "core/site.h"
#include "nccl/api.h"

/* ---- checking ------------------------------------------------------------ */

/* True for a list of names that NCCL knows, such as "ring,tree" or "^nvls". */
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

/* Copy the configuration's members into the call. */
static ncclResult_t take(struct nccl_call *c, const ncclCollConfig_t *from)
{
    ncclCollConfig_t f = NCCL_COLLCONFIG_INITIALIZER;
    const char *const call = call_short_name(c);
    // a program built for another NCCL passes a shorter or longer struct
    size_t nbytes;
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
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclAllReduceConfig", COLL_ALLREDUCE,
                                        comm, count, datatype, CALLER_SITE());
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
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclBroadcastConfig", COLL_BROADCAST,
                                        comm, count, datatype, CALLER_SITE());
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
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclReduceConfig", COLL_REDUCE, comm,
                                        count, datatype, CALLER_SITE());
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
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclAllGatherConfig", COLL_ALLGATHER,
                                        comm, count, datatype, CALLER_SITE());
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
    NCCL_ENTER();
    struct nccl_call c =
        api_collective("ncclReduceScatterConfig", COLL_REDUCESCATTER, comm,
                       count, datatype, CALLER_SITE());
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
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclAlltoAllConfig", COLL_ALLTOALL,
                                        comm, count, datatype, CALLER_SITE());
    c.sendbuf = sendbuff;
    c.recvbuf = recvbuff;
    return api_submit(&c, stream, take(&c, config));
}

ncclResult_t pncclGatherConfig(const void *sendbuff, void *recvbuff,
                               size_t count, ncclDataType_t datatype, int root,
                               ncclComm_t comm, cudaStream_t stream,
                               const ncclCollConfig_t *config)
{
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclGatherConfig", COLL_GATHER, comm,
                                        count, datatype, CALLER_SITE());
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
    NCCL_ENTER();
    struct nccl_call c = api_collective("ncclScatterConfig", COLL_SCATTER, comm,
                                        count, datatype, CALLER_SITE());
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
