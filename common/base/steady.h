/*
 * steady.h: monotonic wall-clock seconds, unaffected by changes to the date
 *
 * It is the host's clock, even on simgpu, not modelled time.
 */
#ifndef COMMLAB_BASE_STEADY_H
#define COMMLAB_BASE_STEADY_H

#include <time.h>

static inline double steady_sec(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
