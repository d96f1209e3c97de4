/*
 * compare.c: the methods of this lab, timed side by side
 *
 * Times are host times between barriers with idle devices, so they include a
 * step's cost on the host. They are per step, of the slowest rank, after one
 * step to warm up.
 */
#include "compare.h"

#include <stdio.h>  /* printf */
#include <stdlib.h> /* malloc */

#include "base/must.h"
#include "judge/data.h"
#include "lab/bench.h"
#include "lab/flags.h"
#include "lab2.h"
#include "nn/exercise.h"
#include "support.h"

enum { STEPS = 3 };

/* The step to be timed. `arg` is the caller's. */
typedef ncclResult_t step_fn(void *arg, int step);

static double time_ms(struct lab_run *r, step_fn *step, void *arg)
{
    double begin = 0, ms;
    for (int i = 0; i <= STEPS; i++) {
        NCCL_MUST(step(arg, i % STEPS));
        if (i > 0 && i < STEPS)
            continue;
        CUDA_MUST(cudaSetDevice(r->local_rank));
        CUDA_MUST(cudaDeviceSynchronize());
        MPI_MUST(MPI_Barrier(r->mpi_comm));
        if (i == 0)
            begin = MPI_Wtime();
    }
    ms = (MPI_Wtime() - begin) * 1e3 / STEPS;
    MPI_MUST(
        MPI_Allreduce(MPI_IN_PLACE, &ms, 1, MPI_DOUBLE, MPI_MAX, r->mpi_comm));
    return ms;
}

/* A network of 32 layers of nbytes each. */
static struct exercise *many_layers(struct lab_run *r, size_t nbytes)
{
    int width = 8;
    while ((size_t)(width + 8) * (size_t)(width + 8) * sizeof(float) <= nbytes)
        width += 8;
    const struct nn_task k = {.shape = {.depth = 32,
                                        .in = width,
                                        .hidden = width,
                                        .out = width,
                                        .rows = 8},
                              .steps = STEPS,
                              .micro = 1,
                              .hyper = {.lr = 0.1f}};
    return exercise_of(r, &k);
}

struct way { /* the arguments of steps */
    struct lab_run *r;
    struct exercise *e;
    struct sync s;
    size_t cap_nbytes;
    ncclDataType_t type;
    struct replica *replica;
    const struct nn_batch *all;
    float *buf;
    size_t count;
};

static struct way way_of(struct lab_run *r, struct exercise *e)
{
    struct way w = {.r = r, .e = e, .type = ncclFloat};
    w.s = (struct sync){r->comm, r->rank, r->nranks, r->stream, NULL};
    if (e)
        w.s.scratch = lab_buffer(r, e->m.count * sizeof(float));
    return w;
}

/* ---- --bucket-sweep ------------------------------------------------------ */

static ncclResult_t step_buckets(void *arg, int step)
{
    const struct way *const w = arg;
    (void)step;
    return bucket_sync(&w->e->m, w->cap_nbytes, w->type, &w->s);
}

static ncclResult_t step_each(void *arg, int step)
{
    const struct way *const w = arg;
    (void)step;
    return sync_gradients(&w->e->m, &w->s);
}

/* Fill gradients with rank + 1, whose mean is known. */
static void fill(const struct way *w)
{
    const struct nn *const m = &w->e->m;
    float *const h = malloc(m->count * sizeof *h);
    if (!h)
        must_stop(__FILE__, __LINE__, "malloc", "out of memory");
    for (size_t i = 0; i < m->count; i++)
        h[i] = (float)(w->r->rank + 1);
    CUDA_MUST(cudaMemcpyAsync(m->grads, h, m->count * sizeof *h,
                              cudaMemcpyHostToDevice, w->s.stream));
    CUDA_MUST(cudaStreamSynchronize(w->s.stream));
    free(h);
}

/* Elements, over all ranks, that are not the mean after one synchronisation. */
static long count_wrong(const struct way *w)
{
    const struct nn *const m = &w->e->m;
    const double want = (w->r->nranks + 1) / 2.0;
    const double most =
        want * w->r->nranks * data_epsilon((enum data_type)w->type);
    float *const h = malloc(m->count * sizeof *h);
    long off = 0;
    if (!h)
        must_stop(__FILE__, __LINE__, "malloc", "out of memory");
    fill(w);
    NCCL_MUST(bucket_sync(&w->e->m, w->cap_nbytes, w->type, &w->s));
    CUDA_MUST(cudaMemcpyAsync(h, m->grads, m->count * sizeof *h,
                              cudaMemcpyDeviceToHost, w->s.stream));
    CUDA_MUST(cudaStreamSynchronize(w->s.stream));
    for (size_t i = 0; i < m->count; i++)
        off += !(h[i] >= want - most && h[i] <= want + most);
    free(h);
    MPI_MUST(MPI_Allreduce(MPI_IN_PLACE, &off, 1, MPI_LONG, MPI_SUM,
                           w->r->mpi_comm));
    return off;
}

static void sweep_row(struct bench *b, struct way *w, size_t size)
{
    int bucket[NN_MAX_DEPTH];
    const int n = bucket_assign(&w->e->m, w->cap_nbytes, size, bucket);
    const long off = count_wrong(w);
    const double ms = time_ms(w->r, step_buckets, w);
    if (w->r->rank != 0)
        return;
    printf("# buckets of at most %zu KiB: %d all-reduce%s\n",
           w->cap_nbytes >> 10, n, n == 1 ? "" : "s");
    bench_row(
        b, &(struct bench_row){.shape = BENCH_ALL_REDUCE,
                               .nranks = w->r->nranks,
                               .nbytes = w->e->m.count * size,
                               .count = w->e->m.count,
                               .type = data_type_name((enum data_type)w->type),
                               .redop = "avg",
                               .root = -1,
                               .in_place = {1, ms * 1e3, off}});
}

struct caps { /* the caps of a sweep: a list, or from min to max, doubling */
    struct flag_list sizes_mb;
    long min_kb, max_mb, mb; /* mb: of gradients, in fp32 */
    int type;                /* -1: all */
    const char *output;
};

/* Print a row for each cap of one type. Of caps that double, skip those that
 * give the same number of buckets as the previous one. */
static void sweep_type(struct bench *b, struct way *w, const struct caps *c,
                       ncclDataType_t type)
{
    const size_t size = data_size((enum data_type)type);
    int bucket[NN_MAX_DEPTH], before = 0;
    w->type = type;
    for (int i = 0; i < c->sizes_mb.n; i++) {
        w->cap_nbytes = (size_t)c->sizes_mb.number[i] << 20;
        sweep_row(b, w, size);
    }
    if (c->sizes_mb.n)
        return;
    for (size_t cap = (size_t)c->min_kb << 10; cap <= (size_t)c->max_mb << 20;
         cap *= 2) {
        const int n = bucket_assign(&w->e->m, cap, size, bucket);
        w->cap_nbytes = cap;
        if (n != before)
            sweep_row(b, w, size);
        before = n;
    }
}

/* Read the options; the default caps give from 32 buckets to 1. Returns 0 or
 * -1. */
static int take_caps(struct lab_run *r, int argc, char **argv, struct caps *c)
{
    const struct flag flags[] = {
        {"--mb", FLAG_NUMBER, &c->mb, 1, 4096},
        {"--tensor-mb", FLAG_NUMBER, &c->mb, 1, 4096},
        {"--min-kb", FLAG_NUMBER, &c->min_kb, 1, 4096 << 10},
        {"--max-mb", FLAG_NUMBER, &c->max_mb, 1, 4096},
        {"--sizes-mb", FLAG_LIST, &c->sizes_mb, 1, 4096},
        {"--dtype", FLAG_TYPE, &c->type, 0, 0},
        {"--output", FLAG_TEXT, &c->output, 0, 0},
        {NULL, 0, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return -1;
    if (c->min_kb == 0)
        c->min_kb = c->mb * 1024 / 32;
    if (c->max_mb == 0)
        c->max_mb = c->mb;
    const int is_float = c->type < 0 || c->type == DATA_FLOAT ||
                         c->type == DATA_HALF || c->type == DATA_BFLOAT16;
    if (!is_float && r->rank == 0)
        fprintf(stderr,
                "%s: %s: --dtype %s: gradients are float, half or "
                "bfloat16\n",
                lab.name, argv[0], data_type_name((enum data_type)c->type));
    return is_float ? 0 : -1;
}

int compare_sweep(struct lab_run *r, int argc, char **argv)
{
    static const ncclDataType_t types[] = {ncclFloat, ncclHalf, ncclBfloat16};
    struct caps c = {.mb = 16, .type = -1};
    struct bench b = {0};
    if (take_caps(r, argc, argv, &c) != 0)
        return 2;
    int opened = bench_output(&b, r->rank == 0 ? c.output : NULL);
    MPI_MUST(MPI_Bcast(&opened, 1, MPI_INT, 0, r->mpi_comm));
    if (opened != 0)
        return 2;
    struct exercise *const e = many_layers(r, ((size_t)c.mb << 20) / 32);
    struct way w = way_of(r, e);
    if (r->rank == 0)
        bench_head(&b, stdout, "bucket_sync of 32 gradients");
    for (int t = 0; t < 3; t++)
        if (c.type < 0 || c.type == (int)types[t])
            sweep_type(&b, &w, &c, types[t]);
    if (r->rank == 0)
        bench_foot(&b);
    bench_close(&b);
    exercise_release();
    return 0;
}

/* ---- --compare ----------------------------------------------------------- */

static ncclResult_t step_process_each(void *arg, int step)
{
    const struct way *const w = arg;
    return sync_step(&w->e->m, exercise_batch(w->e, step, 0), &w->e->optimizer,
                     &w->s);
}

static ncclResult_t step_process_all(void *arg, int step)
{
    const struct way *const w = arg;
    return w->r->rank
               ? ncclSuccess
               : dp_step(w->replica, w->r->nranks, w->all[step].x,
                         w->all[step].target, &w->e->optimizer, w->s.scratch);
}

static ncclResult_t step_one_comm(void *arg, int step)
{
    const struct way *const w = arg;
    (void)step;
    LAB_TRY(ncclAllReduce(w->buf, w->buf, w->count, ncclFloat, ncclAvg,
                          w->s.comm, w->s.stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(w->s.stream));
    return ncclSuccess;
}

static ncclResult_t step_new_comm(void *arg, int step)
{
    const struct way *const w = arg;
    (void)step;
    return mean_with_new_comms(w->buf, w->count, 1, w->r->mpi_comm, &w->s);
}

static void print_pair(const struct lab_run *r, const char *slow,
                       double slow_ms, const char *fast, double fast_ms)
{
    if (r->rank == 0)
        printf("%-44s %10.3f\n%-44s %10.3f   %.1f times faster\n\n", slow,
               slow_ms, fast, fast_ms, slow_ms / fast_ms);
}

static void compare_buckets(struct lab_run *r)
{
    struct exercise *const e = many_layers(r, 64 << 10);
    struct way w = way_of(r, e);
    w.cap_nbytes = 6 * (64 << 10);
    const double each = time_ms(r, step_each, &w);
    const double buckets = time_ms(r, step_buckets, &w);
    print_pair(r, "32 all-reduces of 64 KiB", each, "6 buckets", buckets);
}

static void compare_processes(struct lab_run *r)
{
    struct replica replica[SUPPORT_DEVICES];
    struct nn_batch all_rows[EXERCISE_STEPS];
    const struct nn_task k = {
        .shape = {.depth = 8, .in = 512, .hidden = 512, .out = 512, .rows = 64},
        .steps = STEPS,
        .micro = 1,
        .hyper = {.lr = 0.1f}};
    struct exercise *const e = exercise_of(r, &k);
    struct way w = way_of(r, e);
    support_gather(r, e, all_rows);
    w.all = all_rows;
    w.replica = replica;
    if (r->rank == 0)
        support_make_replicas(replica, r->nranks, e);
    const double all = time_ms(r, step_process_all, &w);
    const double each = time_ms(r, step_process_each, &w);
    if (r->rank == 0)
        support_drop_replicas(replica, r->nranks);
    print_pair(r, "one process for all devices", all,
               "one process for each device", each);
}

static void compare_comms(struct lab_run *r, long mb)
{
    char what[64];
    struct way w = way_of(r, NULL);
    w.count = ((size_t)mb << 20) / sizeof(float);
    w.buf = lab_buffer(r, w.count * sizeof(float));
    const double fresh = time_ms(r, step_new_comm, &w);
    const double one = time_ms(r, step_one_comm, &w);
    snprintf(what, sizeof what, "%ld MiB, a new communicator each time", mb);
    print_pair(r, what, fresh, "one communicator", one);
}

int compare_ways(struct lab_run *r, int argc, char **argv)
{
    long mb = 64;
    const struct flag flags[] = {{"--tensor-mb", FLAG_NUMBER, &mb, 1, 4096},
                                 {NULL, 0, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    if (r->nranks > SUPPORT_DEVICES) {
        if (r->rank == 0)
            fprintf(stderr,
                    "%s: --compare runs on at most %d ranks, not %d: one "
                    "process drives all their devices\n",
                    lab.name, SUPPORT_DEVICES, r->nranks);
        return 2;
    }
    if (r->rank == 0)
        printf("%-44s %10s\n", "", "ms/step");
    compare_buckets(r);
    compare_processes(r);
    compare_comms(r, mb);
    exercise_release();
    return 0;
}
