/*
 * benchmark.c: lab 5's --benchmark. Given: nothing to edit here.
 *
 * Copies, signals and NCCL run at all sizes; the data of large rows is in a
 * separate heap, which has no contents on simgpu. The time of a kernel is known
 * only if it runs. Kernels run in small rows; once a kernel's times are on a
 * straight line over three sizes, larger rows extrapolate that line. (On GPUs
 * no three times are that straight, so all kernels run.)
 */
#include "benchmark.h"

#include <math.h>   /* fabs */
#include <stdio.h>  /* printf */
#include <stdlib.h> /* getenv */
#include <string.h> /* strcmp */

#include "base/must.h"
#include "cases.h"
#include "lab/flags.h"
#include "measure.h"
#include "rates.h"

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
    KERNEL_MB = 1,  /* ping-pong: one block doesn't reach the link's rate; and
                       the small heap's buffers */
    ITERATIONS = 3, /* per measurement */
};
#define WITHOUT_CONTENTS "8M" /* from here on; the small heap is smaller */

/* Buffers of a heap. */
struct side {
    struct symm *heap;
    size_t most; /* bytes */
    float *send, *recv;
};

struct bench5 {
    struct lab_run *r;
    struct symm_reducer a;
    struct side small, large;
    int runs_all; /* kernels at all sizes */
    unsigned *signal, signals;
    unsigned *pings; /* symmetric: ping-pong's signal */
    float *add;      /* what ping-pong adds in each round */
    float4 *item;    /* ping-pong's item: KERNEL_MB */
    float *out;      /* MOST_ROUNDS floats */
};

/* ---- measuring ----------------------------------------------------------- */

typedef ncclResult_t operation(struct bench5 *b, size_t nbytes, int arg);

struct call { /* an operation to time */
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

/* The buffers for a row. */
static const struct side *side_of(const struct bench5 *b, size_t nbytes)
{
    return nbytes <= b->small.most ? &b->small : &b->large;
}

/* Every rank sends to the next one by put and signal, and waits for the
 * previous one's. */
static ncclResult_t put(struct bench5 *b, size_t nbytes, int arg)
{
    const int next = (b->r->rank + 1) % b->r->nranks;
    const struct side *const s = side_of(b, nbytes);
    (void)arg;
    LAB_TRY(symm_put(s->heap, s->recv, s->send, nbytes, next, b->r->stream));
    LAB_TRY(symm_signal(heap, b->signal, ++b->signals, next, b->r->stream));
    return symm_wait(heap, b->signal, b->signals, b->r->stream);
}

/* Rounds of ping-pong between pairs of ranks in a kernel, after the barrier
 * that has to precede each such kernel. */
static ncclResult_t ping_pong(struct bench5 *b, size_t nbytes, int rounds)
{
    const size_t count = (nbytes + sizeof *b->item - 1) / sizeof *b->item;
    CUDA_MUST(cudaMemsetAsync(b->pings, 0, sizeof *b->pings, b->r->stream));
    LAB_TRY(symm_barrier(heap, b->r->stream));
    return symm_ping_pong(heap, (float4 *)b->small.recv, b->item, count,
                          b->pings, b->add, b->out, (unsigned)rounds,
                          b->r->stream);
}

/* The same with NCCL. */
static ncclResult_t message(struct bench5 *b, size_t nbytes, int arg)
{
    const int n = b->r->nranks, rank = b->r->rank;
    const struct side *const s = side_of(b, nbytes);
    (void)arg;
    LAB_TRY(ncclGroupStart());
    LAB_TRY(ncclSend(s->send, nbytes, ncclChar, (rank + 1) % n, b->r->comm,
                     b->r->stream));
    LAB_TRY(ncclRecv(s->recv, nbytes, ncclChar, (rank - 1 + n) % n, b->r->comm,
                     b->r->stream));
    return ncclGroupEnd();
}

static ncclResult_t reduce(struct bench5 *b, size_t nbytes, int algo)
{
    const struct side *const s = side_of(b, nbytes);
    return symm_reduce_by(&b->a, (enum symm_algo)algo, s->send, s->recv,
                          nbytes / sizeof(float), b->r->stream);
}

/* The one-way time in a kernel is derived from two runs of ping-pong with
 * different numbers of rounds. */
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

/* A kernel's times at the latest sizes, each twice the one before. */
struct line {
    double us[3]; /* the latest one last; 0: none yet */
    int is_straight;
    size_t ran; /* the largest size that ran */
};

enum { LINE_FROM = 1 << 15 }; /* bytes; smaller ones don't fill all blocks */

/* The next time if the last ones are on a straight line, else 0. */
static double next_on(const struct line *l)
{
    return l->is_straight ? l->us[2] + 2 * (l->us[2] - l->us[1]) : 0;
}

/* Append a time. */
static void extend(struct line *l, size_t nbytes, double us)
{
    l->us[0] = l->us[1];
    l->us[1] = l->us[2];
    l->us[2] = us;
    if (nbytes < 4 * (size_t)LINE_FROM)
        return;
    const double first = l->us[1] - l->us[0], second = l->us[2] - l->us[1];
    l->is_straight = first > 0 && fabs(second - 2 * first) < 1e-3 * second;
}

enum { PING_PONG = SYMM_ALGOS, LINES }; /* number of a kernel's line */

/* The time of a kernel in a row, measured or extrapolated; 0 if neither is
 * possible. */
static ncclResult_t kernel_us(struct bench5 *b, struct line *l, int kernel,
                              size_t nbytes, double *us)
{
    *us = b->runs_all ? 0 : next_on(&l[kernel]);
    if (*us == 0 && (b->runs_all || nbytes <= b->small.most)) {
        if (kernel == PING_PONG)
            LAB_TRY(time_in_kernel(b, nbytes, us));
        else
            LAB_TRY(time_of(b, reduce, nbytes, kernel, us));
        l[kernel].ran = nbytes;
    }
    extend(&l[kernel], nbytes, *us);
    return ncclSuccess;
}

static ncclResult_t measure_row(struct bench5 *b, struct line *l,
                                struct row *row)
{
    const size_t nbytes = row->nbytes;
    LAB_TRY(time_of(b, put, nbytes, 0, &row->put));
    if (nbytes <= (size_t)KERNEL_MB << 20)
        LAB_TRY(kernel_us(b, l, PING_PONG, nbytes, &row->kernel));
    if (nbytes <= (size_t)ONE_SHOT << 20)
        LAB_TRY(
            kernel_us(b, l, SYMM_ONE_SHOT, nbytes, &row->us[SYMM_ONE_SHOT]));
    LAB_TRY(kernel_us(b, l, SYMM_TWO_SHOT, nbytes, &row->us[SYMM_TWO_SHOT]));
    if (!b->r->comm)
        return ncclSuccess;
    LAB_TRY(time_of(b, message, nbytes, 0, &row->message));
    return time_of(b, reduce, nbytes, SYMM_NCCL, &row->us[SYMM_NCCL]);
}

static void print_us(double us)
{
    if (us > 0)
        printf(us < 100 ? " %9.2f" : " %9.1f", us);
    else
        printf(" %9s", "-");
}

/* Print a rate in 1e9 bytes per second; for an all-reduce, factor is 2(n-1)/n,
 * which gives nccl-tests' busbw. */
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

/* Print which kernels did not run. */
static void print_lines(const struct line *l, size_t most)
{
    static const char *const names[LINES] = {[SYMM_ONE_SHOT] = "one-shot",
                                             [SYMM_TWO_SHOT] = "two-shot",
                                             [PING_PONG] = "in kernel"};
    const char *lead = "\nKernels that ran up to a size; from there on, their "
                       "times continue a straight line\n(--run-all runs "
                       "them):\n";
    for (int k = 0; k < LINES; k++) {
        if (!names[k] || l[k].ran == 0 || l[k].ran >= most)
            continue;
        printf("%s  %-10s %zu bytes\n", lead, names[k], l[k].ran);
        lead = "";
    }
}

/* Open the heaps: the small one, and that of large rows. */
static ncclResult_t open_sides(struct bench5 *b, struct symm *large,
                               size_t most)
{
    const size_t small = (size_t)KERNEL_MB << 20;
    struct side *const sides[] = {&b->small, &b->large};
    LAB_TRY(cases_open(b->r, 2 * small + (1 << 20)));
    LAB_TRY(symm_open(large, b->r->mpi_comm, 2 * most + (1 << 20)));
    b->small = (struct side){.heap = heap, .most = small};
    b->large = (struct side){.heap = large, .most = most};
    for (int i = 0; i < 2; i++) {
        struct side *const s = sides[i];
        LAB_TRY(symm_alloc(s->heap, s->most, (void **)&s->send));
        LAB_TRY(symm_alloc(s->heap, s->most, (void **)&s->recv));
    }
    return ncclSuccess;
}

static ncclResult_t tables(struct bench5 *b, size_t most)
{
    static struct symm large;
    struct row row[64];
    struct line line[LINES] = {{{0}, 0, 0}};
    int n = 0;
    LAB_TRY(open_sides(b, &large, most));
    LAB_TRY(symm_alloc(heap, sizeof *b->signal, (void **)&b->signal));
    LAB_TRY(symm_alloc(heap, sizeof *b->pings, (void **)&b->pings));
    LAB_TRY(symm_reducer_init(&b->a, heap, b->r->comm));
    b->item = lab_buffer(b->r, (size_t)KERNEL_MB << 20);
    b->out = lab_buffer(b->r, MOST_ROUNDS * sizeof *b->out);
    b->add = lab_buffer(b->r, MOST_ROUNDS * sizeof *b->add);
    if (b->r->rank == 0)
        print_head(b->r);
    for (size_t nbytes = LEAST; nbytes <= most && n < 64; nbytes *= 2) {
        row[n] = (struct row){.nbytes = nbytes};
        LAB_TRY(measure_row(b, line, &row[n]));
        if (b->r->rank == 0)
            print_row(&row[n], b->r->nranks);
        n++;
    }
    if (b->r->rank == 0) {
        print_lines(line, most);
        print_end(row, n, b->r->comm != NULL);
    }
    CUDA_MUST(cudaDeviceSynchronize());
    symm_close(&large);
    cases_close();
    lab_free_buffers();
    return ncclSuccess;
}

/* ---- the command --------------------------------------------------------- */

const char *benchmark_dataless(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--run-all") == 0)
            return NULL;
    return WITHOUT_CONTENTS;
}

int benchmark_main(struct lab_run *r, int argc, char **argv)
{
    long mb = MOST_MB, all = 0;
    const struct flag flags[] = {{"--max-mb", FLAG_NUMBER, &mb, 1, 1024},
                                 {"--run-all", FLAG_SET, &all, 0, 0},
                                 {NULL, 0, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    struct bench5 b = {.r = r, .runs_all = all || !getenv("SIMGPU_DATALESS")};
    ncclResult_t err = tables(&b, (size_t)mb << 20);
    if (err == ncclSuccess)
        err = rates_print(r);
    if (err != ncclSuccess) // others may be waiting for this rank
        must_stop(__FILE__, __LINE__, "--benchmark", ncclGetErrorString(err));
    return 0;
}
