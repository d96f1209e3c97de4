/*
 * Part 4: beat the direct copy.
 *
 * Two GPUs without a good link between them often have neighbours in common. A
 * copy that takes the detour, in chunks, arrives earlier; several routes at
 * once carry even more, until the links of the sending GPU are saturated.
 */
#include "lab6.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY_CUDA */

int widest_route(const struct gbps *m, int from, int to, struct route *r)
{
    // Yours to write: part 4: the widest route (about 30 lines)
    // keep for every GPU the best route to it with at most h hops; one
    // more hop makes h + 1. Do n - 1 rounds, and replace a route only if
    // the new one is strictly wider.
    LAB_HOLE("part 4: the widest route");
}

int disjoint_routes(const struct gbps *m, int from, int to, int most,
                    struct route route[ROUTES])
{
    // Yours to write: part 4: several routes (about 10 lines)
    // keep the remaining bandwidth in a copy of *m.
    LAB_HOLE("part 4: several routes");
}

struct part { /* the part of the message on one route, in chunks */
    size_t begin, end, chunk_nbytes;
};

/* Split nbytes over n routes in proportion to their GBps, each part into the
 * same number of chunks, of at most chunk_nbytes. Returns that number.
 * Given. */
static size_t split(const struct route *route, int n, size_t nbytes,
                    size_t chunk_nbytes, struct part *part)
{
    double all = 0, before = 0, widest = 0;
    for (int i = 0; i < n; i++) {
        all += route[i].GBps;
        widest = route[i].GBps > widest ? route[i].GBps : widest;
    }
    const double longest = widest / all * (double)nbytes;
    const size_t nchunks = (size_t)(longest / (double)chunk_nbytes) + 1;
    for (int i = 0; i < n; i++) {
        part[i].begin = (size_t)(before / all * (double)nbytes);
        before += route[i].GBps;
        part[i].end =
            i == n - 1 ? nbytes : (size_t)(before / all * (double)nbytes);
        part[i].chunk_nbytes = (part[i].end - part[i].begin) / nchunks + 1;
    }
    return nchunks;
}

/*
 * Enqueue chunk number `chunk` of a part on all hops of route number `number`.
 * Part of relay(), which calls it for chunk after chunk. Does not block.
 */
static ncclResult_t send_chunk(const struct peers *p, const struct route *r,
                               int number, struct part part, char *dst,
                               const char *src, size_t chunk)
{
    const size_t begin = part.begin + chunk * part.chunk_nbytes;
    if (begin >= part.end)
        return ncclSuccess;
    const size_t left = part.end - begin;
    const size_t nbytes = left < part.chunk_nbytes ? left : part.chunk_nbytes;
    // Yours to write: part 4: a chunk on its way (about 25 lines)
    // p->left[gpu][number][chunk % SLOTS]: a chunk has left a GPU. Hop h
    // waits for that event of the previous GPU (the chunk has arrived)
    // and of the next GPU (the slot there is free again).
    LAB_HOLE("part 4: a chunk on its way");
}

ncclResult_t relay(const struct peers *p, const struct route *route, int n,
                   void *dst, const void *src, size_t nbytes,
                   size_t chunk_nbytes)
{
    struct part part[ROUTES];
    if (n < 1 || n > ROUTES || chunk_nbytes == 0 ||
        ROUTES * SLOTS * (chunk_nbytes + 1) > p->slots_nbytes)
        return ncclInvalidArgument;
    const size_t nchunks = split(route, n, nbytes, chunk_nbytes, part);
    for (size_t chunk = 0; chunk < nchunks; chunk++)
        for (int i = 0; i < n; i++)
            LAB_TRY(send_chunk(p, &route[i], i, part[i], dst, src, chunk));
    return peers_wait(p);
}

ncclResult_t copy_by_host(const struct peers *p, int from, int to, void *dst,
                          const void *src, size_t nbytes, char *bounce,
                          size_t chunk_nbytes)
{
    const cudaStream_t out = p->link[from][to], in = p->link[to][from];
    // Yours to write: part 4: through the host (about 18 lines)
    // chunk c uses half c % 2 of bounce. Use p->left[from][0][c % 2] for
    // "this half is full" and p->left[to][0][c % 2] for "it is empty".
    LAB_HOLE("part 4: through the host");
    return peers_wait(p);
}
