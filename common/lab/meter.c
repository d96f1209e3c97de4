#include "lab/meter.h"

#include <nccl.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */

struct meter meter;

static int depth;          /* open groups */
static const void *opened; /* return address of the call that opened the
                              outermost group */
static struct meter_failure failure, latest;
static int group_counts; /* the open group has counted as a round */

static const unsigned char type_size[ncclNumTypes] = {1, 1, 4, 4, 8, 8,
                                                      2, 4, 8, 2, 1, 1};

int meter_open_groups(void)
{
    return depth;
}

const void *meter_group_opened(void)
{
    return opened;
}

const struct meter_failure *meter_failed(void)
{
    return &failure;
}

const struct meter_failure *meter_failed_last(void)
{
    return &latest;
}

void meter_forget_failure(void)
{
    failure = latest = (struct meter_failure){.call = NULL};
}

void meter_note(const char *call, const char *error, const char *reason,
                const void *address)
{
    const char *const hint = strstr(error, " (run with NCCL_DEBUG");
    const int n = hint && *reason ? (int)(hint - error) : (int)strlen(error);
    latest.call = call;
    latest.address = address;
    snprintf(latest.error, sizeof latest.error, "%.*s%s%.*s", n, error,
             *reason ? ": " : "", (int)strcspn(reason, "\n"), reason);
    if (!failure.call)
        failure = latest;
}

/* Why NCCL's last call failed; "" if the reason contains addresses, which vary
 * from run to run. */
static const char *reason(void)
{
    const char *const text = ncclGetLastError(NULL);
    return text && !strstr(text, "0x") ? text : "";
}

/* Note the error that a call of NCCL returned, and pass it on. */
static ncclResult_t checked(ncclResult_t err, const char *call,
                            const void *address)
{
    if (err != ncclSuccess && err != ncclInProgress)
        meter_note(call, ncclGetErrorString(err), reason(), address);
    return err;
}

static int is_self(ncclComm_t comm, int peer)
{
    int rank;
    return ncclCommUserRank(comm, &rank) == ncclSuccess && rank == peer;
}

static void count_round(void)
{
    if (depth == 0)
        meter.rounds++;
    else
        group_counts = 1;
}

static void count_send(uint64_t nbytes, int peer)
{
    meter.messages++;
    meter.sent_bytes += nbytes;
    if (peer >= 0 && peer < METER_PEERS)
        meter.sent_to[peer] += nbytes;
}

/* Count a collective in which each rank sends `nth` n-ths of count elements to
 * every other rank, or all of them if nth is 0. */
static void count_shares(ncclComm_t comm, size_t count, ncclDataType_t type,
                         unsigned nth)
{
    int n;
    meter.collectives++;
    if (ncclCommCount(comm, &n) != ncclSuccess ||
        (unsigned)type >= ncclNumTypes)
        return;
    const uint64_t nbytes = (uint64_t)(n - 1) * count * type_size[type];
    meter.coll_bytes += nth ? nth * nbytes / (unsigned)n : nbytes;
}

/*
 * Define the function that is called in place of `name`, and declare the real
 * one. The declaration is weak, so that an older library that lacks the
 * function still links if nothing calls it.
 */
#define CHECKED(name, args)                                                    \
    checked(__real_##name args, #name, __builtin_return_address(0))
#define WRAP(name, params)                                                     \
    ncclResult_t __real_##name params __attribute__((weak));                   \
    ncclResult_t __wrap_##name params;                                         \
    ncclResult_t __wrap_##name params

WRAP(ncclSend, (const void *buf, size_t count, ncclDataType_t type, int peer,
                ncclComm_t comm, cudaStream_t stream))
{
    if (!is_self(comm, peer)) {
        const int known = (unsigned)type < ncclNumTypes;
        count_send(known ? count * type_size[type] : 0, peer);
        count_round();
    }
    return CHECKED(ncclSend, (buf, count, type, peer, comm, stream));
}

WRAP(ncclRecv, (void *buf, size_t count, ncclDataType_t type, int peer,
                ncclComm_t comm, cudaStream_t stream))
{
    if (!is_self(comm, peer))
        count_round();
    return CHECKED(ncclRecv, (buf, count, type, peer, comm, stream));
}

WRAP(ncclGroupStart, (void))
{
    if (depth++ == 0)
        opened = __builtin_return_address(0);
    return __real_ncclGroupStart();
}

WRAP(ncclGroupEnd, (void))
{
    if (depth > 0 && --depth == 0) {
        meter.rounds += (uint64_t)group_counts;
        group_counts = 0;
    }
    return CHECKED(ncclGroupEnd, ());
}

/* Wrap a call that is only counted. */
#define COUNT(counter, name, params, args)                                     \
    WRAP(name, params)                                                         \
    {                                                                          \
        meter.counter++;                                                       \
        return CHECKED(name, args);                                            \
    }
#define COLLECTIVE(name, params, args) COUNT(collectives, name, params, args)
#define INIT(name, params, args)       COUNT(comms, name, params, args)
#define END(counter, name)             COUNT(counter, name, (ncclComm_t comm), (comm))
#define SHARED(nth, name, params, args)                                        \
    WRAP(name, params)                                                         \
    {                                                                          \
        count_shares(comm, count, type, nth);                                  \
        return CHECKED(name, args);                                            \
    }

SHARED(2, ncclAllReduce,
       (const void *in, void *out, size_t count, ncclDataType_t type,
        ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream),
       (in, out, count, type, op, comm, stream))
SHARED(0, ncclAllGather,
       (const void *in, void *out, size_t count, ncclDataType_t type,
        ncclComm_t comm, cudaStream_t stream),
       (in, out, count, type, comm, stream))
SHARED(0, ncclReduceScatter,
       (const void *in, void *out, size_t count, ncclDataType_t type,
        ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream),
       (in, out, count, type, op, comm, stream))
COLLECTIVE(ncclBroadcast,
           (const void *in, void *out, size_t count, ncclDataType_t type,
            int root, ncclComm_t comm, cudaStream_t stream),
           (in, out, count, type, root, comm, stream))
COLLECTIVE(ncclBcast,
           (void *buf, size_t count, ncclDataType_t type, int root,
            ncclComm_t comm, cudaStream_t stream),
           (buf, count, type, root, comm, stream))
COLLECTIVE(ncclReduce,
           (const void *in, void *out, size_t count, ncclDataType_t type,
            ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream),
           (in, out, count, type, op, root, comm, stream))
COLLECTIVE(ncclAlltoAll,
           (const void *in, void *out, size_t count, ncclDataType_t type,
            ncclComm_t comm, cudaStream_t stream),
           (in, out, count, type, comm, stream))
COLLECTIVE(ncclGather,
           (const void *in, void *out, size_t count, ncclDataType_t type,
            int root, ncclComm_t comm, cudaStream_t stream),
           (in, out, count, type, root, comm, stream))
COLLECTIVE(ncclScatter,
           (const void *in, void *out, size_t count, ncclDataType_t type,
            int root, ncclComm_t comm, cudaStream_t stream),
           (in, out, count, type, root, comm, stream))

END(aborted, ncclCommAbort)
END(destroyed, ncclCommDestroy)
INIT(ncclCommInitRank,
     (ncclComm_t * comm, int nranks, ncclUniqueId id, int rank),
     (comm, nranks, id, rank))
INIT(ncclCommInitRankConfig,
     (ncclComm_t * comm, int nranks, ncclUniqueId id, int rank,
      ncclConfig_t *config),
     (comm, nranks, id, rank, config))
INIT(ncclCommInitAll, (ncclComm_t * comms, int ndev, const int *devices),
     (comms, ndev, devices))
INIT(ncclCommSplit,
     (ncclComm_t comm, int color, int key, ncclComm_t *newcomm,
      ncclConfig_t *config),
     (comm, color, key, newcomm, config))

/* ---- functions that older headers lack ----------------------------------- */

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
INIT(ncclCommInitRankScalable,
     (ncclComm_t * comm, int nranks, int rank, int nids, ncclUniqueId *ids,
      ncclConfig_t *config),
     (comm, nranks, rank, nids, ids, config))
INIT(ncclCommShrink,
     (ncclComm_t comm, int *list, int n, ncclComm_t *newcomm,
      ncclConfig_t *config, int flags),
     (comm, list, n, newcomm, config, flags))
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 32, 0)
INIT(ncclCommGrow,
     (ncclComm_t comm, int nranks, const ncclUniqueId *id, int rank,
      ncclComm_t *newcomm, ncclConfig_t *config),
     (comm, nranks, id, rank, newcomm, config))

WRAP(ncclPutSignal,
     (const void *buf, size_t count, ncclDataType_t type, int peer,
      ncclWindow_t window, size_t offset, int signal, int context,
      unsigned flags, ncclComm_t comm, cudaStream_t stream))
{
    if (!is_self(comm, peer)) {
        const int known = (unsigned)type < ncclNumTypes;
        count_send(known ? count * type_size[type] : 0, peer);
        count_round();
    }
    return CHECKED(ncclPutSignal, (buf, count, type, peer, window, offset,
                                   signal, context, flags, comm, stream));
}

COLLECTIVE(ncclAllReduceConfig,
           (const void *in, void *out, size_t count, ncclDataType_t type,
            ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t *config),
           (in, out, count, type, op, comm, stream, config))
COLLECTIVE(ncclReduceScatterConfig,
           (const void *in, void *out, size_t count, ncclDataType_t type,
            ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t *config),
           (in, out, count, type, op, comm, stream, config))
COLLECTIVE(ncclReduceConfig,
           (const void *in, void *out, size_t count, ncclDataType_t type,
            ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t *config),
           (in, out, count, type, op, root, comm, stream, config))
COLLECTIVE(ncclBroadcastConfig,
           (const void *in, void *out, size_t count, ncclDataType_t type,
            int root, ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t *config),
           (in, out, count, type, root, comm, stream, config))
COLLECTIVE(ncclGatherConfig,
           (const void *in, void *out, size_t count, ncclDataType_t type,
            int root, ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t *config),
           (in, out, count, type, root, comm, stream, config))
COLLECTIVE(ncclScatterConfig,
           (const void *in, void *out, size_t count, ncclDataType_t type,
            int root, ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t *config),
           (in, out, count, type, root, comm, stream, config))
COLLECTIVE(ncclAllGatherConfig,
           (const void *in, void *out, size_t count, ncclDataType_t type,
            ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t *config),
           (in, out, count, type, comm, stream, config))
COLLECTIVE(ncclAlltoAllConfig,
           (const void *in, void *out, size_t count, ncclDataType_t type,
            ncclComm_t comm, cudaStream_t stream,
            const ncclCollConfig_t *config),
           (in, out, count, type, comm, stream, config))
#endif
