/*
 * origin.h: where the bytes of a result came from
 *
 * A right result proves that somebody computed it, not that it was computed as
 * the lab asks. The execution graph holds every operation that read or wrote
 * device memory, so the bytes of a buffer can be followed back: for each byte,
 * the set of ranks whose inputs it descends from, through copies, kernels and
 * communication, and whether bytes of the host got into it on the way.
 *
 *     upload before an iteration       {its rank}
 *     upload by the student's code     HOST: from a file, from MPI, who knows
 *     memset                           nothing
 *     copy, send and receive           what its source has, byte by byte
 *     kernel, collective               all that it reads, a kernel in this
 *                                      part or an earlier one; of other ranks'
 *                                      memory, a kernel nothing, unless the
 *                                      lab's kernels have to reach it
 *
 * It is an upper bound: a kernel that reads one byte and writes a thousand
 * passes its origins on to all of them. Bytes that no operation has written
 * have no origin.
 *
 * Records come from the student's process: what is not believed (believed.h)
 * was the host's work.
 */
#ifndef COMMLAB_JUDGE_ORIGIN_H
#define COMMLAB_JUDGE_ORIGIN_H

#include "graph/replay.h"

#define ORIGIN_HOST (UINT64_C(1) << 63) /* ranks are bits 0 to 62 */

struct origins; /* of all bytes that are copied to the host */

/*
 * Follow a replayed graph. judged[at]: the section (sections.h) in which a
 * student's code issued the operation at this position, or 0. reaches_peers:
 * kernels pass on what they read from other ranks' memory, and to it. NULL if
 * memory runs out.
 */
struct origins *origins_new(const struct graph *g,
                            const struct replay_time *time,
                            const uint32_t *judged, int reaches_peers);
void origins_free(struct origins *o); /* NULL is allowed */

struct origin { /* bytes [begin, end) of a copy to the host */
    uint64_t begin, end, from;
};

/*
 * Ranks whose inputs may be in a rank's memory by kernels of a section, in more
 * places than are recorded, where kernels have to reach peers: g++ does not
 * instrument the store of a structure that a function returns, as in
 *
 *     recv[i] = sum_of(v, send, i);
 *
 * A kernel that touches a peer's memory may have written to any, another one to
 * that of its own rank. A byte that it may know of is not refused for lack of a
 * record.
 */
uint64_t origins_reached(const struct origins *o, uint32_t section, int rank);

/* What the copy at this position of the graph took to the host, in pieces that
 * cover it in order; *n is 0 if it is no such copy. */
const struct origin *origins_of(const struct origins *o, uint32_t at,
                                size_t *n);

#endif
