#include "base/idle.h"

#include <stdio.h>  /* fscanf */
#include <unistd.h> /* sysconf */

/* The share of a core that each process gets that wants one now. */
static double share(void)
{
    const double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    int running = 0;
    FILE *const f = fopen("/proc/loadavg", "re");
    if (f) {
        if (fscanf(f, "%*f %*f %*f %d/", &running) != 1)
            running = 0;
        fclose(f);
    }
    return running > cores ? cores / running : 1;
}

/* Time between two looks; less than nothing is what an ended thread waited. */
static double since(double before, double now)
{
    return now > before ? now - before : 0;
}

/* The part of the last sec seconds that is the run's own. */
static double own_part(const struct tree *before, const struct tree *now,
                       double sec)
{
    const double little = 0.05 * sec,
                 cpu = since(before->cpu_sec, now->cpu_sec),
                 wait = since(before->wait_sec, now->wait_sec);
    if (cpu < little && now->nstalled)
        return 0;
    if (cpu + wait < little)
        return share();
    const double cores = cpu / sec, had = cpu / (cpu + wait);
    return cores > 1 ? 1 : cores > had ? cores : had;
}

void idle_begin(struct idle *idle, double now)
{
    *idle = (struct idle){.looked = now, .began = now, .progressed = now};
}

void idle_look(struct idle *idle, pid_t root, double now, int happened)
{
    const double sec = now - idle->looked;
    struct tree tree;
    tree_look(root, &tree);
    // a later look is one of a process that was stopped, or had no core
    const double counted = sec < 2 * IDLE_LOOK_SEC ? sec : 2 * IDLE_LOOK_SEC;
    const double own =
        sec > 0 ? counted * own_part(&idle->tree, &tree, sec) : 0;
    idle->sec = happened ? 0 : idle->sec + own;
    idle->total_sec += own;
    idle->progressed = happened ? now : idle->progressed;
    idle->looked = now;
    idle->tree = tree;
}
