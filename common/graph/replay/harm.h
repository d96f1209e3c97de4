/*
 * harm.h: the modelled time that planted faults cost (graph_note_harm())
 *
 * A harm is a function of the modelled time and of the node, never of what the
 * replay has done before: a replay that begins at a cut gives the same times as
 * one of the whole run.
 *
 *     stall at 2 ms for 5 ms     host  ==call==|#################|==call==
 *                                              2                 7
 *
 * A link's rate changes while operations use it, at the moments that
 * harms_next_ps() lists.
 */
#ifndef COMMLAB_GRAPH_HARM_H
#define COMMLAB_GRAPH_HARM_H

#include "graph/replay/cost.h"
#include "graph/replay/flows.h"

struct harms { /* the harms of a replay */
    const struct graph *g;
    struct harm_moment {
        uint64_t ps;
        int resource;
        double part; /* what is left of its rate from ps on */
    } * moment;      /* in order of time */
    size_t n, next;
};

/* Returns 0, or -1 with a line in err: no memory, or a link that the machine
 * lacks. */
int harms_init(struct harms *h, const struct graph *g, const struct topo *topo,
               char *err, size_t err_nbytes);
void harms_release(struct harms *h);

/* The end of the host part of node `at`, which begins at this time. */
uint64_t harms_host_ps(const struct harms *h, uint32_t at, uint64_t begin_ps,
                       uint64_t host_ps);

/* Add what node `at`, which starts now, costs more. */
void harms_cost(const struct harms *h, uint32_t at, uint64_t now_ps,
                struct cost *cost);

/* True unless the harm only marks where something happened. */
int harm_costs(const struct graph_harm *h);

/* How much longer the host part of node `at` took than its calls cost, with the
 * times of a replay. */
uint64_t harms_host_lost_ps(const struct graph *g,
                            const struct replay_time *time, uint32_t at);

/* What planted faults make of node `at`, for choosing nodes that stand for all:
 * the above, what a slow GPU adds, or, if a link is bad, the time that a
 * transfer takes. */
uint64_t harms_lost_ps(const struct graph *g, const struct replay_time *time,
                       uint32_t at);

/* True for a whole run in which a planted fault killed a rank, so that others
 * have operations that never end. */
int harms_end(const struct graph *g);

/* The next moment at which a link changes, AGENDA_NEVER if there is none; and
 * the change of all that do at this moment. */
uint64_t harms_next_ps(const struct harms *h);
void harms_change(struct harms *h, struct flows *flows, uint64_t now_ps);

#endif
