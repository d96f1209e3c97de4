/*
 * Runs drawn by lot, and all that is computed from each of them: what is read,
 * times, the critical path, memory, steps, overlap, hazards, causes, pictures,
 * pages, and what the running job would be told. anyrun.txt has the digests of
 * what it all was when it was right, anyrun-texts.gz the whole of two seeds; no
 * byte beyond an allocation is touched.
 */
#define _GNU_SOURCE
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "anyrun.h"
#include "child.h"
#include "digest.h"
#include "fds.h"
#include "golden.h"
#include "graph/draw/timeline.h"
#include "graph/draw/view.h"
#include "graph/explain/explain.h"
#include "graph/explain/hidden.h"
#include "graph/explain/path.h"
#include "graph/explain/steps.h"
#include "graph/hazard/hazard.h"
#include "graph/record/span.h"
#include "graph/replay/memory.h"
#include "graph/replay/overlap.h"
#include "replayed.h"
#include "scarce.h"
#include "suite.h"

enum {
    SEEDS = 15, /* each machine three times */
    KEPT = 4,
    ALSO_KEPT = 9 /* whose texts are kept: the shortest */
};

static uint64_t seed;
static struct replayed run;
static char text[1 << 22], err[512];
static FILE *out;

/* ---- what was read ------------------------------------------------------- */

static void print_node(const struct graph *g, uint32_t at)
{
    const struct graph_view *const v = &g->nodes[at];
    const struct graph_node *const n = &v->node;
    fprintf(out, "%u: %u %u.%u %s [%s] at %s, %u %u %d: %.9g flops, name %u",
            at, n->rank, n->index, v->part, v->name, v->span, v->site,
            n->thread, n->queue, v->begun, n->flops, n->name);
    for (uint32_t i = 0; i < n->ndeps; i++)
        fprintf(out, ", after %d", (int)graph_dep(g, at, i));
    for (size_t i = 0; i < v->nmoves; i++)
        fprintf(out, ", %d to %d: %" PRIu64, v->moves[i].from, v->moves[i].to,
                v->moves[i].nbytes);
    for (size_t i = 0; i < v->naccesses; i++)
        fprintf(out, ", %x of %" PRIx64 ": %" PRIu64 "-%" PRIu64 " at %u",
                v->accesses[i].write, v->accesses[i].alloc,
                v->accesses[i].begin, v->accesses[i].end, v->accesses[i].site);
    uint32_t nmembers;
    const uint32_t *const member = graph_matched(g, at, &nmembers);
    for (uint32_t i = 0; i < nmembers; i++)
        fprintf(out, ", with %u", member[i]);
    fprintf(out, ", thread %d, queue %d, found %d\n",
            (int)graph_thread_prev(g, at), (int)graph_queue_prev(g, at),
            (int)graph_find(g, (struct graph_ref){n->rank, n->index}));
}

static void print_graph(const struct graph *g)
{
    fprintf(out, "# graph\n%u ranks on %s\n", g->nranks,
            g->machine ? g->machine : "none");
    for (uint32_t at = 0; at < g->nnodes; at++)
        print_node(g, at);
    for (size_t i = 0; i < g->nqueues; i++)
        fprintf(out, "queue %u of %u: %d %s\n", g->queues[i].queue,
                g->queues[i].rank, g->queues[i].place, g->queues[i].name);
    for (size_t i = 0; i < g->nallocs; i++)
        fprintf(out, "%" PRIx64 ": %" PRIu64 " at %d, %s, after %u\n",
                g->allocs[i].alloc, g->allocs[i].nbytes, g->allocs[i].place,
                g->allocs[i].site, g->allocs[i].after);
    for (size_t i = 0; i < g->nfaults; i++)
        fprintf(out, "%u %u: %d %s\n", g->faults[i].rank, g->faults[i].index,
                g->faults[i].warning, g->faults[i].text);
    for (size_t i = 0; i < g->napart; i++)
        fprintf(out, "%u before %u\n", g->apart[i].before, g->apart[i].after);
}

/* ---- times --------------------------------------------------------------- */

static void print_times(const struct replay *r)
{
    const struct replay_time *const time = replay_times(r);
    fprintf(out, "# times\n%" PRIu64 "\n", replay_end_ps(r));
    for (uint32_t at = 0; at < run.g->nnodes; at++)
        fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d\n",
                time[at].issue_ps, time[at].ready_ps, time[at].start_ps,
                time[at].end_ps, time[at].bound);
    for (uint32_t rank = 0; rank < run.g->nranks; rank++)
        fprintf(out, "%" PRIu64 " %" PRIu64 "\n", replay_host_ps(r, rank, 0),
                replay_host_ps(r, rank, 1));
}

/* The same run, with each option. */
static void print_variants(void)
{
    struct replay_options chosen = {0};
    ck_assert_int_eq(topo_algo_sets("Ring", &chosen.algos, err, sizeof err), 0);
    ck_assert_int_eq(
        topo_proto_sets("LL,Simple", &chosen.protos, err, sizeof err), 0);
    const struct replay_options variants[] = {
        {.base_ps = 7000000},
        {.fast_host = 1},
        {.fixed = 1 << GRAPH_COLL | 1 << GRAPH_COPY, .fixed_ps = 1000000},
        {.fixed = HIDDEN_ALL, .fast_host = 1},
        chosen,
    };
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct replay *const r =
            replay_run(run.g, run.topo, &variants[i], err, sizeof err);
        print_times(r);
        replay_free(r);
    }
}

static void print_path(void)
{
    const struct replay_time *const time = replay_times(run.r);
    struct path p = {0};
    fprintf(out, "# path %d\n", path_find(&p, run.g, time));
    for (size_t i = 0; i < p.n; i++)
        fprintf(out, "%u %d: %" PRIu64 "-%" PRIu64 "\n", p.step[i].node,
                (int)p.step[i].part, p.step[i].begin_ps, p.step[i].end_ps);
    path_release(&p);
    for (uint32_t at = 0; at < run.g->nnodes; at++)
        fprintf(out, "%u %d\n", path_last_to_come(run.g, time, at),
                (int)path_awaited(run.g, time, at));
}

static void print_memory(void)
{
    struct memory m;
    fprintf(out, "# memory %d\n", memory_find(&m, run.g, replay_times(run.r)));
    for (size_t i = 0; i < m.n; i++)
        fprintf(out, "%d: %" PRId64 " at %" PRIu64 "\n", m.change[i].place,
                m.change[i].nbytes, m.change[i].at_ps);
    memory_release(&m);
}

static void print_steps(const char *span)
{
    struct steps s;
    const int result = steps_find(run.g, replay_times(run.r), span, &s);
    fprintf(out, "# steps of %s\n%d: %d, %u %u %u\n", span, result, s.by_rank,
            s.nranks, s.npieces, s.nsteps);
    for (uint32_t i = 0; i < s.npieces; i++)
        fprintf(out, "piece %u: %" PRIu64 "-%" PRIu64 "\n", s.piece[i].rank,
                s.piece[i].begin, s.piece[i].end);
    for (uint32_t i = 0; i < s.nsteps && s.npieces; i++) {
        fprintf(out, "%" PRIu64 ":", s.end_ps[i]);
        for (uint32_t k = 0; k < s.nranks * s.npieces; k++)
            fprintf(out, " %" PRIx64, s.mask[i * s.nranks * s.npieces + k]);
        fprintf(out, "\n");
    }
    steps_release(&s);
}

static void print_overlap(void)
{
    const struct replay_time *const time = replay_times(run.r);
    struct overlap *const o = overlap_new(run.g, time);
    fprintf(out, "# overlap\n");
    for (uint32_t at = 0; at < run.g->nnodes; at++) {
        const struct graph_view *const v = &run.g->nodes[at];
        fprintf(out, "%d %" PRIu64 "\n", overlap_is_comm(v),
                overlap_hidden_ps(o, v->node.place, time[at].start_ps,
                                  time[at].end_ps));
    }
    overlap_free(o);
}

/* Of each rank, in two halves. */
static void print_hidden(unsigned kinds)
{
    struct hidden_runs *const r =
        hidden_new(run.g, run.topo, kinds, err, sizeof err);
    fprintf(out, "# hidden %x\n", kinds);
    for (uint32_t rank = 0; rank < run.g->nranks; rank++) {
        const uint32_t first = run.g->first[rank];
        const uint32_t last = run.g->first[rank + 1] - 1;
        const uint32_t middle = first + (last - first) / 2;
        for (int i = 0; i < 2; i++) {
            struct hidden h;
            const uint32_t from = i ? middle : first, to = i ? last : middle;
            hidden_of(r, from, to, &h);
            fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " of %" PRIu64 "\n",
                    h.comm_ps, h.exposed_ps, h.hidden_ps,
                    hidden_most_ps(r, from, to, i ? "cublas" : ""));
        }
    }
    hidden_free(r);
}

/* ---- what is said of it -------------------------------------------------- */

static void print_hazards(const struct graph *g, const uint32_t *section)
{
    char said[4096];
    struct hazards found = {0};
    fprintf(out, "# hazards %d\n",
            hazards_find(g, section, &found, err, sizeof err));
    fprintf(out, "%zu of %zu\n", found.nerrors, found.n);
    for (size_t i = 0; i < found.n; i++) {
        const struct hazard *const h = &found.hazard[i];
        fprintf(out, "%s %u %" PRIu64 " %" PRIx64 " %s\n",
                hazard_kind_name(h->kind), h->section, h->count,
                h->ranks.word[0], hazard_line(h, said, sizeof said));
        fprintf(out, "%s\n", hazard_text(h, said, sizeof said));
    }
    hazards_release(&found);
}

static void print_sections(void)
{
    uint32_t *const section = calloc(run.g->nnodes, sizeof *section);
    for (uint32_t at = 0; at < run.g->nnodes; at++)
        section[at] = run.g->nodes[at].node.index / 8 % 3;
    print_hazards(run.g, section);
    free(section);
}

static void print_findings(const struct explain_finding *f, int n)
{
    for (int i = 0; i < n; i++)
        fprintf(out, "%d: %" PRIu64 " ps, %u like %d, ratio %.6g, %d\n",
                (int)f[i].kind, f[i].saves_ps, f[i].count, (int)f[i].node,
                f[i].ratio, f[i].resource);
}

static void print_causes(const char *span)
{
    struct explain e = {0};
    fprintf(out, "# causes in %s\n", span ? span : "all");
    if (explain_run(run.g, run.topo, NULL, span, &e, err, sizeof err) != 0)
        fprintf(out, "%s\n", err);
    fprintf(out, "%" PRIu64 ", %" PRIu64 " at %d\n", e.length_ps, e.setup_ps,
            (int)e.setup);
    print_findings(e.cause, e.ncauses);
    print_findings(e.limit, e.nlimits);
}

/* ---- what is drawn ------------------------------------------------------- */

static void draw(const char *span, uint32_t nranks)
{
    char *const in = calloc((size_t)run.g->nnodes + 1, 1);
    const struct replay_options none = {0};
    if (span)
        span_mark(run.g, span, in);
    const struct timeline t = {.graph = run.g,
                               .time = replay_times(run.r),
                               .topo = run.topo,
                               .title = "a \"run\"",
                               .in = span ? in : NULL,
                               .nranks = nranks};
    fprintf(out, "# picture of %s\n", span ? span : "all");
    int result = timeline_svg(out, &t);
    fprintf(out, "\n# timeline, %d\n", result);
    result = timeline_json(out, &t);
    fprintf(out, "\n# page, %d\n", result);
    result = view_data(out, &(struct view){.graph = run.g,
                                           .topo = run.topo,
                                           .replay = run.r,
                                           .options = &none,
                                           .title = "a <run>",
                                           .in = span ? in : NULL});
    fprintf(out, "%d\n", result);
    free(in);
}

/* ---- the running job ----------------------------------------------------- */

static int print_past(struct graph_live *l, struct graph_ref ref)
{
    const uint32_t cut = graph_live_cut(l, ref);
    struct graph *const g = graph_past(l, &ref, 1, cut, err, sizeof err);
    if (!g)
        return 0;
    const struct graph_ref at = graph_live_cut_node(l, cut, ref.rank);
    struct replay *const r = replay_run(g, run.topo, NULL, err, sizeof err);
    fprintf(out, "%u %u: %u after %u, %u: %" PRIu64 ", %d\n", ref.rank,
            ref.index, g->nnodes, cut, at.index,
            r ? replay_node(r, ref)->end_ps : 0, g->is_part);
    if (ref.index % 40 == 8 && graph_live_notes(l, g) == 0) {
        print_graph(g);
        print_hazards(g, NULL);
    }
    replay_free(r);
    graph_free(g);
    return 1;
}

static void print_live(void)
{
    struct graph_live *const l = synthetic_live(&run.s);
    fprintf(out, "# live %d\n", graph_live_update(l, err, sizeof err));
    for (uint32_t rank = 0; rank < run.s.nranks; rank++) {
        struct graph_ref ref = {rank, 1};
        while (print_past(l, ref))
            ref.index++;
        fprintf(out, "%s\n", err);
        for (uint32_t thread = 0; thread < 2; thread++) {
            const struct graph_moment m = graph_live_host(l, rank, thread);
            fprintf(out, "%u %u: %" PRIu64 "\n", m.join.rank, m.join.index,
                    m.host_ps);
        }
    }
    graph_live_free(l);
}

/* The job ended, and a message was never received. */
static void print_unfinished(void)
{
    const struct replay_options options = {.unfinished = 1};
    anyrun_hang(&run.s);
    char *const why = replayed_error(&run);
    fprintf(out, "# unfinished\n%s\n", why);
    free(why);
    replayed_run(&run, &options);
    print_times(run.r);
    draw(NULL, 0);
}

/* ---- all of it ----------------------------------------------------------- */

static void print_all(void)
{
    print_graph(run.g);
    print_times(run.r);
    print_variants();
    print_path();
    print_memory();
    print_steps("step #0");
    print_steps("step");
    print_overlap();
    print_hidden(HIDDEN_ALL);
    print_hidden(1 << GRAPH_COLL);
    print_hazards(run.g, NULL);
    print_sections();
    print_causes(NULL);
    print_causes("step #1");
    draw(NULL, 0);
    draw("step #1", 2);
    print_live();
    print_unfinished();
}

static int record_and_print(void)
{
    replayed_init(&run, anyrun_machine(seed), anyrun_nranks(seed));
    anyrun_record(&run.s, seed);
    replayed_run(&run, NULL);
    out = fmemopen(text, sizeof text, "w");
    print_all();
    const int result = fclose(out);
    replayed_release(&run);
    return result;
}

static void expect(const char *of)
{
    char part[64];
    snprintf(part, sizeof part, "%s of %" PRIu64, of, seed);
    if (seed == KEPT || seed == ALSO_KEPT)
        golden_expect_part("tests/graph/anyrun-texts.gz", part, text);
    digest_expect("tests/graph/anyrun.txt", part, text);
}

START_TEST(all_that_is_computed_of_a_run_is_what_it_was)
{
    seed = (uint64_t)_i;
    scarce_just(record_and_print);
    expect("analyses");
}
END_TEST

/* ---- commands ------------------------------------------------------------ */

START_TEST(all_that_commands_print_is_what_it_was)
{
    seed = (uint64_t)_i;
    synthetic_init(&run.s, anyrun_nranks(seed));
    anyrun_record(&run.s, seed);
    graph_free(synthetic_load(&run.s));
    struct child c = child_run(
        60,
        "cd %s && export MALLOC_PERTURB_=165 && for c in 'time' 'time --json' "
        "'critical-path' 'critical-path --all' 'hazards' 'hazards --json' "
        "'explain' 'explain --json' 'explain --span step' "
        "'timeline -o t.json'; do echo \"# $c\"; "
        "%s/commgraph ${c%%%% *} . ${c#${c%%%% *}} 2>&1; echo $?; done; "
        "cat t.json; rm t.json",
        run.s.dir, child_build());
    snprintf(text, sizeof text, "%s", c.out);
    child_clear(&c);
    synthetic_release(&run.s);
    expect("commands");
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("anyrun");
    TCase *const t = tcase_create("anyrun");
    fds_watch(t);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, all_that_is_computed_of_a_run_is_what_it_was, 0,
                        SEEDS);
    tcase_add_loop_test(t, all_that_commands_print_is_what_it_was, 0, SEEDS);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
