/*
 * peers.c: all GPUs of this process, and the execution of a plan. Given:
 * nothing to edit here.
 */
#include "lab6.h"

#include <stdlib.h> /* qsort */

#include "lab/try.h" /* LAB_TRY_CUDA */

static ncclResult_t init_gpu(struct peers *p, int gpu)
{
    LAB_TRY_CUDA(cudaSetDevice(gpu));
    LAB_TRY_CUDA(cudaMalloc((void **)&p->slots[gpu], p->slots_nbytes));
    for (int to = 0; to < p->n; to++) {
        if (to == gpu)
            continue;
        LAB_TRY_CUDA(cudaStreamCreateWithFlags(&p->link[gpu][to],
                                               cudaStreamNonBlocking));
        LAB_TRY_CUDA(cudaStreamCreateWithFlags(&p->second[gpu][to],
                                               cudaStreamNonBlocking));
        for (int i = 0; i < 2 * PIECES; i++)
            LAB_TRY_CUDA(cudaEventCreateWithFlags(
                &p->sent[gpu][to][i / 2][i % 2], cudaEventDisableTiming));
    }
    for (int route = 0; route < ROUTES; route++)
        for (int slot = 0; slot < SLOTS; slot++)
            LAB_TRY_CUDA(cudaEventCreateWithFlags(&p->left[gpu][route][slot],
                                                  cudaEventDisableTiming));
    return ncclSuccess;
}

ncclResult_t peers_init(struct peers *p, size_t chunk_nbytes)
{
    *p = (struct peers){.slots_nbytes = ROUTES * SLOTS * chunk_nbytes};
    LAB_TRY_CUDA(cudaGetDeviceCount(&p->n));
    if (p->n > PEERS)
        p->n = PEERS;
    for (int gpu = 0; gpu < p->n; gpu++)
        LAB_TRY(init_gpu(p, gpu));
    LAB_TRY_CUDA(cudaSetDevice(0));
    return ncclSuccess;
}

ncclResult_t peers_release(struct peers *p)
{
    for (int gpu = 0; gpu < p->n; gpu++) {
        for (int to = 0; to < p->n; to++) {
            if (to == gpu)
                continue;
            LAB_TRY_CUDA(cudaStreamDestroy(p->link[gpu][to]));
            LAB_TRY_CUDA(cudaStreamDestroy(p->second[gpu][to]));
            for (int i = 0; i < 2 * PIECES; i++)
                LAB_TRY_CUDA(cudaEventDestroy(p->sent[gpu][to][i / 2][i % 2]));
        }
        for (int i = 0; i < ROUTES * SLOTS; i++)
            LAB_TRY_CUDA(cudaEventDestroy(p->left[gpu][i / SLOTS][i % SLOTS]));
        LAB_TRY_CUDA(cudaFree(p->slots[gpu]));
    }
    p->n = 0;
    return ncclSuccess;
}

void *peers_slot(const struct peers *p, int gpu, int route, size_t chunk)
{
    const size_t slot = (size_t)route * SLOTS + chunk % SLOTS;
    return p->slots[gpu] + slot * (p->slots_nbytes / (ROUTES * SLOTS));
}

ncclResult_t peers_wait(const struct peers *p)
{
    for (int gpu = 0; gpu < p->n; gpu++) {
        LAB_TRY_CUDA(cudaSetDevice(gpu));
        LAB_TRY_CUDA(cudaDeviceSynchronize());
    }
    LAB_TRY_CUDA(cudaSetDevice(0));
    return ncclSuccess;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double peers_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* ---- host memory --------------------------------------------------------- */

ncclResult_t peers_free_host(struct host_buffer *b, cudaStream_t stream)
{
    if (b->at)
        LAB_TRY_CUDA(cudaFreeAsync(b->at, stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(stream));
    if (b->pool)
        LAB_TRY_CUDA(cudaMemPoolDestroy(b->pool));
    *b = (struct host_buffer){0};
    return ncclSuccess;
}

/* ---- an all-to-all ------------------------------------------------------- */

/*
 * A plan runs in rounds of one chunk of every piece. First hops of relayed
 * pieces come first, then direct pieces, then second hops, so that links are
 * busy while chunks are on their first hop.
 */
enum leg { FIRST_HOPS, STRAIGHT, SECOND_HOPS };

struct exchange {
    const struct peers *p;
    const struct schedule *plan;
    char *const *recv;
    const char *const *send;
    char *const *bounce;
    size_t block_nbytes, chunk_nbytes;
    size_t at[PEERS][PEERS][PIECES]; /* offsets in bounce[via], if relayed */
};

/* The start of piece i of a block; its end for i = npieces. */
static size_t piece_begin(const struct exchange *x, int i)
{
    return x->block_nbytes * (size_t)i / (size_t)x->plan->npieces;
}

static size_t piece_room(const struct schedule *plan, size_t block_nbytes)
{
    return block_nbytes / (size_t)plan->npieces + 1;
}

size_t schedule_bounce_nbytes(const struct schedule *plan, int gpu,
                              size_t block_nbytes)
{
    size_t n = 0;
    for (int from = 0; from < plan->n; from++)
        for (int to = 0; to < plan->n; to++)
            for (int i = 0; i < plan->npieces && from != to; i++)
                n += plan->via[from][to][i] == gpu;
    return n * piece_room(plan, block_nbytes);
}

/*
 * The stream of a chunk's hop. Concurrent copies get equal shares of a GPU, so
 * a link that is twice as wide needs two copies at a time.
 */
static cudaStream_t lane(const struct exchange *x, int from, int to,
                         size_t round)
{
    return x->plan->wide[from][to] && round % 2 ? x->p->second[from][to]
                                                : x->p->link[from][to];
}

/* One hop of chunk number `round` of a piece. */
static ncclResult_t carry(const struct exchange *x, enum leg leg, size_t round,
                          int from, int to, int piece)
{
    const struct peers *const p = x->p;
    const int via = x->plan->via[from][to][piece];
    const size_t begin = piece_begin(x, piece) + round * x->chunk_nbytes;
    const size_t end = piece_begin(x, piece + 1);
    if (begin >= end || (via < 0) != (leg == STRAIGHT))
        return ncclSuccess;
    const size_t nbytes =
        end - begin < x->chunk_nbytes ? end - begin : x->chunk_nbytes;
    const char *const src =
        x->send[from] + (size_t)to * x->block_nbytes + begin;
    char *const dst = x->recv[to] + (size_t)from * x->block_nbytes + begin;
    if (leg == STRAIGHT) {
        LAB_TRY_CUDA(cudaMemcpyPeerAsync(dst, to, src, from, nbytes,
                                         lane(x, from, to, round)));
        return ncclSuccess;
    }
    char *const between =
        x->bounce[via] + x->at[from][to][piece] + round * x->chunk_nbytes;
    const cudaEvent_t arrived = p->sent[from][to][piece][round % 2];
    if (leg == FIRST_HOPS) {
        LAB_TRY_CUDA(cudaMemcpyPeerAsync(between, via, src, from, nbytes,
                                         lane(x, from, via, round)));
        LAB_TRY_CUDA(cudaEventRecord(arrived, lane(x, from, via, round)));
    } else {
        LAB_TRY_CUDA(cudaStreamWaitEvent(lane(x, via, to, round), arrived, 0));
        LAB_TRY_CUDA(cudaMemcpyPeerAsync(dst, to, between, via, nbytes,
                                         lane(x, via, to, round)));
    }
    return ncclSuccess;
}

static ncclResult_t carry_all(const struct exchange *x, enum leg leg,
                              size_t round)
{
    const int n = x->plan->n;
    for (int piece = 0; piece < x->plan->npieces; piece++)
        for (int shift = 1; shift < n; shift++)
            for (int from = 0; from < n; from++)
                LAB_TRY(carry(x, leg, round, from, (from + shift) % n, piece));
    return ncclSuccess;
}

/* Copy the blocks that stay on their GPU, and lay out the bounce buffers. */
static ncclResult_t prepare(struct exchange *x)
{
    const struct schedule *const plan = x->plan;
    size_t used[PEERS] = {0};
    for (int from = 0; from < plan->n; from++)
        for (int to = 0; to < plan->n; to++)
            for (int i = 0; i < plan->npieces; i++) {
                const int via = plan->via[from][to][i];
                if (from == to || via < 0)
                    continue;
                if (via >= plan->n || via == from || via == to)
                    return ncclInvalidArgument;
                x->at[from][to][i] = used[via];
                used[via] += piece_room(plan, x->block_nbytes);
            }
    for (int gpu = 0; gpu < plan->n; gpu++) {
        const size_t own = (size_t)gpu * x->block_nbytes;
        LAB_TRY_CUDA(cudaMemcpyAsync(x->recv[gpu] + own, x->send[gpu] + own,
                                     x->block_nbytes, cudaMemcpyDeviceToDevice,
                                     x->p->link[gpu][gpu ? 0 : 1]));
    }
    return ncclSuccess;
}

ncclResult_t peers_all_to_all(const struct peers *p,
                              const struct schedule *plan, char *const *recv,
                              const char *const *send, char *const *bounce,
                              size_t block_nbytes, size_t chunk_nbytes)
{
    struct exchange x = {.p = p,
                         .plan = plan,
                         .recv = recv,
                         .send = send,
                         .bounce = bounce,
                         .block_nbytes = block_nbytes,
                         .chunk_nbytes = chunk_nbytes};
    if (plan->n != p->n || plan->npieces < 1 || plan->npieces > PIECES)
        return ncclInvalidArgument;
    LAB_TRY(prepare(&x));
    const size_t nrounds =
        (piece_room(plan, block_nbytes) + chunk_nbytes - 1) / chunk_nbytes;
    for (size_t round = 0; round <= nrounds; round++) {
        if (round > 0)
            LAB_TRY(carry_all(&x, SECOND_HOPS, round - 1));
        LAB_TRY(carry_all(&x, STRAIGHT, round));
        LAB_TRY(carry_all(&x, FIRST_HOPS, round));
    }
    return peers_wait(p);
}
