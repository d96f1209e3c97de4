/* links: graph topo base
 * How fast graphs are replayed, and how that grows with the number of ranks.
 *
 * A synthetic training run: each rank, on a device of its own, computes, copies
 * and takes part in an all-reduce of all ranks, on two queues that wait for
 * each other. The machine is a DGX H100 for each eight ranks.
 *
 * Each row is the median of several replays. The first row is the run that has
 * to take less than a second; the others have about as many operations each.
 * tests/bench/replay_figure.awk draws them.
 *
 *     replay    ranks     operations cpu sec   operations/s
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/temp.h"
#include "graph/replay/load.h"
#include "graph/replay/replay.h"

enum { REPEATS = 7, OPERATIONS = 400000 };

/* Of this process: others may be busy, too. */
static double cpu_sec(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void stop(const char *what)
{
    fprintf(stderr, "replay_speed: %s\n", what);
    exit(1);
}

/* Ten operations: four kernels, three copies, a mark, the collective, a
 * wait. */
static void record_step(struct graph_segment *g, uint32_t rank, uint32_t nranks,
                        int32_t place, int32_t peer, uint32_t step)
{
    struct graph_node n = {.thread = 0,
                           .queue = 1,
                           .place = place,
                           .host_ps = 2000000,
                           .latency_ps = 2000000};
    const struct graph_move near = {place, place, 1 << 20};
    const struct graph_move far = {place, peer, 1 << 20};
    for (int i = 0; i < 7; i++) {
        n.kind = i % 2 ? GRAPH_COPY : GRAPH_KERNEL;
        n.flops = i % 2 ? 0 : 1e8 * (1 + (rank + step + i) % 3);
        n.nmoves = 1;
        graph_add(g, &n, NULL, i % 2 ? &far : &near, NULL);
    }
    const struct graph_node mark = {
        .kind = GRAPH_MARK, .queue = 1, .place = place};
    const struct graph_ref marked = {rank,
                                     graph_add(g, &mark, NULL, NULL, NULL)};
    const struct graph_node coll = {.kind = GRAPH_COLL,
                                    .queue = 2,
                                    .op = TOPO_OP_ALLREDUCE,
                                    .place = place,
                                    .host_ps = 2000000,
                                    .match = step + 1,
                                    .match_kind = GRAPH_MATCH_ALL,
                                    .match_size = nranks,
                                    .match_rank = rank,
                                    .bytes = 4 << 20,
                                    .ndeps = 1};
    const struct graph_ref reduced = {rank,
                                      graph_add(g, &coll, &marked, NULL, NULL)};
    const struct graph_node wait = {
        .kind = GRAPH_HOST, .host_ps = 1000000, .ndeps = 1};
    graph_add(g, &wait, &reduced, NULL, NULL);
}

static struct graph *make_graph(uint32_t nranks, uint32_t steps, int ngpus)
{
    char dir[256], path[300], err[256];
    if (!mkdtemp(temp_path(dir, sizeof dir, "replay-speed")))
        stop("cannot make a temporary folder");
    for (uint32_t r = 0; r < nranks; r++) {
        struct graph_segment *const g = graph_open(r, nranks, dir);
        if (!g)
            stop("cannot record");
        for (uint32_t i = 0; i < steps; i++)
            record_step(g, r, nranks, (int32_t)r % ngpus,
                        (int32_t)(r + 1) % ngpus, i);
        if (graph_save(g) != 0)
            exit(1);
        graph_close(g);
    }
    struct graph *const g = graph_load(dir, err, sizeof err);
    for (uint32_t r = 0; r < nranks; r++) {
        snprintf(path, sizeof path, "%s/rank-%u.graph", dir, r);
        unlink(path);
    }
    rmdir(dir);
    if (!g)
        stop(err);
    return g;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double replay_sec(const struct graph *g, const struct topo *topo)
{
    double sec[REPEATS];
    char err[512];
    for (int i = 0; i < REPEATS; i++) {
        const double begin = cpu_sec();
        struct replay *const r = replay_run(g, topo, NULL, err, sizeof err);
        sec[i] = cpu_sec() - begin;
        if (!r)
            stop(err);
        replay_free(r);
    }
    qsort(sec, REPEATS, sizeof *sec, by_value);
    return sec[REPEATS / 2];
}

static void measure(uint32_t nranks, uint32_t nops)
{
    char err[512], name[64];
    snprintf(name, sizeof name, "%ux:dgx-h100", (nranks + 7) / 8);
    struct topo *const topo = topo_load(name, err, sizeof err);
    if (!topo)
        stop(err);
    struct graph *const g = make_graph(nranks, nops / 10, topo_ngpus(topo));
    const double sec = replay_sec(g, topo);
    printf("%15u %14u %7.3f %14.0f\n", nranks, g->nnodes, sec, g->nnodes / sec);
    fflush(stdout);
    graph_free(g);
    topo_free(topo);
}

int main(void)
{
    printf("replay    ranks     operations cpu sec   operations/s\n");
    measure(8, 10000);
    for (uint32_t n = 8; n <= 1024; n *= 2)
        measure(n, OPERATIONS / n);
    return 0;
}
