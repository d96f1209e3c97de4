/*
 * recorder.h: takes what the ranks of a run record, out of their reach
 *
 * A thread of the grader, on the other side of the sandbox. It gives each rank
 * one case at a time (lab/job.h), and writes down its evidence (judge/record.h)
 * and its execution graph (graph/format.h), each record as it is made. What it
 * has taken can be neither changed nor removed. The rank's own copy of the
 * graph, which other ranks and the program's own timers read, is compared with
 * it at the end.
 *
 * It also has the seeds, which no rank has: a rank's inputs are drawn here, and
 * written to its device's memory, if that is a file that the rank can hand over
 * (simgpu's is), or sent to it.
 *
 * It refuses what no honest run sends, and says so in `forged`:
 *
 *     records of a case that has ended or not begun, or of an iteration before
 *     the current one; two records of one name in an iteration, one of which
 *     is not the kit's; a request for values that no case has; a final record
 *     without the run's key; a graph that is not the one that was recorded
 *
 * Life: recorder_start() before the ranks are started, recorder_stop() when all
 * have ended.
 */
#ifndef GRADER_RECORDER_H
#define GRADER_RECORDER_H

#include <limits.h>
#include <stdint.h>

#include "judge/draw.h"

#define RECORDER_EARLY "early" /* folder of graphs whose rank ended early */

enum {
    RECORDER_EVIDENCE_CAP = 1 << 30, /* bytes that a rank may show */
    RECORDER_GRAPH_CAP = 1 << 30,    /* and of its execution graph */
    RECORDER_DRAW_CAP = 256 << 20,   /* and that it may ask for at once */
};
#define RECORDER_DRAWN_CAP (UINT64_C(4) << 30) /* and in all */

struct recorder_job {
    const char *seen; /* folder that the ranks see: the socket, nothing else */
    const char *kept; /* folder of evidence-R, rank-R.graph and early */
    int nranks, ncases;
    const int *case_no; /* of each case, in this order */
    int graphs;         /* each rank has an execution graph */
    uint64_t nonce;     /* the key of the final record */
    uint64_t where[2];  /* the key of the places that are spoiled */
    /* Case i of a rank, or what follows the last one: a text, from malloc.
     * Called from the recorder's thread. */
    char *(*text)(const void *arg, int rank, int i);
    /* Draw values for case i of a rank, whose outputs of the iteration before
     * have this digest (judge/chain.h): 0, or -1 for what no kit asks for. */
    int (*draw)(const void *arg, int rank, int i, int iteration,
                uint64_t digest, const struct draw_ask *d, void *out,
                size_t nbytes);
    const void *arg;
};

struct recorder_end {
    char failed[128]; /* this machine's fault, or "" */
    char forged[200]; /* what a rank sent that the kit did not, or "" */
};

/* Both folders exist. NULL with errno on failure; job must outlive it. */
struct recorder *recorder_start(const struct recorder_job *job);

/* Take what is still under way, and free r. */
void recorder_stop(struct recorder *r, struct recorder_end *end);

#endif
