/*
 * calls.h: how a rank came to its result, from the execution graph
 *
 * Many right results can be had without what a case is about: the host waits
 * where an event should order, MPI carries what NCCL should, one collective
 * stands in for several. The graph has what was called, and these functions ask
 * it. Real GPUs have no graph: counts are 0 there, and the judges pass.
 */
#ifndef COMMLAB_JUDGE_CALLS_H
#define COMMLAB_JUDGE_CALLS_H

#include "graph/record/read.h" /* struct graph_node */
#include "judge/judge.h"
#include "topo/op.h" /* enum topo_op */

/*
 * How often a rank's host waits until its device has done something, and then
 * gives it more to do: copies, kernels, communication. *site gets the call site
 * of the first such wait.
 */
int calls_waits(const struct judge_task *t, int rank, int iteration,
                const char **site);

/* Fail if a rank's host waits like that in the first iteration. instead: what
 * to do instead, for students. */
void judge_no_waits(const struct judge_task *t, const char *instead,
                    struct judge_verdict *v);

/* Fail if the host of a rank waits between two communications, in any
 * iteration: it can't enqueue ahead then. */
void judge_enqueues_ahead(const struct judge_task *t, const char *instead,
                          struct judge_verdict *v);

/*
 * The number of a rank's operations in an iteration that wait, on the device,
 * for an operation of another stream: for an event of it, that is. links() says
 * which pairs count.
 */
typedef int calls_link(const struct graph_node *later,
                       const struct graph_node *earlier, const void *arg);
int calls_events(const struct judge_task *t, int rank, int iteration,
                 calls_link *links, const void *arg);

/* Fail if a rank moves data by MPI in the first iteration. Barriers, and calls
 * that make communicators, move none; an int by which ranks agree is none, and
 * a rank may have two of these. */
void judge_no_mpi(const struct judge_task *t, const char *instead,
                  struct judge_verdict *v);

/* The same without the ints, for cases in which not all ranks of MPI live. */
void judge_no_mpi_at_all(const struct judge_task *t, const char *instead,
                         struct judge_verdict *v);

/* Fail if a rank multiplies in TF32 or less, in any iteration: a timed case
 * would pass for that alone. */
void judge_full_precision(const struct judge_task *t, struct judge_verdict *v);

/* Bytes of a rank's collectives in an iteration, as nccl-tests count them. */
double judge_collective_bytes(const struct judge_task *t, int rank,
                              int iteration);

struct calls_coll { /* a collective of NCCL; bytes as nccl-tests count them */
    enum topo_op op;
    uint64_t nbytes;
};

/* Fail unless each rank's collectives in the first iteration are these n, in
 * any order. want is sorted. */
void judge_collectives(const struct judge_task *t, struct calls_coll *want,
                       size_t n, struct judge_verdict *v);

/* Fail unless each rank has this collective among those of the first
 * iteration. */
void judge_has_collective(const struct judge_task *t, struct calls_coll want,
                          struct judge_verdict *v);

/*
 * True if `us` is the time between two events that some rank records in the
 * iteration, to the precision of a float in milliseconds, and fits() accepts
 * what the rank calls between the two (nodes a and b of the graph). Always true
 * without a graph.
 */
typedef int calls_fit(const struct judge_task *t, uint32_t a, uint32_t b,
                      const void *arg);
int calls_measured(const struct judge_task *t, int iteration, double us,
                   calls_fit *fits, const void *arg);

#endif
