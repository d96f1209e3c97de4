/*
 * cases.c: runs lab 1's cases. Given: nothing to edit here.
 *
 * Each kind of case of the plan fills inputs from the rank's seed, calls one of
 * your functions between lab_begin() and lab_end(), and records the output.
 * judge.c decides whether it is right.
 */
#include <stdio.h>  /* printf */
#include <string.h> /* strcmp */

#include "base/must.h"
#include "judge/data.h" /* data_type */
#include "lab1.h"

#include "lab/flags.h"
#include "lab/sweep.h"
#include "terms.h"

extern const struct judge_lab judge_lab1;
const struct judge_lab *const judge_labs[] = {&judge_lab1, NULL};

struct problem { /* a case's parameters, and the arguments of collectives */
    size_t count, nbytes; /* nbytes: of count elements */
    ncclDataType_t type;
    ncclRedOp_t op;
    int root, in_place;
    struct coll coll;
};

static struct problem problem_of(struct lab_run *r)
{
    const struct plan_case *const c = r->c;
    struct problem p = {
        .count = (size_t)plan_int(c, "count", 1024),
        .type = (ncclDataType_t)data_type(plan_text(c, "type", "float")),
        .op = (ncclRedOp_t)data_op(plan_text(c, "op", "sum")),
        .root = (int)plan_int(c, "root", 0) % r->nranks,
        .in_place = (int)plan_int(c, "in_place", 0),
    };
    p.nbytes = p.count * coll_type_size(p.type);
    p.coll = (struct coll){
        .comm = r->comm,
        .rank = r->rank,
        .nranks = r->nranks,
        .ranks_per_node = (int)plan_int(c, "ranks_per_node", r->ranks_per_node),
        .stream = r->stream,
        .scratch_nbytes = 2 * p.nbytes + 64,
    };
    p.coll.scratch = lab_buffer(r, p.coll.scratch_nbytes);
    return p;
}

/* ---- part 1 -------------------------------------------------------------- */

static ncclResult_t run_bootstrap(struct lab_run *r)
{
    ncclComm_t comm;
    int rank, nranks;
    LAB_TRY(boot_comm(r->mpi_comm, &comm));
    LAB_TRY(ncclCommUserRank(comm, &rank));
    LAB_TRY(ncclCommCount(comm, &nranks));
    lab_metric(r, "comm_rank", rank);
    lab_metric(r, "comm_size", nranks);
    return ncclCommDestroy(comm);
}

static ncclResult_t run_sum(struct lab_run *r)
{
    const struct problem p = problem_of(r);
    double mine, *sum; // pinned: a copy there returns before it is done
    LAB_TRY_CUDA(cudaMallocHost((void **)&sum, sizeof *sum));
    *sum = 0;
    lab_draw(r, &(struct draw_ask){.what = DRAW_DATA, .arg = {DATA_DOUBLE}},
             &mine, sizeof mine);
    lab_begin(r);
    LAB_TRY(boot_sum(&p.coll, mine, sum));
    const double then = *sum; // lab_end() waits for what is still to come
    lab_end(r);
    lab_metric(r, "sum", then);
    LAB_TRY_CUDA(cudaFreeHost(sum));
    return ncclSuccess;
}

/* ---- parts 2 and 3 ------------------------------------------------------- */

/* This rank's input: values whose sum and product over ranks are exact. */
static void *input(struct lab_run *r, const struct problem *p, size_t count)
{
    return p->op == ncclProd ? lab_input(r, count, p->type)
                             : lab_input_sum(r, count, p->type);
}

static ncclResult_t run_broadcast(struct lab_run *r)
{
    const struct problem p = problem_of(r);
    void *const in = input(r, &p, p.count);
    void *const out = p.in_place ? in : lab_buffer(r, p.nbytes);
    lab_begin(r);
    LAB_TRY(p2p_broadcast(in, out, p.count, p.type, p.root, &p.coll));
    lab_end(r);
    lab_output(r, "recvbuf", out, p.nbytes);
    return ncclSuccess;
}

static ncclResult_t run_scatter(struct lab_run *r)
{
    const struct problem p = problem_of(r);
    void *const in = input(r, &p, (size_t)r->nranks * p.count);
    void *const out = lab_buffer(r, p.nbytes);
    lab_begin(r);
    LAB_TRY(p2p_scatter(in, out, p.count, p.type, p.root, &p.coll));
    lab_end(r);
    lab_output(r, "recvbuf", out, p.nbytes);
    return ncclSuccess;
}

/* Copy this rank's input to its block of a buffer of all ranks' blocks. Returns
 * the block's address. */
static void *block_in_place(struct lab_run *r, const struct problem *p,
                            const void *in, void *out)
{
    void *const mine = coll_at(out, (size_t)r->rank * p->count, p->type);
    CUDA_MUST(cudaMemcpyAsync(mine, in, p->nbytes, cudaMemcpyDeviceToDevice,
                              r->stream));
    return mine;
}

static ncclResult_t run_gather(struct lab_run *r)
{
    const struct problem p = problem_of(r);
    const size_t all = (size_t)r->nranks * p.nbytes;
    const void *in = input(r, &p, p.count);
    void *const out = lab_buffer(r, all);
    if (p.in_place)
        in = block_in_place(r, &p, in, out);
    lab_begin(r);
    LAB_TRY(p2p_gather(in, out, p.count, p.type, p.root, &p.coll));
    lab_end(r);
    lab_output(r, "recvbuf", out, all);
    return ncclSuccess;
}

static ncclResult_t run_all_gather(struct lab_run *r)
{
    const struct problem p = problem_of(r);
    const size_t all = (size_t)r->nranks * p.nbytes;
    const void *in = input(r, &p, p.count);
    void *const out = lab_buffer(r, all);
    if (p.in_place)
        in = block_in_place(r, &p, in, out);
    lab_begin(r);
    LAB_TRY(p2p_all_gather(in, out, p.count, p.type, &p.coll));
    lab_end(r);
    lab_output(r, "recvbuf", out, all);
    return ncclSuccess;
}

static ncclResult_t run_reduce(struct lab_run *r)
{
    const struct problem p = problem_of(r);
    void *const in = input(r, &p, p.count);
    void *const out = p.in_place ? in : lab_buffer(r, p.nbytes);
    lab_begin(r);
    LAB_TRY(p2p_reduce(in, out, p.count, p.type, p.op, p.root, &p.coll));
    lab_end(r);
    lab_output(r, "recvbuf", out, p.nbytes);
    return ncclSuccess;
}

static ncclResult_t run_reduce_scatter(struct lab_run *r)
{
    const struct problem p = problem_of(r);
    void *const in = input(r, &p, (size_t)r->nranks * p.count);
    void *const out = lab_buffer(r, p.nbytes);
    lab_begin(r);
    LAB_TRY(p2p_reduce_scatter(in, out, p.count, p.type, p.op, &p.coll));
    lab_end(r);
    lab_output(r, "recvbuf", out, p.nbytes);
    return ncclSuccess;
}

static const struct {
    const char *name;
    allreduce_fn *fn;
} algos[] = {
    {"ring", allreduce_ring},
    {"tree", allreduce_tree},
    {"halving_doubling", allreduce_halving_doubling},
    {"hierarchical", allreduce_hierarchical},
    {"best", allreduce_best},
};

static allreduce_fn *algo_of(const struct lab_run *r)
{
    const char *const name = plan_text(r->c, "algo", "best");
    for (size_t i = 0; i < sizeof algos / sizeof *algos; i++)
        if (strcmp(algos[i].name, name) == 0)
            return algos[i].fn;
    must_stop(__FILE__, __LINE__, name, "there is no such algorithm");
}

static ncclResult_t run_all_reduce(struct lab_run *r)
{
    const struct problem p = problem_of(r);
    allreduce_fn *const fn = algo_of(r);
    void *const in = input(r, &p, p.count);
    void *const out = p.in_place ? in : lab_buffer(r, p.nbytes);
    lab_begin(r);
    LAB_TRY(fn(in, out, p.count, p.type, p.op, &p.coll));
    lab_end(r);
    lab_output(r, "recvbuf", out, p.nbytes);
    return ncclSuccess;
}

/* ---- parts 4 to 6 -------------------------------------------------------- */

static ncclResult_t run_sum_by(struct lab_run *r)
{
    const struct problem p = problem_of(r);
    const size_t count = p.count * (size_t)r->nranks;
    const float *const in = lab_input_sum(r, count, ncclFloat);
    float *const out = lab_buffer(r, count * sizeof *out);
    lab_begin(r);
    LAB_TRY(sum_by((enum sum_way)plan_int(r->c, "way", 0), in, out, count,
                   &p.coll));
    lab_end(r);
    lab_output(r, "recvbuf", out, count * sizeof *out);
    return ncclSuccess;
}

static ncclResult_t run_measure(struct lab_run *r)
{
    uint64_t count;
    lab_share_seed(r); // all ranks draw the same count
    lab_draw(r, &(struct draw_ask){.what = MEASURE_COUNT, .of_root = 1}, &count,
             sizeof count);
    struct problem p = problem_of(r);
    const float *const in = lab_input_sum(r, count, ncclFloat);
    float *const out = lab_buffer(r, count * sizeof *out);
    double us = 0;
    lab_begin(r);
    LAB_TRY(measure_sum(SUM_ALLREDUCE, in, out, count,
                        (int)plan_int(r->c, "warmup", 2),
                        (int)plan_int(r->c, "iterations", 5), &p.coll, &us));
    lab_end(r);
    lab_metric(r, "measured_us", us);
    return ncclSuccess;
}

static ncclResult_t run_fit(struct lab_run *r)
{
    enum { POINTS = 12 };
    double bytes[POINTS], us[POINTS], alpha = 0, beta = 0;
    for (int i = 0; i < POINTS; i++)
        bytes[i] = fit_bytes(i);
    lab_draw(r, &(struct draw_ask){.what = FIT_POINTS}, us, sizeof us);
    fit_alpha_beta(bytes, us, POINTS, &alpha, &beta);
    lab_metric(r, "alpha", alpha);
    lab_metric(r, "beta", beta);
    return ncclSuccess;
}

static const struct lab_kind kinds[] = {
    {"bootstrap", run_bootstrap},
    {"sum", run_sum},
    {"broadcast", run_broadcast},
    {"scatter", run_scatter},
    {"gather", run_gather},
    {"all_gather", run_all_gather},
    {"reduce", run_reduce},
    {"reduce_scatter", run_reduce_scatter},
    {"all_reduce", run_all_reduce},
    {"sum_by", run_sum_by},
    {"measure", run_measure},
    {"fit", run_fit},
    {NULL, NULL},
};

/* ---- --bench ------------------------------------------------------------- */

static struct coll coll_of(const struct sweep_call *c)
{
    return (struct coll){.comm = c->r->comm,
                         .rank = c->r->rank,
                         .nranks = c->r->nranks,
                         .ranks_per_node = c->r->ranks_per_node,
                         .stream = c->r->stream,
                         .scratch = c->scratch,
                         .scratch_nbytes = c->scratch_nbytes};
}

/* sweep_NAME: one of your functions, as --bench calls it. `...` are its
 * arguments after count and type. */
#define SWEEP(name, fn, ...)                                                   \
    static ncclResult_t sweep_##name(const struct sweep_call *c)               \
    {                                                                          \
        const struct coll coll = coll_of(c);                                   \
        return fn(c->sendbuf, c->recvbuf, c->count, c->type, __VA_ARGS__);     \
    }
SWEEP(broadcast, p2p_broadcast, c->root, &coll)
SWEEP(scatter, p2p_scatter, c->root, &coll)
SWEEP(gather, p2p_gather, c->root, &coll)
SWEEP(all_gather, p2p_all_gather, &coll)
SWEEP(reduce, p2p_reduce, c->op, c->root, &coll)
SWEEP(reduce_scatter, p2p_reduce_scatter, c->op, &coll)
SWEEP(ring, allreduce_ring, c->op, &coll)
SWEEP(tree, allreduce_tree, c->op, &coll)
SWEEP(halving_doubling, allreduce_halving_doubling, c->op, &coll)
SWEEP(hierarchical, allreduce_hierarchical, c->op, &coll)
SWEEP(best, allreduce_best, c->op, &coll)

static const struct sweep_op yours[] = {
    {"p2p_broadcast", BENCH_BROADCAST, sweep_broadcast},
    {"p2p_scatter", BENCH_SCATTER, sweep_scatter},
    {"p2p_gather", BENCH_GATHER, sweep_gather},
    {"p2p_all_gather", BENCH_ALL_GATHER, sweep_all_gather},
    {"p2p_reduce", BENCH_REDUCE, sweep_reduce},
    {"p2p_reduce_scatter", BENCH_REDUCE_SCATTER, sweep_reduce_scatter},
    {"ring", BENCH_ALL_REDUCE, sweep_ring},
    {"tree", BENCH_ALL_REDUCE, sweep_tree},
    {"halving_doubling", BENCH_ALL_REDUCE, sweep_halving_doubling},
    {"hierarchical", BENCH_ALL_REDUCE, sweep_hierarchical},
    {"best", BENCH_ALL_REDUCE, sweep_best},
    {NULL, BENCH_SHAPES, NULL},
};

static int bench(struct lab_run *r, int argc, char **argv)
{
    return sweep_main(r, yours, argc, argv);
}

/* ---- --sums -------------------------------------------------------------- */

enum { SUM_WAYS = 3, SUM_SIZES = 7, SUM_SMALLEST = 1024 };

struct sums { /* the measurements of one way */
    double bytes[SUM_SIZES], us[SUM_SIZES], alpha, beta;
};

/* Measure sizes from 1 KiB to 4 MiB, each four times the previous one, and fit
 * a line through them. */
static ncclResult_t measure_way(struct lab_run *r, enum sum_way way,
                                struct sums *s)
{
    for (int i = 0; i < SUM_SIZES; i++) {
        const size_t nbytes = (size_t)SUM_SMALLEST << 2 * i;
        const size_t count =
            nbytes / sizeof(float) / (size_t)r->nranks * (size_t)r->nranks;
        const struct coll c = {.comm = r->comm,
                               .rank = r->rank,
                               .nranks = r->nranks,
                               .ranks_per_node = r->ranks_per_node,
                               .stream = r->stream,
                               .scratch = lab_buffer(r, 2 * nbytes + 64),
                               .scratch_nbytes = 2 * nbytes + 64};
        const float *const in = lab_input_sum(r, count, ncclFloat);
        float *const out = lab_buffer(r, nbytes);
        s->bytes[i] = (double)(count * sizeof(float));
        LAB_TRY(measure_sum(way, in, out, count, 1, 3, &c, &s->us[i]));
        lab_free_buffers();
    }
    fit_alpha_beta(s->bytes, s->us, SUM_SIZES, &s->alpha, &s->beta);
    return ncclSuccess;
}

/* Puzzler 2: three ways to compute the same sum, side by side. */
static int sums(struct lab_run *r, int argc, char **argv)
{
    struct sums s[SUM_WAYS];
    static const struct flag flags[] = {{NULL, FLAG_NUMBER, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    for (int way = 0; way < SUM_WAYS; way++) {
        const ncclResult_t err = measure_way(r, (enum sum_way)way, &s[way]);
        if (err != ncclSuccess)
            must_stop(__FILE__, __LINE__, "measure_sum",
                      ncclGetErrorString(err));
    }
    if (r->rank != 0)
        return 0;
    printf("microseconds on %d ranks\n%12s %16s %20s %28s\n", r->nranks,
           "bytes", "all-reduce", "reduce + broadcast",
           "reduce-scatter + all-gather");
    for (int i = 0; i < SUM_SIZES; i++)
        printf("%12.0f %16.2f %20.2f %28.2f\n", s[0].bytes[i], s[0].us[i],
               s[1].us[i], s[2].us[i]);
    printf("%12s %16.2f %20.2f %28.2f   us\n", "fit: alpha", s[0].alpha,
           s[1].alpha, s[2].alpha);
    printf("%12s %16.2f %20.2f %28.2f   GB/s\n", "beta", s[0].beta * 1e-3,
           s[1].beta * 1e-3, s[2].beta * 1e-3);
    return 0;
}

static const char *dataless_for(int argc, char **argv)
{
    return strcmp(argv[0], "--bench") == 0 ? sweep_dataless(argc, argv) : NULL;
}

static const struct lab_command commands[] = {
    {"--bench", "NCCL's collectives and yours, in nccl-tests' columns", bench},
    {"--sums", "part 4's three ways to sum, timed and fitted", sums},
    {NULL, NULL, NULL},
};

const struct lab lab = {
    .name = "lab1-collectives",
    .brief = "collectives, from one NCCL call down to the messages in it",
    .kinds = kinds,
    .commands = commands,
    .dataless_for = dataless_for,
};
