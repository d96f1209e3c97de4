/* The judge's work with just enough memory, and with too little. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* mkstemp */
#include <string.h> /* strlen */
#include <unistd.h> /* unlink */

#include "fds.h"
#include "judge/answers.h"
#include "judge/graph/counts.h"
#include "judge/graph/held.h"
#include "judge/graph/sections.h"
#include "judge/graph/spans.h"
#include "judge/origin/origin.h"
#include "judge/plan.h"
#include "scarce.h"
#include "suite.h"
#include "synthetic.h"

const struct judge_lab *const judge_labs[] = {NULL};

enum { NRANKS = 2, ITERATIONS = 12, NBYTES = 100 };

/* ---- files --------------------------------------------------------------- */

static char plan_path[] = "/tmp/commlab-scarce-XXXXXX",
            hidden_path[] = "/tmp/commlab-scarce-XXXXXX";
static char err[512];

static void write_file(char *path, const char *text)
{
    const int fd = mkstemp(path);
    ck_assert(fd >= 0);
    ck_assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static void write_plans(void)
{
    write_file(plan_path,
               "lab: x\ntitle: X\nfiles: [a.c, b.c]\nranks: [4]\n"
               "topo: dgx-a100\ntimezone: UTC\nidea: {2: A tree.}\n"
               "numbers: {n: [4, 5], g: {k: [1, 2], m: [3, 4]}}\ncases:\n"
               "  - {name: q, part: 1, kind: answer, with: {question: q}}\n"
               "  - {name: a, part: 2, kind: k, with: {count: 3, way: up}}\n");
    write_file(hidden_path,
               "answers: {q: n * (k + 1)}\ncases:\n"
               "  - {name: h, part: 2, kind: k, topo: dgx-h100}\n");
}

static void remove_plans(void)
{
    unlink(plan_path);
    unlink(hidden_path);
}

static int load_plan(void)
{
    struct plan *const p = plan_load(plan_path, hidden_path, err, sizeof err);
    plan_free(p);
    return p ? 0 : -1;
}

static int load_answers(void)
{
    char *const text = answers_load(plan_path);
    free(text);
    return text ? 0 : -1;
}

/* ---- runs ---------------------------------------------------------------- */

static struct synthetic s;
static struct graph *g;
static char *shown;
static size_t nshown;

static struct graph_access touch(uint32_t rank, uint32_t n, uint32_t how)
{
    return (struct graph_access){
        .alloc = (uint64_t)rank << 32 | n, .end = NBYTES, .write = how};
}

static void copy(uint32_t rank, uint32_t from, uint32_t to)
{
    SYNTHETIC(&s, rank,
              .node = {.kind = GRAPH_COPY,
                       .queue = 1,
                       .place = (int)rank,
                       .latency_ps = 1000},
              .moves = {{(int)rank, (int)rank, 2 * NBYTES}},
              .accesses = {touch(rank, from, GRAPH_READ),
                           touch(rank, to, GRAPH_WRITE)});
}

/* Iterations in which each rank uploads to memory of its own and takes it. */
static void make_run(void)
{
    char name[32];
    synthetic_init(&s, NRANKS);
    for (uint32_t r = 0; r < NRANKS; r++)
        for (uint32_t i = 0; i < ITERATIONS; i++) {
            graph_note_alloc(s.rank[r], (uint64_t)r << 32 | (i + 1), (int)r,
                             NBYTES, 0);
            snprintf(name, sizeof name, "ring #%u", i);
            synthetic_range(&s, r, name);
            SYNTHETIC(
                &s, r,
                .node = {.kind = GRAPH_MARK, .queue = 1, .place = (int)r});
            copy(r, 0, i + 1);
            SYNTHETIC(&s, r, .node = {.kind = GRAPH_HOST},
                      .accesses = {touch(r, i / 2 + 1, GRAPH_FREE)});
            synthetic_range(&s, r, NULL);
            copy(r, i + 1, 0);
        }
    g = synthetic_load(&s);
}

static void show_run(void)
{
    struct evidence_out *const e = evidence_memory(&shown, &nshown, 1);
    for (unsigned i = 0; i < ITERATIONS; i++)
        evidence_put(e, EVIDENCE_OUTPUT, 0, i, "out", "1234", 4);
    evidence_put_status(e, 0, RUN_OK, "text");
    ck_assert_int_eq(evidence_finish(e), 0);
}

static void setup(void)
{
    write_plans();
    make_run();
    show_run();
}

static void teardown(void)
{
    remove_plans();
    free(shown);
    graph_free(g);
    synthetic_release(&s);
}

static int find_sections(void)
{
    struct sections *const found = sections_new(g);
    sections_free(found);
    return found ? 0 : -1;
}

static int find_held(void)
{
    struct held *const h = held_new(g, 1, NULL);
    free(h);
    return h ? 0 : -1;
}

static int find_origins(void)
{
    static const uint32_t judged[512];
    struct origins *o = NULL;
    struct replay_time *const t = calloc(g->nnodes, sizeof *t);
    for (uint32_t i = 0; t && i < g->nnodes; i++)
        t[i].end_ps = 1000 * (i + 1);
    if (t)
        o = origins_new(g, t, judged, 1, 0);
    origins_free(o);
    free(t);
    return o ? 0 : -1;
}

static int read_evidence(void)
{
    char *const data = malloc(nshown);
    struct evidence *const e = data ? evidence_new(1, 1) : NULL;
    size_t n = 0;
    if (!e) {
        free(data);
        return -1;
    }
    memcpy(data, shown, nshown);
    evidence_give(e, 0, data, nshown);
    evidence_output(e, 0, 0, ITERATIONS - 1, "out", &n);
    evidence_free(e);
    return n == 4 ? 0 : -1;
}

/* All that is kept for a run. */
static int judge_run(void)
{
    struct spans *const spans = spans_new(g, NULL, err, sizeof err);
    const struct plan_case c = {.name = "ring"};
    const struct judge_task t = {.c = &c,
                                 .nranks = NRANKS,
                                 .iterations = ITERATIONS,
                                 .graph = g,
                                 .spans = spans};
    struct spans_hidden h;
    size_t n = 0;
    if (spans) {
        spans_hazard(&t, &n);
        spans_held(spans, 1, NULL);
        spans_origin(&t, 0, 3, NBYTES, 0, &n);
        spans_hidden(&t, 0, 0, HIDDEN_ALL, "", &h);
        spans_hidden(&t, 0, 0, 1u << GRAPH_COLL, "", &h);
        spans_steps(&t, 0);
        spans_from_host(&t, 0, 0);
    }
    spans_free(spans);
    return spans ? 0 : -1;
}

static int (*const each[])(void) = {load_answers, find_held};

START_TEST(work_without_memory_is_reported)
{
    scarce_each(each[_i], 200);
}
END_TEST

/* Of these, some go without, or end the program. */
static int (*const just[])(void) = {load_plan, find_sections, find_origins,
                                    read_evidence, judge_run};

START_TEST(work_needs_no_byte_more_than_it_asks_for)
{
    scarce_just(just[_i]);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("scarce");
    TCase *const t = tcase_create("scarce");
    fds_watch(t);
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, work_without_memory_is_reported, 0,
                        sizeof each / sizeof *each);
    tcase_add_loop_test(t, work_needs_no_byte_more_than_it_asks_for, 0,
                        sizeof just / sizeof *just);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
