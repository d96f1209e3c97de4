/*
 * judge_move.c: parts 4 and 5: whether the bytes arrived, over which routes and
 * how fast, compared with what the machine allows
 */
#include <math.h>   /* fmin */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "drawn.h"
#include "judge/data.h"
#include "judge/graph/trace.h"
#include "judge6.h"

/* ---- routes -------------------------------------------------------------- */

/* The widest route, and among those the one with the fewest hops. */
static struct route widest(const struct gbps *m, int from, int to)
{
    double GBps[PEERS] = {0}, longer[PEERS];
    struct route best = {0};
    GBps[from] = INFINITY;
    for (int hops = 1; hops < m->n; hops++) {
        memcpy(longer, GBps, sizeof longer);
        for (int a = 0; a < m->n; a++)
            for (int b = 0; b < m->n; b++)
                longer[b] = fmax(longer[b], fmin(GBps[a], m->at[a][b]));
        memcpy(GBps, longer, sizeof GBps);
        if (GBps[to] > best.GBps)
            best = (struct route){.nhops = hops, .GBps = GBps[to]};
    }
    return best;
}

/* The maximum flow, by augmenting paths (Ford and Fulkerson), each the widest
 * one in the remaining bandwidth. */
static double max_flow(struct gbps left, int from, int to)
{
    double flow = 0;
    for (;;) {
        double GBps[PEERS] = {0};
        int before[PEERS] = {0};
        GBps[from] = INFINITY;
        for (int hops = 1; hops < left.n; hops++)
            for (int a = 0; a < left.n; a++)
                for (int b = 0; b < left.n; b++)
                    if (fmin(GBps[a], left.at[a][b]) > GBps[b] + 1e-9) {
                        GBps[b] = fmin(GBps[a], left.at[a][b]);
                        before[b] = a;
                    }
        if (GBps[to] <= 0)
            return flow;
        for (int b = to; b != from; b = before[b]) {
            left.at[before[b]][b] -= GBps[to];
            left.at[b][before[b]] += GBps[to];
        }
        flow += GBps[to];
    }
}

/* Subtract a recorded route from the remaining bandwidth. Fails if it isn't a
 * route. */
static double take_route(const struct judge_task *t, int iteration, int number,
                         int from, int to, struct gbps *left,
                         struct judge_verdict *v)
{
    const double nhops = lab6_shown(t, iteration, "hops.%d", number);
    const double GBps = lab6_shown(t, iteration, "GBps.%d", number);
    int seen = 0, last = -1;
    for (int h = 0; h <= nhops && h <= left->n; h++) {
        const double x = lab6_shown(t, iteration, "at.%d.%d", number, h);
        const int gpu = x >= 0 && x < left->n ? (int)x : -1;
        if (gpu < 0 || seen >> gpu & 1 || (h == 0 && gpu != from) ||
            (h > 0 && left->at[last][gpu] < GBps - 1e-6)) {
            judge_fail(v,
                       "route %d: hop %d is invalid: its ends are wrong, it "
                       "visits a GPU twice, or it needs more than its link has "
                       "left (%.1f GB/s)",
                       number, h, GBps);
            return 0;
        }
        if (h > 0)
            left->at[last][gpu] -= GBps;
        seen |= 1 << gpu;
        last = gpu;
    }
    if (last != to || !(GBps > 0))
        judge_fail(v, "route %d doesn't lead from GPU %d to GPU %d", number,
                   from, to);
    return GBps;
}

void lab6_judge_routes(const struct judge_task *t, struct judge_verdict *v)
{
    const int n = (int)plan_int(t->c, "drawn", 8), to = n / 2;
    const int most = (int)plan_int(t->c, "routes", 1);
    for (int i = 0; i < t->iterations; i++) {
        const struct gbps m = drawn_mesh(judge_input_seed(t, 0, i), n, 0, to);
        const struct route best = widest(&m, 0, to);
        const double found = lab6_shown(t, i, "routes");
        struct gbps left = m;
        double sum = 0;
        if (!(found >= 1 && found <= most)) {
            judge_fail(v, "%.0f routes were found, at most %d are allowed",
                       found, most);
            return;
        }
        for (int k = 0; k < found && v->pass; k++)
            sum += take_route(t, i, k, 0, to, &left, v);
        if (lab6_shown(t, i, "GBps.0") != best.GBps ||
            lab6_shown(t, i, "hops.0") != best.nhops)
            judge_fail_method(
                v,
                "the first route has %.0f hops of %.0f GB/s; there "
                "is one with %d of %.0f",
                lab6_shown(t, i, "hops.0"), lab6_shown(t, i, "GBps.0"),
                best.nhops, best.GBps);
        const double flow = max_flow(m, 0, to);
        // on 400,000 meshes, disjoint_routes() as specified reached 2/3 of the
        // flow
        if (most > 1 && sum < .6 * flow)
            judge_fail_method(
                v, "your %.0f routes carry %.0f GB/s, %.0f is possible", found,
                sum, flow);
    }
}

/* ---- relays -------------------------------------------------------------- */

/* Expect every GPU on the way to get some of what it passes on. */
static void expect_hops(const struct judge_task *t, int iteration,
                        struct judge_verdict *v)
{
    struct route route[ROUTES];
    if (!t->spans)
        return;
    const struct topo *const machine = spans_topo(t->spans);
    const int n = drawn_routes(judge_input_seed(t, 0, iteration),
                               topo_ngpus(machine) / topo_nnodes(machine),
                               (int)plan_int(t->c, "routes", 1), route);
    for (int i = 0; i < n; i++)
        for (int h = 1; h < route[i].nhops; h++)
            if (!(lab6_bytes_into(t, iteration, FROM_ANYWHERE, route[i].at[h]) >
                  0))
                judge_fail_method(v,
                                  "the result is right, but no chunk goes by "
                                  "GPU %d, which is on route %d",
                                  route[i].at[h], i);
}

void lab6_judge_relay(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t count = (size_t)plan_int(t->c, "count", 100003);
    const int by_host = (int)plan_int(t->c, "host", 0);
    float *const want = malloc(count * sizeof *want);
    for (int i = 0; i < t->iterations && want; i++) {
        const int from = (int)lab6_shown(t, i, "from");
        data_fill(want, count, DATA_FLOAT,
                  judge_seed(judge_input_seed(t, 0, i), (uint64_t)from));
        const void *const got =
            judge_output(t, 0, i, "dst", count * sizeof *want, v);
        if (got)
            data_compare(got, want, count, DATA_FLOAT, 0, v);
        if (!by_host)
            judge_origin(t, 0, i, "dst", 0, count * sizeof *want,
                         rank_set_of(0), v);
        if (!by_host)
            expect_hops(t, i, v);
    }
    free(want);
}

static double relay_bytes(const struct judge_task *t)
{
    return (double)plan_int(t->c, "bytes", 1000000000);
}

static int end_of(const struct judge_task *t, const char *key, int otherwise)
{
    return (int)plan_int(t->c, key, otherwise);
}

size_t trace_slice(size_t nbytes, int i)
{
    return nbytes / TRACE_SLICES * (size_t)i +
           (i == TRACE_SLICES ? nbytes % TRACE_SLICES : 0);
}

/* Expect the slices of a source at their places in a result, from byte `at`
 * on. */
static void expect_copied(const struct trace *k, const char *result, size_t at,
                          const char *source, size_t nbytes)
{
    for (int i = 0; i < TRACE_SLICES; i++) {
        char name[EVIDENCE_NAME];
        const uint64_t first = at + trace_slice(nbytes, i);
        snprintf(name, sizeof name, "%s.%d", source, i);
        trace_need(k, (struct trace_buffer){0, result},
                   (struct trace_buffer){0, name}, trace_by_bytes, &first);
    }
}

/* Judge the rate of a copy of nbytes, all of which have to arrive at their GPU
 * by the right route. */
static void expect_GBps(const struct judge_task *t, int by, double least,
                        const char *what, struct judge_verdict *v)
{
    const int from = end_of(t, "from", 0), to = end_of(t, "to", 2);
    const double nbytes = relay_bytes(t);
    const double GBps = nbytes / v->time_us * 1e-3;
    for (int i = 0; i < t->iterations; i++) {
        const struct trace k = {t, i, by == FROM_ANYWHERE, v};
        expect_copied(&k, "dst", 0, "src", (size_t)nbytes);
        if (lab6_bytes_into(t, i, by, to) != nbytes)
            judge_fail(v, "%.0f bytes arrived at GPU %d%s, should be %.0f",
                       lab6_bytes_into(t, i, by, to), to,
                       by == FROM_ANYWHERE ? "" : " from the host", nbytes);
    }
    if (!(GBps >= least))
        judge_fail_method(v,
                          "%.1f GB/s from GPU %d to %d; %.1f is required: %s",
                          GBps, from, to, least, what);
}

void lab6_judge_relay_speed(const struct judge_task *t, struct judge_verdict *v)
{
    const int routes = (int)plan_int(t->c, "routes", 1);
    const int from = end_of(t, "from", 0), to = end_of(t, "to", 2);
    if (!lab6_known(t, v))
        return;
    const struct gbps m = lab6_bandwidths(spans_topo(t->spans));
    if (routes == 1)
        expect_GBps(t, FROM_ANYWHERE, 5 * m.at[from][to],
                    "5 times the direct copy", v);
    else
        expect_GBps(t, FROM_ANYWHERE, .7 * max_flow(m, from, to),
                    "70 % of the maximum flow", v);
}

void lab6_judge_host_speed(const struct judge_task *t, struct judge_verdict *v)
{
    const int from = end_of(t, "from", 0), to = end_of(t, "to", 2);
    if (!lab6_known(t, v))
        return;
    const struct gbps m = lab6_bandwidths(spans_topo(t->spans));
    expect_GBps(t, TOPO_HOST_PLACE(0), 1.4 * m.at[from][to],
                "1.4 times the direct copy", v);
}

double lab6_relay_limit_us(const struct judge_task *t)
{
    double demand[BOUNDS_GPUS][BOUNDS_GPUS] = {{0}};
    demand[end_of(t, "from", 0)][end_of(t, "to", 2)] = relay_bytes(t);
    return 1e6 * bounds_move(spans_topo(t->spans), BOUNDS_ANY, demand, NULL);
}

/* ---- all-to-all ---------------------------------------------------------- */

void lab6_judge_all_to_all(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t count = (size_t)plan_int(t->c, "count", 1003);
    if (!lab6_known(t, v))
        return;
    const int n =
        topo_ngpus(spans_topo(t->spans)) / topo_nnodes(spans_topo(t->spans));
    const size_t all = (size_t)n * count;
    float *const send = malloc(all * sizeof *send);
    float *const want = malloc(all * sizeof *want);
    for (int i = 0; i < t->iterations && send && want; i++)
        for (int g = 0; g < n; g++) {
            char name[EVIDENCE_NAME];
            snprintf(name, sizeof name, "recv.%d", g);
            for (int from = 0; from < n; from++) {
                data_fill(
                    send, all, DATA_FLOAT,
                    judge_seed(judge_input_seed(t, 0, i), (uint64_t)from));
                memcpy(want + (size_t)from * count, send + (size_t)g * count,
                       count * sizeof *want);
            }
            const void *const got =
                judge_output(t, 0, i, name, all * sizeof *want, v);
            if (got)
                data_compare(got, want, all, DATA_FLOAT, g, v);
            judge_origin(t, 0, i, name, 0, all * sizeof *want, rank_set_of(0),
                         v);
        }
    free(send);
    free(want);
}

static double all_to_all_bound_us(const struct judge_task *t,
                                  enum bounds_ways ways)
{
    const struct topo *const machine = spans_topo(t->spans);
    const int n = topo_ngpus(machine) / topo_nnodes(machine);
    double demand[BOUNDS_GPUS][BOUNDS_GPUS] = {{0}};
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            if (a != b)
                demand[a][b] = (double)plan_int(t->c, "bytes", 64 << 20);
    return 1e6 * bounds_move(machine, ways, demand, NULL);
}

/* Expect each GPU to have received the block that each other has for it. */
static void expect_exchanged(const struct judge_task *t, int n,
                             struct judge_verdict *v)
{
    const size_t block = (size_t)plan_int(t->c, "bytes", 64 << 20);
    for (int i = 0; i < t->iterations; i++) {
        const struct trace k = {t, i, 1, v};
        for (int g = 0; g < n; g++)
            for (int from = 0; from < n; from++) {
                char to[EVIDENCE_NAME], name[EVIDENCE_NAME];
                snprintf(to, sizeof to, "recv.%d", g);
                snprintf(name, sizeof name, "send.%d.%d", from, g);
                expect_copied(&k, to, (size_t)from * block, name, block);
            }
    }
}

void lab6_judge_all_to_all_speed(const struct judge_task *t,
                                 struct judge_verdict *v)
{
    if (!lab6_known(t, v))
        return;
    const double by_nvlinks = all_to_all_bound_us(t, BOUNDS_NVLINKS);
    const double bound =
        isnan(by_nvlinks) ? all_to_all_bound_us(t, BOUNDS_ANY) : by_nvlinks;
    const int n = topo_ngpus(spans_topo(t->spans));
    const double least = (n - 1) * (double)plan_int(t->c, "bytes", 64 << 20);
    expect_exchanged(t, n, v);
    for (int i = 0; i < t->iterations; i++)
        for (int g = 0; g < n; g++)
            if (lab6_bytes_into(t, i, FROM_ANYWHERE, g) < least)
                judge_fail(v, "%.0f bytes arrived at GPU %d, should be %.0f",
                           lab6_bytes_into(t, i, FROM_ANYWHERE, g), g, least);
    if (!(v->time_us <= 1.1 * bound))
        judge_fail_method(
            v,
            "it took %.1f us; %s allow %.1f us, and 10 %% more is "
            "accepted",
            v->time_us, isnan(by_nvlinks) ? "the links" : "the NVLinks", bound);
}

double lab6_all_to_all_limit_us(const struct judge_task *t)
{
    return all_to_all_bound_us(t, BOUNDS_ANY);
}

/* ---- draws --------------------------------------------------------------- */

static int is_gpus(int64_t n)
{
    return n >= 0 && n <= PEERS;
}

static int draw_bandwidths(const struct draw_from *from, const int64_t *arg,
                           void *out, size_t nbytes)
{
    struct gbps *const m = out;
    if (nbytes != sizeof *m || !is_gpus(arg[0]))
        return -1;
    *m = drawn_bandwidths(from->seed, (int)arg[0]);
    return 0;
}

static int draw_mesh(const struct draw_from *from, const int64_t *arg,
                     void *out, size_t nbytes)
{
    struct gbps *const m = out;
    if (nbytes != sizeof *m || !is_gpus(arg[0]) || arg[1] < 0 || arg[2] < 0 ||
        arg[1] >= PEERS || arg[2] >= PEERS)
        return -1;
    *m = drawn_mesh(from->seed, (int)arg[0], (int)arg[1], (int)arg[2]);
    return 0;
}

static int draw_routes(const struct draw_from *from, const int64_t *arg,
                       void *out, size_t nbytes)
{
    struct drawn_paths *const p = out;
    if (nbytes != sizeof *p || !is_gpus(arg[0]) || arg[0] < 2 || arg[1] < 0 ||
        arg[1] > ROUTES)
        return -1;
    memset(p, 0, sizeof *p);
    p->n = drawn_routes(from->seed, (int)arg[0], (int)arg[1], p->route);
    return 0;
}

static int draw_order(const struct draw_from *from, const int64_t *arg,
                      void *out, size_t nbytes)
{
    struct drawn_order *const order = out;
    if (nbytes != sizeof *order || !is_gpus(arg[0]))
        return -1;
    *order = drawn_order(from->seed, (int)arg[0]);
    return 0;
}

static int draw_cost(const struct draw_from *from, const int64_t *arg,
                     void *out, size_t nbytes)
{
    struct drawn_cost *const c = out;
    (void)arg;
    if (nbytes != DRAWN_COSTS * sizeof *c)
        return -1;
    for (unsigned i = 0; i < DRAWN_COSTS; i++) {
        c[i] = drawn_cost(from->seed, i);
        c[i].pays = 0; // what is expected
    }
    return 0;
}

const struct draw_row lab6_draws[] = {
    [DRAWN_BANDWIDTHS] = {draw_bandwidths, 0}, [DRAWN_MESH] = {draw_mesh, 0},
    [DRAWN_ROUTES] = {draw_routes, 0},         [DRAWN_COST] = {draw_cost, 0},
    [DRAWN_ORDER] = {draw_order, 0},           {0}};
