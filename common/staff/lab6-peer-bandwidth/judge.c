/*
 * judge.c: the judges of lab 6's cases
 *
 * Copied bytes are compared with the seed's. Measurements and inferences are
 * compared with the modelled machine of the run and with the copies in its
 * execution graph: their number, when each started and ended, and its route. So
 * a number counts only if it was measured. Without a graph (on real GPUs) the
 * right results are unknown, and such cases report that.
 */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* vsnprintf */
#include <stdlib.h> /* atoi */
#include <string.h> /* strncmp */

#include "judge6.h"

double lab6_shown(const struct judge_task *t, int iteration, const char *format,
                  ...)
{
    char name[EVIDENCE_NAME];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return evidence_metric(t->evidence, 0, t->case_no, (unsigned)iteration,
                           name);
}

int lab6_known(const struct judge_task *t, struct judge_verdict *v)
{
    if (t->spans)
        return 1;
    judge_fail(v, "this case can be judged only on a modelled machine: %s",
               t->graph_problem ? t->graph_problem
                                : "run it with GPU=sim, on simgpu");
    return 0;
}

/* ---- copies in the graph ------------------------------------------------- */

void lab6_copies(const struct judge_task *t, int iteration, int from, int to,
                 double nbytes, struct lab6_copies *out)
{
    struct spans_window w;
    out->n = 0;
    if (spans_window(t, 0, iteration, &w) != 0)
        return;
    const struct replay_time *const time = spans_times(t->spans);
    for (uint32_t i = w.first; i <= w.last && out->n < MOST_COPIES; i++) {
        const struct graph_view *const g = &t->graph->nodes[i];
        if (g->node.kind == GRAPH_COPY && g->nmoves == 1 &&
            g->moves->from == from && g->moves->to == to &&
            (double)g->moves->nbytes == nbytes)
            out->at[out->n++] = (struct judge6_copy){
                (double)time[i].start_ps * 1e-6, (double)time[i].end_ps * 1e-6};
    }
}

double lab6_bytes_into(const struct judge_task *t, int iteration, int from,
                       int to)
{
    struct spans_window w;
    double sum = 0;
    if (spans_window(t, 0, iteration, &w) != 0)
        return 0;
    for (uint32_t i = w.first; i <= w.last; i++) {
        const struct graph_view *const g = &t->graph->nodes[i];
        if (g->node.kind == GRAPH_COPY && g->nmoves == 1 &&
            g->moves->to == to && g->moves->from != to &&
            (from == FROM_ANYWHERE || g->moves->from == from))
            sum += (double)g->moves->nbytes;
    }
    return sum;
}

int lab6_nvlinks(const struct topo *t, int a, int b)
{
    char link[8];
    return strncmp(topo_link(t, a, b, link), "NV", 2) == 0 ? atoi(link + 2) : 0;
}

int lab6_ngpus(const struct topo *t)
{
    const int n = topo_ngpus(t) / topo_nnodes(t);
    return n < PEERS ? n : PEERS;
}

struct gbps lab6_bandwidths(const struct topo *t)
{
    struct gbps m = {.n = lab6_ngpus(t)};
    for (int a = 0; a < m.n; a++)
        for (int b = 0; b < m.n; b++)
            if (a != b)
                m.at[a][b] = bounds_alone(t, a, b, 1) * 1e-9;
    return m;
}

static const struct judge_kind kinds[] = {
    {.name = "access", .judge = lab6_judge_access},
    {.name = "one_way", .judge = lab6_judge_one_way},
    {.name = "both_ways", .judge = lab6_judge_both_ways},
    {.name = "latency", .judge = lab6_judge_latency},
    {.name = "puzzle", .judge = lab6_judge_puzzle},
    {.name = "infer", .judge = lab6_judge_infer},
    {.name = "ring", .judge = lab6_judge_ring},
    {.name = "routes", .judge = lab6_judge_routes},
    {.name = "relay", .judge = lab6_judge_relay},
    {.name = "relay_speed",
     .judge = lab6_judge_relay_speed,
     .limit_us = lab6_relay_limit_us},
    {.name = "host_speed",
     .judge = lab6_judge_host_speed,
     .limit_us = lab6_relay_limit_us},
    {.name = "all_to_all", .judge = lab6_judge_all_to_all},
    {.name = "all_to_all_speed",
     .judge = lab6_judge_all_to_all_speed,
     .limit_us = lab6_all_to_all_limit_us},
    {.name = "sick", .judge = lab6_judge_sick},
    {.name = "placement", .judge = lab6_judge_placement},
    {.name = "pays", .judge = lab6_judge_pays},
    {.name = NULL},
};

/* Where a student should look when a case fails. */
static const struct judge_student students[] = {
    {"access", "peer_access() in measure.c", NULL, NULL},
    {"one_way", "measure_one_way() in measure.c", NULL, NULL},
    {"both_ways", "measure_both_ways() in measure.c", NULL, NULL},
    {"latency", "measure_latency() in measure.c", NULL, NULL},
    {"puzzle", "infer_links() and infer_order() in infer.c", NULL, NULL},
    {"infer", "infer_links() and infer_order() in infer.c", NULL, NULL},
    {"ring", "widest_ring() in infer.c", NULL, NULL},
    {"routes", "disjoint_routes() in relay.c", "routes", "8"},
    {"routes", "widest_route() in relay.c", NULL, NULL},
    {"relay", "copy_by_host() in relay.c", "host", "1"},
    {"relay", "relay() in relay.c", NULL, NULL},
    {"relay_speed", "relay() in relay.c", NULL, NULL},
    {"host_speed", "copy_by_host() in relay.c", NULL, NULL},
    {"all_to_all", "schedule_all_to_all() in schedule.c", NULL, NULL},
    {"all_to_all_speed", "schedule_all_to_all() in schedule.c", NULL, NULL},
    {"sick", "find_sick() in schedule.c", NULL, NULL},
    {"placement", "place.cu", NULL, NULL},
    {"pays", "reads_that_pay() in place.cu", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

extern const struct judge_lab judge_lab6;
const struct judge_lab judge_lab6 = {
    .lab = "lab6-peer-bandwidth",
    .kinds = kinds,
    .students = students,
    .draws = lab6_draws,
    .least_gpus = 2,
};
