/*
 * benchmark.c: lab 5's --benchmark. Given: nothing to edit here.
 */
#include "benchmark.h"

#include <stdio.h>  /* printf */
#include <stdlib.h> /* malloc */

#include "base/must.h"
#include "cases.h"
#include "drawn.h"
#include "lab/flags.h"
#include "measure.h"

static struct symm *const heap = &cases_heap;

/* Published for 8 GPUs with NVLink, in microseconds: one-sided / NCCL. */
static const struct {
    const char *what, *size, *us;
} published[] = {
    {"put", "1 KB", "0.8 / 12"},           {"put", "100 KB", "45 / 60"},
    {"all-reduce", "1 KB", "5 / 15"},      {"all-reduce", "1 MB", "200 / 150"},
    {"all-reduce", "100 MB", "830 / 715"},
};
enum { PUBLISHED = sizeof published / sizeof *published };

enum {
    LEAST = 8,      /* bytes */
    MOST_MB = 64,   /* default of --max-mb */
    ONE_SHOT = 4,   /* MiB: larger ones take too long, with n times the bytes */
    KERNEL_MB = 1,  /* ping-pong: one block doesn't reach the link's rate */
    ITERATIONS = 3, /* of each measurement */
};

struct bench5 {
    struct lab_run *r;
    struct symm_reducer a;
    float *send, *recv;
    unsigned *signal, signals;
    unsigned *pings; /* symmetric: ping-pong's signal */
    float4 *item;    /* ping-pong's item: KERNEL_MB */
    float *out;      /* MOST_ROUNDS floats */
};

/* ---- measuring ----------------------------------------------------------- */

typedef ncclResult_t operation(struct bench5 *b, size_t nbytes, int arg);

struct call { /* of an operation */
    struct bench5 *b;
    operation *op;
    size_t nbytes;
    int arg;
};

static ncclResult_t do_call(void *arg)
{
    const struct call *const c = arg;
    return c->op(c->b, c->nbytes, c->arg);
}

static ncclResult_t time_of(struct bench5 *b, operation *op, size_t nbytes,
                            int arg, double *us)
{
    struct call c = {b, op, nbytes, arg};
    return measure_us(b->r, do_call, &c, ITERATIONS, us);
}

/* Every rank sends to the next one, which waits for it: by put and signal. */
static ncclResult_t put(struct bench5 *b, size_t nbytes, int arg)
{
    const int next = (b->r->rank + 1) % b->r->nranks;
    (void)arg;
    LAB_TRY(symm_put(heap, b->recv, b->send, nbytes, next, b->r->stream));
    LAB_TRY(symm_signal(heap, b->signal, ++b->signals, next, b->r->stream));
    return symm_wait(heap, b->signal, b->signals, b->r->stream);
}

/* Rounds of ping-pong between pairs of ranks in a kernel, and whatever comes
 * between two such kernels. */
static ncclResult_t ping_pong(struct bench5 *b, size_t nbytes, int rounds)
{
    const size_t count = (nbytes + sizeof *b->item - 1) / sizeof *b->item;
    CUDA_MUST(cudaMemsetAsync(b->pings, 0, sizeof *b->pings, b->r->stream));
    LAB_TRY(symm_barrier(heap, b->r->stream));
    return symm_ping_pong(heap, (float4 *)b->recv, b->item, count, b->pings,
                          b->out, (unsigned)rounds, b->r->stream);
}

/* The same with NCCL. */
static ncclResult_t message(struct bench5 *b, size_t nbytes, int arg)
{
    const int n = b->r->nranks, rank = b->r->rank;
    (void)arg;
    LAB_TRY(ncclGroupStart());
    LAB_TRY(ncclSend(b->send, nbytes, ncclChar, (rank + 1) % n, b->r->comm,
                     b->r->stream));
    LAB_TRY(ncclRecv(b->recv, nbytes, ncclChar, (rank - 1 + n) % n, b->r->comm,
                     b->r->stream));
    return ncclGroupEnd();
}

static ncclResult_t reduce(struct bench5 *b, size_t nbytes, int algo)
{
    return symm_reduce_by(&b->a, (enum symm_algo)algo, b->send, b->recv,
                          nbytes / sizeof(float), b->r->stream);
}

/* One way, in a kernel: from the difference of two games with different numbers
 * of rounds. */
enum { LESS_ROUNDS = 5, MOST_ROUNDS = 15 };
static ncclResult_t time_in_kernel(struct bench5 *b, size_t nbytes, double *us)
{
    double less, most;
    LAB_TRY(time_of(b, ping_pong, nbytes, LESS_ROUNDS, &less));
    LAB_TRY(time_of(b, ping_pong, nbytes, MOST_ROUNDS, &most));
    *us = (most - less) / (2 * (MOST_ROUNDS - LESS_ROUNDS));
    return ncclSuccess;
}

/* ---- the table ----------------------------------------------------------- */

struct row {
    size_t nbytes;
    double put, kernel, message; /* to a peer: by stream, in kernel, by NCCL */
    double us[SYMM_ALGOS];       /* all-reduces; 0: not measured */
};

static ncclResult_t measure_row(struct bench5 *b, struct row *row)
{
    const size_t nbytes = row->nbytes;
    const int has_nccl = b->r->comm != NULL;
    LAB_TRY(time_of(b, put, nbytes, 0, &row->put));
    if (nbytes <= (size_t)KERNEL_MB << 20)
        LAB_TRY(time_in_kernel(b, nbytes, &row->kernel));
    if (has_nccl)
        LAB_TRY(time_of(b, message, nbytes, 0, &row->message));
    for (int k = 0; k < (has_nccl ? SYMM_ALGOS : SYMM_NCCL); k++)
        if (k != SYMM_ONE_SHOT || nbytes <= (size_t)ONE_SHOT << 20)
            LAB_TRY(time_of(b, reduce, nbytes, k, &row->us[k]));
    return ncclSuccess;
}

static void print_us(double us)
{
    if (us > 0)
        printf(us < 100 ? " %9.2f" : " %9.1f", us);
    else
        printf(" %9s", "-");
}

/* In 1e9 bytes per second; for an all-reduce times 2(n-1)/n, nccl-tests'
 * busbw. */
static void print_rate(double nbytes, double us, double factor)
{
    if (us > 0)
        printf(" %8.2f", nbytes / us * 1e-3 * factor);
    else
        printf(" %8s", "-");
}

static void print_row(const struct row *row, int n)
{
    const double nbytes = (double)row->nbytes, factor = 2.0 * (n - 1) / n;
    printf("%11zu |", row->nbytes);
    print_us(row->put);
    print_us(row->kernel);
    print_us(row->message);
    print_rate(nbytes, row->put, 1);
    print_rate(nbytes, row->message, 1);
    printf(" |");
    double ours = 0;
    for (int k = 0; k < SYMM_ALGOS; k++) {
        print_us(row->us[k]);
        if (k != SYMM_NCCL && row->us[k] > 0 &&
            (ours == 0 || row->us[k] < ours))
            ours = row->us[k];
    }
    print_rate(nbytes, ours, factor);
    print_rate(nbytes, row->us[SYMM_NCCL], factor);
    printf("\n");
    fflush(stdout);
}

/* The sizes between which `mine` stops being faster than `other`. */
static void print_cross(const char *what, const struct row *row, int nrows,
                        double (*mine)(const struct row *),
                        double (*other)(const struct row *))
{
    for (int i = 0; i < nrows; i++) {
        if (!(mine(&row[i]) > 0) || !(other(&row[i]) > 0))
            continue;
        if (mine(&row[i]) <= other(&row[i]))
            continue;
        if (i == 0)
            printf("%s: never\n", what);
        else
            printf("%s: up to %zu bytes, not at %zu\n", what, row[i - 1].nbytes,
                   row[i].nbytes);
        return;
    }
    printf("%s: at all sizes measured\n", what);
}

static double put_us(const struct row *row)
{
    return row->put;
}
static double message_us(const struct row *row)
{
    return row->message;
}
static double one_shot_us(const struct row *row)
{
    return row->us[SYMM_ONE_SHOT];
}
static double two_shot_us(const struct row *row)
{
    return row->us[SYMM_TWO_SHOT];
}
static double nccl_us(const struct row *row)
{
    return row->us[SYMM_NCCL];
}

static void print_head(const struct lab_run *r)
{
    printf("# %d ranks; times in us, rates in 1e9 B/s; for all-reduces the "
           "rate is busbw\n"
           "#           | to a peer: put and signal               rate       "
           "| all-reduce                      busbw\n"
           "#     bytes | by stream in kernel      NCCL stream's   NCCL's | "
           " one-shot  two-shot      NCCL     ours   NCCL's\n",
           r->nranks);
}

static void print_end(const struct row *row, int n, int has_nccl)
{
    printf("\nCrossovers:\n");
    if (has_nccl)
        print_cross("  put by a stream, then a message of NCCL's", row, n,
                    put_us, message_us);
    print_cross("  one-shot, then two-shot", row, n, one_shot_us, two_shot_us);
    if (has_nccl) {
        print_cross("  one-shot, then NCCL", row, n, one_shot_us, nccl_us);
        print_cross("  two-shot, then NCCL", row, n, two_shot_us, nccl_us);
    }
    printf("\nPublished for 8 GPUs (us, one-sided / NCCL):\n");
    for (int i = 0; i < PUBLISHED; i++)
        printf("  %-10s %7s   %s\n", published[i].what, published[i].size,
               published[i].us);
}

static ncclResult_t tables(struct bench5 *b, size_t most)
{
    struct row row[64];
    int n = 0;
    LAB_TRY(cases_open(b->r, 2 * most + (1 << 20)));
    LAB_TRY(symm_alloc(heap, most, (void **)&b->send));
    LAB_TRY(symm_alloc(heap, most, (void **)&b->recv));
    LAB_TRY(symm_alloc(heap, sizeof *b->signal, (void **)&b->signal));
    LAB_TRY(symm_alloc(heap, sizeof *b->pings, (void **)&b->pings));
    LAB_TRY(symm_reducer_init(&b->a, heap, b->r->comm));
    b->item = lab_buffer(b->r, (size_t)KERNEL_MB << 20);
    b->out = lab_buffer(b->r, MOST_ROUNDS * sizeof *b->out);
    if (b->r->rank == 0)
        print_head(b->r);
    for (size_t nbytes = LEAST; nbytes <= most && n < 64; nbytes *= 2) {
        row[n] = (struct row){.nbytes = nbytes};
        LAB_TRY(measure_row(b, &row[n]));
        if (b->r->rank == 0)
            print_row(&row[n], b->r->nranks);
        n++;
    }
    if (b->r->rank == 0)
        print_end(row, n, b->r->comm != NULL);
    cases_close();
    lab_free_buffers();
    return ncclSuccess;
}

/* ---- throughput ---------------------------------------------------------- */

/* Operations per second over all ranks, from a barrier to a barrier. */
static double per_second(struct bench5 *b, double begin, double amount)
{
    CUDA_MUST(cudaDeviceSynchronize());
    const double mine = MPI_Wtime() - begin;
    double sec;
    MPI_MUST(
        MPI_Allreduce(&mine, &sec, 1, MPI_DOUBLE, MPI_MAX, b->r->mpi_comm));
    return amount * b->r->nranks / sec;
}

static double start(struct bench5 *b)
{
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(b->r->mpi_comm));
    return MPI_Wtime();
}

static ncclResult_t ring_rate(struct bench5 *b, size_t item_nbytes,
                              unsigned nitems)
{
    const size_t count = item_nbytes / sizeof(float4);
    const size_t nbytes = nitems * item_nbytes;
    float4 *const src = lab_buffer(b->r, nbytes), *const dst =
                                                      lab_buffer(b->r, nbytes);
    struct ring ring;
    cudaStream_t consumer;
    CUDA_MUST(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking));
    LAB_TRY(cases_open(b->r, RING_SLOTS * item_nbytes + (1 << 20)));
    LAB_TRY(ring_open(&ring, heap, count));
    const double begin = start(b);
    LAB_TRY(ring_produce(&ring, src, nitems, b->r->stream));
    LAB_TRY(ring_consume(&ring, dst, nitems, consumer));
    const double items = per_second(b, begin, nitems);
    if (b->r->rank == 0)
        printf("  ring buffer, items of %6zu bytes   %7.2f million items/s  "
               "%7.2f GB/s\n",
               item_nbytes, items * 1e-6, items * (double)item_nbytes * 1e-9);
    CUDA_MUST(cudaStreamDestroy(consumer));
    cases_close();
    lab_free_buffers();
    return ncclSuccess;
}

/* n keys per rank, different ones on each. */
static ncclResult_t map_rate(struct bench5 *b, size_t n)
{
    const int range = 1 << 30;
    unsigned *const host = malloc(2 * n * sizeof *host);
    struct hashmap h;
    for (size_t i = 0; i < n; i++) {
        host[i] = drawn_key((uint64_t)b->r->rank, (int)i, range);
        host[n + i] = 1;
    }
    unsigned *const d = lab_buffer(b->r, 2 * n * sizeof *d),
                    *const out = lab_buffer(b->r, n * sizeof *out);
    CUDA_MUST(cudaMemcpy(d, host, 2 * n * sizeof *d, cudaMemcpyHostToDevice));
    free(host);
    LAB_TRY(cases_open(b->r, 64 * n + (1 << 20)));
    LAB_TRY(hashmap_open(&h, heap, 4 * (unsigned)n));
    double begin = start(b);
    LAB_TRY(hashmap_add(&h, d, d + n, n, b->r->stream));
    const double adds = per_second(b, begin, (double)n);
    begin = start(b);
    LAB_TRY(hashmap_find(&h, d, out, n, b->r->stream));
    const double finds = per_second(b, begin, (double)n);
    if (b->r->rank == 0)
        printf("  hash map, %zu keys/rank      %8.2f million adds/s  %8.2f "
               "million finds/s\n",
               n, adds * 1e-6, finds * 1e-6);
    cases_close();
    lab_free_buffers();
    return ncclSuccess;
}

static ncclResult_t rates(struct bench5 *b)
{
    if (b->r->rank == 0)
        printf("\nAll %d ranks together:\n", b->r->nranks);
    LAB_TRY(ring_rate(b, 256, 200));
    LAB_TRY(ring_rate(b, 65536, 40));
    return map_rate(b, 8192);
}

/* ---- the command --------------------------------------------------------- */

int benchmark_main(struct lab_run *r, int argc, char **argv)
{
    long mb = MOST_MB;
    const struct flag flags[] = {{"--max-mb", FLAG_NUMBER, &mb, 1, 1024},
                                 {NULL, 0, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    struct bench5 b = {.r = r};
    ncclResult_t err = tables(&b, (size_t)mb << 20);
    if (err == ncclSuccess)
        err = rates(&b);
    if (err != ncclSuccess) // others may be waiting for this rank
        must_stop(__FILE__, __LINE__, "--benchmark", ncclGetErrorString(err));
    return 0;
}
