/*
 * replayed.h: a synthetic graph, and its times on a machine
 */
#ifndef COMMLAB_TESTS_REPLAYED_H
#define COMMLAB_TESTS_REPLAYED_H

#include "graph/replay/replay.h"
#include "synthetic.h"

struct replayed {
    struct topo *topo;
    struct synthetic s;
    struct graph *g;
    struct replay *r;
};

/* Start a run of nranks on a shipped machine, with nothing recorded. */
void replayed_init(struct replayed *t, const char *machine, uint32_t nranks);
/* Replay a run that was saved in dir, on the machine it ran on. */
void replayed_saved(struct replayed *t, const char *dir);

void replayed_release(struct replayed *t);

/* Replay what has been recorded, which must succeed. options may be NULL. */
void replayed_run(struct replayed *t, const struct replay_options *options);

/* Replay, which must fail, and return the message. The caller frees it. */
char *replayed_error(struct replayed *t);

/* The times of an operation. */
struct replay_time replayed_at(const struct replayed *t, struct graph_ref ref);

/* The path of a copy on the machine, and the time that bytes take on the path's
 * slowest resource without other traffic. */
struct topo_path replayed_way(const struct replayed *t, int from, int to);
uint64_t replayed_bytes_ps(const struct replayed *t, double nbytes,
                           const struct topo_path *p);

#define ck_near(a, b, ps)                                                      \
    ck_assert_msg((a) + (ps) >= (b) && (b) + (ps) >= (a),                      \
                  #a " is %llu ps, expected %llu", (unsigned long long)(a),    \
                  (unsigned long long)(b))

#endif
