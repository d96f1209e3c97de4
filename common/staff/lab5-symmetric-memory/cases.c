/*
 * cases.c: runs lab 5's cases of parts 1 and 2. Given: nothing to edit here.
 *
 * Each iteration opens a heap, calls your functions between lab_begin() and
 * lab_end(), records the outputs, and closes the heap.
 */
#include "cases.h"
#include "drawn.h" /* GUARD_NBYTES */

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "base/must.h"
#include "benchmark.h" /* the commands */
#include "compare.h"
#include "judge/data.h"
#include "nn/ops.h" /* nn_add */
#include "staleness.h"

extern const struct judge_lab judge_lab5;
const struct judge_lab *const judge_labs[] = {&judge_lab5, NULL};

struct symm cases_heap;
static struct symm *const heap = &cases_heap;

enum {
    HEAP = 1 << 20, /* bytes: enough for most cases */
    MAX_TAKEN = 64, /* pieces of a device's memory */
};

ncclResult_t cases_open(struct lab_run *r, size_t nbytes)
{
    memset(heap, 0, sizeof *heap);
    return symm_open(heap, r->mpi_comm, nbytes);
}

void cases_close(void)
{
    CUDA_MUST(cudaDeviceSynchronize());
    symm_close(heap);
}

ncclResult_t cases_alloc(struct lab_run *r, size_t nbytes, void **out)
{
    const size_t fours = (nbytes + 15) / 16 * 16;
    LAB_TRY(symm_alloc(heap, fours + GUARD_NBYTES, out));
    CUDA_MUST(cudaMemsetAsync((char *)*out + fours, JUDGE_RED, GUARD_NBYTES,
                              r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    return ncclSuccess;
}

ncclResult_t cases_input(struct lab_run *r, size_t count, float **out)
{
    const size_t nbytes = count * sizeof **out;
    const float *const in = lab_input(r, count, DATA_FLOAT);
    LAB_TRY(cases_alloc(r, nbytes, (void **)out));
    CUDA_MUST(
        cudaMemcpyAsync(*out, in, nbytes, cudaMemcpyDeviceToDevice, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    return ncclSuccess;
}

void cases_show(struct lab_run *r, const char *name, const void *d,
                size_t nbytes)
{
    void *const buf = lab_buffer(r, nbytes);
    CUDA_MUST(
        cudaMemcpyAsync(buf, d, nbytes, cudaMemcpyDeviceToDevice, r->stream));
    lab_output(r, name, buf, nbytes);
}

static size_t count_of(const struct lab_run *r)
{
    return (size_t)plan_int(r->c, "count", 1000);
}

/* ---- part 1 -------------------------------------------------------------- */

static ncclResult_t run_probe(struct lab_run *r)
{
    char name[EVIDENCE_NAME];
    struct symm_probe p;
    LAB_TRY(symm_probe(r->mpi_comm, &p));
    lab_metric(r, "sharing", p.sharing);
    for (int k = 0; k < r->nranks; k++) {
        snprintf(name, sizeof name, "reach.%d", k);
        lab_metric(r, name, p.reach[k]);
    }
    return ncclSuccess;
}

/* Allocate so much that no other heap fits on the device. GPUs give less than
 * they report as free, and only in pieces. */
static size_t take_memory(void *taken[MAX_TAKEN])
{
    size_t n = 0, nbytes, total;
    CUDA_MUST(cudaMemGetInfo(&nbytes, &total));
    while (nbytes >= HEAP / 2 && n < MAX_TAKEN)
        if (cudaMalloc(&taken[n], nbytes) == cudaSuccess)
            n++;
        else
            nbytes /= 2;
    cudaGetLastError(); // clears the error of the last allocation, which failed
    return n;
}

/* The results of symm_open(); with `full: 1`, also when the last rank has no
 * memory left. */
static ncclResult_t run_open(struct lab_run *r)
{
    const ncclResult_t err = cases_open(r, HEAP);
    lab_metric(r, "error", err);
    if (err == ncclSuccess)
        cases_close();
    if (!plan_int(r->c, "full", 0))
        return ncclSuccess;
    void *taken[MAX_TAKEN];
    const size_t ntaken = r->rank == r->nranks - 1 ? take_memory(taken) : 0;
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    lab_metric(r, "full", cases_open(r, HEAP));
    for (size_t i = 0; i < ntaken; i++)
        CUDA_MUST(cudaFree(taken[i]));
    return ncclSuccess;
}

/* Free bytes of this rank's device while no rank opens or closes a heap. */
static size_t free_bytes(const struct lab_run *r)
{
    size_t nbytes, total;
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    CUDA_MUST(cudaMemGetInfo(&nbytes, &total));
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    return nbytes;
}

/* Record how much memory a heap leaves allocated. It must not be the process's
 * first one, since GPUs allocate memory of their own for that. */
static ncclResult_t show_kept(struct lab_run *r)
{
    const size_t before = free_bytes(r);
    LAB_TRY(cases_open(r, HEAP));
    cases_close();
    const size_t after = free_bytes(r);
    lab_metric(r, "kept", after < before ? (double)(before - after) : 0);
    return ncclSuccess;
}

/* Every rank reads all heaps, after opening and after they are filled; then
 * closing one must free it. */
static ncclResult_t run_heap(struct lab_run *r)
{
    const size_t count = count_of(r), nbytes = count * sizeof(float);
    float *fresh, *in;
    LAB_TRY(cases_open(r, HEAP));
    char *const zeros = lab_buffer(r, nbytes * (size_t)r->nranks);
    char *const ins = lab_buffer(r, nbytes * (size_t)r->nranks);
    lab_begin(r);
    LAB_TRY(symm_alloc(heap, nbytes, (void **)&fresh));
    LAB_TRY(cases_input(r, count, &in));
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    for (int k = 0; k < r->nranks; k++) {
        CUDA_MUST(cudaMemcpyAsync(zeros + (size_t)k * nbytes,
                                  symm_at(&heap->view, fresh, k), nbytes,
                                  cudaMemcpyDefault, r->stream));
        CUDA_MUST(cudaMemcpyAsync(ins + (size_t)k * nbytes,
                                  symm_at(&heap->view, in, k), nbytes,
                                  cudaMemcpyDefault, r->stream));
    }
    lab_end(r);
    lab_output(r, "fresh", zeros, nbytes * (size_t)r->nranks);
    lab_output(r, "inputs", ins, nbytes * (size_t)r->nranks);
    cases_close();
    return show_kept(r);
}

/* Ask for sizes that are valid, that differ between ranks and that are too
 * large. */
static ncclResult_t run_alloc(struct lab_run *r)
{
    void *p[4] = {NULL};
    LAB_TRY(cases_open(r, HEAP));
    const int last = r->nranks > 1 && r->rank == r->nranks - 1;
    const size_t before = heap->used;
    lab_metric(r, "odd", symm_alloc(heap, 1001, &p[0]));
    lab_metric(r, "different", symm_alloc(heap, last ? 512 : 1024, &p[1]));
    lab_metric(r, "almost", symm_alloc(heap, last ? 1002 : 1001, &p[1]));
    lab_metric(r, "large", symm_alloc(heap, HEAP - SYMM_ALIGN, &p[1]));
    lab_metric(r, "second", symm_alloc(heap, 1, &p[2]));
    // the rest of the heap, whether or not `used` includes the bytes that
    // alignment skips
    const size_t used = (heap->used + SYMM_ALIGN - 1) / SYMM_ALIGN * SYMM_ALIGN;
    lab_metric(r, "rest", symm_alloc(heap, HEAP - used, &p[3]));
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "at%d", i);
        lab_metric(r, name,
                   p[i] ? (double)((char *)p[i] - heap->view.base[r->rank])
                        : -1);
    }
    lab_metric(r, "before", (double)before);
    cases_close();
    return ncclSuccess;
}

/* ---- part 2 -------------------------------------------------------------- */

/* An all-to-all made of puts: block k of the input goes to rank k. */
static ncclResult_t run_put(struct lab_run *r)
{
    const size_t count = count_of(r), n = (size_t)r->nranks;
    const size_t nbytes = count * sizeof(float);
    float *box;
    const float *const in = lab_input(r, n * count, DATA_FLOAT);
    LAB_TRY(cases_open(r, HEAP));
    LAB_TRY(cases_alloc(r, n * nbytes, (void **)&box));
    lab_begin(r);
    for (size_t k = 0; k < n; k++)
        LAB_TRY(symm_put(heap, box + (size_t)r->rank * count, in + k * count,
                         nbytes, (int)k, r->stream));
    LAB_TRY(symm_barrier(heap, r->stream));
    lab_end(r);
    cases_show(r, "box", box, n * nbytes);
    cases_close();
    return ncclSuccess;
}

/* Rounds in which every rank sets its part and gets that of another. */
static ncclResult_t run_get(struct lab_run *r)
{
    const size_t count = count_of(r), nbytes = count * sizeof(float);
    const size_t rounds = (size_t)plan_int(r->c, "rounds", 3);
    const float *const in = lab_input(r, rounds * count, DATA_FLOAT);
    float *const out = lab_buffer(r, rounds * nbytes), *own;
    LAB_TRY(cases_open(r, HEAP));
    LAB_TRY(cases_alloc(r, nbytes, (void **)&own));
    lab_begin(r);
    for (size_t i = 0; i < rounds; i++) {
        const int peer = (int)((size_t)r->rank + 1 + i) % r->nranks;
        CUDA_MUST(cudaMemcpyAsync(own, in + i * count, nbytes,
                                  cudaMemcpyDeviceToDevice, r->stream));
        LAB_TRY(symm_barrier(heap, r->stream));
        LAB_TRY(symm_get(heap, out + i * count, own, nbytes, peer, r->stream));
        LAB_TRY(symm_barrier(heap, r->stream));
    }
    lab_end(r);
    lab_output(r, "out", out, rounds * nbytes);
    cases_close();
    return ncclSuccess;
}

/* A sum passes from rank to rank; each adds its input, and the last sends the
 * sum to the first. */
static ncclResult_t run_chain(struct lab_run *r)
{
    const size_t count = count_of(r), nbytes = count * sizeof(float);
    float *box;
    unsigned *signal;
    const float *const in = lab_input(r, count, DATA_FLOAT);
    LAB_TRY(cases_open(r, HEAP));
    LAB_TRY(cases_alloc(r, nbytes, (void **)&box));
    LAB_TRY(symm_alloc(heap, sizeof *signal, (void **)&signal));
    const int next = (r->rank + 1) % r->nranks;
    lab_begin(r);
    if (r->rank > 0) {
        LAB_TRY(symm_wait(heap, signal, 1, r->stream));
        CUDA_MUST(nn_add(box, in, count, r->stream));
    }
    LAB_TRY(
        symm_put(heap, box, r->rank > 0 ? box : in, nbytes, next, r->stream));
    LAB_TRY(symm_signal(heap, signal, 1, next, r->stream));
    LAB_TRY(symm_wait(heap, signal, 1, r->stream));
    lab_end(r);
    cases_show(r, "box", box, nbytes);
    cases_close();
    return ncclSuccess;
}

/* Pairs of ranks play ping-pong on streams: the number of each round travels
 * there and back. */
static ncclResult_t rounds_on_streams(struct lab_run *r, const float *in,
                                      float *out, unsigned rounds)
{
    float *box;
    unsigned *signal;
    const int partner = r->rank ^ 1, odd = r->rank & 1;
    LAB_TRY(symm_alloc(heap, sizeof *box, (void **)&box));
    LAB_TRY(symm_alloc(heap, sizeof *signal, (void **)&signal));
    lab_begin(r);
    for (unsigned i = 0; i < rounds && partner < r->nranks; i++) {
        if (!odd) {
            LAB_TRY(symm_put(heap, box, in + i, 4, partner, r->stream));
            LAB_TRY(symm_signal(heap, signal, i + 1, partner, r->stream));
        }
        LAB_TRY(symm_wait(heap, signal, i + 1, r->stream));
        CUDA_MUST(cudaMemcpyAsync(out + i, box, 4, cudaMemcpyDeviceToDevice,
                                  r->stream));
        if (odd) {
            LAB_TRY(symm_put(heap, box, out + i, 4, partner, r->stream));
            LAB_TRY(symm_signal(heap, signal, i + 1, partner, r->stream));
        }
    }
    lab_end(r);
    return ncclSuccess;
}

/* The same in a kernel: in each round, each rank adds a number of its own. */
static ncclResult_t rounds_in_kernels(struct lab_run *r, float *in, float *out,
                                      unsigned rounds)
{
    const size_t count = count_of(r) / 4;
    const float *const add =
        lab_draw_buffer(r,
                        &(struct draw_ask){.what = DRAW_DATA,
                                           .npath = 1,
                                           .path = {DRAWN_ADD},
                                           .arg = {DATA_FLOAT}},
                        rounds * sizeof *add);
    float4 *box;
    unsigned *signal;
    LAB_TRY(cases_alloc(r, count * sizeof *box, (void **)&box));
    LAB_TRY(symm_alloc(heap, sizeof *signal, (void **)&signal));
    lab_begin(r);
    LAB_TRY(symm_ping_pong(heap, box, (float4 *)in, count, signal, add, out,
                           rounds, r->stream));
    lab_end(r);
    return ncclSuccess;
}

static ncclResult_t run_rounds(struct lab_run *r)
{
    const unsigned rounds = (unsigned)plan_int(r->c, "rounds", 100);
    const int in_kernels = (int)plan_int(r->c, "kernel", 0);
    const size_t ninputs = in_kernels ? count_of(r) : rounds;
    float *const in = lab_input(r, ninputs, DATA_FLOAT);
    float *const out = lab_buffer(r, rounds * sizeof *out);
    CUDA_MUST(cudaMemsetAsync(out, 0, rounds * sizeof *out, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    LAB_TRY(cases_open(r, HEAP));
    if (in_kernels)
        LAB_TRY(rounds_in_kernels(r, in, out, rounds));
    else
        LAB_TRY(rounds_on_streams(r, in, out, rounds));
    lab_output(r, "out", out, rounds * sizeof *out);
    cases_close();
    return ncclSuccess;
}

static const struct lab_kind kinds[] = {
    {"probe", run_probe},
    {"open", run_open},
    {"heap", run_heap},
    {"alloc", run_alloc},
    {"put", run_put},
    {"get", run_get},
    {"chain", run_chain},
    {"rounds", run_rounds},
    {"reduce", run_reduce},
    {"tune", run_tune},
    {"gradsync", run_gradsync},
    {"pipeline", run_pipeline},
    {"late", run_late},
    {"gemm", run_gemm},
    {"gemm-sum", run_gemm_sum},
    {"ring", run_ring},
    {"dtensor", run_dtensor},
    {"pcache", run_pcache},
    {"hashmap", run_hashmap},
    {"window", run_window},
    {"window-race", run_window_race},
    {"fused", run_fused},
    {NULL, NULL},
};

static const char *dataless_for(int argc, char **argv)
{
    return strcmp(argv[0], "--benchmark") == 0 ? benchmark_dataless(argc, argv)
                                               : NULL;
}

static const struct lab_command commands[] = {
    {"--benchmark",
     "[--max-mb N --run-all]: latency and bandwidth against NCCL, ring and "
     "hash "
     "map",
     benchmark_main},
    {"--latency", "[--max-kb N] [-o FILE.svg]: all-reduces against NCCL",
     compare_latency},
    {"--windows", "[--max-kb N] [-o FILE.svg]: the same in NCCL's windows",
     compare_windows},
    {"--sync",
     "[--max-kb N] [-o FILE.svg]: gradients, by NCCL and parameter servers",
     compare_sync},
    {"--cache", "[--max-kb N] [-o FILE.svg]: look-ups of an adapter",
     compare_cache},
    {"--late",
     "[--rows N] [--lr-percent N] [-o FILE.svg]: late gradients, loss by time",
     staleness_main},
    {NULL, NULL, NULL},
};

const struct lab lab = {
    .name = "lab5-symmetric-memory",
    .brief = "one-sided communication in memory that all ranks can access",
    .kinds = kinds,
    .commands = commands,
    .dataless_for = dataless_for,
};
