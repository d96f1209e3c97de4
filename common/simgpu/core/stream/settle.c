#include "core/stream/settle.h"

#include <unistd.h> /* usleep */

#include "core/quiet.h"
#include "core/wait.h"

static int have_all_passed(const struct fence *f, int n)
{
    for (int i = 0; i < n; i++)
        if (!fence_passed(f[i]))
            return 0;
    return 1;
}

/* True if a thread of the job does something, or has since *before. */
static int anyone_moves(uint64_t *before)
{
    uint64_t progress;
    int npolling;
    const int moves = quiet_broken(&progress, &npolling) || progress != *before;
    *before = progress;
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
