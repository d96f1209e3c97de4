#include "core/clock.h"

#include <time.h> /* clock_gettime */

uint64_t clock_host_ps(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000000u + (uint64_t)t.tv_nsec * 1000u;
}
