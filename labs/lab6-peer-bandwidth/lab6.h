/*
 * lab6.h: what the links between GPUs can do, and how to find out
 *
 * One process drives all GPUs of the machine: `mpirun -n 1 build/lab6`. (With
 * more ranks, rank 0 works and the others stand by.) GB/s are 1e9 bytes a
 * second, matrices are [from][to], GPUs are CUDA's device numbers.
 *
 * A *link* is what carries copies from one GPU to another: a bundle of NVLinks,
 * or PCIe. struct peers has a stream for each of them, on the sending GPU, so
 * copies over one link queue up, and copies over different links run at once.
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
    PEERS = 16, /* GPUs at most */
    ROUTES = 8, /* of one relay */
    SLOTS = 3,  /* chunks that wait on a GPU, of each route */
    PIECES = 8, /* of what one GPU sends to one other, in an all-to-all */
};

struct gbps { /* bandwidth from each GPU to each other; 0 on the diagonal */
    int n;
    double at[PEERS][PEERS];
};

struct peers { /* all GPUs of this process */
    int n;
    cudaStream_t link[PEERS][PEERS]; /* [from][to], on `from`; non-blocking */
    cudaStream_t second[PEERS]
                       [PEERS]; /* likewise, for a wide link's other half */
    /* Events of each GPU, to say that chunk `slot` of a route has left it. */
    cudaEvent_t left[PEERS][ROUTES][SLOTS];
    cudaEvent_t sent[PEERS][PEERS][PIECES][2]; /* likewise, in an all-to-all */
    char *slots[PEERS]; /* device memory of each GPU, see peers_slot() */
    size_t slots_nbytes;
};

/* ---- given (peers.c, cards.c) ------------------------------------------- */

/* Streams, events and slots for chunks of up to chunk_nbytes. */
ncclResult_t peers_init(struct peers *p, size_t chunk_nbytes);
ncclResult_t peers_release(struct peers *p);

/* Where chunk number `chunk` of route number `route` waits on a GPU. Chunks
 * that differ by SLOTS share a place. */
void *peers_slot(const struct peers *p, int gpu, int route, size_t chunk);

/* Wait until nothing moves on any link. */
ncclResult_t peers_wait(const struct peers *p);

/* The median of n values, which it sorts. */
double peers_median(double *values, int n);

/* What a pair is linked by: the number of its NVLinks, or one of these. */
enum { LINK_SELF = 0, LINK_PHB = -1, LINK_SYS = -2 };
const char *link_name(int link, char out[8]); /* "NV4", "PHB", "SYS", "X" */

/* The drawing of a machine, as its vendor publishes it. */
struct card {
    const char *machine;
    int n;
    double nvlink_GBps; /* what copies reach on one NVLink; 0: it has none */
    int link[PEERS][PEERS];
};
const struct card *card_find(const char *machine); /* NULL: no such card */

/* ---- part 1: measure (measure.c) ----------------------------------------- */

/*
 * Give all GPUs access to each other's memory, where the machine can, or take
 * it away. Copies between GPUs without access go through the host. What is as
 * wanted already is no error, and leaves none behind (cudaGetLastError).
 */
ncclResult_t peer_access(const struct peers *p, int on);

/*
 * The median time of a copy of nbytes from src on GPU `from` to dst on GPU
 * `to`, over `iterations` copies after `warmup` ones that don't count (64 at
 * most). By events on the link's stream: the device's time, not the host's.
 */
ncclResult_t measure_one_way(const struct peers *p, int from, int to, void *dst,
                             const void *src, size_t nbytes, int warmup,
                             int iterations, double *ms);

/*
 * Copies between a and b in both directions, in[i] of each GPU receiving
 * out[1 - i] of the other: the median time from the moment at which both may
 * begin to that at which both are done. Arrays: [0] on GPU a, [1] on GPU b.
 */
ncclResult_t measure_both_ways(const struct peers *p, int a, int b,
                               void *const in[2], const void *const out[2],
                               size_t nbytes, int warmup, int iterations,
                               double *ms);

/*
 * Microseconds from one 16-byte copy to the next, over `iterations` of them
 * back to back. Asking for a copy may take the host longer than the GPU takes
 * to make it, so the link has to have something else to do until all have been
 * asked for: a copy of nbytes, which takes long enough.
 */
ncclResult_t measure_latency(const struct peers *p, int from, int to, void *dst,
                             const void *src, size_t nbytes, int iterations,
                             double *us);

/* ---- part 2: puzzler 1 (measure.c, infer.c) ------------------------------- */

/*
 * n copies of nbytes from src on GPU `from`, all at once, to dst[i] on GPU
 * to[i]: ms[i] is the time of each, by events around it on its own link.
 */
ncclResult_t measure_at_once(const struct peers *p, int from, const int *to,
                             int n, void *const *dst, const void *src,
                             size_t nbytes, double *ms);

/*
 * How many NVLinks a copy went over that reached GBps, where one NVLink gives
 * nvlink_GBps (0: the machine has none). 0 if it went over PCIe.
 */
int count_nvlinks(double GBps, double nvlink_GBps);

/* ---- part 3: a machine that nobody has described (infer.c) ---------------- */

/*
 * Name the link of every pair from its bandwidth alone. Pairs without NVLinks
 * are PHB (under one CPU) or SYS (across CPUs). If such pairs have two speeds,
 * more than a twentieth apart, the slower ones are SYS; if they have one, all
 * are: vendors don't leave GPUs under one CPU without something better.
 */
void infer_links(const struct gbps *m, double nvlink_GBps,
                 int link[PEERS][PEERS]);

/*
 * Which GPU is which: order[i] is the number, in the vendor's drawing, of the
 * GPU that this machine calls i, so that link[i][j] ==
 * card->link[order[i]][order[j]] for all i and j. Several orders may fit: any
 * will do. Returns 1, or 0 if none fits.
 */
int infer_order(int link[PEERS][PEERS], const struct card *card,
                int order[PEERS]);

/*
 * The ring through all GPUs whose slowest hop, ring[i] -> ring[i + 1], is as
 * fast as can be; ring[0] is 0. Returns the bandwidth of that hop. n >= 2.
 */
double widest_ring(const struct gbps *m, int ring[PEERS]);

/* ---- part 4: beat the direct copy (relay.c) -------------------------------- */

struct route { /* from at[0] by way of others to at[nhops] */
    int nhops;
    int at[PEERS + 1];
    double GBps; /* of its slowest hop */
};

/* The route whose slowest hop is as fast as can be, of those the one with the
 * fewest hops. 0 GB/s hops don't exist. Returns 0 if there is none. */
int widest_route(const struct gbps *m, int from, int to, struct route *r);

/*
 * Several routes that may be used at once: what all of them together put on a
 * link is no more than it has. The widest route, then the widest in what that
 * leaves, and so on, at most `most` of them. Returns how many.
 */
int disjoint_routes(const struct gbps *m, int from, int to, int most,
                    struct route route[ROUTES]);

/*
 * Copy nbytes over n routes at once, all from the same GPU to the same other.
 * Route i carries a part in proportion to its GBps, cut into chunks, which
 * follow each other: while one is on the second hop, the next is on the first.
 *
 *     chunk 0   |= 0->5 =|= 5->2 =|
 *     chunk 1            |= 0->5 =|= 5->2 =|
 *     chunk 2                     |= 0->5 =|= 5->2 =|
 *
 * All parts have as many chunks, so a chunk takes as long on any route; the
 * largest has chunk_nbytes. On its way chunk c of route i waits in
 * peers_slot(p, gpu, i, c). It can leave a GPU once it has arrived there, and
 * arrive at one once the chunk that was in its slot has left. Returns when all
 * bytes have arrived.
 */
ncclResult_t relay(const struct peers *p, const struct route *route, int n,
                   void *dst, const void *src, size_t nbytes,
                   size_t chunk_nbytes);

/*
 * Copy nbytes from GPU `from` to GPU `to` through pinned host memory: `bounce`
 * has room for two chunks, so that one can be filled while the other is being
 * emptied. Uses link[from][to] and link[to][from]. Returns when done.
 */
ncclResult_t copy_by_host(const struct peers *p, int from, int to, void *dst,
                          const void *src, size_t nbytes, char *bounce,
                          size_t chunk_nbytes);

/* ---- part 5: schedules, and a sick cable (schedule.c) ---------------------- */

/*
 * An all-to-all in which what a GPU sends to another goes in npieces equal
 * pieces, each straight (via: -1) or by way of one other GPU.
 */
struct schedule {
    int n, npieces;
    int via[PEERS][PEERS][PIECES]; /* [from][to][piece] */
    int wide[PEERS][PEERS]; /* a link that does two copies at a time (given) */
};

/*
 * Choose the ways so that what works longest has to work as little as possible:
 * links, by their bandwidth m, and GPUs, whose copies in and out reach gpu_GBps
 * all together. Where there are NVLinks (link: > 0), pieces take nothing else:
 * PCIe, which many pairs share, is left alone. Elsewhere all go straight.
 */
void schedule_all_to_all(const struct gbps *m, int link[PEERS][PEERS],
                         double gpu_GBps, int npieces, struct schedule *plan);

/*
 * Carry out a plan (given, in peers.c): block b of recv[a] on GPU a gets block
 * a of send[b] on GPU b, blocks of block_nbytes. bounce[g]: memory on GPU g for
 * what is relayed by it, schedule_bounce_nbytes() of it. Returns when done.
 */
ncclResult_t peers_all_to_all(const struct peers *p,
                              const struct schedule *plan, char *const *recv,
                              const char *const *send, char *const *bounce,
                              size_t block_nbytes, size_t chunk_nbytes);
size_t schedule_bounce_nbytes(const struct schedule *plan, int gpu,
                              size_t block_nbytes);

/* A cable between two GPUs; or, with b = -1, the one between GPU a and its
 * switches or its PCIe slot. a = -1: none. */
struct cable {
    int a, b;
};

/*
 * Find the cable that is sick: what goes over it is slower than 92 % of what
 * pairs with the same link usually have (their median). One pair, both ways,
 * is the cable between them; if it is more, it is the one GPU that they share.
 */
struct cable find_sick(const struct gbps *m, int link[PEERS][PEERS]);

#ifdef __cplusplus
}
#endif
#endif
