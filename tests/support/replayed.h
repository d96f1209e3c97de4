/*
 * replayed.h: a synthetic graph, and its times on a machine
 */
#ifndef COMMLAB_TESTS_REPLAYED_H
#define COMMLAB_TESTS_REPLAYED_H

#include "graph/replay.h"
#include "synthetic.h"

struct replayed {
    struct topo *topo;
    struct synthetic s;
    struct graph *g;
    struct replay *r;
};

/* A run of nranks on a shipped machine, nothing recorded yet. */
void replayed_init(struct replayed *t, const char *machine, uint32_t nranks);
void replayed_release(struct replayed *t);

/* Replay what is recorded now; options may be NULL. It has to succeed. */
void replayed_run(struct replayed *t, const struct replay_options *options);

/* It has to fail: the message, which the caller frees. */
char *replayed_error(struct replayed *t);

/* Times of an operation. */
struct replay_time replayed_at(const struct replayed *t, struct graph_ref ref);

#endif
