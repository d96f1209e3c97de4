#include "core/stream/settle.h"

#include <stdatomic.h> /* atomic_load */
#include <unistd.h>    /* usleep */

#include "core/peer.h"
#include "core/wait.h"

static int have_all_passed(const struct fence *f, int n)
{
    for (int i = 0; i < n; i++)
        if (!fence_passed(f[i]))
            return 0;
    return 1;
}

/* True if a process of the job is active, or has been since *progress. */
static int anyone_moves(uint64_t *progress)
{
    uint64_t sum = atomic_load(&control_own()->progress);
    int moves = atomic_load(&control_own()->active) > 0;
    for (const struct peer *p = peer_first(); p; p = p->next) {
        if (p->control == control_own())
            continue;
        sum += atomic_load(&p->control->progress);
        moves |= atomic_load(&p->control->active) > 0 && peer_alive(p);
    }
    moves |= sum != *progress;
    *progress = sum;
    return moves;
}

void settle(const struct fence *f, int n, const char *call, uint32_t site)
{
    enum { QUIET = 300, LOOK_US = 1000 };
    const struct wait_note note = {.call = call, .site = site};
    uint64_t progress = 0;
    for (int i = 0; i < n; i++)
        fence_demand(f[i]);
    wait_begin(&note);
    for (int quiet = 0; quiet < QUIET && !have_all_passed(f, n);) {
        usleep(LOOK_US);
        quiet = anyone_moves(&progress) ? 0 : quiet + 1;
    }
    wait_end();
}
