/*
 * lab6.h: measuring and using the links between GPUs
 *
 * One process drives all GPUs of the machine: `mpirun -n 1 build/lab6`. (With
 * more ranks, rank 0 does the work and the others are idle.) 1 GB/s is 1e9
 * bytes per second, matrices are [from][to], GPUs are numbered as CUDA devices.
 *
 * A *link* carries copies from one GPU to another: a bundle of NVLinks, or
 * PCIe. struct peers has a stream for each link, on the sending GPU, so that
 * copies over one link queue up and copies over different links run
 * concurrently.
 */
#ifndef LAB6_H
#define LAB6_H

#include <cuda_runtime.h> /* cudaStream_t, cudaEvent_t */
#include <nccl.h>         /* ncclResult_t: what LAB_TRY_CUDA returns */
#include <stddef.h>       /* size_t */

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PEERS = 16, /* most GPUs */
    ROUTES = 8, /* most routes of a relay */
    SLOTS = 3,  /* chunks of a route that a GPU can hold */
    PIECES = 8, /* most pieces of what a GPU sends to another (all-to-all) */
};

struct gbps { /* bandwidth from each GPU to each other; 0 on the diagonal */
    int n;
    double at[PEERS][PEERS];
};

struct peers { /* all GPUs of this process */
    int n;
    cudaStream_t link[PEERS][PEERS];   /* [from][to], on `from`; non-blocking */
    cudaStream_t second[PEERS][PEERS]; /* second streams of wide links */
    /* On each GPU: the chunk in slot `slot` of a route has left it. */
    cudaEvent_t left[PEERS][ROUTES][SLOTS];
    cudaEvent_t sent[PEERS][PEERS][PIECES][2]; /* likewise, in an all-to-all */
    char *slots[PEERS]; /* device memory of each GPU: peers_slot() */
    size_t slots_nbytes;
};

/* ---- given (peers.c, cards.c) -------------------------------------------- */

/* Create streams, events, and slots for chunks of up to chunk_nbytes. */
ncclResult_t peers_init(struct peers *p, size_t chunk_nbytes);
ncclResult_t peers_release(struct peers *p);

/* The slot of chunk number `chunk` of route number `route` on a GPU. Chunks
 * whose numbers differ by SLOTS share a slot. */
void *peers_slot(const struct peers *p, int gpu, int route, size_t chunk);

/* Block until all copies on all links have completed. */
ncclResult_t peers_wait(const struct peers *p);

/* Sort n values and return their median. */
double peers_median(double *values, int n);

/* The link between two GPUs: the number of its NVLinks, or one of these. */
enum { LINK_SELF = 0, LINK_PHB = -1, LINK_SYS = -2 };
const char *link_name(int link, char out[8]); /* "NV4", "PHB", "SYS", "X" */

/* A machine's topology as published by its vendor. */
struct card {
    const char *machine;
    int n;
    double nvlink_GBps; /* bandwidth of a copy over one NVLink; 0: has none */
    int link[PEERS][PEERS];
};
const struct card *card_find(const char *machine); /* NULL: no such card */

/* ---- part 1: measure (measure.c) ----------------------------------------- */

/*
 * Enable access of all GPUs to each other's memory, where the machine supports
 * it, or disable it. Copies between GPUs without access go through the host. It
 * is not an error if access is already as wanted, and cudaGetLastError() then
 * reports none.
 */
ncclResult_t peer_access(const struct peers *p, int on);

/*
 * The median time of a copy of nbytes from src on GPU `from` to dst on GPU
 * `to`, over `iterations` (at most 64) copies after `warmup` ones that don't
 * count. Measured by events on the link's stream: device time, not host time.
 */
ncclResult_t measure_one_way(const struct peers *p, int from, int to, void *dst,
                             const void *src, size_t nbytes, int warmup,
                             int iterations, double *ms);

/*
 * The median time of copies between a and b in both directions at once, from
 * when both may start until both are complete. in[i] receives out[1 - i].
 * Arrays: [0] on GPU a, [1] on GPU b.
 */
ncclResult_t measure_both_ways(const struct peers *p, int a, int b,
                               void *const in[2], const void *const out[2],
                               size_t nbytes, int warmup, int iterations,
                               double *ms);

/*
 * Microseconds per 16-byte copy, over `iterations` of them back to back.
 * Enqueueing a copy may take the host longer than running it takes the GPU, so
 * the link has to be busy until all of them have been enqueued: with a copy of
 * nbytes, which takes long enough.
 */
ncclResult_t measure_latency(const struct peers *p, int from, int to, void *dst,
                             const void *src, size_t nbytes, int iterations,
                             double *us);

/* ---- part 2: puzzler 1 (measure.c, infer.c) ------------------------------ */

/*
 * Run n copies of nbytes from src on GPU `from`, all at once, to dst[i] on GPU
 * to[i]. ms[i]: the time of each, by events around it on its own link.
 */
ncclResult_t measure_at_once(const struct peers *p, int from, const int *to,
                             int n, void *const *dst, const void *src,
                             size_t nbytes, double *ms);

/*
 * The number of NVLinks used by a copy that reached GBps, if one NVLink gives
 * nvlink_GBps (0: the machine has none). 0 if it went over PCIe.
 */
int count_nvlinks(double GBps, double nvlink_GBps);

/* ---- part 3: an undocumented machine (infer.c) --------------------------- */

/*
 * Identify the link of every pair from its bandwidth alone. Pairs without
 * NVLinks are PHB (under one CPU) or SYS (across CPUs). If such pairs have two
 * speeds, more than 5 % apart, the slower ones are SYS; if they have only one,
 * all are SYS: vendors connect GPUs under one CPU by something better.
 */
void infer_links(const struct gbps *m, double nvlink_GBps,
                 int link[PEERS][PEERS]);

/*
 * Match the machine to the vendor's topology: order[i] is the number there of
 * the GPU that this machine calls i, so that link[i][j] ==
 * card->link[order[i]][order[j]] for all i and j. If several orders fit, any of
 * them will do. Returns 1, or 0 if none fits.
 */
int infer_order(int link[PEERS][PEERS], const struct card *card,
                int order[PEERS]);

/*
 * Find the ring through all GPUs whose slowest hop, ring[i] -> ring[i + 1] or
 * from the last to ring[0], is as fast as possible. ring[0] is 0. Returns the
 * bandwidth of that hop. n >= 2.
 */
double widest_ring(const struct gbps *m, int ring[PEERS]);

/* ---- part 4: beat the direct copy (relay.c) ------------------------------ */

struct route { /* from at[0] through others to at[nhops] */
    int nhops;
    int at[PEERS + 1];
    double GBps; /* the slowest hop's */
};

/* Find the route whose slowest hop is as fast as possible, and among those one
 * with the fewest hops. Hops of 0 GB/s don't exist. Returns 0 if there is no
 * route, else 1. */
int widest_route(const struct gbps *m, int from, int to, struct route *r);

/*
 * Find routes that can be used at the same time, so that their sum on any link
 * does not exceed its bandwidth: the widest route, then the widest in the
 * bandwidth that remains, and so on, at most `most` of them. Returns their
 * number.
 */
int disjoint_routes(const struct gbps *m, int from, int to, int most,
                    struct route route[ROUTES]);

/*
 * Copy nbytes over n routes at once, all with the same source and destination.
 * Route i carries a part in proportion to its GBps, split into chunks that are
 * pipelined: while one is on the second hop, the next is on the first.
 *
 *     chunk 0   |= 0->5 =|= 5->2 =|
 *     chunk 1            |= 0->5 =|= 5->2 =|
 *     chunk 2                     |= 0->5 =|= 5->2 =|
 *
 * All parts have the same number of chunks, so a chunk takes the same time on
 * any route; the largest has at most chunk_nbytes. On GPUs on the way, chunk c
 * of route i is in peers_slot(p, gpu, i, c). It can leave a GPU once it has
 * arrived there, and arrive once the previous chunk in its slot has left.
 * Blocks until all bytes have arrived.
 */
ncclResult_t relay(const struct peers *p, const struct route *route, int n,
                   void *dst, const void *src, size_t nbytes,
                   size_t chunk_nbytes);

/*
 * Copy nbytes from GPU `from` to GPU `to` through pinned host memory: `bounce`
 * has room for two chunks, so that one can be filled while the other is being
 * emptied. Uses link[from][to] and link[to][from]. Blocks until done.
 */
ncclResult_t copy_by_host(const struct peers *p, int from, int to, void *dst,
                          const void *src, size_t nbytes, char *bounce,
                          size_t chunk_nbytes);

/* ---- part 5: schedules, and a sick cable (schedule.c) -------------------- */

/*
 * An all-to-all in which the data from one GPU to another is sent in npieces
 * equal pieces, each directly (via: -1) or through one other GPU.
 */
struct schedule {
    int n, npieces;
    int via[PEERS][PEERS][PIECES]; /* [from][to][piece] */
    int wide[PEERS][PEERS]; /* links that carry two copies at a time (given) */
};

/*
 * Choose the route of each piece so that the busiest resource is busy for as
 * short a time as possible. Resources are links, with their bandwidths in m,
 * and GPUs, whose copies in and out together reach gpu_GBps. On machines with
 * NVLinks (link > 0) pieces use nothing else: PCIe, which many pairs share, is
 * not used. On other machines all pieces go directly.
 */
void schedule_all_to_all(const struct gbps *m, int link[PEERS][PEERS],
                         double gpu_GBps, int npieces, struct schedule *plan);

/*
 * Execute a plan (given, in peers.c): block b of recv[a] on GPU a receives
 * block a of send[b] on GPU b, blocks of block_nbytes. bounce[g]: memory on GPU
 * g for relayed pieces, of schedule_bounce_nbytes(). Blocks until done.
 */
ncclResult_t peers_all_to_all(const struct peers *p,
                              const struct schedule *plan, char *const *recv,
                              const char *const *send, char *const *bounce,
                              size_t block_nbytes, size_t chunk_nbytes);
size_t schedule_bounce_nbytes(const struct schedule *plan, int gpu,
                              size_t block_nbytes);

/* The cable between two GPUs; or, if b = -1, the one between GPU a and its
 * switches or its PCIe slot. a = -1: none. */
struct cable {
    int a, b;
};

/*
 * Find the degraded cable: a pair is slow if it has less than 92 % of the
 * median bandwidth of pairs with the same link. If one pair is slow, in both
 * directions, it is the cable between them; if several are, it is that of the
 * GPU that they share.
 */
struct cable find_sick(const struct gbps *m, int link[PEERS][PEERS]);

/* ---- part 7: near and far memory (place.cu) ------------------------------ */

/* Pinned host memory of one NUMA node. peers_free_host() frees it. */
struct host_buffer {
    void *at;
    cudaMemPool_t pool;
};
ncclResult_t peers_free_host(struct host_buffer *b, cudaStream_t stream);

/*
 * The NUMA node of host memory that is near a GPU; or, if `far`, one that is
 * near another GPU and not near this one. -1 if there is none.
 */
int host_node(const struct peers *p, int gpu, int far);

/*
 * Allocate nbytes of pinned host memory on a NUMA node, for kernels of a GPU to
 * read and write. Unlike memory of cudaMallocHost, it is on that node whichever
 * CPU the calling thread runs on. Allocates in the order of the stream, which
 * belongs to that GPU.
 */
ncclResult_t host_alloc(int gpu, int node, size_t nbytes, cudaStream_t stream,
                        struct host_buffer *out);

/*
 * Measure the time in which kernels read nbytes (a multiple of 16) at `data`
 * nreads times, each adding the sum of its 32-bit words to *sum, modulo 2^32.
 * If `copy` is NULL, they read the buffer in place. Otherwise it is first
 * copied to `copy`, in the GPU's own memory, and they read that; the time
 * includes the copy. Measured by events on the stream. Blocks until done.
 */
ncclResult_t measure_reads(const void *data, size_t nbytes, void *copy,
                           int nreads, unsigned *sum, cudaStream_t stream,
                           double *ms);

/*
 * The smallest number of reads for which copying first takes less time than
 * reading in place; 0 if there is none. The arguments are the times of one read
 * in place, of the copy, and of one read of the copy.
 */
int reads_that_pay(double place_ms, double copy_ms, double own_ms);

#ifdef __cplusplus
}
#endif
#endif
