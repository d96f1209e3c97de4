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
    // BEGIN HOLE part 4: the widest route (about 30 lines)
    // HINT: keep for every GPU the best route to it with at most h hops; one
    // HINT: more hop makes h + 1. Do n - 1 rounds, and replace a route only if
    // HINT: the new one is strictly wider.
    struct route best[PEERS] = {{0}}, next[PEERS];
    best[from] = (struct route){.at = {from}, .GBps = 1e9};
    for (int hops = 1; hops < m->n; hops++) {
        for (int b = 0; b < m->n; b++)
            next[b] = best[b];
        for (int a = 0; a < m->n; a++)
            for (int b = 0; b < m->n; b++) {
                const double hop = a == b ? 0 : m->at[a][b];
                const double GBps = hop < best[a].GBps ? hop : best[a].GBps;
                if (GBps <= next[b].GBps)
                    continue;
                next[b] = best[a];
                next[b].at[++next[b].nhops] = b;
                next[b].GBps = GBps;
            }
        for (int b = 0; b < m->n; b++)
            best[b] = next[b];
    }
    *r = best[to];
    return r->nhops > 0;
    // END HOLE
}

int disjoint_routes(const struct gbps *m, int from, int to, int most,
                    struct route route[ROUTES])
{
    // BEGIN HOLE part 4: several routes (about 10 lines)
    // HINT: keep the remaining bandwidth in a copy of *m.
    struct gbps left = *m;
    int n = 0;
    while (n < most && widest_route(&left, from, to, &route[n])) {
        const struct route *const r = &route[n++];
        for (int h = 0; h < r->nhops; h++)
            left.at[r->at[h]][r->at[h + 1]] -= r->GBps;
    }
    return n;
    // END HOLE
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
    // BEGIN HOLE part 4: a chunk on its way (about 25 lines)
    // HINT: p->left[gpu][number][chunk % SLOTS]: a chunk has left a GPU. Hop h
    // HINT: waits for that event of the previous GPU (the chunk has arrived)
    // HINT: and of the next GPU (the slot there is free again).
    const int slot = (int)(chunk % SLOTS);
    for (int h = 0; h < r->nhops; h++) {
        const int from = r->at[h], to = r->at[h + 1];
        const cudaStream_t link = p->link[from][to];
        const int last = h == r->nhops - 1;
        const void *const out =
            h == 0 ? src + begin : peers_slot(p, from, number, chunk);
        void *const in = last ? dst + begin : peers_slot(p, to, number, chunk);
        if (h > 0)
            LAB_TRY_CUDA(cudaStreamWaitEvent(
                link, p->left[r->at[h - 1]][number][slot], 0));
        if (!last && chunk >= SLOTS)
            LAB_TRY_CUDA(
                cudaStreamWaitEvent(link, p->left[to][number][slot], 0));
        LAB_TRY_CUDA(cudaMemcpyPeerAsync(in, to, out, from, nbytes, link));
        LAB_TRY_CUDA(cudaEventRecord(p->left[from][number][slot], link));
    }
    return ncclSuccess;
    // END HOLE
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
    // BEGIN HOLE part 4: through the host (about 18 lines)
    // HINT: chunk c uses half c % 2 of bounce. Use p->left[from][0][c % 2] for
    // HINT: "this half is full" and p->left[to][0][c % 2] for "it is empty".
    for (size_t c = 0; c * chunk_nbytes < nbytes; c++) {
        const size_t at = c * chunk_nbytes;
        const size_t size =
            nbytes - at < chunk_nbytes ? nbytes - at : chunk_nbytes;
        char *const half = bounce + c % 2 * chunk_nbytes;
        const cudaEvent_t full = p->left[from][0][c % 2];
        const cudaEvent_t empty = p->left[to][0][c % 2];
        if (c >= 2)
            LAB_TRY_CUDA(cudaStreamWaitEvent(out, empty, 0));
        LAB_TRY_CUDA(cudaMemcpyAsync(half, (const char *)src + at, size,
                                     cudaMemcpyDeviceToHost, out));
        LAB_TRY_CUDA(cudaEventRecord(full, out));
        LAB_TRY_CUDA(cudaStreamWaitEvent(in, full, 0));
        LAB_TRY_CUDA(cudaMemcpyAsync((char *)dst + at, half, size,
                                     cudaMemcpyHostToDevice, in));
        LAB_TRY_CUDA(cudaEventRecord(empty, in));
    }
    // END HOLE
    return peers_wait(p);
}
