#define _GNU_SOURCE
#include "core/cores.h"

#include <sched.h>  /* sched_getaffinity */
#include <stdlib.h> /* strtol */

#include "core/proc.h"

static int setting; /* once at start; 0: none */

int cores_set(const char *text)
{
    char *end;
    const long n = strtol(text, &end, 10);
    if (end == text || *end || n < 1 || n > CORES_MOST)
        return -1;
    setting = (int)n;
    return 0;
}

int cores_of_kernel(void)
{
    cpu_set_t set;
    if (setting)
        return setting;
    const int here =
        sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    const int share = here / (int)simgpu_proc()->nranks;
    return share < 1 ? 1 : share < CORES_MOST ? share : CORES_MOST;
}
