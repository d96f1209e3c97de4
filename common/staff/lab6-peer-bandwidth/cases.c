/*
 * cases.c: runs lab 6's cases. Given: nothing to edit here.
 *
 * Rank 0 drives all GPUs; other ranks are idle. If a case needs the machine's
 * bandwidths, they are measured here, so that no part of the lab depends on
 * another. judge.c decides whether the results are right.
 */
#include <stdio.h>  /* snprintf */
#include <string.h> /* memset */

#include "base/must.h"
#include "cases.h"
#include "drawn.h"
#include "machine.h"
#include "placement.h"
#include "sweep.h"

extern const struct judge_lab judge_lab6;
const struct judge_lab *const judge_labs[] = {&judge_lab6, NULL};

/* What ranks other than 0 do in a case. */
static ncclResult_t stand_by(struct lab_run *r)
{
    lab_begin(r);
    lab_end(r);
    return ncclSuccess;
}

void cases_show(struct lab_run *r, double value, const char *format, int a,
                int b)
{
    char name[EVIDENCE_NAME];
    snprintf(name, sizeof name, format, a, b);
    lab_metric(r, name, value);
}

size_t cases_bytes(const struct lab_run *r, const char *key, size_t otherwise)
{
    return (size_t)plan_int(r->c, key, (int64_t)otherwise);
}

void cases_draw(struct lab_run *r, int what, const int64_t *arg, void *out,
                size_t nbytes)
{
    struct draw_ask d = {.what = what};
    memcpy(d.arg, arg, sizeof d.arg);
    lab_draw(r, &d, out, nbytes);
}

/* ---- part 1 -------------------------------------------------------------- */

static ncclResult_t run_access(struct lab_run *r)
{
    if (r->rank != 0)
        return stand_by(r);
    struct peers *const p = machine_peers();
    lab_begin(r);
    machine_access(0);
    LAB_TRY(peer_access(p, 1));
    LAB_TRY(peer_access(p, 1));
    lab_metric(r, "last_error", cudaGetLastError());
    lab_metric(r, "on", machine_count_access());
    LAB_TRY(peer_access(p, 0));
    LAB_TRY(peer_access(p, 0));
    lab_metric(r, "last_error_off", cudaGetLastError());
    lab_metric(r, "off", machine_count_access());
    machine_access(1);
    lab_metric(r, "could", machine_count_access());
    lab_end(r);
    return ncclSuccess;
}

struct shape { /* a measurement's sizes */
    int warmup, iterations;
    size_t nbytes;
};

static struct shape shape_of(const struct lab_run *r)
{
    return (struct shape){(int)plan_int(r->c, "warmup", 2),
                          (int)plan_int(r->c, "iterations", 5),
                          cases_bytes(r, "bytes", 64 << 20)};
}

static ncclResult_t run_one_way(struct lab_run *r)
{
    if (r->rank != 0)
        return stand_by(r);
    const struct shape s = shape_of(r);
    struct peers *const p = machine_peers();
    const int from = (int)plan_int(r->c, "from", 0) % p->n;
    for (int to = 0; to < p->n; to++) // before the measurement
        machine_buffer(to, 0, s.nbytes);
    machine_access((int)plan_int(r->c, "p2p", 1));
    lab_begin(r);
    for (int to = 0; to < p->n; to++) {
        double ms = 0;
        if (to == from)
            continue;
        LAB_TRY(measure_one_way(p, from, to, machine_buffer(to, 0, s.nbytes),
                                machine_buffer(from, 0, s.nbytes), s.nbytes,
                                s.warmup, s.iterations, &ms));
        cases_show(r, ms, "ms.%d.%d", from, to);
    }
    lab_end(r);
    machine_access(1);
    return ncclSuccess;
}

static ncclResult_t run_both_ways(struct lab_run *r)
{
    if (r->rank != 0)
        return stand_by(r);
    const struct shape s = shape_of(r);
    struct peers *const p = machine_peers();
    const int a = (int)plan_int(r->c, "a", 0) % p->n;
    const int b = (int)plan_int(r->c, "b", 1) % p->n;
    void *const in[2] = {machine_buffer(a, 0, s.nbytes),
                         machine_buffer(b, 0, s.nbytes)};
    const void *const out[2] = {machine_buffer(a, 1, s.nbytes),
                                machine_buffer(b, 1, s.nbytes)};
    double ms = 0;
    lab_begin(r);
    LAB_TRY(measure_both_ways(p, a, b, in, out, s.nbytes, s.warmup,
                              s.iterations, &ms));
    lab_end(r);
    lab_metric(r, "ms", ms);
    return ncclSuccess;
}

static ncclResult_t run_latency(struct lab_run *r)
{
    if (r->rank != 0)
        return stand_by(r);
    const struct shape s = shape_of(r);
    struct peers *const p = machine_peers();
    const int from = (int)plan_int(r->c, "from", 0) % p->n;
    const int to = (int)plan_int(r->c, "to", 1) % p->n;
    void *const dst = machine_buffer(to, 0, s.nbytes);
    const void *const src = machine_buffer(from, 0, s.nbytes);
    double us = 0;
    lab_begin(r);
    LAB_TRY(
        measure_latency(p, from, to, dst, src, s.nbytes, s.iterations, &us));
    lab_end(r);
    lab_metric(r, "us", us);
    return ncclSuccess;
}

/* ---- part 2 -------------------------------------------------------------- */

static ncclResult_t run_puzzle(struct lab_run *r)
{
    enum { COPIES = 3 };
    static const int to[COPIES] = {1, 2, 4};
    const size_t nbytes = cases_bytes(r, "bytes", 400000000);
    if (r->rank != 0)
        return stand_by(r);
    struct peers *const p = machine_peers();
    const void *const src = machine_buffer(0, 0, nbytes);
    void *dst[COPIES];
    double ms[COPIES] = {0};
    for (int i = 0; i < COPIES; i++)
        dst[i] = machine_buffer(to[i], 0, nbytes);
    lab_begin(r);
    LAB_TRY(measure_at_once(p, 0, to, COPIES, dst, src, nbytes, ms));
    lab_end(r);
    const struct card *const card =
        card_find(plan_text(r->c, "card", "a100-cubemesh"));
    for (int i = 0; i < COPIES; i++) {
        cases_show(r, ms[i], "ms.%d.%d", 0, to[i]);
        cases_show(
            r, count_nvlinks((double)nbytes / ms[i] * 1e-6, card->nvlink_GBps),
            "links.%d.%d", 0, to[i]);
    }
    return ncclSuccess;
}

/* ---- part 4 -------------------------------------------------------------- */

static void show_routes(struct lab_run *r, const struct route *route, int n)
{
    lab_metric(r, "routes", n);
    for (int i = 0; i < n; i++) {
        cases_show(r, route[i].nhops, "hops.%d", i, 0);
        cases_show(r, route[i].GBps, "GBps.%d", i, 0);
        for (int h = 0; h <= route[i].nhops && h <= PEERS; h++)
            cases_show(r, route[i].at[h], "at.%d.%d", i, h);
    }
}

static ncclResult_t run_routes(struct lab_run *r)
{
    const int n = (int)plan_int(r->c, "drawn", 8);
    const int most = (int)plan_int(r->c, "routes", 1);
    struct gbps m;
    struct route route[ROUTES];
    cases_draw(r, DRAWN_MESH, (const int64_t[DRAW_ARGS]){n, 0, n / 2}, &m,
               sizeof m);
    memset(route, 0, sizeof route);
    if (r->rank != 0)
        return ncclSuccess;
    const int found = most == 1 ? widest_route(&m, 0, n / 2, route)
                                : disjoint_routes(&m, 0, n / 2, most, route);
    show_routes(r, route, found < ROUTES ? found : ROUTES);
    return ncclSuccess;
}

/* Correctness: over random routes, or through the host. */
static ncclResult_t run_relay(struct lab_run *r)
{
    struct drawn_paths paths;
    const struct route *const route = paths.route;
    if (r->rank != 0)
        return stand_by(r);
    struct peers *const p = machine_peers();
    const size_t count = cases_bytes(r, "count", 100003);
    const size_t nbytes = count * sizeof(float);
    const size_t chunk = cases_bytes(r, "chunk", 16384);
    const int by_host = (int)plan_int(r->c, "host", 0);
    cases_draw(r, DRAWN_ROUTES,
               (const int64_t[DRAW_ARGS]){p->n, plan_int(r->c, "routes", 1)},
               &paths, sizeof paths);
    const int from = route[0].at[0], to = route[0].at[route[0].nhops];
    const void *const in = machine_input(r, from, from, count);
    void *const out = machine_output(r, to, nbytes);
    char *const bounce = by_host ? machine_pinned(2 * chunk) : NULL;
    lab_begin(r);
    if (by_host)
        LAB_TRY(copy_by_host(p, from, to, out, in, nbytes, bounce, chunk));
    else
        LAB_TRY(relay(p, route, paths.n, out, in, nbytes, chunk));
    lab_end(r);
    lab_metric(r, "from", from);
    machine_show(r, to, "dst", out, nbytes);
    return ncclSuccess;
}

/* Time: over the routes that the student's functions find on this machine. */
static ncclResult_t run_relay_speed(struct lab_run *r)
{
    struct gbps m;
    struct route route[ROUTES] = {{0}};
    const size_t nbytes = cases_bytes(r, "bytes", 1000000000);
    const size_t chunk = cases_bytes(r, "chunk", 8000000);
    const int most = (int)plan_int(r->c, "routes", 1);
    machine_measure(r, cases_bytes(r, "probe", 64000000), &m);
    if (r->rank != 0)
        return stand_by(r);
    struct peers *const p = machine_large_peers();
    const int from = (int)plan_int(r->c, "from", 0) % p->n;
    const int to = (int)plan_int(r->c, "to", 2) % p->n;
    void *const src = machine_buffer(from, 0, nbytes);
    void *const dst = machine_buffer(to, 0, nbytes);
    const int n = most == 1 ? widest_route(&m, from, to, route)
                            : disjoint_routes(&m, from, to, most, route);
    machine_sources(r, from, "src", src, nbytes);
    lab_begin(r);
    LAB_TRY(relay(p, route, n, dst, src, nbytes, chunk));
    lab_end(r);
    machine_result(r, to, "dst", dst, nbytes);
    return ncclSuccess;
}

static ncclResult_t run_host_speed(struct lab_run *r)
{
    const size_t nbytes = cases_bytes(r, "bytes", 64000000);
    const size_t chunk = cases_bytes(r, "chunk", 4000000);
    if (r->rank != 0)
        return stand_by(r);
    struct peers *const p = machine_peers();
    const int from = (int)plan_int(r->c, "from", 0) % p->n;
    const int to = (int)plan_int(r->c, "to", 2) % p->n;
    void *const src = machine_output(r, from, nbytes);
    void *const dst = machine_output(r, to, nbytes);
    char *const bounce = machine_pinned(2 * chunk);
    machine_sources(r, from, "src", src, nbytes);
    lab_begin(r);
    LAB_TRY(copy_by_host(p, from, to, dst, src, nbytes, bounce, chunk));
    lab_end(r);
    machine_result(r, to, "dst", dst, nbytes);
    return ncclSuccess;
}

/* ---- part 5 -------------------------------------------------------------- */

/* The buffers of a plan, on all GPUs. */
struct exchange_buffers {
    char *recv[PEERS], *bounce[PEERS];
    const char *send[PEERS];
};

static ncclResult_t run_all_to_all(struct lab_run *r)
{
    struct gbps m;
    struct schedule plan;
    struct exchange_buffers b;
    int link[PEERS][PEERS];
    const size_t count = cases_bytes(r, "count", 1003);
    const size_t block = count * sizeof(float);
    const size_t chunk = cases_bytes(r, "chunk", 1024);
    if (r->rank != 0)
        return stand_by(r);
    struct peers *const p = machine_peers();
    cases_draw(r, DRAWN_MESH, (const int64_t[DRAW_ARGS]){p->n, 0, p->n / 2}, &m,
               sizeof m);
    machine_nvlinks(&m, 25, link);
    for (int g = 0; g < p->n; g++) {
        b.send[g] = machine_input(r, g, g, (size_t)p->n * count);
        b.recv[g] = machine_output(r, g, (size_t)p->n * block);
    }
    schedule_all_to_all(&m, link, 100, (int)plan_int(r->c, "pieces", 3), &plan);
    for (int g = 0; g < p->n; g++)
        b.bounce[g] =
            machine_output(r, g, schedule_bounce_nbytes(&plan, g, block));
    lab_begin(r);
    LAB_TRY(peers_all_to_all(p, &plan, b.recv, b.send, b.bounce, block, chunk));
    lab_end(r);
    for (int g = 0; g < p->n; g++) {
        char name[EVIDENCE_NAME];
        snprintf(name, sizeof name, "recv.%d", g);
        machine_show(r, g, name, b.recv[g], (size_t)p->n * block);
    }
    return ncclSuccess;
}

static ncclResult_t run_all_to_all_speed(struct lab_run *r)
{
    struct gbps m;
    struct schedule plan;
    struct exchange_buffers b;
    int link[PEERS][PEERS];
    const size_t block = cases_bytes(r, "bytes", 64 << 20);
    const size_t chunk = cases_bytes(r, "chunk", 8 << 20);
    const size_t probe = cases_bytes(r, "probe", 64 << 20);
    const struct card *const card = card_find(plan_text(r->c, "card", ""));
    machine_measure(r, probe, &m);
    if (r->rank != 0)
        return stand_by(r);
    struct peers *const p = machine_peers();
    machine_nvlinks(&m, card->nvlink_GBps, link);
    schedule_all_to_all(&m, link, machine_measure_gpu(&m, link, probe),
                        (int)plan_int(r->c, "pieces", 3), &plan);
    for (int g = 0; g < p->n; g++) {
        b.send[g] = machine_buffer(g, 0, (size_t)p->n * block);
        b.recv[g] = machine_buffer(g, 1, (size_t)p->n * block);
        b.bounce[g] =
            machine_buffer(g, 2, schedule_bounce_nbytes(&plan, g, block));
    }
    for (int g = 0; g < p->n; g++)
        for (int to = 0; to < p->n; to++) {
            char name[EVIDENCE_NAME];
            snprintf(name, sizeof name, "send.%d.%d", g, to);
            machine_sources(r, g, name, (char *)b.send[g] + (size_t)to * block,
                            block);
        }
    lab_begin(r);
    LAB_TRY(peers_all_to_all(p, &plan, b.recv, b.send, b.bounce, block, chunk));
    lab_end(r);
    for (int g = 0; g < p->n; g++) {
        char name[EVIDENCE_NAME];
        snprintf(name, sizeof name, "recv.%d", g);
        machine_result(r, g, name, b.recv[g], (size_t)p->n * block);
    }
    return ncclSuccess;
}

/* ---- part 7 -------------------------------------------------------------- */

static ncclResult_t run_placement(struct lab_run *r)
{
    struct placement p;
    if (r->rank != 0)
        return stand_by(r);
    LAB_TRY(placement_init(&p, r, (int)plan_int(r->c, "gpu", 0),
                           cases_bytes(r, "bytes", 8000000)));
    lab_begin(r);
    LAB_TRY(placement_measure(&p, (int)plan_int(r->c, "reads", 2)));
    lab_end(r);
    for (int m = 0; m < MEMORIES; m++)
        for (int by_copy = 0; by_copy < 2; by_copy++)
            cases_show(r, p.ms[m][by_copy], "ms.%d.%d", m, by_copy);
    machine_show(r, p.gpu, "sums", p.sums, sizeof(unsigned[MEMORIES][2]));
    return placement_release(&p);
}

static ncclResult_t run_pays(struct lab_run *r)
{
    struct drawn_cost cost[DRAWN_COSTS];
    if (r->rank == 0)
        cases_draw(r, DRAWN_COST, (const int64_t[DRAW_ARGS]){0}, cost,
                   sizeof cost);
    for (int k = 0; k < DRAWN_COSTS && r->rank == 0; k++) {
        const struct drawn_cost c = cost[k];
        cases_show(r, reads_that_pay(c.place_ms, c.copy_ms, c.own_ms),
                   "reads.%d", k, 0);
    }
    return ncclSuccess;
}

static const struct lab_kind kinds[] = {
    {"access", run_access},
    {"one_way", run_one_way},
    {"both_ways", run_both_ways},
    {"latency", run_latency},
    {"puzzle", run_puzzle},
    {"infer", run_infer},
    {"ring", run_ring},
    {"routes", run_routes},
    {"relay", run_relay},
    {"relay_speed", run_relay_speed},
    {"host_speed", run_host_speed},
    {"all_to_all", run_all_to_all},
    {"all_to_all_speed", run_all_to_all_speed},
    {"sick", run_sick},
    {"placement", run_placement},
    {"pays", run_pays},
    {NULL, NULL},
};

static const struct lab_command commands[] = {
    {"--topology-sweep",
     "measure all pairs: [--size-mb 256 or --sizes-mb M,M,...] [--iterations "
     "20] [--warmup 5] [--output FILE.csv]",
     sweep_run},
    {"--placement",
     "read from each memory: [--size-mb 64] [--gpu 0] [--output FILE.csv] "
     "[--svg FILE]",
     placement_run},
    {NULL, NULL, NULL},
};

const struct lab lab = {
    .name = "lab6-peer-bandwidth",
    .brief = "measuring and using the links between GPUs",
    .kinds = kinds,
    .commands = commands,
    .dataless = "128M",
    .release = machine_release,
};
