#include "nccl/window.h"

#include <stdarg.h> /* va_list */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */

#include "core/clock/model.h"
#include "core/peer.h"
#include "core/report.h"
#include "nccl/coll.h"
#include "nccl/group.h"
#include "simgpu/multicast.h"

/* ---- teams --------------------------------------------------------------- */

/* The weakest reach between any two of ranks [first, first + n). */
static enum model_reach reach_of(const struct ncclComm *c, int first, int n)
{
    const struct hub_member *const member = c->hub.hub->member;
    enum model_reach least = MODEL_MULTICAST;
    for (int a = first; a < first + n; a++)
        for (int b = first; b < first + n; b++) {
            const enum model_reach r =
                simgpu_model_reach(member[a].place, member[b].place);
            least = r < least ? r : least;
        }
    return least;
}

int window_lsa_size(const struct ncclComm *c)
{
    for (int size = c->nranks; size > 1; size--) {
        int first = 0;
        while (c->nranks % size == 0 && first < c->nranks &&
               reach_of(c, first, size) != MODEL_NONE)
            first += size;
        if (first == c->nranks)
            return size;
    }
    return 1;
}

int window_has_multimem(const struct ncclComm *c)
{
    const int size = window_lsa_size(c);
    return size > 1 &&
           reach_of(c, c->rank / size * size, size) == MODEL_MULTICAST;
}

/* ---- registering --------------------------------------------------------- */

ncclResult_t window_begin(struct ncclComm *c, const struct window_spec *w,
                          struct comm_buffer **out)
{
    struct comm_buffer *b = c->buffer;
    while (b < c->buffer + COMM_REGISTERED && b->base)
        b++;
    if (b == c->buffer + COMM_REGISTERED)
        return nccl_error(ncclInvalidUsage, "%s : more than %d buffers",
                          w->call, COMM_REGISTERED);
    *b =
        (struct comm_buffer){.base = w->buff, .nbytes = w->nbytes, .window = 1};
    const struct setup s = {.step = SETUP_ARRIVE,
                            .call = w->call,
                            .site = w->site,
                            .parent = c,
                            .window = b,
                            .color = w->flags,
                            .key = w->is_resource};
    debug_info(DEBUG_REG, c->device, "comm %p register window %p size %zu",
               (void *)c, w->buff, w->nbytes);
    *out = b;
    return group_add_setup(&s);
}

static void describe_window(const void *arg, char *out, size_t nbytes)
{
    const struct setup *const s = arg;
    const struct ncclComm *const c = s->parent;
    snprintf(out, nbytes, "%u of %d ranks have called it",
             atomic_load(&hub_slot(&c->hub, s->seq)->arrived), c->nranks);
}

static struct wait_note note_of(const struct setup *s)
{
    return (struct wait_note){.call = s->call,
                              .site = s->site,
                              .describe = describe_window,
                              .arg = s};
}

static ncclResult_t lost(struct setup *s)
{
    return comm_lost(s->parent, s->call);
}

/* True if all ranks' parts have the same size. */
static int is_symmetric(const struct setup *s)
{
    return s->key || (s->color & NCCL_WIN_COLL_SYMMETRIC);
}

ncclResult_t window_arrive(struct setup *s)
{
    struct ncclComm *const c = s->parent;
    const struct wait_note note = note_of(s);
    struct heap_block block;
    s->seq = c->nrendezvous++;
    if (hub_enter(&c->hub, s->seq, &note) != 0)
        return lost(s);
    struct hub_post *const post = hub_post(&c->hub, s->seq, c->rank);
    *post = (struct hub_post){.kind = COLL_WINDOW,
                              .op = s->color,
                              .root = s->key,
                              .count = is_symmetric(s) ? s->window->nbytes : 0};
    simgpu_site_locate(s->site, &post->site);
    // recv is the allocation, send the window inside it
    if (simgpu_heap_find(s->window->base, &block) != 0 ||
        simgpu_heap_export(block.base, &post->recv) != 0 ||
        simgpu_heap_export(s->window->base, &post->send) != 0)
        return nccl_error(ncclInvalidArgument, "%s : %s is freed memory",
                          s->call, simgpu_pointer_text(s->window->base).text);
    if (hub_arrive(&c->hub, s->seq)) {
        coll_check(c, s->seq);
        hub_open(&c->hub, s->seq, c->nranks);
    }
    s->step = SETUP_FIND;
    return ncclSuccess;
}

/* Map all ranks' parts. */
static ncclResult_t map_parts(struct setup *s, struct simgpu_window *w)
{
    for (int r = 0; r < w->nranks; r++) {
        const struct hub_post *const p = hub_post(&s->parent->hub, s->seq, r);
        void *base;
        if (simgpu_heap_import(&p->recv, &base) != 0)
            return nccl_error(ncclSystemError,
                              "%s : cannot map the memory of rank %d", s->call,
                              r);
        w->base[r] = (char *)base + (p->send.offset - p->recv.offset);
    }
    if (w->symmetric && window_has_multimem(s->parent))
        w->multimem = simgpu_multicast_map(w->base + w->lsa_first,
                                           w->lsa_nranks, w->nbytes);
    return ncclSuccess;
}

ncclResult_t window_find(struct setup *s, int may_wait)
{
    struct ncclComm *const c = s->parent;
    const struct wait_note note = note_of(s);
    if (!may_wait && !hub_is_open(&c->hub, s->seq) && !hub_lost(&c->hub))
        return ncclInProgress;
    if (hub_wait_open(&c->hub, s->seq, &note) != 0)
        return lost(s);
    const int size = window_lsa_size(c);
    struct simgpu_window *const w = simgpu_need(
        calloc(1, sizeof *w + (size_t)c->nranks * sizeof *w->base), "a window");
    *w = (struct simgpu_window){.nbytes = s->window->nbytes,
                                .rank = c->rank,
                                .nranks = c->nranks,
                                .lsa_first = c->rank / size * size,
                                .lsa_nranks = size,
                                .symmetric = is_symmetric(s),
                                .purpose =
                                    s->key ? "resource buffer" : "window"};
    s->window->shared = w;
    const ncclResult_t err = map_parts(s, w);
    hub_done(&c->hub, s->seq, (uint32_t)c->nranks);
    s->step = SETUP_DONE;
    return err;
}

void window_discard(struct comm_buffer *b)
{
    struct simgpu_window *const w = b->shared;
    *b = (struct comm_buffer){0};
    if (!w)
        return;
    simgpu_multicast_unmap(w->multimem);
    for (int r = 0; r < w->nranks; r++)
        if (w->base[r])
            simgpu_heap_unimport(w->base[r]);
    free(w);
}

ncclResult_t window_check(ncclWindow_t window, const char *call,
                          const struct simgpu_window **out)
{
    *out = window ? ((const struct comm_buffer *)window)->shared : NULL;
    return *out ? ncclSuccess
                : nccl_error(ncclInvalidArgument, "%s : %s is no window", call,
                             simgpu_pointer_text(window).text);
}

/* ---- calls from device code ---------------------------------------------- */

void simgpu_nccl_fault(const char *call, const char *format, ...)
{
    char what[512];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    simgpu_kernel_fault(call, what);
}

static const struct simgpu_window *known(const void *window, const char *call)
{
    const struct simgpu_window *const w =
        window ? ((const struct comm_buffer *)window)->shared : NULL;
    if (!w)
        simgpu_nccl_fault(call, window
                                    ? "this window has been deregistered: "
                                      "deregister it when its kernels are over"
                                    : "the window is NULL");
    return w;
}

/* An offset at the very end is allowed: each access is checked separately. */
static void *part(const struct simgpu_window *w, size_t offset, size_t nbytes,
                  int rank, const char *call)
{
    if (offset > w->nbytes || nbytes > w->nbytes - offset)
        simgpu_nccl_fault(call, "%zu bytes at offset %zu of a %s of %zu bytes",
                          nbytes, offset, w->purpose, w->nbytes);
    return w->base[rank] + offset;
}

void *simgpu_nccl_pointer(const void *window, size_t offset, int rank,
                          const char *call)
{
    const struct simgpu_window *const w = known(window, call);
    if (rank == -1)
        return NULL;
    if (rank < w->lsa_first || rank >= w->lsa_first + w->lsa_nranks)
        simgpu_nccl_fault(call,
                          "the memory of rank %d is out of reach of loads and "
                          "stores: this rank's LSA team is ranks %d to %d",
                          rank, w->lsa_first, w->lsa_first + w->lsa_nranks - 1);
    if (rank != w->rank && !w->symmetric)
        simgpu_nccl_fault(call, "the window is not symmetric: register it "
                                "with NCCL_WIN_COLL_SYMMETRIC");
    return part(w, offset, 0, rank, call);
}

void *simgpu_nccl_remote(const void *window, size_t offset, size_t nbytes,
                         int rank, const char *call)
{
    const struct simgpu_window *const w = known(window, call);
    if (rank < 0 || rank >= w->nranks)
        simgpu_nccl_fault(call, "rank %d of %d", rank, w->nranks);
    return part(w, offset, nbytes, rank, call);
}

void *simgpu_nccl_multimem(const void *window, size_t offset, const void *set,
                           const char *call)
{
    const struct simgpu_window *const w = known(window, call);
    if (!set)
        simgpu_nccl_fault(call, "no multimem handle: create the device "
                                "communicator with lsaMultimem");
    if (!w->multimem)
        simgpu_nccl_fault(call, "the window has no multimem address: it is "
                                "not symmetric (NCCL_WIN_COLL_SYMMETRIC)");
    if (offset > w->nbytes)
        simgpu_nccl_fault(call, "offset %zu of a %s of %zu bytes", offset,
                          w->purpose, w->nbytes);
    return w->multimem + offset;
}

const void *simgpu_nccl_find(const void *comm, const void *p)
{
    const struct ncclComm *const c = comm;
    for (int i = 0; i < COMM_REGISTERED; i++) {
        const struct comm_buffer *const b = &c->buffer[i];
        if (b->shared && (const char *)p >= b->base &&
            (const char *)p < b->base + b->nbytes)
            return b;
    }
    return NULL;
}
