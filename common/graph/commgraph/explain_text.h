/*
 * explain_text.h: the words for what explain.h finds
 */
#ifndef COMMLAB_COMMGRAPH_EXPLAIN_TEXT_H
#define COMMLAB_COMMGRAPH_EXPLAIN_TEXT_H

#include "graph/explain.h"

/* "launches", "sync", ..., "compute", "nvlink", ... */
const char *explain_name(enum explain_kind kind);

/* Of a cause: what happened, in one sentence with its figures; and what to
 * try. Of a limit: what costs nothing then. Returns out. */
const char *explain_what(const struct graph *g, const struct topo *topo,
                         const struct explain_finding *f, char *out,
                         size_t nbytes);
const char *explain_advice(enum explain_kind kind);

#endif
