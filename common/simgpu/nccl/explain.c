#include "nccl/explain.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* getenv */

#include "core/clock/model.h"
#include "core/report.h"
#include "nccl/coll.h"

/* ---- communicators ------------------------------------------------------- */

/* The ranks' GPUs as places on the machine; the caller frees the array. */
static int32_t *places_of(const struct ncclComm *c)
{
    int32_t *const place = simgpu_need(calloc((size_t)c->nranks, sizeof *place),
                                       "%d ranks", c->nranks);
    for (int r = 0; r < c->nranks; r++)
        place[r] = c->hub.hub->member[r].place;
    return place;
}

/* "ncclCommInitRank comm 0x55.. rank 0 nranks 4 cudaDev 0 busId 1b000 ..." */
static void say_init(const struct ncclComm *c, const char *call,
                     const char *origin, const char *state)
{
    debug_info(DEBUG_INIT, c->device,
               "%s comm %p rank %d nranks %d cudaDev %d nvmlDev %d busId %llx "
               "%s - Init %s",
               call, (const void *)c, c->rank, c->nranks, c->device, c->device,
               comm_bus_id(simgpu_proc_place(c->device)), origin, state);
}

static void set_by_environment(const struct ncclComm *c, const char *name)
{
    const char *const value = getenv(name);
    if (value && *value)
        debug_info(DEBUG_ENV, c->device, "%s set by environment to %s", name,
                   value);
}

void explain_init_start(const struct ncclComm *c, const char *call)
{
    char origin[64];
    snprintf(origin, sizeof origin, "commId 0x%llx",
             (unsigned long long)c->uid);
    set_by_environment(c, "NCCL_ALGO");
    set_by_environment(c, "NCCL_PROTO");
    say_init(c, call, origin, "START");
}

int explain_channels(const struct ncclComm *c)
{
    int32_t *const place = places_of(c);
    const int n = simgpu_model_channels(place, c->nranks);
    free(place);
    return config_channels(&c->config, n);
}

/* "Channel 00/24 : 0 1 2 3", printed by rank 0. */
static void say_channels(const struct ncclComm *c)
{
    int32_t *const place = places_of(c);
    int *const rank = calloc((size_t)c->nranks, sizeof *rank);
    const int n = explain_channels(c);
    for (int k = 0; k < n && rank && c->rank == 0; k++) {
        char ring[2048] = "";
        size_t at = 0;
        simgpu_model_ring(place, c->nranks, k, rank);
        for (int i = 0; i < c->nranks && at < sizeof ring - 16; i++)
            at += (size_t)snprintf(ring + at, sizeof ring - at, " %d", rank[i]);
        debug_info(DEBUG_INIT | DEBUG_GRAPH, c->device, "Channel %02d/%02d :%s",
                   k, n, ring);
    }
    debug_info(DEBUG_INIT, c->device, "%d coll channels", n);
    free(rank);
    free(place);
}

void explain_init_complete(const struct ncclComm *c,
                           const struct ncclComm *parent, const char *call,
                           int color, int key)
{
    char origin[128];
    if (!debug_wants(DEBUG_INIT | DEBUG_GRAPH))
        return;
    if (parent)
        snprintf(origin, sizeof origin, "parent %p color %d key %d",
                 (const void *)parent, color, key);
    else
        snprintf(origin, sizeof origin, "commId 0x%llx",
                 (unsigned long long)c->uid);
    say_channels(c);
    say_init(c, call, origin, "COMPLETE");
}

/* ---- calls --------------------------------------------------------------- */

int explain_choice(const struct nccl_call *c, struct model_choice *out,
                   char *err, size_t err_nbytes)
{
    int32_t *const place = places_of(c->comm);
    const int result =
        simgpu_model_choice(coll_op(c), place, c->comm->nranks, coll_nbytes(c),
                            out, err, err_nbytes);
    free(place);
    return result;
}

void explain_call(const struct nccl_call *c)
{
    struct model_choice choice;
    char err[512];
    const struct ncclComm *const comm = c->comm;
    const char *const name = call_short_name(c);
    debug_info(DEBUG_COLL, comm->device,
               "%s: opCount %llx sendbuff %s recvbuff %s count %zu datatype %d "
               "op %d root %d comm %p [nranks=%d] stream %s",
               name, (unsigned long long)comm->nrendezvous,
               simgpu_pointer_text(c->sendbuf).text,
               simgpu_pointer_text(c->recvbuf).text, c->count, (int)c->type,
               (int)c->op, c->root, (const void *)comm, comm->nranks,
               simgpu_pointer_text(c->stream).text);
    if (c->kind != CALL_COLL || comm->rank != 0 || !debug_wants(DEBUG_TUNING))
        return;
    if (explain_choice(c, &choice, err, sizeof err) == 0)
        debug_info(DEBUG_TUNING, comm->device,
                   "%s: %zu Bytes -> Algo %s proto %s channel{Lo..Hi}={0..%d}",
                   name, coll_nbytes(c), choice.algo, choice.proto,
                   explain_channels(comm) - 1);
}

/* ---- NCCL_ALGO, NCCL_PROTO ----------------------------------------------- */

ncclResult_t explain_check_settings(void)
{
    char err[512];
    return simgpu_model_sets(NULL, NULL, err, sizeof err) == 0
               ? ncclSuccess
               : nccl_error(ncclInvalidUsage, "%s", err);
}

ncclResult_t explain_check_choice(const struct nccl_call *c)
{
    struct model_choice choice;
    char err[512];
    const char *const algo = getenv("NCCL_ALGO"), *const proto =
                                                      getenv("NCCL_PROTO");
    if (c->kind != CALL_COLL || c->count == 0 || (!algo && !proto) ||
        explain_choice(c, &choice, err, sizeof err) == 0)
        return ncclSuccess;
    return nccl_error(ncclInvalidUsage,
                      "Error : no algorithm/protocol available for function "
                      "%s: %s",
                      call_short_name(c), err);
}
