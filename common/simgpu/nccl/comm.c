#define _GNU_SOURCE
#include "nccl/comm.h"

#include <fcntl.h>      /* open */
#include <stdarg.h>     /* va_list */
#include <stdio.h>      /* snprintf */
#include <stdlib.h>     /* calloc */
#include <string.h>     /* memcpy */
#include <sys/mman.h>   /* memfd_create */
#include <sys/random.h> /* getrandom */
#include <unistd.h>     /* ftruncate */

#include "nccl/group.h" /* group_init */

static const uint64_t MAGIC = 0x6c63636e6d6973; /* "simnccl" */

struct id { /* inside ncclUniqueId */
    uint64_t magic, nonce;
    struct proc_id owner;
    int32_t fd;
};
_Static_assert(sizeof(struct id) <= NCCL_UNIQUE_ID_BYTES, "an id fits");

/* ---- errors ------------------------------------------------------------------- */

static _Thread_local char last_error[512];

ncclResult_t comm_error(ncclResult_t result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    const char *const debug = getenv("NCCL_DEBUG");
    if (debug && (strcmp(debug, "WARN") == 0 || strcmp(debug, "INFO") == 0))
        fprintf(stderr, "NCCL WARN %s\n", last_error);
    return result;
}

const char *pncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return last_error;
}

const char *pncclGetErrorString(ncclResult_t result)
{
    static const char *const text[] = {
        "no error",
        "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
        "unhandled system error (run with NCCL_DEBUG=INFO for details)",
        "internal error - please report this issue to the NCCL developers",
        "invalid argument (run with NCCL_DEBUG=WARN for details)",
        "invalid usage (run with NCCL_DEBUG=WARN for details)",
        "remote process exited or there was a network error",
        "NCCL operation in progress",
    };
    return (unsigned)result < sizeof text / sizeof *text
               ? text[result]
               : "unknown result code";
}

ncclResult_t pncclGetVersion(int *version)
{
    if (!version)
        return comm_error(ncclInvalidArgument, "ncclGetVersion: version is "
                                               "NULL");
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

/* ---- joining ------------------------------------------------------------------------- */

static struct ncclComm *comm_new(int nranks, int rank, int device)
{
    struct ncclComm *const c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->magic = MAGIC;
    c->nranks = nranks;
    c->rank = rank;
    c->device = device;
    c->blocking = 1;
    c->sent = calloc((size_t)nranks, sizeof *c->sent);
    c->received = calloc((size_t)nranks, sizeof *c->received);
    return c;
}

static void comm_free(struct ncclComm *c)
{
    if (c->hub)
        munmap(c->hub, c->hub_nbytes);
    free(c->sent);
    free(c->received);
    c->magic = 0;
    free(c);
}

/* A new hub; its file descriptor stays open for the others to open. */
static int make_hub(uint64_t *nonce)
{
    const int fd = memfd_create("simgpu-nccl", MFD_CLOEXEC);
    if (fd < 0 || getrandom(nonce, sizeof *nonce, 0) < 0 ||
        pwrite(fd, nonce, sizeof *nonce, 0) != sizeof *nonce)
        proc_fault(NULL, "cannot make a communicator: %m");
    return fd;
}

static ncclResult_t map_hub(struct ncclComm *c, const struct id *id)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", id->owner.pid, id->fd);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return comm_error(ncclSystemError,
                          "the process that made the unique id is gone");
    c->hub_nbytes = comm_hub_nbytes(c->nranks);
    uint64_t nonce = 0;
    const int ok = pread(fd, &nonce, sizeof nonce, 0) == sizeof nonce &&
                   nonce == id->nonce &&
                   ftruncate(fd, (off_t)c->hub_nbytes) == 0;
    c->hub = ok ? mmap(NULL, c->hub_nbytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                       fd, 0)
                : MAP_FAILED;
    close(fd);
    if (c->hub == MAP_FAILED) {
        c->hub = NULL;
        return comm_error(ncclSystemError, "cannot map the communicator");
    }
    c->uid = nonce;
    return ncclSuccess;
}

static ncclResult_t join(struct ncclComm *c, const struct id *id)
{
    const ncclResult_t err = map_hub(c, id);
    if (err != ncclSuccess)
        return err;
    uint32_t nranks = 0;
    if (!atomic_compare_exchange_strong(&c->hub->nranks, &nranks,
                                        (uint32_t)c->nranks) &&
        nranks != (uint32_t)c->nranks)
        return comm_error(ncclInvalidArgument,
                          "rank %d says %d ranks, another said %u", c->rank,
                          c->nranks, nranks);
    c->hub->member[c->rank] =
        (struct member){proc()->id, proc_place(c->device)};
    atomic_fetch_add(&c->hub->joined, 1);
    proc_wake(&c->hub->joined);
    return ncclSuccess;
}

static void describe_join(const void *arg, char *out, size_t nbytes)
{
    const struct ncclComm *const c = arg;
    snprintf(out, nbytes, "%u of %d ranks have joined the communicator",
             atomic_load(&c->hub->joined), c->nranks);
}

ncclResult_t comm_wait_ready(struct ncclComm *c)
{
    const struct wait_note note = {
        .call = "ncclCommInitRank", .describe = describe_join, .arg = c};
    comm_wait_at_least(&c->hub->joined, (uint32_t)c->nranks, &note);
    for (int a = 0; a < c->nranks; a++) {
        proc_attach(&c->hub->member[a].id);
        for (int b = 0; b < a; b++)
            if (c->hub->member[a].place == c->hub->member[b].place)
                return comm_error(ncclInvalidUsage,
                                  "Duplicate GPU detected : rank %d and rank "
                                  "%d both on CUDA device %d",
                                  b, a, c->hub->member[a].place);
    }
    c->ready = 1;
    return ncclSuccess;
}

/* ---- the functions ------------------------------------------------------------------ */

ncclResult_t pncclGetUniqueId(ncclUniqueId *uniqueId)
{
    if (!uniqueId)
        return comm_error(ncclInvalidArgument,
                          "ncclGetUniqueId: uniqueId is NULL");
    struct id id = {.magic = MAGIC, .owner = proc()->id};
    id.fd = make_hub(&id.nonce);
    memset(uniqueId, 0, sizeof *uniqueId);
    memcpy(uniqueId, &id, sizeof id);
    return ncclSuccess;
}

ncclResult_t pncclCommInitRankConfig(ncclComm_t *comm, int nranks,
                                     ncclUniqueId commId, int rank,
                                     ncclConfig_t *config)
{
    struct id id;
    memcpy(&id, &commId, sizeof id);
    if (!comm)
        return comm_error(ncclInvalidArgument, "ncclCommInitRank: comm is "
                                               "NULL");
    if (nranks < 1 || rank < 0 || rank >= nranks)
        return comm_error(ncclInvalidArgument,
                          "ncclCommInitRank: rank %d of %d", rank, nranks);
    if (id.magic != MAGIC)
        return comm_error(ncclInvalidArgument,
                          "ncclCommInitRank: the unique id was not made by "
                          "ncclGetUniqueId (was it broadcast?)");
    if (config && config->magic != 0xcafebeef)
        return comm_error(ncclInvalidArgument,
                          "ncclCommInitRankConfig: config is not initialised "
                          "with NCCL_CONFIG_INITIALIZER");
    struct ncclComm *const c = comm_new(nranks, rank, device_current());
    if (!c)
        return ncclSystemError;
    if (config && config->blocking == 0)
        c->blocking = 0;
    ncclResult_t err = join(c, &id);
    if (err == ncclSuccess && c->blocking)
        err = group_init(c);
    if (err != ncclSuccess) {
        comm_free(c);
        *comm = NULL;
        return err;
    }
    *comm = c;
    return c->blocking ? ncclSuccess : ncclInProgress;
}

ncclResult_t pncclCommInitRank(ncclComm_t *comm, int nranks,
                               ncclUniqueId commId, int rank)
{
    return pncclCommInitRankConfig(comm, nranks, commId, rank, NULL);
}

ncclResult_t pncclCommInitAll(ncclComm_t *comm, int ndev, const int *devlist)
{
    ncclUniqueId id;
    if (!comm || ndev < 1)
        return comm_error(ncclInvalidArgument, "ncclCommInitAll: %d devices",
                          ndev);
    const int before = device_current();
    ncclResult_t err = pncclGetUniqueId(&id);
    if (err == ncclSuccess)
        err = pncclGroupStart();
    for (int i = 0; i < ndev && err == ncclSuccess; i++)
        err = device_set(devlist ? devlist[i] : i) == 0
                  ? pncclCommInitRank(&comm[i], ndev, id, i)
                  : comm_error(ncclInvalidArgument,
                               "ncclCommInitAll: there is no device %d",
                               devlist ? devlist[i] : i);
    device_set(before);
    const ncclResult_t end = pncclGroupEnd();
    return err != ncclSuccess ? err : end;
}

ncclResult_t comm_check(ncclComm_t comm, const char *call)
{
    if (!comm || comm->magic != MAGIC)
        return comm_error(ncclInvalidArgument,
                          "%s: the communicator is NULL or corrupt", call);
    if (!comm->ready || comm->finalized)
        return comm_error(ncclInvalidUsage, "%s: the communicator is %s", call,
                          comm->finalized ? "finalized" : "not ready yet");
    return ncclSuccess;
}

ncclResult_t pncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError)
{
    if (!comm || comm->magic != MAGIC || !asyncError)
        return comm_error(ncclInvalidArgument,
                          "ncclCommGetAsyncError: a NULL argument");
    *asyncError = ncclSuccess;
    if (!comm->ready)
        *asyncError = atomic_load(&comm->hub->joined) < (uint32_t)comm->nranks
                          ? ncclInProgress
                          : comm_wait_ready(comm);
    return ncclSuccess;
}

ncclResult_t pncclCommFinalize(ncclComm_t comm)
{
    if (!comm || comm->magic != MAGIC || comm->finalized)
        return comm_error(ncclInvalidArgument,
                          "ncclCommFinalize: the communicator is NULL, "
                          "corrupt, or finalized before");
    comm->finalized = 1;
    return ncclSuccess;
}

ncclResult_t pncclCommDestroy(ncclComm_t comm)
{
    enum { MAX = 1024 };
    struct mark marks[MAX];
    if (!comm)
        return ncclSuccess;
    if (comm->magic != MAGIC)
        return comm_error(ncclInvalidArgument,
                          "ncclCommDestroy: the communicator is corrupt, or "
                          "destroyed before");
    const int n = device_marks(comm->device, 0, marks, MAX);
    marks_join(marks, n, "ncclCommDestroy", PROC_SITE());
    comm_free(comm);
    return ncclSuccess;
}

ncclResult_t pncclCommAbort(ncclComm_t comm)
{
    if (!comm || comm->magic != MAGIC)
        return comm_error(ncclInvalidArgument,
                          "ncclCommAbort: the communicator is NULL or corrupt");
    comm->finalized = 1; // operations may still be using it: never freed
    return ncclSuccess;
}

static ncclResult_t getter(ncclComm_t comm, int *out, const char *call)
{
    if (!out)
        return comm_error(ncclInvalidArgument, "%s: a NULL argument", call);
    return comm_check(comm, call);
}

ncclResult_t pncclCommCount(const ncclComm_t comm, int *count)
{
    const ncclResult_t err = getter(comm, count, "ncclCommCount");
    if (err == ncclSuccess)
        *count = comm->nranks;
    return err;
}

ncclResult_t pncclCommCuDevice(const ncclComm_t comm, int *device)
{
    const ncclResult_t err = getter(comm, device, "ncclCommCuDevice");
    if (err == ncclSuccess)
        *device = comm->device;
    return err;
}

ncclResult_t pncclCommUserRank(const ncclComm_t comm, int *rank)
{
    const ncclResult_t err = getter(comm, rank, "ncclCommUserRank");
    if (err == ncclSuccess)
        *rank = comm->rank;
    return err;
}

/* ---- split ----------------------------------------------------------------------------- */

static void describe_split(const void *arg, char *out, size_t nbytes)
{
    const struct ncclComm *const c = arg;
    snprintf(out, nbytes, "waits for the other ranks of %d to call it",
             c->nranks);
}

/* Does rank a come before rank b in the new communicator? */
static int before(const struct post *a, int rank_a, const struct post *b,
                  int rank_b)
{
    return a->key != b->key ? a->key < b->key : rank_a < rank_b;
}

ncclResult_t pncclCommSplit(ncclComm_t comm, int color, int key,
                            ncclComm_t *newcomm, ncclConfig_t *config)
{
    ncclResult_t err = comm_check(comm, "ncclCommSplit");
    if (err != ncclSuccess)
        return err;
    if (!newcomm || (color < 0 && color != NCCL_SPLIT_NOCOLOR))
        return comm_error(ncclInvalidArgument,
                          "ncclCommSplit: newcomm is NULL, or color %d is "
                          "negative",
                          color);
    *newcomm = NULL;
    const struct wait_note note = {.call = "ncclCommSplit",
                                   .site = PROC_SITE(),
                                   .describe = describe_split,
                                   .arg = comm};
    const uint64_t seq = comm->ncolls++;
    comm_enter(comm, seq, &note);
    struct post *const mine = comm_post(comm, seq, comm->rank);
    struct id id = {.magic = MAGIC, .owner = proc()->id};
    // Anyone may turn out to be the new rank 0, so all bring a hub.
    id.fd = make_hub(&id.nonce);
    *mine = (struct post){.kind = COLL_SPLIT,
                          .color = color,
                          .key = key,
                          .hub_fd = id.fd,
                          .hub_nonce = id.nonce};
    comm_meet(comm, seq, &note);
    int nranks = 0, rank = 0, first = -1;
    for (int r = 0; r < comm->nranks && color >= 0; r++) {
        const struct post *const p = comm_post(comm, seq, r);
        if (p->color != color)
            continue;
        nranks++;
        rank += before(p, r, mine, comm->rank);
        if (first < 0 || before(p, r, comm_post(comm, seq, first), first))
            first = r;
    }
    const int own_hub = id.fd;
    if (first >= 0) {
        const struct post *const p = comm_post(comm, seq, first);
        id.owner = comm->hub->member[first].id;
        id.fd = p->hub_fd;
        id.nonce = p->hub_nonce;
    }
    comm_leave(comm, seq);
    if (first < 0 || first != comm->rank)
        close(own_hub);
    if (first < 0)
        return ncclSuccess;
    ncclUniqueId unique = {{0}};
    memcpy(&unique, &id, sizeof id);
    return pncclCommInitRankConfig(newcomm, nranks, unique, rank, config);
}

NCCL_ALIAS(ncclGetVersion)
NCCL_ALIAS(ncclGetUniqueId)
NCCL_ALIAS(ncclCommInitRank)
NCCL_ALIAS(ncclCommInitRankConfig)
NCCL_ALIAS(ncclCommInitAll)
NCCL_ALIAS(ncclCommFinalize)
NCCL_ALIAS(ncclCommDestroy)
NCCL_ALIAS(ncclCommAbort)
NCCL_ALIAS(ncclCommSplit)
NCCL_ALIAS(ncclCommGetAsyncError)
NCCL_ALIAS(ncclCommCount)
NCCL_ALIAS(ncclCommCuDevice)
NCCL_ALIAS(ncclCommUserRank)
NCCL_ALIAS(ncclGetErrorString)
NCCL_ALIAS(ncclGetLastError)
