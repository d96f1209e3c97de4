#include "core/clock/reading.h"

#include <string.h> /* memset */
#include <time.h>   /* CLOCK_MONOTONIC */

#include "core/clock/clock.h"
#include "core/host.h"
#include "core/polls.h"
#include "core/proc.h"
#include "core/quiet.h"

static const int64_t VAIN_NS = 60000000000;

static _Thread_local struct { /* for a thread whose polls fail */
    int64_t since_ns, last_ns;
    uint64_t ran_ps; /* how long its clock has run meanwhile */
    uint64_t ps;     /* its time, as long as it makes no other call: */
    uint64_t ncalls;
} vain;

/* Let the clock of a polling thread run. */
static void run(const char *call, uint32_t site, uint64_t ps)
{
    poll_clock_runs(1);
    simgpu_host_busy(call, site, ps);
    poll_clock_runs(0);
    vain.ps += ps;
    vain.ncalls = poll_calls();
    poll_clock(vain.ps);
}

/* A reading by a thread whose last poll failed. */
static uint64_t read_in_vain(const char *call, uint32_t site)
{
    const int64_t now = clock_machine_ns(CLOCK_MONOTONIC), last = vain.last_ns;
    vain.last_ns = now;
    if (vain.since_ns == 0)
        vain.since_ns = now;
    if (vain.ps == 0 || vain.ncalls != poll_calls())
        vain.ps = clock_host_ps(); // a replay: not for each poll
    vain.ncalls = poll_calls();
    if (poll_goes_on())
        poll_clock(vain.ps);
    // in this order: a thread whose clock has run must have polled again
    if (poll_goes_on() && quiet_is_earliest(vain.ps) && quiet_still()) {
        const uint64_t step =
            simgpu_proc()->costs->api_host_ps + vain.ran_ps / 64;
        vain.ran_ps += step;
        // other clocks are stopped until this thread polls again: it may act
        run(call, site, step);
    } else if (now - vain.since_ns > VAIN_NS) {
        run(call, site, (uint64_t)(now - last) * 1000);
    }
    return vain.ps;
}

uint64_t simgpu_clock_read(const char *call, uint32_t site)
{
    if (fence_is_polling() || poll_goes_on())
        return read_in_vain(call, site);
    memset(&vain, 0, sizeof vain);
    simgpu_host_call(call, site);
    return clock_host_ps();
}
