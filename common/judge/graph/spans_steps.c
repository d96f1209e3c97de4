/*
 * spans_steps.c: in which order an iteration's operations have to be
 */
#include <stdlib.h> /* NULL */

#include "graph/replay/overlap.h"
#include "judge/graph/spans.h"

int spans_steps(const struct judge_task *t, int iteration)
{
    // one second, far above the sum of all other times
    static const uint64_t STEP_PS = 1000000000000;
    const struct replay_options options = {
        .fixed = HIDDEN_ALL, .fixed_ps = STEP_PS, .fast_host = 1};
    char err[128];
    uint64_t most_ps = 0;
    int status = -1;
    if (!t->spans)
        return -1;
    struct replay *const r =
        replay_run(t->graph, spans_topo(t->spans), &options, err, sizeof err);
    for (int rank = 0; r && rank < t->nranks; rank++) {
        struct spans_window w;
        status = spans_window(t, rank, iteration, &w);
        if (status != 0)
            break;
        const struct replay_time *const time = replay_times(r);
        for (uint32_t at = w.first; at <= w.last; at++)
            if (spans_is_work(&t->graph->nodes[at].node) &&
                time[at].end_ps - time[w.first].end_ps > most_ps)
                most_ps = time[at].end_ps - time[w.first].end_ps;
    }
    replay_free(r);
    return status == 0 ? (int)(most_ps / STEP_PS) : -1;
}

int spans_host_waits(const struct judge_task *t, int rank, int iteration,
                     const char **site)
{
    struct spans_window w;
    int waits = 0, since = 0, begun = 0;
    const char *first = "";
    *site = "";
    if (spans_window(t, rank, iteration, &w) != 0)
        return 0;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const v = &t->graph->nodes[at];
        if (v->part != 0)
            continue;
        if (begun && overlap_is_comm(v)) {
            // these waits lie between two communications
            *site = waits || !since ? *site : first;
            waits += since;
            since = 0;
        }
        begun |= overlap_is_comm(v);
        if (begun && ((v->node.kind == GRAPH_HOST && v->node.ndeps > 0) ||
                      v->node.flags & GRAPH_JOIN)) {
            first = since++ ? first : v->site;
        }
    }
    return waits;
}
