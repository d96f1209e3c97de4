/*
 * spans.h: operations and times of an iteration, from the execution graph
 *
 * The runner marks the code between lab_begin() and lab_end() as an NVTX range,
 * "CASE #ITERATION" (spans_name()). On simgpu this labels operations of the
 * execution graph, so a judge can look up the operations of a rank in an
 * iteration, and their times on the modelled machine. On real GPUs there is no
 * graph: judge_task.spans is NULL, and these functions return NaN, 0 or -1.
 *
 * An iteration on a rank consists of everything that any of its threads issued
 * from the first to the last operation of the range, including nested ranges:
 *
 *     lab_begin   barrier, [event begin]        <- first
 *     student     copies, kernels, sends, ...
 *     lab_end     [event end], synchronisation  <- last
 *
 * It begins when the first operation has ended, and ends when the last copy,
 * kernel or communication has ended.
 */
#ifndef COMMLAB_JUDGE_SPANS_H
#define COMMLAB_JUDGE_SPANS_H

#include "graph/hazard.h"
#include "graph/hidden.h"
#include "graph/replay.h"
#include "judge/held.h"
#include "judge/judge.h"
#include "judge/origin.h"

struct spans; /* a graph, replayed on its machine */

/*
 * Replay g on `machine` (NULL: the one that g was recorded for). NULL on
 * failure, with a line in err. g must outlive the result.
 */
struct spans *spans_new(const struct graph *g, const char *machine, char *err,
                        size_t err_nbytes);
void spans_free(struct spans *s); /* NULL is allowed */

/* Kernels have to reach other ranks' memory: origins_new(). Before the first
 * spans_origin(). */
void spans_reach_peers(struct spans *s);

const struct topo *spans_topo(const struct spans *s);
const struct replay *spans_replay(const struct spans *s);
const struct replay_time *spans_times(const struct spans *s); /* by position */

/* The device memory that a rank holds. NULL if memory runs out. */
const struct held *spans_held(struct spans *s, int rank);

/* The name of an iteration's range, into out; returns out. */
enum { SPANS_NAME = 80 };
const char *spans_name(const char *case_name, int iteration,
                       char out[SPANS_NAME]);

/*
 * The first hazard (graph/hazard.h), not counting warnings, that involves an
 * operation of an iteration of the task's case. NULL if there is none, or no
 * graph. *more gets the number of others.
 */
const struct hazard *spans_hazard(const struct judge_task *t, size_t *more);

/*
 * The first operation of a device that a thread other than the runner's issues
 * when an iteration of the task's case is over, while the runner waits for such
 * threads, with its rank in *rank. NULL if there is none, or no graph.
 */
const struct graph_view *spans_late(const struct judge_task *t, int *rank);

/* ---- of one iteration of the task's case --------------------------------- */

struct spans_window { /* on one rank: positions in the graph, both included */
    uint32_t first, last;
    uint64_t begin_ps, end_ps;
};

/* Returns 0, or -1 if the graph lacks the iteration on that rank. */
int spans_window(const struct judge_task *t, int rank, int iteration,
                 struct spans_window *out);

/*
 * Where the bytes of an output came from that a rank showed after an iteration
 * (judge/origin.h): of copy `number`, from 0, of nbytes to the host, red zones
 * included. NULL and *n = 0 if there is none.
 */
const struct origin *spans_origin(const struct judge_task *t, int rank,
                                  int iteration, uint64_t nbytes, int number,
                                  size_t *n);

/* Of that iteration, origins_reached(). */
uint64_t spans_reached(const struct judge_task *t, int rank, int iteration);

/* From begin to end on the slowest rank; NaN if a rank lacks it. */
double spans_time_us(const struct judge_task *t, int iteration);

/* Number of operations of `kind` that a rank issued; of collectives, those of
 * `op` (TOPO_OP_NONE: any). */
uint64_t spans_count(const struct judge_task *t, int rank, int iteration,
                     enum graph_kind kind, enum topo_op op);

/* Bytes that a rank sends to others: its messages, and the least that its part
 * of each collective takes. NaN without a graph. */
double spans_traffic_bytes(const struct judge_task *t, int rank, int iteration);

struct spans_hidden { /* of a rank; see graph/hidden.h */
    double comm_us, exposed_us, hidden_us;
    double most_us; /* that could be hidden behind kernels called `work`... */
};
int spans_hidden(const struct judge_task *t, int rank, int iteration,
                 unsigned kinds, const char *work, struct spans_hidden *out);

/*
 * Fail unless every rank hides at least this part of the collectives that could
 * be hidden behind its products in the first iteration, by comparison with the
 * same step without them (graph/hidden.h). Real GPUs have no graph, and pass.
 */
void spans_judge_hidden(const struct judge_task *t, double least,
                        struct judge_verdict *v);

/* The longest chain of operations that communicate, each of which begins only
 * when the one before it has ended, on whatever rank; -1 without a graph. */
int spans_steps(const struct judge_task *t, int iteration);

/* The first operation of a rank that moves or touches bytes of the host, pinned
 * memory included. NULL: there is none, or no graph. */
const struct graph_view *spans_on_host(const struct judge_task *t, int rank,
                                       int iteration);

/* How often a rank's host waits for its device between two operations that
 * communicate. *site gets the call site of the first such wait. */
int spans_host_waits(const struct judge_task *t, int rank, int iteration,
                     const char **site);

#endif
