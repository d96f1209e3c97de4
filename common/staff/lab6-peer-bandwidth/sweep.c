#include "sweep.h"

#include <stdio.h>  /* printf */
#include <stdlib.h> /* getenv */

#include "base/must.h"
#include "lab/flags.h"
#include "machine.h"
#include "output.h"

struct sweep { /* the options; MB and GB are 1e6 and 1e9 bytes */
    long size_mb, iterations, warmup;
    struct flag_list sizes_mb; /* instead of size_mb, if there are any */
    const char *output;        /* file, or NULL */
    FILE *csv;                 /* the same, open */
};

struct table { /* [from][to] */
    double ms[PEERS][PEERS], value[PEERS][PEERS];
};

static int parse(struct sweep *s, const struct lab_run *r, int argc,
                 char **argv)
{
    const struct flag flags[] = {
        {"--size-mb", FLAG_NUMBER, &s->size_mb, 1, 4096},
        {"--sizes-mb", FLAG_LIST, &s->sizes_mb, 1, 4096},
        {"--iterations", FLAG_NUMBER, &s->iterations, 1, 64},
        {"--warmup", FLAG_NUMBER, &s->warmup, 0, 1000},
        {"--output", FLAG_TEXT, &s->output, 0, 0},
        {NULL, FLAG_NUMBER, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return -1;
    if (s->sizes_mb.n == 0)
        s->sizes_mb = (struct flag_list){.n = 1, .number = {s->size_mb}};
    return 0;
}

/* ---- printing ------------------------------------------------------------ */

static void print_matrix(const char *title, const struct table *t, int n)
{
    printf("\n%s\n   D\\D", title);
    for (int to = 0; to < n; to++)
        printf(" %7d", to);
    for (int from = 0; from < n; from++) {
        printf("\n%6d", from);
        for (int to = 0; to < n; to++)
            if (from == to)
                printf(" %7s", "-");
            else
                printf(" %7.2f", t->value[from][to]);
    }
    printf("\n");
}

static void print_lines(const struct table *t, int n, const char *p2p)
{
    printf("\nsrc dst p2p median_ms GBps\n");
    for (int from = 0; from < n; from++)
        for (int to = 0; to < n; to++)
            if (from != to)
                printf("%d %d %s %.6f %.2f\n", from, to, p2p, t->ms[from][to],
                       t->value[from][to]);
}

/* ---- measuring ----------------------------------------------------------- */

enum what { ONE_WAY, BOTH_WAYS, LATENCY };

static ncclResult_t measure_pair(const struct sweep *s, enum what what, int a,
                                 int b, double *ms)
{
    struct peers *const p = machine_peers();
    const size_t nbytes = (size_t)s->size_mb * 1000000;
    void *const in[2] = {machine_buffer(a, 0, nbytes),
                         machine_buffer(b, 0, nbytes)};
    const void *const out[2] = {machine_buffer(a, 1, nbytes),
                                machine_buffer(b, 1, nbytes)};
    if (what == ONE_WAY)
        return measure_one_way(p, a, b, in[1], out[0], nbytes, (int)s->warmup,
                               (int)s->iterations, ms);
    if (what == BOTH_WAYS)
        return measure_both_ways(p, a, b, in, out, nbytes, (int)s->warmup,
                                 (int)s->iterations, ms);
    return measure_latency(p, a, b, in[1], out[0], nbytes, (int)s->iterations,
                           ms);
}

static ncclResult_t measure_all(struct lab_run *r, const struct sweep *s,
                                enum what what, struct table *t)
{
    const double nbytes = (double)s->size_mb * 1e6;
    const int n = machine_peers()->n;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            MPI_MUST(MPI_Barrier(r->mpi_comm));
            if (a == b)
                continue;
            double *const ms = &t->ms[a][b];
            LAB_TRY(measure_pair(s, what, a, b, ms));
            t->value[a][b] = what == LATENCY ? *ms
                                             : (what == BOTH_WAYS ? 2 : 1) *
                                                   nbytes / *ms * 1e-6;
        }
    return ncclSuccess;
}

/* Write the same numbers for programs. what: one-way, both-ways (GB/s) or
 * latency (us). */
static void write_lines(const struct sweep *s, const char *what,
                        const char *p2p, const struct table *t, int n)
{
    for (int from = 0; s->csv && from < n; from++)
        for (int to = 0; to < n; to++)
            if (from != to)
                fprintf(s->csv, "%ld,%s,%s,%d,%d,%.6f,%.3f\n", s->size_mb, p2p,
                        what, from, to, t->ms[from][to], t->value[from][to]);
}

static ncclResult_t sweep_pairs(struct lab_run *r, const struct sweep *s,
                                int on)
{
    struct table t = {0};
    char title[64];
    const char *const p2p = on ? "on" : "off";
    const int n = machine_peers()->n;
    LAB_TRY(peer_access(machine_peers(), on));
    LAB_TRY(measure_all(r, s, ONE_WAY, &t));
    snprintf(title, sizeof title, "P2P %s, one way, GB/s", p2p);
    print_matrix(title, &t, n);
    print_lines(&t, n, p2p);
    write_lines(s, "one-way", p2p, &t, n);
    LAB_TRY(measure_all(r, s, BOTH_WAYS, &t));
    snprintf(title, sizeof title, "P2P %s, both ways together, GB/s", p2p);
    print_matrix(title, &t, n);
    write_lines(s, "both-ways", p2p, &t, n);
    LAB_TRY(measure_all(r, s, LATENCY, &t));
    snprintf(title, sizeof title, "P2P %s, latency, us", p2p);
    print_matrix(title, &t, n);
    write_lines(s, "latency", p2p, &t, n);
    return ncclSuccess;
}

/* Every GPU to every other at once, directly. */
static ncclResult_t sweep_all_at_once(struct lab_run *r, const struct sweep *s)
{
    const struct peers *const p = machine_peers();
    const size_t nbytes = (size_t)s->size_mb * 1000000 / (size_t)p->n;
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    const double begin = MPI_Wtime();
    for (int shift = 1; shift < p->n; shift++)
        for (int a = 0; a < p->n; a++) {
            const int b = (a + shift) % p->n;
            LAB_TRY_CUDA(cudaMemcpyPeerAsync(machine_buffer(b, 0, nbytes), b,
                                             machine_buffer(a, 1, nbytes), a,
                                             nbytes, p->link[a][b]));
        }
    LAB_TRY(peers_wait(p));
    const double sec = MPI_Wtime() - begin;
    printf(
        "\nall-to-all, %zu bytes per pair, direct: %.3f ms, %.1f GB/s out of "
        "each GPU\n",
        nbytes, sec * 1e3, (double)nbytes * (p->n - 1) / sec * 1e-9);
    return ncclSuccess;
}

/* NCCL's all-reduce over all GPUs of this process. */
static ncclResult_t sweep_all_reduce(struct lab_run *r, const struct sweep *s)
{
    struct peers *const p = machine_peers();
    const size_t nbytes = (size_t)s->size_mb * 1000000;
    const char *const algo = getenv("NCCL_ALGO");
    ncclComm_t comm[PEERS];
    double sec[64];
    LAB_TRY(ncclCommInitAll(comm, p->n, NULL));
    for (long i = -s->warmup; i < s->iterations; i++) {
        MPI_MUST(MPI_Barrier(r->mpi_comm));
        const double begin = MPI_Wtime();
        LAB_TRY(ncclGroupStart());
        for (int g = 0; g < p->n; g++)
            LAB_TRY(ncclAllReduce(
                machine_buffer(g, 1, nbytes), machine_buffer(g, 0, nbytes),
                nbytes / 4, ncclFloat, ncclSum, comm[g], p->link[g][g == 0]));
        LAB_TRY(ncclGroupEnd());
        LAB_TRY(peers_wait(p));
        if (i >= 0)
            sec[i] = MPI_Wtime() - begin;
    }
    for (int g = 0; g < p->n; g++)
        LAB_TRY(ncclCommDestroy(comm[g]));
    const double median = peers_median(sec, (int)s->iterations);
    printf("\nall-reduce, %zu bytes, NCCL_ALGO=%s: %.3f ms, busbw %.1f GB/s\n",
           nbytes, algo && *algo ? algo : "(NCCL's choice)", median * 1e3,
           2.0 * (p->n - 1) / p->n * (double)nbytes / median * 1e-9);
    return ncclSuccess;
}

static ncclResult_t sweep(struct lab_run *r, const struct sweep *s)
{
    struct cudaDeviceProp prop;
    LAB_TRY_CUDA(cudaGetDeviceProperties(&prop, 0));
    printf("%d x %s, copies of %ld MB (1e6 bytes), median of %ld after %ld\n",
           machine_peers()->n, prop.name, s->size_mb, s->iterations, s->warmup);
    LAB_TRY(sweep_pairs(r, s, 1));
    LAB_TRY(sweep_pairs(r, s, 0));
    LAB_TRY(peer_access(machine_peers(), 1));
    LAB_TRY(sweep_all_at_once(r, s));
    return sweep_all_reduce(r, s);
}

/* Sweep all sizes. Returns 0, or 1 after a message. */
static int sweep_sizes(struct lab_run *r, struct sweep *s)
{
    static const char command[] = "--topology-sweep";
    ncclResult_t result = ncclSuccess;
    if (s->output && !(s->csv = output_open(command, s->output)))
        return 1;
    if (s->csv)
        fprintf(s->csv, "size_mb,p2p,what,src,dst,median_ms,value\n");
    for (int i = 0; i < s->sizes_mb.n && result == ncclSuccess; i++) {
        s->size_mb = s->sizes_mb.number[i];
        if (i > 0)
            printf("\n");
        result = sweep(r, s);
    }
    if (result != ncclSuccess)
        fprintf(stderr, "%s: %s\n", command, ncclGetErrorString(result));
    if (s->csv && output_close(s->csv, command, s->output) != 0)
        return 1;
    return result != ncclSuccess;
}

int sweep_run(struct lab_run *r, int argc, char **argv)
{
    struct sweep s = {.size_mb = 256, .iterations = 20, .warmup = 5};
    if (parse(&s, r, argc, argv) != 0)
        return 2;
    if (r->nranks > 1) {
        if (r->rank == 0)
            fprintf(stderr, "--topology-sweep drives all GPUs from one "
                            "process: use mpirun -n 1\n");
        return 2;
    }
    return sweep_sizes(r, &s);
}
