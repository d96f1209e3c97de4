#include "judge/graph/contract.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strlen */

#include "judge/graph/spans.h"

/* ---- the case's stream --------------------------------------------------- */

static int overlap(const struct graph_access *a, const struct graph_access *b)
{
    return a->alloc == b->alloc && a->begin < b->end && b->begin < a->end;
}

/* True if x writes bytes that v touches. */
static int writes_of(const struct graph_view *x, const struct graph_view *v)
{
    for (size_t i = 0; i < x->naccesses; i++) {
        const uint32_t how = x->accesses[i].write & GRAPH_TOUCH;
        for (size_t k = 0; k < v->naccesses; k++)
            if ((how == GRAPH_WRITE || how == GRAPH_ATOMIC) &&
                (v->accesses[k].write & GRAPH_TOUCH) < GRAPH_ALLOC &&
                overlap(&x->accesses[i], &v->accesses[k]))
                return 1;
    }
    return 0;
}

/* The first operation of an iteration that its case's stream doesn't wait for,
 * and that writes bytes which the runner reads, or marks as a result, before
 * the next iteration. NULL if there is none. */
static const struct graph_view *find_in(const struct judge_task *t, int rank,
                                        const struct spans_window *w)
{
    const struct graph_view *const nodes = t->graph->nodes;
    const char *const unawaited = spans_unawaited(t);
    const uint32_t *const section = spans_sections(t);
    const uint32_t runner = nodes[w->first].node.thread;
    for (uint32_t at = w->first; unawaited && section && at <= w->last; at++)
        for (uint32_t by = w->last + 1;
             unawaited[at] && by < t->graph->first[rank + 1] &&
             section[by] == 0;
             by++)
            if (nodes[by].node.thread == runner &&
                writes_of(&nodes[at], &nodes[by]))
                return &nodes[at];
    return NULL;
}

static const struct graph_view *find_unawaited(const struct judge_task *t,
                                               int *rank)
{
    for (*rank = 0; t->spans && *rank < t->nranks; ++*rank)
        for (int i = 0; i < t->iterations; i++) {
            struct spans_window w;
            const struct graph_view *const found =
                spans_window(t, *rank, i, &w) == 0 ? find_in(t, *rank, &w)
                                                   : NULL;
            if (found)
                return found;
        }
    return NULL;
}

/* "non-blocking stream 3", as hazards name streams. */
enum { STREAM_NAME = 64 };
static const char *stream_of(const struct judge_task *t,
                             const struct graph_view *v, char out[STREAM_NAME])
{
    const char *name = "stream";
    for (size_t i = 0; i < t->graph->nqueues; i++)
        if (t->graph->queues[i].rank == v->node.rank &&
            t->graph->queues[i].queue == v->node.queue)
            name = t->graph->queues[i].name;
    snprintf(out, STREAM_NAME, "%.40s %u", name, v->node.queue);
    return out;
}

/*
 * Work that a thread issues after an iteration is in no measured time, and what
 * it reads or writes belongs to another run, or is a race that depends on the
 * machine's load.
 */
void contract_judge_late(const struct judge_task *t, struct judge_verdict *v)
{
    int rank;
    const struct graph_view *const late = spans_late(t, &rank);
    if (!late || v->suspected)
        return;
    v->message[0] = 0;
    judge_fail(v,
               "rank %d: a thread that your code started still runs after its "
               "function has returned: it calls %s at %s.\nJoin it before you "
               "return (pthread_join), or wait for its work",
               rank, late->name, late->site);
}

/*
 * Work that the case's stream doesn't wait for isn't part of the result, though
 * the runner, which waits for the whole device, finds the right bytes.
 */
void contract_judge_awaited(const struct judge_task *t, struct judge_verdict *v)
{
    int rank;
    char stream[STREAM_NAME], site[256];
    const struct graph_view *const w = find_unawaited(t, &rank);
    if (!w || !v->pass)
        return;
    judge_fail(v,
               "rank %d: %s at %s writes a result on %s, which the case's "
               "stream doesn't wait for when your function returns.\nRecord "
               "an event behind it and let the case's stream wait for that "
               "(cudaEventRecord, cudaStreamWaitEvent)",
               rank, w->name,
               graph_site_text_of(t->graph, (uint32_t)rank, w->node.site, site,
                                  sizeof site),
               stream_of(t, w, stream));
}

/*
 * A case with a hazard in its graph fails for the hazard, even if its output is
 * wrong, too: every run has the hazard, but its wrong numbers differ each time.
 */
void contract_judge_hazards(const struct judge_task *t, struct judge_verdict *v)
{
    char text[sizeof v->message], others[40] = "";
    size_t more;
    const struct hazard *const h = spans_hazard(t, &more);
    if (!h || v->suspected)
        return;
    if (more)
        snprintf(others, sizeof others, "\n(and %zu more)", more);
    v->message[0] = 0;
    hazard_text(h, text, sizeof text);
    text[strlen(text) - 1] = 0; // drop the last newline
    judge_fail(v, "%s%s", text, others);
}
