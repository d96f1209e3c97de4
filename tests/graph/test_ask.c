/*
 * Random jobs: a question to the running job, from its beginning or from a cut,
 * is answered as by the replay of the whole job.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "graph/record/live.h"
#include "replayed.h"
#include "suite.h"

enum { US = 1000000, RANKS = 3, OPS = 60 }; /* US: ps */

static struct replayed run;
static struct graph_live *live;
static struct graph_ref asked[OPS * RANKS];
static uint32_t nops[RANKS], nasked, seed;
static char err[512];

static void setup(void)
{
    replayed_init(&run, "dgx-h100", RANKS);
    live = synthetic_live(&run.s);
}

static void teardown(void)
{
    graph_live_free(live);
    replayed_release(&run);
}

static uint32_t next_random(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % below;
}

/* An earlier operation, mostly of the same rank; or none. */
static struct graph_ref any_before(uint32_t r)
{
    const uint32_t of = next_random(4) ? r : next_random(RANKS);
    return (struct graph_ref){of, nops[of] ? next_random(nops[of] + 1) : 0};
}

static void add(uint32_t r, struct synthetic_op op, int ask)
{
    op.node.host_ps = (1 + next_random(3)) * (uint64_t)US;
    op.node.place = op.node.queue ? (int32_t)r : TOPO_HOST_PLACE(0);
    const struct graph_ref ref = synthetic_add(&run.s, r, &op);
    nops[r] = ref.index;
    if (ask)
        asked[nasked++] = ref;
}

/* A kernel, in one of three queues, some in groups, some that join. */
static void add_kernel(uint32_t r)
{
    const uint32_t queue = 1 + next_random(3);
    add(r,
        (struct synthetic_op){
            .node = {.kind = GRAPH_KERNEL,
                     .queue = queue,
                     .group = next_random(3) ? 0 : queue,
                     .flags = next_random(8) ? 0 : GRAPH_JOIN,
                     .latency_ps = next_random(40) * (uint64_t)US},
            .deps = {any_before(r)}},
        1);
}

static void add_sync(uint32_t r)
{
    add(r,
        (struct synthetic_op){
            .node = {.kind = GRAPH_HOST, .latency_ps = 2 * US},
            .deps = {any_before(r), any_before(r)}},
        1);
}

/* Of all ranks: a collective, or an MPI call of some kind. */
static void add_meeting(uint64_t match)
{
    static const struct {
        uint8_t kind, op, match;
    } row[] = {{GRAPH_MPI, TOPO_OP_BARRIER, GRAPH_MATCH_ALL},
               {GRAPH_MPI, TOPO_OP_BARRIER, GRAPH_MATCH_ALL},
               {GRAPH_MPI, TOPO_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT},
               {GRAPH_MPI, TOPO_OP_REDUCE, GRAPH_MATCH_TO_ROOT},
               {GRAPH_COLL, TOPO_OP_ALLREDUCE, GRAPH_MATCH_ALL}};
    const uint32_t kind = next_random(5), root = next_random(RANKS);
    for (uint32_t r = 0; r < RANKS; r++)
        add(r,
            (struct synthetic_op){
                .node = {.kind = row[kind].kind,
                         .op = row[kind].op,
                         .queue = row[kind].kind == GRAPH_COLL,
                         .match = match,
                         .match_kind = row[kind].match,
                         .match_size = RANKS,
                         .match_rank = r,
                         .match_root = root,
                         .bytes = 64}},
            1);
}

static void record(void)
{
    for (uint32_t i = 0; i < OPS; i++) {
        const uint32_t kind = next_random(8), r = next_random(RANKS);
        if (kind < 4)
            add_kernel(r);
        else if (kind < 6)
            add_sync(r);
        else
            add_meeting(1 + i);
    }
}

/* The end of `root` in the replay of its past after a cut. */
static uint64_t end_after(struct graph_ref root, uint32_t cut, uint64_t base_ps)
{
    struct graph *const g = graph_past(live, &root, 1, cut, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    struct replay *const r =
        replay_run(g, run.topo, &(struct replay_options){.base_ps = base_ps},
                   err, sizeof err);
    ck_assert_msg(r != NULL, "%s", err);
    const uint64_t end_ps = replay_node(r, root)->end_ps;
    replay_free(r);
    graph_free(g);
    return end_ps;
}

START_TEST(the_past_of_an_operation_gives_its_time)
{
    seed = 4711 + (uint32_t)_i;
    record();
    replayed_run(&run, NULL);
    ck_assert_int_eq(graph_live_update(live, err, sizeof err), 0);
    for (uint32_t i = 0; i < nasked; i++) {
        const struct graph_ref root = asked[i];
        const uint64_t whole_ps = replayed_at(&run, root).end_ps;
        uint64_t past_ps = end_after(root, 0, 0);
        ck_assert_msg(past_ps == whole_ps, "run %d, %u %u: %llu, not %llu", _i,
                      root.rank, root.index, (unsigned long long)past_ps,
                      (unsigned long long)whole_ps);
        const uint32_t cut = graph_live_cut(live, root);
        if (cut == 0)
            continue;
        const struct graph_ref at = graph_live_cut_node(live, cut, root.rank);
        ck_assert_uint_lt(at.index, root.index);
        past_ps = end_after(root, cut, replayed_at(&run, at).end_ps);
        ck_assert_msg(past_ps == whole_ps, "run %d, cut %u, %u %u", _i, cut,
                      root.rank, root.index);
    }
}
END_TEST

START_TEST(what_is_not_there_is_named)
{
    const struct graph_ref none = {0, 1}, nothing = {0, 0};
    char text[64];
    ck_assert_int_eq(graph_live_update(live, err, sizeof err), 0);
    ck_assert_ptr_null(graph_past(live, &none, 1, 0, err, sizeof err));
    ck_assert_str_eq(err, "rank 0 has not recorded its operation 1");
    struct graph *const g = graph_past(live, &nothing, 1, 0, err, sizeof err);
    ck_assert_uint_eq(g->nnodes, 0);
    graph_free(g);
    const struct graph_moment m = graph_live_host(live, 1, 0);
    ck_assert(m.join.rank == 1 && m.join.index == 0 && m.host_ps == 0);
    ck_assert_str_eq(graph_live_site(live, 0, 1, text, sizeof text), "?");
    struct graph_live *const l = graph_live_new(RANKS);
    ck_assert_ptr_null(graph_past(l, &none, 1, 0, err, sizeof err));
    ck_assert_str_eq(err, "the graph of rank 0 is not attached (operation 1)");
    graph_live_free(l);
    SYNTHETIC(&run.s, 0, .name = "ncclAllReduce",
              .node = {.kind = GRAPH_COLL,
                       .queue = 1,
                       .match = 5,
                       .match_size = 2,
                       .match_kind = GRAPH_MATCH_ALL});
    ck_assert_int_eq(graph_live_update(live, err, sizeof err), 0);
    ck_assert_ptr_null(graph_past(live, &none, 1, 0, err, sizeof err));
    ck_assert_str_eq(err, "operation 1 of rank 0 (ncclAllReduce) is one of 2 "
                          "that belong together; only 1 are recorded");
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("ask");
    TCase *const t = tcase_create("ask");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, the_past_of_an_operation_gives_its_time, 0, 30);
    tcase_add_test(t, what_is_not_there_is_named);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
