/*
 * Pictures: that of a tiny run, compared with one checked by eye; and escaping
 * of names.
 */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fds.h"
#include "golden.h"
#include "graph/draw/timeline.h"
#include "graph/replay/overlap.h"
#include "suite.h"
#include "synthetic.h"

enum { US = 1000000 }; /* ps */

static struct synthetic s;
static struct graph *g;
static struct replay_time *times;

/*
 * Two ranks, an iteration each: a kernel, and an all-reduce that rank 0's
 * second kernel partly hides. Times are set by hand, so that no machine's
 * figures are in the picture.
 *
 *     rank 0   kernel 2..10   kernel 12..20
 *              all-reduce        ready 10, 15..30
 *     rank 1   kernel 2..15
 *              all-reduce        ready 15, 15..30
 */
static void record(const char *name)
{
    synthetic_init(&s, 2);
    for (uint32_t r = 0; r < 2; r++) {
        graph_note_queue(s.rank[r], 1, (int32_t)r, "stream");
        graph_note_queue(s.rank[r], 2, (int32_t)r, "non-blocking stream");
        const struct graph_node kernel = {.kind = GRAPH_KERNEL,
                                          .queue = 1,
                                          .place = (int32_t)r,
                                          .host_ps = 2 * US};
        const struct graph_ref k =
            SYNTHETIC(&s, r, .name = name, .node = kernel);
        const struct graph_ref c =
            SYNTHETIC(&s, r, .name = "ncclAllReduce",
                      .node = {.kind = GRAPH_COLL,
                               .queue = 2,
                               .place = (int32_t)r,
                               .host_ps = US,
                               .match = 1,
                               .match_size = 2,
                               .match_rank = r,
                               .match_kind = GRAPH_MATCH_ALL,
                               .bytes = 4096},
                      .deps = {k});
        if (r == 0)
            SYNTHETIC(&s, r, .name = name, .node = kernel);
        SYNTHETIC(&s, r, .name = "cudaStreamSynchronize",
                  .node = {.kind = GRAPH_HOST, .host_ps = US}, .deps = {c});
    }
    g = synthetic_load(&s);
    static const struct replay_time us[] = {
        {2, 2, 2, 10, 3},    {3, 10, 15, 30, 4}, {5, 10, 12, 20, -1},
        {6, 30, 30, 30, -1}, {2, 2, 2, 15, 3},   {3, 15, 15, 30, 4},
        {4, 30, 30, 30, -1},
    };
    ck_assert_uint_eq(g->nnodes, 7);
    times = calloc(7, sizeof *times);
    for (int i = 0; i < 7; i++)
        times[i] = (struct replay_time){
            us[i].issue_ps * US, us[i].ready_ps * US, us[i].start_ps * US,
            us[i].end_ps * US, us[i].bound};
}

static void teardown(void)
{
    free(times);
    graph_free(g);
    synthetic_release(&s);
}

static uint32_t drawn_ranks; /* timeline.nranks */

/* The output of one of the writers. */
static char *written(int (*write)(FILE *, const struct timeline *),
                     const char *title)
{
    char *text;
    size_t n;
    FILE *const f = open_memstream(&text, &n);
    const struct timeline t = {
        .graph = g, .time = times, .title = title, .nranks = drawn_ranks};
    ck_assert_int_eq(write(f, &t), 0);
    fclose(f);
    return text;
}

START_TEST(hidden_communication_is_what_the_same_device_computes_beside)
{
    record("forward");
    struct overlap *const o = overlap_new(g, times);
    ck_assert_uint_eq(overlap_hidden_ps(o, 0, 15 * US, 30 * US), 5 * US);
    ck_assert_uint_eq(overlap_hidden_ps(o, 1, 15 * US, 30 * US), 0);
    ck_assert_uint_eq(overlap_hidden_ps(o, 0, 0, 30 * US), 16 * US);
    ck_assert_uint_eq(overlap_hidden_ps(o, 7, 0, 30 * US), 0);
    overlap_free(o);
}
END_TEST

START_TEST(the_picture_of_a_tiny_run_is_as_it_was)
{
    record("forward");
    char *const svg = written(timeline_svg, "tiny");
    golden_expect("tests/graph/pictures.txt#tiny.svg", svg);
    free(svg);
}
END_TEST

START_TEST(a_picture_of_some_ranks_leaves_the_others_out)
{
    record("forward");
    drawn_ranks = 1;
    char *const svg = written(timeline_svg, "one of two");
    drawn_ranks = 0;
    ck_assert(strstr(svg, ">rank 0 host<") && !strstr(svg, ">rank 1 "));
    free(svg);
}
END_TEST

START_TEST(a_name_that_does_not_fit_ends_in_an_ellipsis)
{
    static const char name[] =
        "the_kernel_that_adds_and_multiplies_all_numbers_of_both_of_its_"
        "arrays_and_of_those_that_its_peers_have_sent";
    record(name);
    char *const svg = written(timeline_svg, "long");
    ck_assert_msg(strstr(svg, ">the_kern...<") && strstr(svg, "_all_n...<"),
                  "%s", svg);
    ck_assert_ptr_null(strstr(svg, ">AllR")); // says nothing
    free(svg);
}
END_TEST

START_TEST(names_cannot_break_out_of_a_picture)
{
    record("</title><script>alert(\"1\")</script>\n&\xff");
    char *const svg = written(timeline_svg, "<b>");
    ck_assert_ptr_null(strstr(svg, "<script>"));
    ck_assert_ptr_null(strstr(svg, "<b>"));
    ck_assert_ptr_nonnull(strstr(svg, "&lt;script&gt;alert(&quot;1&quot;)"));
    ck_assert_ptr_null(strchr(svg, '\xff'));
    free(svg);
}
END_TEST

START_TEST(the_trace_is_json_with_a_thread_for_each_row)
{
    record("a \"quoted\" \\ kernel\t");
    char *const text = written(timeline_json, "");
    json_error_t error;
    json_t *const all = json_loads(text, 0, &error);
    ck_assert_msg(all != NULL, "%d: %s", error.line, error.text);
    const json_t *const events = json_object_get(all, "traceEvents");
    size_t i;
    json_t *e;
    int names = 0, pieces = 0, arrows = 0;
    double hidden = 0, exposed = 0, pending = 0;
    json_array_foreach(events, i, e)
    {
        const char *const ph = json_string_value(json_object_get(e, "ph"));
        const char *const cat = json_string_value(json_object_get(e, "cat"));
        const char *const name = json_string_value(json_object_get(e, "name"));
        const double dur = json_number_value(json_object_get(e, "dur"));
        names += strcmp(name, "thread_name") == 0;
        pieces += *ph == 'X';
        arrows += *ph == 's';
        hidden += *ph == 'X' && strcmp(cat, "comm hidden") == 0 ? dur : 0;
        exposed += *ph == 'X' && strcmp(cat, "comm exposed") == 0 ? dur : 0;
        pending += *ph == 'X' && strcmp(cat, "comm pending") == 0 ? dur : 0;
    }
    ck_assert_int_eq(names, 6); // host and two streams, of two ranks
    ck_assert_int_eq(arrows, 1);
    ck_assert_int_gt(pieces, 10);
    ck_assert_double_eq(hidden, 5);
    ck_assert_double_eq(exposed, 25);
    ck_assert_double_eq(pending, 5);
    json_decref(all);
    free(text);
}
END_TEST

static const struct {
    uint64_t end_ps;
    const char *unit, *not_this;
} axes[] = {{US, ">1 us<", " ns<"}, {US - 1, " ns<", " us<"}};

START_TEST(the_axis_is_in_the_largest_unit_that_fits)
{
    synthetic_init(&s, 1);
    SYNTHETIC(&s, 0, .name = "call", .node = {.kind = GRAPH_HOST});
    g = synthetic_load(&s);
    times = calloc(1, sizeof *times);
    times[0].end_ps = axes[_i].end_ps;
    char *const svg = written(timeline_svg, "axis");
    ck_assert_msg(strstr(svg, axes[_i].unit) && !strstr(svg, axes[_i].not_this),
                  "%s", svg);
    free(svg);
}
END_TEST

START_TEST(an_empty_run_has_a_picture_too)
{
    synthetic_init(&s, 1);
    g = synthetic_load(&s);
    times = calloc(1, sizeof *times);
    char *const svg = written(timeline_svg, "empty");
    ck_assert_ptr_nonnull(strstr(svg, "</svg>"));
    free(svg);
    char *const text = written(timeline_json, "empty");
    json_t *const all = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(all);
    json_decref(all);
    free(text);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("timeline");
    TCase *const t = tcase_create("timeline");
    fds_watch(t);
    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_test(
        t, hidden_communication_is_what_the_same_device_computes_beside);
    tcase_add_test(t, the_picture_of_a_tiny_run_is_as_it_was);
    tcase_add_test(t, a_picture_of_some_ranks_leaves_the_others_out);
    tcase_add_test(t, a_name_that_does_not_fit_ends_in_an_ellipsis);
    tcase_add_test(t, names_cannot_break_out_of_a_picture);
    tcase_add_test(t, the_trace_is_json_with_a_thread_for_each_row);
    tcase_add_loop_test(t, the_axis_is_in_the_largest_unit_that_fits, 0, 2);
    tcase_add_test(t, an_empty_run_has_a_picture_too);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
