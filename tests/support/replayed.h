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
/* A run that was saved in dir, replayed on the machine it ran on. */
void replayed_saved(struct replayed *t, const char *dir);

void replayed_release(struct replayed *t);

/* Replay what is recorded now; options may be NULL. It has to succeed. */
void replayed_run(struct replayed *t, const struct replay_options *options);

/* It has to fail: the message, which the caller frees. */
char *replayed_error(struct replayed *t);

/* Times of an operation. */
struct replay_time replayed_at(const struct replayed *t, struct graph_ref ref);

/* The way of a copy on the machine; and the time of work on its slowest
 * resource, alone. */
struct topo_path replayed_way(const struct replayed *t, int from, int to);
uint64_t replayed_bytes_ps(const struct replayed *t, double nbytes,
                           const struct topo_path *p);

#define ck_near(a, b, ps)                                                      \
    ck_assert_msg((a) + (ps) >= (b) && (b) + (ps) >= (a),                      \
                  #a " is %llu ps, expected %llu", (unsigned long long)(a),    \
                  (unsigned long long)(b))

#endif
