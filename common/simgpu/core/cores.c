#define _GNU_SOURCE
#include "core/cores.h"

#include <sched.h>     /* sched_getaffinity */
#include <stdatomic.h> /* atomic_int */
#include <stdio.h>     /* fscanf */
#include <stdlib.h>    /* strtol */

#include "base/steady.h"
#include "core/proc.h"

static int setting; /* set once at start; 0: none */

int cores_set(const char *text)
{
    char *end;
    const long n = strtol(text, &end, 10);
    if (end == text || *end || n < 1 || n > CORES_MOST)
        return -1;
    setting = (int)n;
    return 0;
}

/* The number of the machine's threads that run or could run, including the
 * caller. Returns 1 if the system doesn't tell. */
static int count_running(void)
{
    int n = 1;
    FILE *const f = fopen("/proc/loadavg", "re");
    if (f && fscanf(f, "%*s %*s %*s %d/", &n) != 1)
        n = 1;
    if (f)
        fclose(f);
    return n;
}

/* The number of cores that nothing else runs on. A slice on a core that is in
 * use would delay the other slices. */
static int find_free(void)
{
    cpu_set_t set;
    const int here =
        sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    const int share = here / (int)simgpu_proc()->nranks;
    const int left = here - count_running() + 1;
    const int n = left < share ? left : share;
    return n < 1 ? 1 : n < CORES_MOST ? n : CORES_MOST;
}

int cores_of_kernel(void)
{
    enum { LOOK_MS = 20 };
    static atomic_int found;
    static _Atomic long looked;
    const long now = (long)(1000 * steady_sec());
    if (setting)
        return setting;
    if (!found || now - looked > LOOK_MS) {
        looked = now;
        found = find_free();
    }
    return found;
}
