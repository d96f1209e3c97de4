/*
 * spans.h: operations and times of an iteration, from the execution graph
 *
 * The runner marks the code between lab_begin() and lab_end() as an NVTX range,
 * "CASE #ITERATION" (spans_name()). On simgpu the range labels operations of
 * the execution graph, so a judge can look up which operations a rank issued in
 * an iteration, and when they ran on the modelled machine. Real GPUs have no
 * graph: judge_task.spans is NULL, and these functions return NaN, 0 or -1.
 *
 * An iteration on a rank consists of everything that any of its threads issued
 * from the first to the last operation of the range, including nested ranges:
 *
 *     lab_begin   barrier, [event begin]        <- first
 *     student     copies, kernels, sends, ...
 *     lab_end     [event end], synchronisation  <- last
 *
 * It starts when the first operation has ended, and ends when the last copy,
 * kernel or communication has ended.
 */
#ifndef COMMLAB_JUDGE_SPANS_H
#define COMMLAB_JUDGE_SPANS_H

#include "graph/explain/hidden.h"
#include "graph/hazard/hazard.h"
#include "graph/replay/replay.h"
#include "judge/graph/held.h"
#include "judge/judge.h"
#include "judge/origin/origin.h"

struct spans; /* a graph, replayed on its machine */

/*
 * Replay g on a machine, or, if `on` is NULL, on the one that g was recorded
 * for. NULL on failure, with a line in err. Both must outlive the result. A
 * machine that is given for several graphs has to find NCCL's channels only
 * once, which takes milliseconds.
 */
struct spans *spans_new(const struct graph *g, const struct topo *on, char *err,
                        size_t err_nbytes);
void spans_free(struct spans *s); /* NULL is allowed */

/* Say that the graph is the next part of a run: see hazards_find_next(). Call
 * it before, and find the hazards of every part: with spans_hazard(). */
void spans_after(struct spans *s, struct hazard_past *past);

/* Say that kernels must reach other ranks' memory: see origins_new(). Call it
 * before the first spans_origin(). */
void spans_reach_peers(struct spans *s);

const struct topo *spans_topo(const struct spans *s);
const struct replay *spans_replay(const struct spans *s);
const struct replay_time *spans_times(const struct spans *s); /* by position */

/* The device memory that a rank holds: all, or what the files of a plan have
 * allocated (held.h). NULL if memory runs out. */
const struct held *spans_held(struct spans *s, int rank, const struct plan *by);

/* Write the name of an iteration's range to out, and return out. */
enum { SPANS_NAME = 80 };
const char *spans_name(const char *case_name, int iteration,
                       char out[SPANS_NAME]);

/*
 * The first hazard (graph/hazard/hazard.h), not counting warnings, that
 * involves an operation in an iteration of the task's case. NULL if there is
 * none, or no graph. *more gets the number of further hazards.
 */
const struct hazard *spans_hazard(const struct judge_task *t, size_t *more);

/*
 * The first device operation that a thread other than the runner's issues after
 * an iteration of the task's case, while the runner waits for such threads.
 * *rank gets its rank. NULL if there is none, or no graph.
 */
const struct graph_view *spans_late(const struct judge_task *t, int *rank);

/* By position: the number of the iteration's section (sections.h), or 0; and 1
 * for operations that their case's stream doesn't wait for (awaited.h). NULL if
 * memory runs out. */
const uint32_t *spans_sections(const struct judge_task *t);
const char *spans_unawaited(const struct judge_task *t);

/* ---- one iteration of the task's case ------------------------------------ */

struct spans_window { /* an iteration on one rank: positions, both included */
    uint32_t first, last;
    uint64_t begin_ps, end_ps;
};

/* True if the device does something other than record an event. */
static inline int spans_is_work(const struct graph_node *n)
{
    return n->queue != 0 && n->kind != GRAPH_MARK;
}

/* Find an iteration. Returns 0, or -1 if the graph lacks it on that rank. */
int spans_window(const struct judge_task *t, int rank, int iteration,
                 struct spans_window *out);

/*
 * The origins (judge/origin/origin.h) of an output that a rank showed after an
 * iteration. The output is identified by its copy to the host: copy `number`,
 * from 0, among those of nbytes, red zones included. NULL and *n = 0 if there
 * is none.
 */
const struct origin *spans_origin(const struct judge_task *t, int rank,
                                  int iteration, uint64_t nbytes, int number,
                                  size_t *n);

/* The same for a result that the runner marked after an iteration, and a source
 * that it marked before: judge/graph/trace.h. */
const struct origin *spans_result(const struct judge_task *t, int rank,
                                  int iteration, const char *name, size_t *n);
const struct origin_source *spans_source(const struct judge_task *t, int rank,
                                         int iteration, const char *name);

/* origins_reached() for this iteration. */
struct rank_set spans_reached(const struct judge_task *t, int rank,
                              int iteration);

/* The time from begin to end on the slowest rank; NaN if a rank lacks
 * the iteration. */
double spans_time_us(const struct judge_task *t, int iteration);

/* The number of operations of `kind` that a rank issued. Of collectives, only
 * those of `op` count (TOPO_OP_NONE: all). */
uint64_t spans_count(const struct judge_task *t, int rank, int iteration,
                     enum graph_kind kind, enum topo_op op);

/* Flops of a rank's kernels whose names begin with `prefix`; NaN without a
 * graph. */
double spans_flops(const struct judge_task *t, int rank, int iteration,
                   const char *prefix);

/* Bytes that a rank sends to others: its messages, and the least that its part
 * of each collective requires. NaN without a graph. */
double spans_traffic_bytes(const struct judge_task *t, int rank, int iteration);

struct spans_hidden { /* communication hidden on a rank: explain/hidden.h */
    double comm_us, exposed_us, hidden_us;
    double most_us; /* most that kernels called `work`... could hide */
};
int spans_hidden(const struct judge_task *t, int rank, int iteration,
                 unsigned kinds, const char *work, struct spans_hidden *out);

/*
 * Fail unless every rank hides at least the fraction `least` of the collectives
 * that could be hidden behind its products in the first iteration. The
 * comparison is with the same step without the collectives
 * (graph/explain/hidden.h). Real GPUs have no graph, and pass.
 */
void spans_judge_hidden(const struct judge_task *t, double least,
                        struct judge_verdict *v);

/* The length of the longest chain of communications, on any ranks, in which
 * each starts only after the one before has ended; -1 without a graph. */
int spans_steps(const struct judge_task *t, int iteration);

/* The first operation of a rank that reads bytes of the host, including pinned
 * memory: what is kept there has to be read. A copy to the host, to print it,
 * reads none. NULL if there is none, or no graph. */
const struct graph_view *spans_from_host(const struct judge_task *t, int rank,
                                         int iteration);

/* How often a rank's host waits for its device between two operations that
 * communicate. *site gets the call site of the first such wait. */
int spans_host_waits(const struct judge_task *t, int rank, int iteration,
                     const char **site);

#endif
