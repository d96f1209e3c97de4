/*
 * source.h: the marked inputs and results of a graph (origin.h)
 *
 * A mark is a fill that the runner enqueues between iterations, in a range with
 * the name of a source or a result. A student's code can make one, too, before
 * the iteration or on another thread. So a source has to have one mark only,
 * and of a result's marks the first after the iteration counts.
 */
#ifndef COMMLAB_JUDGE_SOURCE_H
#define COMMLAB_JUDGE_SOURCE_H

#include "base/map.h"
#include "graph/record/read.h"
#include "judge/origin/origin.h"
#include "judge/origin/pieces.h"

struct sources { /* zero it first */
    struct origin_source *source;
    size_t n, cap;
    struct map of; /* by position of a mark: its source's position, from 1 */
    int failed;    /* out of memory: nothing is valid */
};

/* Find all sources of a graph. `judged` is origins_new()'s. */
void sources_find(struct sources *s, const struct graph *g,
                  const uint32_t *judged, uint64_t secret);
void sources_release(struct sources *s);

/* The source that is marked at this position; NULL if none is. */
const struct origin_source *sources_at(const struct sources *s, uint32_t at);

/* Give the bytes that a source's mark fills its rank, and their labels to its
 * probes. */
void source_begin(const struct origin_source *s, const struct graph_access *a,
                  struct pieces *p);

/* The source with this mark on a rank; NULL if there is none. */
struct origin_source *sources_marked(const struct sources *s, int rank,
                                     const char *mark);

/* True if a fill marks a result. */
int source_is_result(const struct graph_view *v);

#endif
