/*
 * recorder.h: takes the records of a run's ranks, and keeps them out of reach
 *
 * The recorder is a thread of the grader, outside the sandbox. It gives each
 * rank one case at a time (lab/job.h), and writes down the rank's evidence
 * (judge/record.h) and execution graph (graph/record/format.h), each record as
 * it is made. Nothing in the sandbox can change or remove what it has received.
 * At the end it compares the rank's own copy of the graph, which other ranks
 * and the program's own timers read, with what it received.
 *
 * It also has the seeds, which no rank has: it draws a rank's inputs, and
 * writes them to the memory of the rank's device, if that is a file that the
 * rank can hand over (as simgpu's is), or sends them to the rank.
 *
 * It refuses what no honest run sends, and reports it in `forged`:
 *
 *     records of a case that has ended or not started, or of an iteration
 *     before the current one; two records with one name in an iteration, of
 *     which one is not the kit's; a request for values that no case has; a
 *     final record without the run's key; a graph that differs from the one
 *     that was recorded
 *
 * Call recorder_start() before the ranks are started, and recorder_stop() when
 * all have ended.
 */
#ifndef GRADER_RECORDER_H
#define GRADER_RECORDER_H

#include <limits.h>
#include <stdint.h>

#include "judge/draw.h"

#define RECORDER_EARLY "early" /* folder of graphs whose ranks ended early */

enum {
    RECORDER_EVIDENCE_CAP = 1 << 30, /* bytes of evidence that a rank may
                                        send */
    RECORDER_GRAPH_CAP = 1 << 30,    /* bytes of its execution graph */
    RECORDER_DRAW_CAP = 256 << 20,   /* bytes of values that it may
                                        request at once */
};
#define RECORDER_DRAWN_CAP (UINT64_C(4) << 30) /* ... and altogether */

struct recorder_job {
    const char *seen; /* folder that ranks see, with only the socket */
    const char *kept; /* folder for evidence-R, rank-R.graph and early */
    int nranks, ncases;
    const int *case_no; /* number of each case, in the order in which they
                           run */
    int graphs;         /* each rank records an execution graph */
    uint64_t nonce;     /* key of the final record */
    uint64_t where[2];  /* key of the places that are spoiled */
    /* The text of case i for a rank, or of what follows the last case, from
     * malloc(). Called from the recorder's thread. */
    char *(*text)(const void *arg, int rank, int i);
    /*
     * Draw values for case i of a rank whose outputs of the previous iteration
     * have this digest (judge/chain.h). Returns 0, or -1 for a request that the
     * kit never makes.
     */
    int (*draw)(const void *arg, int rank, int i, int iteration,
                uint64_t digest, const struct draw_ask *d, void *out,
                size_t nbytes);
    const void *arg;
};

struct recorder_end {
    char failed[128]; /* this machine's fault; "" if none */
    char forged[200]; /* something a rank sent that the kit would not; ""
                         if nothing */
};

/* Start a recorder. Both folders must exist, and job must outlive it. NULL with
 * errno on failure. */
struct recorder *recorder_start(const struct recorder_job *job);

/* Take what is still under way, and free r. */
void recorder_stop(struct recorder *r, struct recorder_end *end);

#endif
