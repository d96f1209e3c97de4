/*
 * origin.h: where the bytes of a result came from
 *
 * A right result proves that something computed it, not that it was computed as
 * the lab asks. The execution graph holds every operation that read or wrote
 * device memory, so the bytes of a buffer can be traced back: for each byte,
 * the set of ranks whose inputs it descends from, through copies, kernels and
 * communication, and whether bytes of the host contributed to it.
 *
 *     upload before an iteration       {its rank}
 *     upload by the student's code     HOST: a file, MPI, or anything else
 *     memset                           nothing
 *     copy, send and receive           what its source has, byte by byte
 *     kernel, collective               all that it reads; a kernel also what
 *                                      its earlier parts read. What a kernel
 *                                      reads of other ranks' memory counts
 *                                      only if the lab's kernels must reach it
 *
 * The result is an upper bound: a kernel that reads one byte and writes a
 * thousand passes the origins of that byte on to all of them. Bytes that no
 * operation has written have no origin.
 *
 * Records come from the student's process: an operation that is not believed
 * (believed.h) counts as the host's work.
 *
 * Where contents are not kept, comparing values proves nothing, and a rank is
 * too coarse an origin: a rank may send the wrong block, or a part of the right
 * one. So the runner marks each input, a *source*, by filling it within a range
 * of the name origin_source_name(), and each result within one of the name
 * origin_result_name(). ORIGIN_PROBES short pieces of a source, at places that
 * follow from a secret, are *labels*, which bytes carry as they carry ranks:
 *
 *     source   [ ...probe 0... | ...probe 1...  probe 2]
 *
 * The secret is the judge's, so no rank can know which bytes will count.
 */
#ifndef COMMLAB_JUDGE_ORIGIN_H
#define COMMLAB_JUDGE_ORIGIN_H

#include "base/rank_set.h"
#include "graph/replay/replay.h"
#include "judge/origin/sets.h"

struct origins; /* origins of all bytes copied to the host, or marked as a
                   result */

enum { ORIGIN_NAME = 128, ORIGIN_PROBES = 3, ORIGIN_PROBE = 64 /* bytes */ };

/* The names of the ranges that mark a source and a result, which are not
 * those of sections (sections.h). Both return out. */
const char *origin_source_name(const char *case_name, const char *name,
                               int iteration, char out[ORIGIN_NAME]);
const char *origin_result_name(const char *case_name, const char *name,
                               int iteration, char out[ORIGIN_NAME]);

struct origin_source { /* a marked input */
    int rank;
    const char *mark;              /* its range's name */
    size_t label;                  /* the one of probe 0; the others follow */
    uint64_t nbytes;               /* its size */
    uint64_t probe[ORIGIN_PROBES]; /* where its probes begin */
    int nmarks;                    /* 2 or more: the program made some */
};

/*
 * Trace the bytes of a replayed graph. judged[at] is the section (sections.h)
 * in which a student's code issued the operation at this position, or 0.
 * reaches_peers says that kernels pass on what they read from other ranks'
 * memory, and to that memory. The places of probes follow from `secret`. NULL
 * if memory runs out.
 */
struct origins *origins_new(const struct graph *g,
                            const struct replay_time *time,
                            const uint32_t *judged, int reaches_peers,
                            uint64_t secret);
void origins_free(struct origins *o); /* NULL is allowed */

struct origin { /* bytes [begin, end) of a copy to the host */
    uint64_t begin, end;
    const struct origin_set *from; /* NULL: nothing */
};

/*
 * Ranks whose inputs the kernels of a section may have put into a rank's memory
 * in more places than are recorded. This matters where kernels have to reach
 * peers: g++ does not instrument the store of a structure that a function
 * returns, as in
 *
 *     recv[i] = sum_of(v, send, i);
 *
 * A kernel that touches a peer's memory may have written to any rank's, any
 * other kernel to its own rank's. No byte is refused for a missing record if
 * such a kernel may have written it.
 */
struct rank_set origins_reached(const struct origins *o, uint32_t section,
                                int rank);

/* The origins of what the copy at this position of the graph took to the host,
 * or of the result that is marked there, as pieces that cover it in order; *n
 * is 0 if it is neither. */
const struct origin *origins_of(const struct origins *o, uint32_t at,
                                size_t *n);

/* The source with this mark on a rank; NULL if there is none. */
const struct origin_source *origins_source(const struct origins *o, int rank,
                                           const char *mark);

#endif
