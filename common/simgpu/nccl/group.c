#include "nccl/group.h"

#include <stdlib.h> /* realloc */
#include <string.h> /* memcpy, strlen */

#include "core/device.h"
#include "core/report.h"
#include "core/stream/deferred.h"
#include "nccl/connect.h"
#include "nccl/execute.h"
#include "nccl/open_group.h"
#include "nccl/simulate.h"
#include "nccl/unpolled.h"

struct list { /* a growing array of structs of one size */
    void *at;
    int n, cap;
};

/* The calling thread's group. */
static _Thread_local struct {
    int depth;
    ncclResult_t err; /* error of the first call that failed */
    struct list calls, setups;
} group;

/* A group of non-blocking communicators, which all point to it. */
struct batch {
    struct nccl_call *call;
    int n, refs;
    struct unpolled *unpolled; /* NULL once they are enqueued or dropped */
};

static void append(struct list *l, const void *item, size_t nbytes)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? 2 * l->cap : 16;
        l->at = simgpu_need(realloc(l->at, (size_t)l->cap * nbytes),
                            "a group of %d calls", l->cap);
    }
    memcpy((char *)l->at + (size_t)l->n++ * nbytes, item, nbytes);
}

static struct nccl_call *calls(void)
{
    return group.calls.at;
}

static struct setup *setups(void)
{
    return group.setups.at;
}

/* Keep the note of what the group holds up to date. */
static void note_held(void)
{
    const struct nccl_call *const c = calls();
    const struct setup *const s = setups();
    if (group.err != ncclSuccess || group.calls.n + group.setups.n == 0)
        open_group_holds(0, NULL, 0);
    else
        open_group_holds(group.calls.n + group.setups.n,
                         group.calls.n ? c->name : s->call,
                         group.calls.n ? c->site : s->site);
}

/* ---- what a group must not contain --------------------------------------- */

/* Check that a rank sends to itself as often as it receives from itself. */
static ncclResult_t check_self(void)
{
    for (int i = 0; i < group.calls.n; i++) {
        const struct ncclComm *const comm = calls()[i].comm;
        int balance = 0;
        for (int k = 0; k < group.calls.n; k++) {
            const struct nccl_call *const c = &calls()[k];
            if (c->comm == comm && c->root == comm->rank &&
                (c->kind == CALL_SEND || c->kind == CALL_RECV))
                balance += c->kind == CALL_SEND ? 1 : -1;
        }
        if (balance != 0)
            return nccl_error(ncclInvalidUsage,
                              balance > 0 ? "Trying to send to self without a "
                                            "matching recv (rank %d)"
                                          : "Trying to recv to self without a "
                                            "matching send (rank %d)",
                              comm->rank);
    }
    return ncclSuccess;
}

static int blocking_of(int i)
{
    return i < group.calls.n
               ? calls()[i].comm->config.blocking
               : setup_owner(&setups()[i - group.calls.n])->config.blocking;
}

static ncclResult_t check_blocking(void)
{
    for (int i = 1; i < group.calls.n + group.setups.n; i++)
        if (blocking_of(i) != blocking_of(0))
            return nccl_error(ncclInvalidArgument,
                              "Blocking and nonblocking communicators are not "
                              "allowed in the same group.");
    return ncclSuccess;
}

/* ---- running a group ----------------------------------------------------- */

/* The number of setups before setup i that belong to the same communicator. */
static int before(int i)
{
    int n = 0;
    for (int k = 0; k < i; k++)
        n += setup_owner(&setups()[k]) == setup_owner(&setups()[i]);
    return n;
}

/* The round in which setup i runs: a hub has slots for few rendezvous at a
 * time. */
static int round_of(int i)
{
    return before(i) / SETUP_WINDOWS;
}

/* True if a communicator has several setups; only one can be postponed. */
static int any_has_several(void)
{
    for (int i = 0; i < group.setups.n; i++)
        if (before(i) > 0)
            return 1;
    return 0;
}

/* Run one step for all communicators before the next step. */
static ncclResult_t run_round(int round)
{
    for (int step = SETUP_OFFER; step < SETUP_DONE; step++)
        for (int i = 0; i < group.setups.n; i++) {
            struct setup *const s = &setups()[i];
            if ((int)s->step != step || round_of(i) != round)
                continue;
            const ncclResult_t err = setup_advance(s, 1);
            if (err != ncclSuccess)
                return err;
        }
    return ncclSuccess;
}

static ncclResult_t run_setups(void)
{
    int last = -1;
    ncclResult_t err = ncclSuccess;
    for (int i = 0; i < group.setups.n; i++)
        last = round_of(i) > last ? round_of(i) : last;
    for (int round = 0; round <= last && err == ncclSuccess; round++)
        err = run_round(round);
    return err;
}

static void *copy_of(const void *from, size_t nbytes)
{
    return memcpy(simgpu_need(malloc(nbytes), "a group"), from, nbytes);
}

/* Postpone the group: ncclCommGetAsyncError will run it. */
static ncclResult_t hand_over(void)
{
    for (int i = 0; i < group.setups.n; i++) {
        struct setup *const s = &setups()[i];
        struct ncclComm *const owner = setup_owner(s);
        owner->setup = copy_of(s, sizeof *s);
        unpolled_end(&owner->unpolled);
        owner->unpolled = unpolled_setup(s->call, s->site);
    }
    if (group.calls.n == 0)
        return ncclInProgress;
    const struct batch b = {
        .call =
            copy_of(calls(), (size_t)group.calls.n * sizeof(struct nccl_call)),
        .n = group.calls.n,
        .unpolled = unpolled_calls(calls(), group.calls.n)};
    struct batch *const batch = copy_of(&b, sizeof b);
    for (int i = 0; i < batch->n; i++)
        if (batch->call[i].comm->pending != batch) {
            batch->call[i].comm->pending = batch;
            batch->refs++;
        }
    return ncclInProgress;
}

/* ---- capturing a group --------------------------------------------------- */

struct captured { /* one device's calls */
    int n;
    struct nccl_call call[];
};

static void enqueue_captured(void *arg, void *stream)
{
    struct captured *const c = arg;
    for (int i = 0; i < c->n; i++)
        c->call[i].stream = stream;
    execute_calls(c->call, c->n);
}

/* True if a stream of this device, or for -1 of any device, is being
 * captured. */
static int any_captured(int device)
{
    for (int i = 0; i < group.calls.n; i++)
        if ((device < 0 || calls()[i].comm->device == device) &&
            simgpu_stream_capture(calls()[i].stream))
            return 1;
    return 0;
}

/* Add the calls on this device's communicators to the captured graph as a
 * node. */
static int capture_device(int device)
{
    const size_t n = (size_t)group.calls.n;
    struct stream **const streams =
        simgpu_need(calloc(n + 1, sizeof *streams), "a group");
    struct captured *const c = simgpu_need(
        calloc(1, sizeof *c + n * sizeof(struct nccl_call)), "a group");
    for (size_t i = 0; i < n; i++)
        if (calls()[i].comm->device == device) {
            streams[c->n] = calls()[i].stream;
            c->call[c->n++] = calls()[i];
        }
    const struct stream_work work = {.name =
                                         n == 1 ? "NCCL call" : "NCCL group",
                                     .site = c->call[0].site,
                                     .enqueue = enqueue_captured,
                                     .release = free,
                                     .arg = c};
    const int err = simgpu_stream_defer(streams, c->n, &work);
    free(streams);
    if (err)
        free(c);
    return err;
}

static ncclResult_t partly_captured(void)
{
    return nccl_error(ncclInvalidUsage,
                      "Either all streams of a group are captured, in one "
                      "graph, or none.");
}

static ncclResult_t capture_calls(void)
{
    // check all devices before adding a node for any
    for (int i = 0; i < group.calls.n; i++)
        if (!any_captured(calls()[i].comm->device))
            return partly_captured();
    for (int i = 0; i < group.calls.n; i++) {
        int k = 0;
        while (calls()[k].comm->device != calls()[i].comm->device)
            k++;
        if (k == i && capture_device(calls()[i].comm->device) != 0)
            return partly_captured();
    }
    return ncclSuccess;
}

static ncclResult_t run_group(float *estimated_us)
{
    const int n = group.calls.n + group.setups.n;
    ncclResult_t err = check_blocking();
    if (err == ncclSuccess)
        err = check_self();
    if (err != ncclSuccess || n == 0)
        return err;
    if (!estimated_us)
        err = execute_events(calls(), group.calls.n);
    if (err != ncclSuccess)
        return err;
    if (!blocking_of(0) && !estimated_us && !any_has_several()) {
        connect_calls(calls(), group.calls.n);
        return hand_over();
    }
    err = run_setups();
    if (err == ncclSuccess && estimated_us)
        return simulate_calls(calls(), group.calls.n, estimated_us);
    if (err != ncclSuccess || group.calls.n == 0)
        return err;
    connect_calls(calls(), group.calls.n);
    if (any_captured(-1))
        return capture_calls();
    execute_calls(calls(), group.calls.n);
    for (int i = 0; i < group.calls.n; i++)
        if (simgpu_device_lost(calls()[i].comm->device))
            return nccl_error(ncclUnhandledCudaError,
                              "Cuda failure 999 'unknown error'");
    return ncclSuccess;
}

static ncclResult_t end(float *estimated_us)
{
    if (group.depth == 0)
        return nccl_error(ncclInvalidUsage,
                          "ncclGroupEnd: not in a group call.");
    if (--group.depth > 0)
        return ncclSuccess;
    profiler_end_group();
    entry_group(0);
    open_group_end();
    ncclResult_t err = group.err;
    if (err == ncclSuccess)
        err = run_group(estimated_us);
    if (err != ncclSuccess && err != ncclInProgress)
        for (int i = 0; i < group.setups.n; i++)
            setup_cancel(&setups()[i]);
    group.calls.n = group.setups.n = 0;
    group.err = ncclSuccess;
    profiler_leave_group();
    return err;
}

void group_enter(void)
{
    group.depth++;
}

ncclResult_t group_leave(ncclResult_t err)
{
    if (err != ncclSuccess && group.err == ncclSuccess)
        group.err = err;
    note_held();
    const ncclResult_t ended = end(NULL);
    return err != ncclSuccess ? err : ended;
}

ncclResult_t group_add(const struct nccl_call *c)
{
    struct nccl_call call = *c;
    profiler_enter_call(&call, group.depth);
    append(&group.calls, &call, sizeof call);
    profiler_leave_call(&call);
    note_held();
    return ncclSuccess;
}

ncclResult_t group_add_setup(const struct setup *s)
{
    append(&group.setups, s, sizeof *s);
    note_held();
    return ncclSuccess;
}

/* ---- non-blocking communicators ------------------------------------------ */

static void leave_batch(struct ncclComm *c)
{
    struct batch *const b = c->pending;
    c->pending = NULL;
    if (!b)
        return;
    unpolled_end(&b->unpolled);
    if (--b->refs > 0)
        return;
    free(b->call);
    free(b);
}

ncclResult_t group_progress(struct ncclComm *c)
{
    unpolled_end(&c->unpolled);
    while (c->setup && c->setup->step != SETUP_DONE) {
        const ncclResult_t err = setup_advance(c->setup, 0);
        if (err == ncclInProgress)
            return err;
        if (err != ncclSuccess) {
            free(c->setup);
            c->setup = NULL;
            atomic_store(&c->error, (int)err);
            return err;
        }
    }
    free(c->setup);
    c->setup = NULL;
    if (c->pending && c->pending->n > 0) {
        unpolled_end(&c->pending->unpolled);
        execute_calls(c->pending->call, c->pending->n);
        // this ran the calls of the group's other communicators, too
        c->pending->n = 0;
    }
    leave_batch(c);
    return ncclSuccess;
}

/* Remove the calls on c from the thread's group. Returns their number. */
static int drop_calls(const struct ncclComm *c, struct nccl_call *call, int *n)
{
    int kept = 0;
    for (int i = 0; i < *n; i++)
        if (call[i].comm != c)
            call[kept++] = call[i];
    const int dropped = *n - kept;
    *n = kept;
    return dropped;
}

static int drop_setups(const struct ncclComm *c)
{
    int kept = 0;
    for (int i = 0; i < group.setups.n; i++) {
        struct setup *const s = &setups()[i];
        if (s->parent == c)
            setup_cancel(s);
        else if (s->comm != c)
            setups()[kept++] = *s;
    }
    const int dropped = group.setups.n - kept;
    group.setups.n = kept;
    return dropped;
}

int group_uses(const struct ncclComm *c)
{
    for (int i = 0; i < group.calls.n; i++)
        if (calls()[i].comm == c)
            return 1;
    return 0;
}

void group_forget(struct ncclComm *c, const char *call)
{
    if (drop_calls(c, calls(), &group.calls.n) + drop_setups(c) > 0 &&
        group.err == ncclSuccess)
        group.err = nccl_error(ncclInvalidUsage,
                               "%s : the open group has calls on this "
                               "communicator",
                               call + strlen("nccl"));
    note_held();
    if (c->setup && c->setup->comm != c)
        setup_cancel(c->setup);
    free(c->setup);
    c->setup = NULL;
    unpolled_end(&c->unpolled);
    if (c->pending)
        drop_calls(c, c->pending->call, &c->pending->n);
    leave_batch(c);
}

/* ---- the functions ------------------------------------------------------- */

ncclResult_t pncclGroupStart(void)
{
    NCCL_ENTER();
    group_enter();
    entry_group(1);
    open_group_begin(CALLER_SITE());
    return ncclSuccess;
}

ncclResult_t pncclGroupEnd(void)
{
    NCCL_ENTER();
    return end(NULL);
}

ncclResult_t pncclGroupSimulateEnd(ncclSimInfo_t *simInfo)
{
    NCCL_ENTER();
    ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
    size_t nbytes = 0;
    const unsigned magic = info.magic;
    if (!simInfo)
        return end(NULL); // as in NCCL, equivalent to ncclGroupEnd
    memcpy(&nbytes, simInfo, sizeof nbytes);
    if (nbytes > sizeof info)
        nbytes = sizeof info;
    info.magic = 0;
    memcpy(&info, simInfo, nbytes);
    if (info.magic != magic && group.depth == 1 && group.err == ncclSuccess)
        group.err = nccl_error(ncclInvalidArgument,
                               "ncclSimInfo_t argument not initialized via "
                               "NCCL_SIM_INFO_INITIALIZER");
    const ncclResult_t err = end(&info.estimatedTime);
    if (err == ncclSuccess)
        memcpy(simInfo, &info, nbytes);
    return err;
}

NCCL_ALIAS(ncclGroupStart)
NCCL_ALIAS(ncclGroupEnd)
NCCL_ALIAS(ncclGroupSimulateEnd)
