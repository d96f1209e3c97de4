/*
 * The commgraph command on saved runs, and on invalid arguments.
 */
#include <check.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "fds.h"
#include "suite.h"
#include "synthetic.h"

enum { US = 1000000 }; /* ps */

static struct synthetic s;

/* Two ranks, a kernel each of 10 and 20 us, on one machine. */
static void setup(void)
{
    synthetic_init(&s, 2);
    for (uint32_t r = 0; r < 2; r++) {
        graph_note_machine(s.rank[r], "dgx-a100");
        SYNTHETIC(&s, r, .name = "forward",
                  .node = {.kind = GRAPH_KERNEL,
                           .queue = 1,
                           .place = (int32_t)r,
                           .host_ps = US,
                           .latency_ps = (10 + 10 * r) * US});
    }
    graph_free(synthetic_load(&s));
}

static void teardown(void)
{
    synthetic_release(&s);
}

static struct child commgraph(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

static struct child commgraph(const char *format, ...)
{
    char arguments[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(arguments, sizeof arguments, format, args);
    va_end(args);
    return child_run(60, "%s/commgraph %s", child_build(), arguments);
}

START_TEST(time_says_what_each_kind_of_operation_took)
{
    struct child c = commgraph("time %s", s.dir);
    ck_assert_msg(c.status == 0, "%s", c.err);
    ck_assert_msg(strstr(c.out, "forward") && strstr(c.out, "30.000") &&
                      strstr(c.out, "15.000") &&
                      strstr(c.out, "2 operations on dgx-a100 end after "
                                    "21.000 us"),
                  "%s", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(time_as_json_has_the_same_figures)
{
    struct child c = commgraph("time --json %s --topo dgx-h100", s.dir);
    ck_assert_msg(c.status == 0, "%s", c.err);
    json_t *const all = json_loads(c.out, 0, NULL);
    ck_assert_ptr_nonnull(all);
    const json_t *const kind =
        json_array_get(json_object_get(all, "operations"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(all, "topology")),
                     "dgx-h100");
    ck_assert_str_eq(json_string_value(json_object_get(kind, "name")),
                     "forward");
    ck_assert_int_eq(json_integer_value(json_object_get(kind, "count")), 2);
    ck_assert_double_eq(json_real_value(json_object_get(kind, "total_us")), 30);
    ck_assert_double_eq(json_real_value(json_object_get(all, "total_us")), 21);
    ck_assert_uint_eq(json_array_size(json_object_get(all, "ranks")), 2);
    json_decref(all);
    child_clear(&c);
}
END_TEST

START_TEST(timeline_writes_what_the_name_of_the_file_says)
{
    static const char *const file[] = {"t.svg", "t.json"};
    static const char *const begin[] = {"<svg ", "{\"displayTimeUnit\""};
    for (int i = 0; i < 2; i++) {
        char path[128], text[32] = "";
        snprintf(path, sizeof path, "%s/%s", s.dir, file[i]);
        struct child c = commgraph("timeline %s -o %s", s.dir, path);
        ck_assert_msg(c.status == 0, "%s", c.err);
        child_clear(&c);
        FILE *const f = fopen(path, "r");
        ck_assert_ptr_nonnull(f);
        ck_assert_ptr_nonnull(fgets(text, sizeof text, f));
        ck_assert_msg(strncmp(text, begin[i], strlen(begin[i])) == 0, "%s",
                      text);
        fclose(f);
        unlink(path);
    }
}
END_TEST

START_TEST(the_head_of_a_picture_says_what_is_shown)
{
    static const struct {
        const char *option, *head;
    } row[] = {
        {"", "on dgx-a100: 2 ranks, 21.000 us</text>"},
        {"--span 'step #3'", ">step #3 on dgx-a100: 2 ranks</text>"},
    };
    for (int i = 0; i < 2; i++) {
        struct child c = commgraph("timeline %s -o %s/t.svg %s && cat %s/t.svg",
                                   s.dir, s.dir, row[i].option, s.dir);
        ck_assert_msg(c.status == 0 && strstr(c.out, row[i].head), "%s%.600s",
                      c.err, c.out);
        child_clear(&c);
    }
    char path[128];
    snprintf(path, sizeof path, "%s/t.svg", s.dir);
    unlink(path);
}
END_TEST

/* ---- a run with a race and a collective ---------------------------------- */

enum { A = 1 }; /* an allocation of rank 0 */

/* On each rank a kernel in each of two queues, which on rank 0 write the same
 * bytes; then an all-reduce after the second, to which rank 1 comes late. */
static void record_race(void)
{
    synthetic_release(&s);
    synthetic_init(&s, 2);
    graph_note_alloc(s.rank[0], A, 0, 4096, 0);
    for (uint32_t r = 0; r < 2; r++) {
        graph_note_machine(s.rank[r], "dgx-a100");
        for (uint32_t queue = 1; queue <= 2; queue++)
            SYNTHETIC(&s, r, .name = queue == 1 ? "left" : "right",
                      .node = {.kind = GRAPH_KERNEL,
                               .queue = queue,
                               .place = (int32_t)r,
                               .host_ps = US,
                               .latency_ps = (10 + 30 * r) * US},
                      .accesses = {{A, 0, r ? 0 : 100, GRAPH_WRITE, 0}});
        SYNTHETIC(&s, r, .name = "ncclAllReduce",
                  .node = {.kind = GRAPH_COLL,
                           .op = TOPO_OP_ALLREDUCE,
                           .queue = 2,
                           .place = (int32_t)r,
                           .match = 1,
                           .match_kind = GRAPH_MATCH_ALL,
                           .match_size = 2,
                           .match_rank = r,
                           .bytes = 1 << 20});
    }
    graph_free(synthetic_load(&s));
}

/* A command prints exactly this. */
static void expect_output(const char *command, int status, const char *out)
{
    record_race();
    struct child c = commgraph("%s %s", command, s.dir);
    ck_assert_str_eq(c.out, out);
    ck_assert_str_eq(c.err, "");
    ck_assert_int_eq(c.status, status);
    child_clear(&c);
}

START_TEST(time_is_summed_by_kind_and_by_rank)
{
    expect_output(
        "time", 0,
        "operation                            count       total us      mean us"
        "  longest is bound by\n"
        "ncclAllReduce                            2         67.139       33.569"
        "  nvlink G0 up\n"
        "left                                     2         50.000       25.000"
        "  latency\n"
        "right                                    2         50.000       25.000"
        "  latency\n"
        "\n"
        "rank          host us     compute us        comm us      hidden us"
        "     exposed us\n"
        "0               2.000         20.000         33.569          0.000"
        "         33.569\n"
        "1               2.000         80.000         33.569          0.000"
        "         33.569\n"
        "\n"
        "6 operations on dgx-a100 end after 75.569 us\n");
}
END_TEST

/* What NCCL is told in the environment holds for a saved run, too. */
START_TEST(time_is_that_of_nccls_settings)
{
    record_race();
    struct child c = child_run(60, "NCCL_PROTO=LL %s/commgraph time %s",
                               child_build(), s.dir);
    ck_assert_msg(c.status == 0 && strstr(c.out, "ncclAllReduce") &&
                      !strstr(c.out, "67.139"),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(the_critical_path_is_listed_and_summed)
{
    expect_output(
        "critical-path", 0,
        "    start us      time us  rank count  operation                      "
        "      bound by           call site\n"
        "       0.000        1.000     1     1  calls left                     "
        "                         \n"
        "       1.000        1.000     1     1  calls right                    "
        "                         \n"
        "       2.000       40.000     1     1  right                          "
        "      latency            \n"
        "      42.000       33.569     0     1  ncclAllReduce                  "
        "      nvlink G0 up       \n"
        "\n"
        "    total us   share  rank count  operation\n"
        "      40.000   52.9%     1     1  right\n"
        "      33.569   44.4%     0     1  ncclAllReduce\n"
        "       1.000    1.3%     1     1  calls left\n"
        "       1.000    1.3%     1     1  calls right\n"
        "\n"
        "The run ends after 75.569 us. Operations not listed did not delay "
        "it.\n");
}
END_TEST

START_TEST(hazards_are_counted_and_have_status_1)
{
    record_race();
    struct child c = commgraph("hazards %s", s.dir);
    ck_assert_int_eq(c.status, 1);
    ck_assert_msg(strstr(c.out, "race on bytes 0 to 99 ") &&
                      strstr(c.out, "1 hazards and 0 warnings in 6 operations "
                                    "of 2 ranks\n"),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(hazards_as_json_name_operations_and_bytes)
{
    static const char expected[] =
        "{\"count\":6,\"errors\":1,\"hazards\":[{\"kind\":\"race\","
        "\"warning\":false,\"operations\":["
        "{\"name\":\"left\",\"site\":\"?\",\"access\":\"write\","
        "\"rank\":0,\"index\":1,\"place\":0,\"queue\":1,\"thread\":0},"
        "{\"name\":\"right\",\"site\":\"?\",\"access\":\"write\","
        "\"rank\":0,\"index\":2,\"place\":0,\"queue\":2,\"thread\":0}],"
        "\"count\":1,\"ranks\":[0],"
        "\"bytes\":{\"allocated\":\"?\",\"place\":0,\"nbytes\":4096,"
        "\"begin\":0,\"end\":100}}]}";
    record_race();
    struct child c = commgraph("hazards --json %s", s.dir);
    ck_assert_int_eq(c.status, 1);
    json_t *const all = json_loads(c.out, 0, NULL);
    ck_assert_msg(all != NULL, "%s%s", c.out, c.err);
    json_t *const race = json_array_get(json_object_get(all, "hazards"), 0);
    const char *const text = json_string_value(json_object_get(race, "text"));
    ck_assert_msg(text && strstr(text, "race on bytes 0 to 99 "), "%s", c.out);
    json_object_del(race, "text");
    char *const rest = json_dumps(all, JSON_COMPACT);
    ck_assert_str_eq(rest, expected);
    free(rest);
    json_decref(all);
    child_clear(&c);
}
END_TEST

START_TEST(a_run_without_hazards_has_status_0)
{
    struct child c = commgraph("hazards %s", s.dir);
    ck_assert_str_eq(c.out,
                     "0 hazards and 0 warnings in 2 operations of 2 ranks\n");
    ck_assert_int_eq(c.status, 0);
    child_clear(&c);
    c = commgraph("hazards --json %s", s.dir);
    ck_assert_int_eq(c.status, 0);
    child_clear(&c);
}
END_TEST

/* ---- errors -------------------------------------------------------------- */

START_TEST(wrong_usage_is_said_and_has_status_2)
{
    static const char *const wrong[] = {
        "",
        "nonsense",
        "time",
        "time /a /b",
        "time --bogus",
        "time /a --topo",
        "timeline /a",
        "timeline /a -o",
        "timeline /a -o x.png",
        "timeline /a -o x.svg --span",
        "timeline -o x.svg",
        "timeline /a -o .svg",
        "hazards",
        "hazards /a /b",
        "hazards --bogus",
        "critical-path",
        "critical-path /a /b",
        "critical-path /a --topo",
        "critical-path /a --span",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct child c = commgraph("%s", wrong[i]);
        ck_assert_msg(c.status == 2 && strstr(c.err, "usage:"),
                      "'%s': status %d: %s", wrong[i], c.status, c.err);
        ck_assert_str_eq(c.out, "");
        child_clear(&c);
    }
}
END_TEST

START_TEST(what_cannot_be_done_is_said_and_has_status_1)
{
    static const struct {
        const char *arguments, *says;
    } wrong[] = {
        {"time /no/such/run", "/no/such/run/rank-0.graph: 0: No such file"},
        {"time %s --topo no-such-machine", "no-such-machine"},
        {"hazards /no/such/run", "/no/such/run/rank-0.graph: 0: No such file"},
        {"critical-path /no/such/run", "/no/such/run/rank-0.graph: 0: No such"},
        {"timeline %s -o /no/such/dir/x.svg", "/no/such/dir/x.svg: No such"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char arguments[256];
        const char *const at = strstr(wrong[i].arguments, "%s");
        const int n = at ? (int)(at - wrong[i].arguments) : 250;
        snprintf(arguments, sizeof arguments, "%.*s%s%s", n, wrong[i].arguments,
                 at ? s.dir : "", at ? at + 2 : "");
        struct child c = commgraph("%s", arguments);
        ck_assert_msg(c.status == 1 && strstr(c.err, wrong[i].says),
                      "'%s': status %d: %s", arguments, c.status, c.err);
        child_clear(&c);
    }
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("commgraph");
    TCase *const t = tcase_create("commgraph");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, time_says_what_each_kind_of_operation_took);
    tcase_add_test(t, time_as_json_has_the_same_figures);
    tcase_add_test(t, timeline_writes_what_the_name_of_the_file_says);
    tcase_add_test(t, the_head_of_a_picture_says_what_is_shown);
    tcase_add_test(t, time_is_summed_by_kind_and_by_rank);
    tcase_add_test(t, time_is_that_of_nccls_settings);
    tcase_add_test(t, the_critical_path_is_listed_and_summed);
    tcase_add_test(t, hazards_are_counted_and_have_status_1);
    tcase_add_test(t, hazards_as_json_name_operations_and_bytes);
    tcase_add_test(t, a_run_without_hazards_has_status_0);
    tcase_add_test(t, wrong_usage_is_said_and_has_status_2);
    tcase_add_test(t, what_cannot_be_done_is_said_and_has_status_1);
    tcase_set_timeout(t, 120);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
