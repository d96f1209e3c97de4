/*
 * Pictures and traces of a run that has what tiny runs lack: threads that begin
 * out of order, streams without names, bars too narrow for their text, a match
 * of three, on host rows too; whole, of some ranks, and of some time. And what
 * happens where one can't be written.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "golden.h"
#include "graph/draw/timeline.h"
#include "graph/draw/view.h"
#include "machine.h"
#include "scarce.h"
#include "suite.h"
#include "synthetic.h"

enum { NS = 1000, RANKS = 3, AS_EXPECTED = 3 };

static struct synthetic s;
static struct graph *g;
static struct replay_time *times;
static struct topo *topo;

#define MEMBER(RANK)                                                           \
    .match_size = RANKS, .match_rank = (RANK), .match_kind = GRAPH_MATCH_ALL
#define COLL(RANK)                                                             \
    {                                                                          \
        .kind = GRAPH_COLL, .queue = 2, .place = (RANK), .host_ps = 900 * NS,  \
        .match = 1, .bytes = 4096, MEMBER(RANK)                                \
    }
#define MPI(RANK)                                                              \
    {                                                                          \
        .kind = GRAPH_MPI, .host_ps = 500 * NS, .match = 2, MEMBER(RANK)       \
    }

static const struct {
    uint32_t rank;
    struct synthetic_op op;
    struct replay_time ns;
} ops[] = {
    {0,
     {.name = "cudaSetDevice",
      .node = {.kind = GRAPH_HOST, .thread = 1, .host_ps = 3000 * NS}},
     {3000, 3000, 3000, 3000, -1}},
    // without a name; its host part would begin before the run
    {0,
     {.node = {.kind = GRAPH_HOST, .host_ps = 4000 * NS}},
     {2000, 2000, 2000, 5000, -1}},
    {0,
     {.name = "kernelOfALongName",
      .node = {.kind = GRAPH_KERNEL, .queue = 1, .host_ps = 1000 * NS}},
     {6000, 6000, 6500, 30000, -1}},
    // a bar that can't be seen, one that can, and one of another look
    {0,
     {.name = "narrow", .node = {.kind = GRAPH_KERNEL, .queue = 1}},
     {6000, 30000, 30000, 30019, -1}},
    {0,
     {.name = "wider", .node = {.kind = GRAPH_KERNEL, .queue = 1}},
     {6000, 30019, 30019, 30040, -1}},
    {0,
     {.name = "other", .node = {.kind = GRAPH_MEMSET, .queue = 1}},
     {6000, 30040, 30040, 30041, -1}},
    {0,
     {.node = {.kind = GRAPH_MEMSET, .queue = 7, .host_ps = 1000 * NS}},
     {7000, 7000, 40000, 45000, 0}},
    // whose second words are all that fits
    {0,
     {.name = "aAbcdefghijk", .node = {.kind = GRAPH_MEMSET, .queue = 7}},
     {7000, 7000, 46000, 49000, 0}},
    {0,
     {.name = "zZbcdefghijk", .node = {.kind = GRAPH_MEMSET, .queue = 7}},
     {7000, 7000, 50000, 53000, 0}},
    {0,
     {.name = "cudaMemcpy",
      .node = {.kind = GRAPH_COPY,
               .queue = 1,
               .flags = GRAPH_JOIN,
               .bytes = 512,
               .host_ps = 1000 * NS}},
     {8000, 31000, 31000, 50000, 1}},
    {0,
     {.name = "ncclReduceScatter", .node = COLL(0)},
     {50900, 50900, 54000, 60000, 2}},
    {0,
     {.name = "MPI_Allreduce", .node = MPI(0)},
     {60000, 60000, 70000, 80000, 3}},
    {1,
     {.name = "ncclReduceScatter", .node = COLL(1)},
     {2000, 20000, 54000, 60000, 2}},
    {1,
     {.name = "kernel", .node = {.kind = GRAPH_KERNEL, .queue = 1, .place = 1}},
     {3000, 3000, 10000, 55000, -1}},
    {1,
     {.name = "MPI_Allreduce", .node = MPI(1)},
     {70000, 70000, 70000, 80000, 3}},
    {2,
     {.name = "ncclReduceScatter", .node = COLL(2)},
     {54000, 54000, 54000, 60000, 2}},
    {2,
     {.name = "MPI_Allreduce", .node = MPI(2)},
     {65000, 65000, 70000, 80000, 3}},
};
enum { OPS = sizeof ops / sizeof *ops };

static void setup(void)
{
    synthetic_init(&s, RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        graph_note_queue(s.rank[r], 2, (int32_t)r, "communication");
        graph_note_queue(s.rank[r], 1, (int32_t)r, "computation");
    }
    times = calloc(OPS, sizeof *times);
    for (int i = 0; i < OPS; i++) {
        const struct replay_time *const t = &ops[i].ns;
        synthetic_add(&s, ops[i].rank, &ops[i].op);
        times[i] =
            (struct replay_time){t->issue_ps * NS, t->ready_ps * NS,
                                 t->start_ps * NS, t->end_ps * NS, t->bound};
    }
    g = synthetic_load(&s);
    ck_assert_uint_eq(g->nnodes, OPS);
    topo = machine_load("dgx-h100");
}

static void teardown(void)
{
    topo_free(topo);
    free(times);
    graph_free(g);
    synthetic_release(&s);
}

START_TEST(a_whole_run_is_drawn_as_it_was)
{
    FILE *const out = golden_begin();
    const struct timeline t = {.graph = g, .time = times, .title = "a <run>"};
    ck_assert_int_eq(timeline_svg(out, &t), 0);
    golden_end(out, "tests/graph/pictures.txt#whole.svg");
}
END_TEST

/* While rank 1's collective or kernel runs: bars before and after it are cut or
 * left out. */
START_TEST(parts_of_a_run_are_drawn_as_they_were)
{
    FILE *const out = golden_begin();
    for (int at = 12; at <= 13; at++) {
        char in[OPS] = {0};
        in[at] = 1;
        ck_assert_int_eq(timeline_svg(out, &(struct timeline){.graph = g,
                                                              .time = times,
                                                              .in = in,
                                                              .nranks = 2}),
                         0);
    }
    golden_end(out, "tests/graph/pictures.txt#parts");
}
END_TEST

/* Of a time in which nothing runs: the axis of an empty run. */
START_TEST(a_part_without_operations_is_empty)
{
    static const char in[OPS];
    FILE *const out = golden_begin();
    const struct timeline t = {.graph = g, .time = times, .in = in};
    ck_assert_int_eq(timeline_svg(out, &t), 0);
    golden_end(out, "tests/graph/pictures.txt#empty.svg");
}
END_TEST

START_TEST(a_run_is_traced_as_it_was)
{
    FILE *const out = golden_begin();
    const struct timeline t = {.graph = g, .time = times, .topo = topo};
    ck_assert_int_eq(timeline_json(out, &t), 0);
    golden_end(out, "tests/graph/pictures.txt#whole.json");
}
END_TEST

/* ---- axes ---------------------------------------------------------------- */

static const uint64_t lengths_ps[] = {0,
                                      1,
                                      7,
                                      10,
                                      11,
                                      20,
                                      21,
                                      50,
                                      51,
                                      100,
                                      101,
                                      999,
                                      1000,
                                      1001,
                                      2000001,
                                      123456789,
                                      1000000000,
                                      5000000001,
                                      99999999999,
                                      1000000000000,
                                      12345678901234567};

/* The labels of an axis. */
static void print_axis(FILE *out, const char *svg)
{
    static const char label[] = "text-anchor=\"middle\">";
    for (const char *at = svg; (at = strstr(at, label)) != NULL;) {
        at += sizeof label - 1;
        fprintf(out, " %.*s,", (int)strcspn(at, "<"), at);
    }
    fprintf(out, "\n");
}

START_TEST(an_axis_has_at_most_ten_steps)
{
    FILE *const out = golden_begin();
    memset(times, 0, OPS * sizeof *times);
    for (size_t i = 0; i < sizeof lengths_ps / sizeof *lengths_ps; i++) {
        char *svg;
        size_t nbytes;
        FILE *const f = open_memstream(&svg, &nbytes);
        times[0].end_ps = lengths_ps[i];
        ck_assert_int_eq(
            timeline_svg(f, &(struct timeline){.graph = g, .time = times}), 0);
        fclose(f);
        fprintf(out, "%llu:", (unsigned long long)lengths_ps[i]);
        print_axis(out, svg);
        free(svg);
    }
    golden_end(out, "tests/graph/pictures.txt#axes");
}
END_TEST

/* ---- failures ------------------------------------------------------------ */

static int (*const writers[])(FILE *, const struct timeline *) = {
    timeline_svg, timeline_json};

START_TEST(a_full_disk_is_an_error)
{
    const struct timeline t = {.graph = g, .time = times, .title = ""};
    FILE *const full = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(full);
    ck_assert_int_eq(writers[_i](full, &t), -1);
    ck_assert_int_eq(errno, ENOSPC);
    fclose(full);
}
END_TEST

START_TEST(a_page_has_its_parts)
{
    char *page;
    size_t nbytes;
    FILE *const f = open_memstream(&page, &nbytes);
    FILE *const full = fopen("/dev/full", "w");
    ck_assert_int_eq(view_page(f, "a <run>", "{\"data\":\"@\"}"), 0);
    fclose(f);
    ck_assert_ptr_nonnull(strstr(page, "<title>a &lt;run&gt;</title>"));
    ck_assert_ptr_nonnull(strstr(page, "<h1>a &lt;run&gt;</h1>"));
    ck_assert_ptr_nonnull(strstr(page, ">{\"data\":\"@\"}</script>"));
    ck_assert_str_eq(page + nbytes - strlen("</html>\n"), "</html>\n");
    free(page);
    ck_assert_int_eq(view_page(full, "", "{}"), -1);
    fclose(full);
}
END_TEST

/* Check needs memory, too, so the test tells by its exit. */
START_TEST(no_memory_is_an_error)
{
    const struct timeline t = {.graph = g, .time = times, .title = ""};
    scarce_none();
    if (writers[_i](stderr, &t) == -1 && errno == ENOMEM) {
        teardown();
        _exit(AS_EXPECTED);
    }
}
END_TEST

static int draw(void)
{
    const struct timeline t = {.graph = g, .time = times, .title = ""};
    char text[20000];
    FILE *const f = fmemopen(text, sizeof text, "w");
    if (!f)
        return -1;
    errno = 0;
    const int result = writers[0](f, &t);
    const int err = errno;
    fclose(f);
    return result == 0 ? 0 : err == ENOMEM ? -1 : 0;
}

START_TEST(a_picture_needs_all_of_its_memory)
{
    scarce_each(draw, 1000);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("pictures");
    TCase *const t = tcase_create("pictures");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_whole_run_is_drawn_as_it_was);
    tcase_add_test(t, parts_of_a_run_are_drawn_as_they_were);
    tcase_add_test(t, a_part_without_operations_is_empty);
    tcase_add_test(t, a_run_is_traced_as_it_was);
    tcase_add_test(t, an_axis_has_at_most_ten_steps);
    tcase_add_loop_test(t, a_full_disk_is_an_error, 0, 2);
    tcase_add_test(t, a_page_has_its_parts);
    tcase_add_loop_exit_test(t, no_memory_is_an_error, AS_EXPECTED, 0, 2);
    tcase_add_test(t, a_picture_needs_all_of_its_memory);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
