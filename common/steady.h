/*
 * steady.h: seconds by a clock that nobody sets
 *
 * The host's own, also under simgpu: what people do to the date is nothing to it.
 */
#ifndef COMMLAB_STEADY_H
#define COMMLAB_STEADY_H

#include <time.h>

static inline double steady_sec(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
