/*
 * explain_text.h: findings of explain.h in words
 */
#ifndef COMMLAB_COMMGRAPH_EXPLAIN_TEXT_H
#define COMMLAB_COMMGRAPH_EXPLAIN_TEXT_H

#include "graph/explain/explain.h"

/* "launches", "sync", ..., "compute", "nvlink", ... */
const char *explain_name(enum explain_kind kind);

/* For a cause: one sentence with figures on what happened, and what to try. For
 * a limit: what would cost nothing. Returns out. */
const char *explain_what(const struct graph *g, const struct topo *topo,
                         const struct explain_finding *f, char *out,
                         size_t nbytes);

/* What to try: something that the operation's program does not do already. */
const char *explain_advice(const struct graph *g,
                           const struct explain_finding *f);

#endif
