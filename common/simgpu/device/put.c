#include "simgpu/remote.h"

#include <stdlib.h> /* malloc */
#include <string.h> /* memmove */

#include "core/report.h"
#include "core/site.h"
#include "core/watch/check.h"
#include "device/access.h"
#include "device/access_log.h"

struct transfer {
    enum simgpu_transfer how;
    char *to;
    const char *from;
    size_t nbytes;
    char *was;    /* PUT_LATER: contents of `from` at the call */
    int was_read; /* GET_LATER: the kernel has read `to` before */
    const char *call;
    const void *pc;
};

static struct transfer *add(struct access_log *g, struct transfer t)
{
    if (g->ntransfers == g->cap_transfers) {
        g->cap_transfers = g->cap_transfers ? 2 * g->cap_transfers : 64;
        g->transfer =
            realloc(g->transfer, g->cap_transfers * sizeof *g->transfer);
        if (!g->transfer)
            simgpu_report_fault(NULL, "out of host memory for a kernel's puts");
    }
    g->transfer[g->ntransfers] = t;
    return &g->transfer[g->ntransfers++];
}

/* True if the latest transfer is a put by the same call that ends where this
 * one begins, so that it now includes this one. */
static int extends_latest(struct access_log *g, const char *to, size_t nbytes,
                          const void *pc)
{
    struct transfer *const t =
        g->ntransfers ? &g->transfer[g->ntransfers - 1] : NULL;
    if (!t || t->how != SIMGPU_PUT || t->pc != pc || t->to + t->nbytes != to)
        return 0;
    t->nbytes += nbytes;
    return 1;
}

void simgpu_transfer(enum simgpu_transfer how, void *to, const void *from,
                     size_t nbytes, const char *call, const void *pc)
{
    struct access_log *const g = access_shared();
    if (nbytes == 0)
        return;
    if (how == SIMGPU_PUT) {
        access_touch(from, nbytes, ACCESS_READ, pc);
        memmove(to, from, nbytes);
        if (extends_latest(g, to, nbytes, pc))
            return;
    }
    struct transfer *const t = add(g, (struct transfer){.how = how,
                                                        .to = to,
                                                        .from = from,
                                                        .nbytes = nbytes,
                                                        .call = call,
                                                        .pc = pc});
    if (how == SIMGPU_GET_LATER)
        t->was_read = access_has_read(to, nbytes);
    if (how != SIMGPU_PUT_LATER)
        return;
    t->was = malloc(nbytes);
    if (!t->was)
        simgpu_report_fault(NULL, "out of host memory for a kernel's puts");
    memcpy(t->was, from, nbytes);
}

/* Report that the program changed or read bytes that are
 * not its own until it waits. */
static void note_misuse(const struct transfer *t)
{
    const uint32_t site = simgpu_site(t->pc);
    char where[256];
    simgpu_site_text(site, where, sizeof where);
    if (t->was && memcmp(t->was, t->from, t->nbytes) != 0)
        simgpu_check_note(
            site,
            "%s at %s: its source has changed before nvshmem_quiet(): "
            "some of its %zu bytes are sent as they are now",
            t->call, where, t->nbytes);
    if (t->how == SIMGPU_GET_LATER && !t->was_read &&
        access_has_read(t->to, t->nbytes))
        simgpu_check_note(
            site,
            "%s at %s: some of its %zu bytes have been read before "
            "nvshmem_quiet(): they had not come yet",
            t->call, where, t->nbytes);
}

static void arrive(struct transfer *t)
{
    if (t->how != SIMGPU_PUT) {
        note_misuse(t);
        access_touch(t->from, t->nbytes, ACCESS_READ, t->pc);
        memmove(t->to, t->from, t->nbytes);
    }
    access_touch(t->to, t->nbytes, ACCESS_WRITE, t->pc);
    free(t->was);
}

void simgpu_arrive(void)
{
    struct access_log *const g = access_shared();
    for (size_t i = 0; i < g->ntransfers; i++)
        arrive(&g->transfer[i]);
    g->ntransfers = 0;
}
