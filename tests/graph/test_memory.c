/*
 * Reading a graph, machines, replays, hazards and pictures report it when
 * memory runs out, at any allocation: no crash, no partial result.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* fmemopen */
#include <stdlib.h> /* free */
#include <string.h> /* strstr */

#include "graph/draw/timeline.h"
#include "graph/explain/path.h"
#include "graph/hazard/hazard.h"
#include "graph/replay/load.h"
#include "graph/replay/overlap.h"
#include "graph/replay/replay.h"
#include "machine.h"
#include "scarce.h"
#include "suite.h"
#include "synthetic.h"
#include "topo/bounds.h"
#include "topo/copies.h"

enum { US = 1000000, NRANKS = 2, A = 1 }; /* ps; an allocation */

static struct synthetic s;
static struct topo *machine;
static struct graph *g;
static struct replay *r;
static char err[512];

/* The result of run(): an error needs a reason. */
static int reported(int failed)
{
    const int has_reason = err[0] != 0;
    err[0] = 0;
    return failed && has_reason ? -1 : 0;
}

/* A bit of everything that a run may record. */
static void record(uint32_t rank)
{
    struct graph_segment *const to = s.rank[rank];
    const int32_t place = (int32_t)rank;
    const struct graph_node meeting = {.queue = 2,
                                       .place = place,
                                       .match_size = NRANKS,
                                       .match_rank = rank,
                                       .bytes = 4096};
    graph_note_machine(to, "dgx-h100");
    graph_note_alloc(to, A + rank, place, 4096, 0);
    graph_note_queue(to, 1, place, "stream");
    graph_span(graph_string(to, "step #0"));
    const struct graph_ref kernel =
        SYNTHETIC(&s, rank, .name = "kernel",
                  .node = {.kind = GRAPH_KERNEL,
                           .queue = 1,
                           .place = place,
                           .flops = 1e9},
                  .moves = {{place, place, 4096}},
                  .accesses = {{A + rank, 0, 100, GRAPH_WRITE, 0}});
    SYNTHETIC(&s, rank, .name = "copy",
              .node = {.kind = GRAPH_COPY, .queue = 3},
              .moves = {{place, 1 - place, 4096}},
              .accesses = {{A + rank, 50, 200, GRAPH_READ, 0}}); // a race
    struct graph_node coll = meeting, send = meeting, barrier = meeting;
    coll.kind = GRAPH_COLL;
    coll.op = TOPO_OP_ALLREDUCE;
    coll.match_kind = GRAPH_MATCH_ALL;
    coll.match = 1;
    SYNTHETIC(&s, rank, .name = "ncclAllReduce", .node = coll,
              .deps = {kernel});
    send.kind = rank ? GRAPH_RECV : GRAPH_SEND;
    send.peer_place = 1 - place;
    send.match_kind = GRAPH_MATCH_PAIR;
    send.match = 2;
    SYNTHETIC(&s, rank, .name = "ncclSend", .node = send);
    barrier.kind = GRAPH_MPI;
    barrier.queue = 0;
    barrier.match_kind = GRAPH_MATCH_ALL;
    barrier.match = 3;
    SYNTHETIC(&s, rank, .name = "MPI_Barrier", .node = barrier);
    graph_span(0);
}

static void setup(void)
{
    synthetic_init(&s, NRANKS);
    for (uint32_t rank = 0; rank < NRANKS; rank++)
        record(rank);
    g = synthetic_load(&s);
    machine = machine_load("dgx-h100");
    r = replay_run(g, machine, NULL, err, sizeof err);
    ck_assert_msg(r != NULL, "%s", err);
}

static void teardown(void)
{
    replay_free(r);
    topo_free(machine);
    graph_free(g);
    synthetic_release(&s);
}

/* ---- graphs -------------------------------------------------------------- */

static int load(void)
{
    struct graph *const again = graph_load(s.dir, err, sizeof err);
    graph_free(again);
    return reported(!again);
}

static int replay(void)
{
    struct replay *const again = replay_run(g, machine, NULL, err, sizeof err);
    replay_free(again);
    return reported(!again);
}

static int find_hazards(void)
{
    struct hazards found = {0};
    const int result = hazards_find(g, NULL, &found, err, sizeof err);
    hazards_release(&found);
    return reported(result);
}

static int find_path(void)
{
    struct path p = {0};
    const int result = path_find(&p, g, replay_times(r));
    path_release(&p);
    return result;
}

static int sum_overlap(void)
{
    struct overlap *const o = overlap_new(g, replay_times(r));
    overlap_free(o);
    return o ? 0 : -1;
}

static char drawn[1 << 16];

static int draw(int (*as)(FILE *f, const struct timeline *t))
{
    const struct timeline t = {
        .graph = g, .time = replay_times(r), .topo = machine, .title = "t"};
    FILE *const f = fmemopen(drawn, sizeof drawn, "w");
    int result = f ? as(f, &t) : -1;
    if (f && fclose(f) != 0)
        result = -1;
    return result;
}

static int draw_svg(void)
{
    return draw(timeline_svg);
}

static int draw_json(void)
{
    return draw(timeline_json);
}

/* ---- a running job ------------------------------------------------------- */

static int see_past(void)
{
    struct graph_live *const l = graph_live_new(NRANKS);
    int result = l ? 0 : -1;
    for (uint32_t rank = 0; rank < NRANKS && result == 0; rank++)
        result = graph_live_attach(l, rank, graph_fd(s.rank[rank]));
    if (result == 0)
        result = graph_live_update(l, err, sizeof err);
    const struct graph_ref last = {0, 5};
    struct graph *const past =
        result == 0 ? graph_past(l, &last, 1, 0, err, sizeof err) : NULL;
    if (past)
        result = graph_live_notes(l, past);
    graph_free(past);
    graph_live_free(l);
    return past ? result : -1;
}

/* ---- machines ------------------------------------------------------------ */

static int load_machine(void)
{
    struct topo *const t = topo_load("2x:sick:7:dgx-1v", err, sizeof err);
    topo_free(t);
    return reported(!t);
}

static int reduce(void)
{
    static const int32_t place[] = {0, 1, 2};
    struct topo_coll c = {0};
    const int result =
        topo_collective(machine, TOPO_OP_ALLREDUCE, place, 3, 4096, TOPO_ANY,
                        TOPO_ANY, &c, err, sizeof err);
    topo_coll_release(&c);
    return reported(result);
}

static int send(void)
{
    struct topo_coll c = {0};
    const int result = topo_message(machine, 0, 5, 4096, &c, err, sizeof err);
    topo_coll_release(&c);
    return reported(result);
}

static int lay_rings(void)
{
    static const int32_t place[] = {3, 1, 4};
    return topo_channels(machine, place, 3) > 0 ? 0 : -1;
}

static int share(void)
{
    struct topo_path path[2];
    double rate[2];
    for (int i = 0; i < 2; i++)
        if (topo_path(machine, i, 7, 1, &path[i]) != 0)
            return -1;
    return copies_share(machine, path, 2, rate);
}

static int bound(void)
{
    static double nbytes[BOUNDS_GPUS][BOUNDS_GPUS] = {{0, 1e6, 2e6}};
    double reached;
    const double sec = bounds_move(machine, BOUNDS_ANY, nbytes, &reached);
    return sec > 0 && reached > 0 ? 0 : -1;
}

static const struct {
    const char *what;
    int (*run)(void);
} work[] = {
    {"load", load},         {"replay", replay},       {"hazards", find_hazards},
    {"path", find_path},    {"overlap", sum_overlap}, {"svg", draw_svg},
    {"json", draw_json},    {"past", see_past},       {"machine", load_machine},
    {"collective", reduce}, {"message", send},        {"channels", lay_rings},
    {"copies", share},      {"bounds", bound}};
enum { NWORK = sizeof work / sizeof *work };

START_TEST(work_without_memory_is_reported)
{
    scarce_each(work[_i].run, 200);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("memory");
    TCase *const t = tcase_create("scarce");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, work_without_memory_is_reported, 0, NWORK);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
