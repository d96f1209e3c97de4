/*
 * What each command and picture makes of a run with a bit of everything, to the
 * letter.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allkinds.h"
#include "child.h"
#include "fds.h"
#include "golden.h"
#include "graph/draw/view.h"
#include "graph/record/span.h"
#include "replayed.h"
#include "suite.h"

#define GOLDEN "tests/graph/whole.gz"

static struct synthetic s;

static void setup(void)
{
    synthetic_init(&s, ALLKINDS_RANKS);
    allkinds_record(&s);
    graph_free(synthetic_load(&s));
}

static void teardown(void)
{
    synthetic_release(&s);
}

/* ---- commands ------------------------------------------------------------ */

static const struct {
    const char *name, *command;
    int status;
} commands[] = {
    {"time.txt", "time .", 0},
    {"time.json", "time --json .", 0},
    {"path.txt", "critical-path .", 0},
    {"hazards.txt", "hazards .", 1},
    {"hazards.json", "hazards --json .", 1},
    {"explain.txt", "explain .", 0},
    {"explain.json", "explain --json --span 'step #0' .", 0},
    {"timeline.svg", "timeline . -o t.svg && cat t.svg && rm t.svg", 0},
    {"ring.svg",
     "timeline . --span 'ring #0' --ranks 2 -o t.svg && cat t.svg && rm t.svg",
     0},
    {"timeline.json", "timeline . -o t.json && cat t.json && rm t.json", 0},
    {"no-path.txt", "time . --topo dgx-a100", 1},
    {"no-host.txt", "time . --topo gb200-nvl72", 1},
};

START_TEST(a_command_prints_what_it_did)
{
    struct child c = child_run(60, "cd %s && %s/commgraph %s 2>&1", s.dir,
                               child_build(), commands[_i].command);
    golden_expect_part(GOLDEN, commands[_i].name, c.out);
    ck_assert_int_eq(c.status, commands[_i].status);
    child_clear(&c);
}
END_TEST

/* view_data() of the run in s.dir, or of a span of it. */
static char *viewed(const char *span)
{
    struct replayed t;
    replayed_saved(&t, s.dir);
    const struct replay_options options = {0};
    char *const in = calloc((size_t)t.g->nnodes + 1, 1), *text;
    size_t nbytes;
    FILE *const f = open_memstream(&text, &nbytes);
    if (span)
        span_mark(t.g, span, in);
    ck_assert_int_eq(view_data(f, &(struct view){.graph = t.g,
                                                 .topo = t.topo,
                                                 .replay = t.r,
                                                 .options = &options,
                                                 .title = "a \"run\"",
                                                 .in = span ? in : NULL}),
                     0);
    fclose(f);
    free(in);
    replayed_release(&t);
    return text;
}

static void expect_view(const char *span, const char *part)
{
    char *const text = viewed(span);
    golden_expect_part(GOLDEN, part, text);
    free(text);
}

/* The same two calls race in both spans. */
START_TEST(a_page_of_a_span_has_its_own_hazards)
{
    static const char *const spans[] = {"one", "two"};
    synthetic_release(&s);
    synthetic_init(&s, 1);
    graph_note_machine(s.rank[0], "dgx-h100");
    for (int i = 0; i < 2; i++) {
        struct graph_ref k[2];
        for (uint32_t queue = 1; queue <= 2; queue++)
            k[queue - 1] =
                SYNTHETIC(&s, 0, .name = queue == 1 ? "left" : "right",
                          .node = {.kind = GRAPH_KERNEL,
                                   .queue = queue,
                                   .span = graph_string(s.rank[0], spans[i])},
                          .accesses = {{1, 0, 8, GRAPH_WRITE, 0}});
        SYNTHETIC(&s, 0, .node = {.kind = GRAPH_HOST}, .deps = {k[0], k[1]});
    }
    graph_free(synthetic_load(&s));
    for (int i = 0; i < 2; i++) {
        char *const text = viewed(spans[i]);
        const char *const found = strstr(text, "\"hazards\":[[\"race on ");
        ck_assert_msg(found && strstr(found, "would.\\n\",0,1,0]],\n\"steps"),
                      "%s", text);
        free(text);
    }
}
END_TEST

START_TEST(a_page_is_made_of_what_it_was)
{
    expect_view(NULL, "view.json");
    expect_view("ring #0", "view-ring.json");
    expect_view("nonesuch", "view-none.json");
}
END_TEST

/* What an operation has in its past, and when it ends in that past alone. */
static int answer(FILE *f, struct graph_live *l, const struct topo *topo,
                  struct graph_ref ref)
{
    char err[512];
    struct graph *const g = graph_past(l, &ref, 1, 0, err, sizeof err);
    if (!g) {
        fprintf(f, "%s\n", err);
        return 0;
    }
    struct replay *const past = replay_run(g, topo, NULL, err, sizeof err);
    ck_assert_msg(past != NULL, "%u %u: %s", ref.rank, ref.index, err);
    fprintf(f, "%u %u: %u operations, to %llu ps, cut %u\n", ref.rank,
            ref.index, g->nnodes,
            (unsigned long long)replay_node(past, ref)->end_ps,
            graph_live_cut(l, ref));
    replay_free(past);
    graph_free(g);
    return 1;
}

START_TEST(a_question_to_the_running_job_gets_the_same_answer)
{
    char err[512], *text;
    size_t nbytes;
    FILE *const f = open_memstream(&text, &nbytes);
    struct graph_live *const l = synthetic_live(&s);
    struct topo *const topo = topo_load(ALLKINDS_MACHINE, err, sizeof err);
    ck_assert_msg(graph_live_update(l, err, sizeof err) == 0, "%s", err);
    for (uint32_t r = 0; r < ALLKINDS_RANKS; r++) {
        struct graph_ref ref = {r, 1};
        while (answer(f, l, topo, ref))
            ref.index++;
    }
    fclose(f);
    golden_expect_part(GOLDEN, "live", text);
    free(text);
    topo_free(topo);
    graph_live_free(l);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("whole");
    TCase *const t = tcase_create("whole");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_command_prints_what_it_did, 0,
                        sizeof commands / sizeof *commands);
    tcase_add_test(t, a_page_is_made_of_what_it_was);
    tcase_add_test(t, a_page_of_a_span_has_its_own_hazards);
    tcase_add_test(t, a_question_to_the_running_job_gets_the_same_answer);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
