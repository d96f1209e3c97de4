/*
 * hidden.h: communication hidden behind computation, by counterfactual
 *
 * That two things run at the same time proves little: communication can delay
 * the very work that it then seems to be hidden behind. So the run is compared
 * with the same graph in which communication costs nothing:
 *
 *     with      |=====|~~~|=====|~~~|=====|     ~ communication
 *     without   |=====|=====|=====|
 *                                 <------>      exposed: all of it
 *
 * Exposed is the time by which communication makes the run longer; the rest of
 * it is hidden. If all of it is exposed, the run is as long as if communication
 * and computation were serialised. In both replays the host's calls cost no
 * time: a device that waits for its host's next call is idle, and communication
 * during that time is not hidden behind work.
 */
#ifndef COMMLAB_GRAPH_HIDDEN_H
#define COMMLAB_GRAPH_HIDDEN_H

#include "graph/replay/replay.h"

/* All communication, as a set of kinds (replay_options.fixed). */
enum {
    HIDDEN_ALL =
        1 << GRAPH_COLL | 1 << GRAPH_SEND | 1 << GRAPH_RECV | 1 << GRAPH_COPY
};

struct hidden_runs; /* a run replayed with and without communication */

/* Replay a run. `kinds` is a set of kinds of communication. NULL on failure,
 * with a line in err. The graph must outlive the result. */
struct hidden_runs *hidden_new(const struct graph *g, const struct topo *topo,
                               unsigned kinds, char *err, size_t err_nbytes);
void hidden_free(struct hidden_runs *r); /* NULL is allowed */

struct hidden {
    uint64_t comm_ps; /* time during which any of it runs */
    uint64_t exposed_ps, hidden_ps;
};

/* The communication of the nodes at positions first..last of one rank, from the
 * end of the first one. Returns 0, or -1 if memory runs out. */
int hidden_of(const struct hidden_runs *r, uint32_t first, uint32_t last,
              struct hidden *out);

/*
 * The most that could be hidden. Each operation communicates as soon as the
 * bytes that it reads are complete and the one before it has ended. It runs
 * next to work that takes longer only because NCCL takes its share of compute.
 * Names of the kernels that communication may be hidden behind start with
 * `work` ("cublas").
 */
uint64_t hidden_most_ps(const struct hidden_runs *r, uint32_t first,
                        uint32_t last, const char *work);

#endif
