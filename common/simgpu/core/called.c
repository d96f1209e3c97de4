#include "core/called.h"

#include <stdatomic.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strncpy */

#include "core/site.h"

enum { SITES = 256 };

/* The locations of sites that were called; finding one takes microseconds. */
static struct {
    uint32_t site; /* 0: unused */
    struct site_location where;
} known[SITES];

/* If two threads make a call at the same moment, one of them is noted. */
static atomic_flag busy = ATOMIC_FLAG_INIT;

static const struct site_location *locate(uint32_t site)
{
    const uint32_t i = site % SITES;
    if (known[i].site != site) {
        simgpu_site_locate(site, &known[i].where);
        known[i].site = site;
    }
    return &known[i].where;
}

static _Thread_local uint64_t ncalls;

uint64_t called_count(void)
{
    return ncalls;
}

void simgpu_called(enum control_call kind, const char *name, uint32_t site)
{
    struct control *const own = control_own();
    ncalls++;
    if (!own || site == 0 || atomic_flag_test_and_set(&busy))
        return;
    if (own->called_site != site) {
        own->called_site = site;
        own->called = *locate(site);
    }
    own->called_kind = kind;
    strncpy(own->called_name, name, sizeof own->called_name - 1);
    atomic_flag_clear(&busy);
}

const char *called_text(const struct control *page, char *out, size_t nbytes)
{
    char where[256];
    if (page->called_site)
        snprintf(out, nbytes, "Its last call was %s%s at %s.",
                 page->called_kind == CONTROL_LAUNCH ? "the launch of " : "",
                 page->called_name,
                 simgpu_site_location_text(&page->called, where, sizeof where));
    else
        snprintf(out, nbytes, "It had not called CUDA, NCCL or MPI yet.");
    return out;
}
