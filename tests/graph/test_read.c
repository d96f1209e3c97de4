/*
 * Loading saved graphs: the recorded data comes back, and a damaged file gives
 * an error with an offset, nothing worse. COMMLAB_FUZZ=N damages N
 * files, from another seed, instead of 20000.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fds.h"
#include "graph/draw/timeline.h"
#include "graph/explain/path.h"
#include "graph/record/format.h"
#include "graph/replay/load.h"
#include "suite.h"
#include "synthetic.h"

static struct synthetic s;
static char err[512];

static void setup(void)
{
    synthetic_init(&s, 2);
}

static void teardown(void)
{
    synthetic_release(&s);
}

static const char *path_of(int rank)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/rank-%d.graph", s.dir, rank);
    return path;
}

struct bytes {
    char *data;
    size_t n;
};

static struct bytes read_file(int rank)
{
    struct bytes b = {malloc(1 << 20), 0};
    FILE *const f = fopen(path_of(rank), "rb");
    ck_assert_ptr_nonnull(f);
    b.n = fread(b.data, 1, 1 << 20, f);
    fclose(f);
    return b;
}

static void write_file(int rank, const char *data, size_t n)
{
    FILE *const f = fopen(path_of(rank), "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, n, f), n);
    fclose(f);
}

/* A little of everything. */
static void record(void)
{
    for (uint32_t r = 0; r < 2; r++) {
        graph_note_queue(s.rank[r], 1, (int32_t)r, "stream 1");
        const uint32_t site = graph_site(s.rank[r], (char *)&record + 1);
        graph_note_alloc(s.rank[r], 5, 0, 4096, site);
        const struct graph_ref a =
            SYNTHETIC(&s, r, .name = "add",
                      .node = {.kind = GRAPH_KERNEL, .queue = 1, .site = site},
                      .moves = {{0, 1, 10}});
        SYNTHETIC(&s, r, .name = "ncclAllReduce",
                  .node = {.kind = GRAPH_COLL,
                           .queue = 2,
                           .match = 9,
                           .match_size = 2,
                           .match_rank = 1 - r,
                           .match_kind = GRAPH_MATCH_ALL},
                  .deps = {a, {1 - r, 1}});
        const struct graph_access accesses[] = {{5, 0, 8, 1, site}};
        graph_amend(s.rank[r], a.index, 3, NULL, 0, accesses, 1);
        SYNTHETIC(&s, r, .node = {.kind = GRAPH_MARK, .queue = 1});
    }
}

START_TEST(what_was_recorded_comes_back)
{
    record();
    struct graph *const g = synthetic_load(&s);
    ck_assert_uint_eq(g->nranks, 2);
    ck_assert_uint_eq(g->nnodes, 6);
    const struct graph_view *const v =
        graph_node_at(g, (struct graph_ref){1, 1});
    ck_assert_ptr_nonnull(v);
    ck_assert_str_eq(v->name, "add");
    ck_assert_msg(strncmp(v->site, "test_read.c:", 12) == 0, "%s", v->site);
    ck_assert(v->node.flops == 3);
    ck_assert_uint_eq(v->nmoves, 1);
    ck_assert_uint_eq(v->naccesses, 1);
    ck_assert_uint_eq(v->accesses[0].end, 8);
    ck_assert_uint_eq(g->nqueues, 2);
    ck_assert_str_eq(g->queues[1].name, "stream 1");
    ck_assert_uint_eq(g->queues[1].rank, 1);
    ck_assert_uint_eq(g->nallocs, 2);
    ck_assert_uint_eq(g->allocs[0].nbytes, 4096);
    ck_assert_ptr_null(graph_node_at(g, (struct graph_ref){1, 4}));
    ck_assert_ptr_null(graph_node_at(g, (struct graph_ref){2, 1}));
    graph_free(g);
}
END_TEST

START_TEST(order_and_matches_are_found)
{
    record();
    struct graph *const g = synthetic_load(&s);
    const uint32_t mark = graph_find(g, (struct graph_ref){1, 3});
    ck_assert_uint_eq(graph_queue_prev(g, mark),
                      graph_find(g, (struct graph_ref){1, 1}));
    ck_assert_uint_eq(graph_thread_prev(g, mark),
                      graph_find(g, (struct graph_ref){1, 2}));
    ck_assert_uint_eq(graph_thread_prev(g, 0), GRAPH_NOWHERE);
    uint32_t n;
    const uint32_t *const member =
        graph_matched(g, graph_find(g, (struct graph_ref){0, 2}), &n);
    ck_assert_uint_eq(n, 2); // by match rank: rank 1 is the first
    ck_assert_uint_eq(member[0], graph_find(g, (struct graph_ref){1, 2}));
    ck_assert_uint_eq(member[1], graph_find(g, (struct graph_ref){0, 2}));
    ck_assert_ptr_null(graph_matched(g, mark, &n));
    graph_free(g);
}
END_TEST

static void expect_error(const char *part)
{
    struct graph *const g = graph_load(s.dir, err, sizeof err);
    ck_assert_msg(!g, "loaded, where '%s' was expected", part);
    ck_assert_msg(strstr(err, part) != NULL, "%s", err);
}

START_TEST(a_missing_directory_or_rank_is_named)
{
    ck_assert_ptr_null(graph_load("/no/such/run", err, sizeof err));
    ck_assert_str_eq(err,
                     "/no/such/run/rank-0.graph: 0: No such file or directory");
    record();
    graph_free(synthetic_load(&s));
    unlink(path_of(1));
    expect_error("rank-1.graph: 0: No such file");
}
END_TEST

START_TEST(a_foreign_file_is_refused)
{
    record();
    graph_free(synthetic_load(&s));
    struct bytes b = read_file(0);
    struct format_header *const h = (void *)b.data;
    write_file(0, "<xml/>", 6);
    expect_error("6 bytes are no execution graph");
    b.data[0] = 'X';
    write_file(0, b.data, b.n);
    expect_error("not an execution graph");
    b.data[0] = 'c';
    h->version = 99;
    write_file(0, b.data, b.n);
    expect_error("format version 99");
    h->version = FORMAT_VERSION;
    h->byte_order = 0x04030201;
    write_file(0, b.data, b.n);
    expect_error("byte order");
    h->byte_order = FORMAT_BYTE_ORDER;
    h->rank = 1;
    write_file(0, b.data, b.n);
    expect_error("it is the graph of rank 1");
    h->rank = 0;
    h->nranks = 1;
    write_file(0, b.data, b.n);
    expect_error("operation 2: it depends"); // on rank 1, of a run of one
    free(b.data);
}
END_TEST

START_TEST(a_file_cut_short_anywhere_is_an_error)
{
    record();
    graph_free(synthetic_load(&s));
    struct bytes b = read_file(0);
    for (size_t n = 0; n < b.n; n += n < FORMAT_DATA ? 97 : 1) {
        write_file(0, b.data, n);
        ck_assert_ptr_null(graph_load(s.dir, err, sizeof err));
        ck_assert_msg(strstr(err, "rank-0.graph: ") != NULL, "%s", err);
    }
    // And if the header says that the file ends here.
    struct format_header *const h = (void *)b.data;
    for (size_t n = FORMAT_DATA + 1; n < b.n; n++) {
        h->used = n;
        write_file(0, b.data, n);
        graph_free(graph_load(s.dir, err, sizeof err));
    }
    free(b.data);
}
END_TEST

START_TEST(an_operation_that_waits_for_a_later_one_is_refused)
{
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_MARK, .queue = 1},
              .deps = {{0, 1}});
    for (int r = 0; r < 2; r++)
        graph_save(s.rank[r]);
    expect_error(
        "operation 1: it depends on an operation that can't be before");
}
END_TEST

START_TEST(an_operation_that_waits_for_one_never_recorded_is_refused)
{
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_MARK, .queue = 1},
              .deps = {{1, 8}});
    for (int r = 0; r < 2; r++)
        graph_save(s.rank[r]);
    expect_error(
        "operation 1 depends on operation 8 of rank 1, which has only 0");
}
END_TEST

START_TEST(a_part_that_follows_one_never_recorded_is_refused)
{
    const struct graph_ref a =
        SYNTHETIC(&s, 0, .node = {.kind = GRAPH_KERNEL, .queue = 1});
    graph_part(s.rank[0], a.index, &(struct graph_point){0, a.index, 2}, 1, 0);
    for (int r = 0; r < 2; r++)
        graph_save(s.rank[r]);
    expect_error("operation 1 follows part 2 of operation 1 of rank 0");
}
END_TEST

/* xorshift: the same damage in every run. */
static uint32_t next_random(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    return *x ^= *x << 5;
}

/* Replay and draw it, or refuse it, in finite time. */
static void use(const struct graph *g, const struct topo *topo)
{
    struct replay *const r = replay_run(g, topo, NULL, err, sizeof err);
    if (!r)
        return;
    FILE *const f = fopen("/dev/null", "w");
    const struct timeline t = {.graph = g, .time = replay_times(r)};
    ck_assert_int_eq(timeline_svg(f, &t), 0);
    ck_assert_int_eq(timeline_json(f, &t), 0);
    fclose(f);
    struct path p;
    ck_assert_int_eq(path_find(&p, g, replay_times(r)), 0);
    path_release(&p);
    replay_free(r);
}

/* A recorder's list, behind rank 0's graph. */
static void append_begun(const uint32_t index[2])
{
    struct bytes b = read_file(0);
    const struct format_record r = {2 * sizeof *index, FORMAT_BEGUN};
    memcpy(b.data + b.n, &r, sizeof r);
    memcpy(b.data + b.n + sizeof r, index, r.nbytes);
    b.n += sizeof r + r.nbytes;
    atomic_init(&((struct format_header *)b.data)->used, b.n);
    write_file(0, b.data, b.n);
    free(b.data);
}

START_TEST(a_recorder_says_what_has_begun)
{
    static const uint32_t index[] = {3, 1}, none[] = {1, 4};
    for (uint32_t r = 0; r < 2; r++)
        for (int i = 0; i < 3; i++)
            SYNTHETIC(&s, r, .node = {.kind = GRAPH_KERNEL, .queue = 1});
    struct graph *g = synthetic_load(&s);
    ck_assert(!g->is_witnessed && !g->nodes[0].begun);
    graph_free(g);
    append_begun(index);
    g = graph_load(s.dir, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    ck_assert(g->is_witnessed && g->nodes[0].begun && !g->nodes[1].begun &&
              g->nodes[2].begun && !g->nodes[3].begun);
    graph_free(g);
    append_begun(none);
    ck_assert_ptr_null(graph_load(s.dir, err, sizeof err));
    ck_assert_msg(strstr(err, "operation 4 has begun, of 3"), "%s", err);
}
END_TEST

START_TEST(damaged_bytes_never_crash_reader_replay_or_picture)
{
    struct topo *const topo = topo_load("dgx-h100", err, sizeof err);
    ck_assert_msg(topo != NULL, "%s", err);
    record();
    graph_part(s.rank[0], 1, &(struct graph_point){1, 1, 0}, 1, 0);
    graph_free(synthetic_load(&s));
    struct bytes b = read_file(0);
    char *const copy = malloc(b.n);
    const char *const rounds = getenv("COMMLAB_FUZZ");
    const uint32_t n = rounds ? (uint32_t)atoi(rounds) : 20000;
    uint32_t seed = 20240607 + n, loaded = 0;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(copy, b.data, b.n);
        for (uint32_t k = 1 + next_random(&seed) % 4; k > 0; k--) {
            // Mostly in the records, which have more to check.
            const size_t at =
                next_random(&seed) % 8
                    ? FORMAT_DATA + next_random(&seed) % (b.n - FORMAT_DATA)
                    : next_random(&seed) % 64;
            const uint32_t how = next_random(&seed) % 3;
            copy[at] = how == 0   ? (char)next_random(&seed)
                       : how == 1 ? (char)(copy[at] ^ (1 << (at % 8)))
                                  : (char)0xff;
        }
        write_file(0, copy, b.n);
        err[0] = 0;
        struct graph *const g = graph_load(s.dir, err, sizeof err);
        ck_assert(g || strstr(err, ".graph: ") || strstr(err, "no memory"));
        loaded += g != NULL;
        if (g)
            use(g, topo);
        graph_free(g);
    }
    ck_assert_uint_gt(loaded, 0); // not every bit matters
    ck_assert_uint_lt(loaded, n);
    printf("%u of %u damaged files still load\n", loaded, n);
    free(copy);
    free(b.data);
    topo_free(topo);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("read");
    TCase *const t = tcase_create("read");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, what_was_recorded_comes_back);
    tcase_add_test(t, order_and_matches_are_found);
    tcase_add_test(t, a_missing_directory_or_rank_is_named);
    tcase_add_test(t, a_foreign_file_is_refused);
    tcase_add_test(t, a_file_cut_short_anywhere_is_an_error);
    tcase_add_test(t, an_operation_that_waits_for_a_later_one_is_refused);
    tcase_add_test(t,
                   an_operation_that_waits_for_one_never_recorded_is_refused);
    tcase_add_test(t, a_part_that_follows_one_never_recorded_is_refused);
    tcase_add_test(t, a_recorder_says_what_has_begun);
    tcase_add_test(t, damaged_bytes_never_crash_reader_replay_or_picture);
    tcase_set_timeout(t, getenv("COMMLAB_FUZZ") ? 36000 : 120);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
