#include "nccl/group.h"

#include <stdlib.h> /* realloc */
#include <string.h> /* memset */

/* The group that the calling thread is in. */
static _Thread_local struct group {
    int depth;
    struct call *call;
    int n, cap;
    struct ncclComm **init;
    int ninit, cap_init;
} group;

static void *grow(void *array, int *cap, size_t nbytes)
{
    *cap = *cap ? 2 * *cap : 16;
    void *const bigger = realloc(array, (size_t)*cap * nbytes);
    if (!bigger)
        proc_fault(NULL, "out of host memory for a group of %d calls", *cap);
    return bigger;
}

ncclResult_t group_init(struct ncclComm *c)
{
    if (group.depth == 0)
        return comm_wait_ready(c);
    if (group.ninit == group.cap_init)
        group.init = grow(group.init, &group.cap_init, sizeof *group.init);
    group.init[group.ninit++] = c;
    return ncclSuccess;
}

ncclResult_t group_add(const struct call *c)
{
    if (group.n == group.cap)
        group.call = grow(group.call, &group.cap, sizeof *group.call);
    group.call[group.n++] = *c;
    if (group.depth > 0)
        return ncclSuccess;
    pncclGroupStart();
    return pncclGroupEnd();
}

/* A rank sends to itself as often as it receives from itself. */
static ncclResult_t check_self(void)
{
    for (int i = 0; i < group.n; i++) {
        int balance = 0;
        for (int k = 0; k < group.n; k++) {
            const struct call *const c = &group.call[k];
            if (c->comm != group.call[i].comm || c->kind == CALL_COLL ||
                c->root != c->comm->rank)
                continue;
            balance += c->kind == CALL_SEND ? 1 : -1;
        }
        if (balance != 0)
            return comm_error(ncclInvalidUsage,
                              "rank %d sends to itself without receiving from "
                              "itself in the same group",
                              group.call[i].comm->rank);
    }
    return ncclSuccess;
}

static int blocking_mixed(void)
{
    for (int i = 1; i < group.n; i++)
        if (group.call[i].comm->blocking != group.call[0].comm->blocking)
            return 1;
    return 0;
}

ncclResult_t pncclGroupStart(void)
{
    group.depth++;
    return ncclSuccess;
}

ncclResult_t pncclGroupEnd(void)
{
    if (group.depth == 0)
        return comm_error(ncclInvalidUsage,
                          "ncclGroupEnd: not in a group call.");
    if (--group.depth > 0)
        return ncclSuccess;
    ncclResult_t err = ncclSuccess;
    for (int i = 0; i < group.ninit && err == ncclSuccess; i++)
        err = comm_wait_ready(group.init[i]);
    group.ninit = 0;
    if (err == ncclSuccess)
        err = check_self();
    if (err == ncclSuccess && blocking_mixed())
        err = comm_error(ncclInvalidArgument,
                         "blocking and non-blocking communicators in one "
                         "group");
    if (err == ncclSuccess)
        execute(group.call, group.n);
    group.n = 0;
    return err;
}

NCCL_ALIAS(ncclGroupStart)
NCCL_ALIAS(ncclGroupEnd)
