#include "core/quiet.h"

#include "core/peer.h"

static _Atomic uint64_t settled; /* 1 + the progress; 0: not quiet */

static int works(const struct control *page)
{
    return atomic_load(&page->active) > atomic_load(&page->polling);
}

int quiet_broken(uint64_t *progress, int *npolling)
{
    const struct control *const own = control_own();
    int broken = works(own);
    *progress = atomic_load(&own->progress);
    *npolling = atomic_load(&own->polling);
    for (struct peer *p = peer_first(); p; p = p->next) {
        if (p->control == own)
            continue;
        *progress += atomic_load(&p->control->progress);
        const int polling = atomic_load(&p->control->polling);
        // peer_alive() is a system call, so it comes last
        if (!broken && works(p->control))
            broken = peer_alive(p);
        if (polling > 0 && peer_alive(p))
            *npolling += polling;
    }
    return broken;
}

void quiet_settled(uint64_t progress)
{
    atomic_store(&settled, progress + 1);
}

int quiet_still(void)
{
    uint64_t progress;
    int npolling;
    const uint64_t then = atomic_load(&settled);
    return then && !quiet_broken(&progress, &npolling) && progress + 1 == then;
}

int quiet_is_earliest(uint64_t ps)
{
    const struct control *const own = control_own();
    for (struct peer *p = peer_first(); p; p = p->next) {
        const uint64_t other = atomic_load(&p->control->poll_ps);
        const int is_earlier =
            other < ps || (other == ps && p->control->rank < own->rank);
        if (p->control != own && other && is_earlier && peer_alive(p))
            return 0;
    }
    return 1;
}
