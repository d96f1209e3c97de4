/*
 * spans.h: what an iteration did and took, from the execution graph
 *
 * The runner marks what lies between lab_begin() and lab_end() as an NVTX range,
 * "CASE #ITERATION" (spans_name()). On simgpu that names operations of the
 * execution graph, so a judge can look up what a rank did in an iteration, and
 * when, on the modelled machine. On real GPUs there is no graph: judge_task.spans
 * is NULL, and these functions say so by NaN, 0 or -1.
 *
 * An iteration on a rank is all that any of its threads issued from the first to
 * the last operation of the range, ranges inside of it included:
 *
 *     lab_begin   barrier, [event begin]        <- first
 *     student     copies, kernels, sends, ...
 *     lab_end     [event end], synchronisation  <- last
 *
 * It begins when the first has ended, and ends when the last copy, kernel or
 * communication has.
 */
#ifndef COMMLAB_JUDGE_SPANS_H
#define COMMLAB_JUDGE_SPANS_H

#include "graph/hazard.h"
#include "graph/overlap.h"
#include "graph/replay.h"
#include "judge/judge.h"

struct spans; /* a graph, replayed on its machine */

/*
 * Replay g on `machine` (NULL: the one that g was recorded for). NULL on
 * failure, with a line in err. g must outlive the result.
 */
struct spans *spans_new(const struct graph *g, const char *machine, char *err,
                        size_t err_nbytes);
void spans_free(struct spans *s); /* NULL is allowed */

const struct topo *spans_topo(const struct spans *s);
const struct replay_time *spans_times(const struct spans *s); /* by position */

/* The range's name of an iteration, into out; returns out. */
enum { SPANS_NAME = 80 };
const char *spans_name(const char *case_name, int iteration,
                       char out[SPANS_NAME]);

/*
 * The first hazard (graph/hazard.h) of the task's case that is no warning: an
 * operation of one of its iterations is in it. NULL if there is none, and without
 * a graph. *more gets the number of others.
 */
const struct hazard *spans_hazard(const struct judge_task *t, size_t *more);

/* ---- of one iteration of the task's case ------------------------------------- */

struct spans_window { /* on one rank: positions in the graph, both included */
    uint32_t first, last;
    uint64_t begin_ps, end_ps;
};

/* 0, or -1 if the graph doesn't show the iteration on that rank. */
int spans_window(const struct judge_task *t, int rank, int iteration,
                 struct spans_window *out);

/* From begin to end on the slowest rank; NaN if a rank doesn't show it. */
double spans_time_us(const struct judge_task *t, int iteration);

/* Operations of `kind` (enum graph_kind), of collectives those of `op` (enum
 * graph_op, GRAPH_OP_NONE: any), that a rank issued. */
uint64_t spans_count(const struct judge_task *t, int rank, int iteration,
                     enum graph_kind kind, enum graph_op op);

struct spans_overlap { /* of a rank; see graph/overlap.h */
    double compute_us, comm_us, hidden_us, exposed_us;
};
int spans_overlap(const struct judge_task *t, int rank, int iteration,
                  struct spans_overlap *out);

/*
 * Bytes that all ranks' messages put on the link that carries the most of them,
 * and its name ("nvlink G0->G3") in *link. Counts sends only, each on the way that
 * NCCL's messages take. Of links whose names begin with `prefix` ("out ": network
 * ports; "": all). NaN without a graph.
 */
double spans_busiest_link(const struct judge_task *t, int iteration,
                          const char *prefix, const char **link);

/* Bytes per second that the best placed of the task's ranks can send at most: all
 * links out of its GPU together, as far as they lead to others of them. */
double spans_out_rate(const struct judge_task *t);

#endif
