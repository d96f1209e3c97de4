/*
 * What is made of a run with a bit of everything, and of one drawn by lot,
 * reports it when memory runs out, at any allocation.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "allkinds.h"
#include "anyrun.h"
#include "fds.h"
#include "graph/draw/timeline.h"
#include "graph/draw/view.h"
#include "graph/explain/explain.h"
#include "graph/explain/hidden.h"
#include "graph/explain/path.h"
#include "graph/explain/steps.h"
#include "graph/hazard/hazard.h"
#include "graph/replay/load.h"
#include "graph/replay/memory.h"
#include "replayed.h"
#include "scarce.h"
#include "suite.h"

static struct synthetic s;
static struct replayed saved;
static char err[512], drawn[1 << 20];

static void record(int drawn_by_lot)
{
    synthetic_init(&s, drawn_by_lot ? anyrun_nranks(0) : ALLKINDS_RANKS);
    if (drawn_by_lot)
        anyrun_record(&s, 0);
    else
        allkinds_record(&s);
    graph_free(synthetic_load(&s));
    replayed_saved(&saved, s.dir);
}

static void forget(void)
{
    replayed_release(&saved);
    synthetic_release(&s);
}

/* The result of run(): an error needs a reason. */
static int reported(int failed)
{
    const int has_reason = err[0] != 0;
    err[0] = 0;
    return failed && has_reason ? -1 : 0;
}

static int load(void)
{
    struct graph *const g = graph_load(s.dir, err, sizeof err);
    graph_free(g);
    return reported(!g);
}

static int replay(void)
{
    struct replay *const r =
        replay_run(saved.g, saved.topo, NULL, err, sizeof err);
    replay_free(r);
    return reported(!r);
}

static int find_hazards(void)
{
    struct hazards found = {0};
    const int result = hazards_find(saved.g, NULL, &found, err, sizeof err);
    hazards_release(&found);
    return reported(result);
}

static int hide(void)
{
    struct hidden hidden;
    struct hidden_runs *const r =
        hidden_new(saved.g, saved.topo, HIDDEN_ALL, err, sizeof err);
    const int result = r ? hidden_of(r, 0, 20, &hidden) : reported(1);
    hidden_free(r);
    return result;
}

static int find_memory(void)
{
    struct memory m;
    const int result = memory_find(&m, saved.g, replay_times(saved.r));
    memory_release(&m);
    return result;
}

static int find_steps(void)
{
    struct steps found;
    const int result =
        steps_find(saved.g, replay_times(saved.r), "ring #0", &found);
    steps_release(&found);
    return result;
}

static int find_path(void)
{
    struct path p = {0};
    const int result = path_find(&p, saved.g, replay_times(saved.r));
    path_release(&p);
    return result;
}

static int explain(void)
{
    struct explain e;
    return reported(
        explain_run(saved.g, saved.topo, NULL, NULL, &e, err, sizeof err));
}

/* Where memory runs out for the uses of an operation, a page goes without
 * them. */
static int view(void)
{
    FILE *const f = fmemopen(drawn, sizeof drawn, "w");
    int result = f ? view_data(f, &(struct view){.graph = saved.g,
                                                 .topo = saved.topo,
                                                 .replay = saved.r,
                                                 .title = "run"})
                   : -1;
    if (f && fclose(f) != 0)
        result = -1;
    return result;
}

static int draw(void)
{
    const struct timeline t = {.graph = saved.g,
                               .time = replay_times(saved.r),
                               .topo = saved.topo,
                               .title = "run"};
    FILE *const f = fmemopen(drawn, sizeof drawn, "w");
    int result = f ? timeline_svg(f, &t) : -1;
    if (f && fclose(f) != 0)
        result = -1;
    return result;
}

static int see_past(void)
{
    static const struct graph_ref last[] = {{0, 14}, {1, 12}, {2, 20}};
    struct graph_live *const l = graph_live_new(s.nranks);
    int result = l ? 0 : -1;
    for (uint32_t rank = 0; rank < s.nranks && result == 0; rank++)
        result = graph_live_attach(l, rank, graph_fd(s.rank[rank]));
    if (result == 0)
        result = graph_live_update(l, err, sizeof err);
    struct graph *const past =
        result == 0 ? graph_past(l, last, 3, 0, err, sizeof err) : NULL;
    if (past)
        result = graph_live_notes(l, past);
    graph_free(past);
    graph_live_free(l);
    return past ? result : -1;
}

static const struct {
    const char *what;
    int (*run)(void);
} work[] = {
    {"load", load},      {"replay", replay},      {"hazards", find_hazards},
    {"hide", hide},      {"memory", find_memory}, {"steps", find_steps},
    {"path", find_path}, {"draw", draw},          {"past", see_past},
    {"explain", explain}};

START_TEST(work_without_memory_is_reported)
{
    record(_i % 2);
    scarce_each(work[_i / 2].run, 150);
    forget();
}
END_TEST

START_TEST(nothing_beyond_what_was_allocated_is_touched)
{
    record(0);
    scarce_just(view);
    forget();
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("scarce");
    TCase *const t = tcase_create("scarce");
    fds_watch(t);
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, work_without_memory_is_reported, 0,
                        2 * sizeof work / sizeof *work);
    tcase_add_test(t, nothing_beyond_what_was_allocated_is_touched);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
