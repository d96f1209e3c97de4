#include "core/polls.h"

#include "core/control.h"

static _Thread_local int polls;

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
}

void poll_over(void)
{
    if (!polls)
        return;
    struct control *const own = control_own();
    polls = 0;
    atomic_fetch_sub(&own->polling, 1);
}

int poll_goes_on(void)
{
    return polls;
}
