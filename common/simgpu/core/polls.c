#include "core/polls.h"

#include "core/control.h"

static _Thread_local int polls, has_clock, clock_runs;
static _Thread_local uint64_t ncalls;

void simgpu_poll_failed(void)
{
    struct control *const own = control_own();
    atomic_fetch_add(&own->npolls, 1);
    if (!polls)
        atomic_fetch_add(&own->polling, 1);
    polls = 1;
}

void poll_clock(uint64_t ps)
{
    atomic_store(&control_own()->poll_ps, ps);
    has_clock = 1;
}

void poll_clock_runs(int runs)
{
    clock_runs = runs;
}

void poll_over(void)
{
    ncalls++;
    if (polls)
        atomic_fetch_sub(&control_own()->polling, 1);
    polls = 0;
    if (has_clock && !clock_runs) {
        atomic_store(&control_own()->poll_ps, 0);
        has_clock = 0;
    }
}

int poll_goes_on(void)
{
    return polls;
}

uint64_t poll_calls(void)
{
    return ncalls;
}
