#define _GNU_SOURCE
#include "core/clock/reading.h"

#include <time.h> /* clock_gettime */

#include "core/clock/clock.h"
#include "core/host.h"
#include "core/polls.h"
#include "core/proc.h"
#include "core/quiet.h"

static const int64_t VAIN_NS = 60000000000;

static _Thread_local struct { /* for a thread whose polls fail */
    int64_t since_ns, last_ns;
    uint64_t ran_ps; /* how long its clock has run meanwhile */
} vain;

void simgpu_clock_read(const char *call, uint32_t site)
{
    struct timespec t;
    if (!fence_is_polling() && !poll_goes_on()) {
        vain.since_ns = 0;
        vain.ran_ps = 0;
        poll_clock(0);
        simgpu_host_call(call, site);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &t);
    const int64_t now = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    const int64_t last = vain.last_ns;
    vain.last_ns = now;
    if (vain.since_ns == 0)
        vain.since_ns = now;
    const uint64_t ps = clock_host_ps();
    if (poll_goes_on())
        poll_clock(ps);
    // in this order: a thread whose clock has run must have polled again
    if (poll_goes_on() && quiet_is_earliest(ps) && quiet_still()) {
        const uint64_t step =
            simgpu_proc()->costs->api_host_ps + vain.ran_ps / 64;
        vain.ran_ps += step;
        // until it polls again it may act, and other clocks stand still
        simgpu_host_busy(call, site, step);
        poll_clock(ps + step);
    } else if (now - vain.since_ns > VAIN_NS) {
        simgpu_host_busy(call, site, (uint64_t)(now - last) * 1000);
    }
}
