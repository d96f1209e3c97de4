/*
 * cases.c: runs lab 7's cases. Given: nothing to edit here.
 *
 * Tokens, their experts and gates, and the weights of the rank's own expert are
 * drawn again for every iteration (tokens.h). Values are small enough for all
 * results to be exact.
 */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "base/must.h"
#include "cases.h"
#include "tokens.h"

extern const struct judge_lab judge_lab7;
const struct judge_lab *const judge_labs[] = {&judge_lab7, NULL};

static void problem_route(struct lab_run *r, struct problem *p)
{
    const size_t n = (size_t)p->ntokens;
    p->expert = malloc(n * sizeof *p->expert);
    lab_draw(r, &(struct draw_ask){.what = TOKENS_EXPERTS}, p->expert,
             n * sizeof *p->expert);
    p->gate = lab_draw_buffer(r, &(struct draw_ask){.what = TOKENS_GATES},
                              n * sizeof *p->gate);
}

static const float *problem_weight(struct lab_run *r, size_t floats)
{
    return lab_draw_buffer(r,
                           &(struct draw_ask){.what = DRAW_DATA,
                                              .npath = 1,
                                              .path = {TOKENS_WEIGHTS},
                                              .arg = {DATA_FLOAT}},
                           floats * sizeof(float));
}

void *cases_pinned(size_t nbytes)
{
    void *p;
    CUDA_MUST(cudaMallocHost(&p, nbytes));
    return p;
}

/* The counts that any part exchanges. */
static void problem_counts(struct lab_run *r, struct problem *p)
{
    const size_t n = (size_t)r->nranks;
    const size_t pieces = 2 * n * MOE_MAX_PIECES * sizeof(int);
    const size_t table = (n + 2) * n * (size_t)p->m.each * sizeof(int);
    const size_t nbytes = pieces > table ? pieces : table;
    p->m.counts = lab_buffer(r, nbytes);
    p->m.host_counts = cases_pinned(nbytes);
}

struct problem problem_of(struct lab_run *r)
{
    struct problem p = {
        .ntokens = (int)plan_int(r->c, "tokens", 64),
        .npieces = (int)plan_int(r->c, "pieces", 1),
        .m = {.comm = r->comm,
              .rank = r->rank,
              .nranks = r->nranks,
              .each = (int)plan_int(r->c, "each", 1),
              .k = (int)plan_int(r->c, "k", 1),
              .capacity = (int)plan_int(r->c, "capacity", 0),
              .dim = (int)plan_int(r->c, "dim", 8),
              .stream = r->stream},
    };
    const size_t n = (size_t)r->nranks;
    p.floats = (size_t)p.ntokens * (size_t)p.m.dim;
    problem_route(r, &p);
    p.m.weight = problem_weight(
        r, (size_t)p.m.each * (size_t)p.m.dim *
               (plan_int(r->c, "diagonal", 0) ? 1 : (size_t)p.m.dim));
    problem_counts(r, &p);
    CUDA_MUST(
        cudaStreamCreateWithFlags(&p.m.comm_stream, cudaStreamNonBlocking));
    CUBLAS_MUST(cublasCreate(&p.m.blas));
    CUBLAS_MUST(cublasSetStream(p.m.blas, r->stream));
    p.space = (struct moe_space){
        .packed = lab_buffer(r, p.floats * sizeof(float)),
        .arrived = lab_buffer(r, n * p.floats * sizeof(float)),
        .processed = lab_buffer(r, n * p.floats * sizeof(float)),
        .order = lab_buffer(r, (size_t)p.ntokens * sizeof(int)),
        .host_order = cases_pinned((size_t)p.ntokens * sizeof(int)),
    };
    return p;
}

void problem_release(struct problem *p)
{
    CUBLAS_MUST(cublasDestroy(p->m.blas));
    CUDA_MUST(cudaStreamDestroy(p->m.comm_stream));
    CUDA_MUST(cudaFreeHost(p->space.host_order));
    CUDA_MUST(cudaFreeHost(p->m.host_counts));
    free(p->expert);
}

/* ---- part 1 -------------------------------------------------------------- */

void cases_show(struct lab_run *r, const char *name, const void *host,
                size_t nbytes)
{
    lab_output(r, name, lab_upload(r, host, nbytes), nbytes);
}

/* Record ints on the host as an output. */
static void show(struct lab_run *r, const char *name, const int *values, int n)
{
    cases_show(r, name, values, (size_t)n * sizeof *values);
}

static ncclResult_t run_sort(struct lab_run *r)
{
    struct problem p = problem_of(r);
    struct moe_route route;
    int *const order = calloc((size_t)p.ntokens, sizeof *order);
    moe_sort(p.expert, p.ntokens, r->nranks, order, &route);
    show(r, "order", order, p.ntokens);
    show(r, "send_count", route.send_count, r->nranks);
    show(r, "send_begin", route.send_begin, r->nranks);
    free(order);
    problem_release(&p);
    return ncclSuccess;
}

/* The true route, as far as this rank knows it without communication. */
static void own_route(struct lab_run *r, const struct problem *p, int *order,
                      struct moe_route *route)
{
    int at = 0;
    for (int e = 0; e < r->nranks; e++) {
        route->send_begin[e] = at;
        for (int t = 0; t < p->ntokens; t++)
            if (p->expert[t] == e)
                order[at++] = t;
        route->send_count[e] = at - route->send_begin[e];
    }
}

/* The same route for each of `pieces`. */
static ncclResult_t run_counts(struct lab_run *r)
{
    struct problem p = problem_of(r);
    struct moe_route route[MOE_MAX_PIECES];
    int *const order = malloc((size_t)p.ntokens * sizeof *order);
    for (int i = 0; i < p.npieces; i++)
        own_route(r, &p, order, &route[i]);
    free(order);
    lab_begin(r);
    LAB_TRY(moe_exchange_counts(&p.m, route, p.npieces));
    lab_end(r);
    const struct moe_route *const last = &route[p.npieces - 1];
    show(r, "recv_count", last->recv_count, r->nranks);
    show(r, "recv_begin", last->recv_begin, r->nranks);
    lab_metric(r, "nrecv", last->nrecv);
    problem_release(&p);
    return ncclSuccess;
}

/* ---- part 2 -------------------------------------------------------------- */

/* The complete route, exchanged by MPI, so that part 2 can be written before
 * part 1. */
static void whole_route(struct lab_run *r, const struct problem *p,
                        struct moe_route *route)
{
    int *const order = malloc((size_t)p->ntokens * sizeof *order);
    own_route(r, p, order, route);
    free(order);
    MPI_MUST(MPI_Alltoall(route->send_count, 1, MPI_INT, route->recv_count, 1,
                          MPI_INT, r->mpi_comm));
    route->nrecv = 0;
    for (int s = 0; s < r->nranks; s++) {
        route->recv_begin[s] = route->nrecv;
        route->nrecv += route->recv_count[s];
    }
}

/* Dispatch tokens that are already in expert order, and record those that
 * arrive. */
static ncclResult_t run_dispatch(struct lab_run *r)
{
    struct problem p = problem_of(r);
    struct moe_route route;
    whole_route(r, &p, &route);
    const float *const in = lab_input(r, p.floats, DATA_FLOAT);
    const size_t room = (size_t)r->nranks * p.floats * sizeof *in;
    lab_begin(r);
    LAB_TRY(moe_dispatch(&p.m, &route, in, p.space.arrived, r->stream));
    lab_end(r);
    lab_output(r, "arrived", p.space.arrived, room);
    problem_release(&p);
    return ncclSuccess;
}

/* Dispatch and return tokens: every rank has its own again. */
static ncclResult_t run_return(struct lab_run *r)
{
    struct problem p = problem_of(r);
    struct moe_route route;
    whole_route(r, &p, &route);
    const float *const in = lab_input(r, p.floats, DATA_FLOAT);
    LAB_TRY(moe_dispatch(&p.m, &route, in, p.space.arrived, r->stream));
    lab_begin(r);
    LAB_TRY(
        moe_return(&p.m, &route, p.space.arrived, p.space.packed, r->stream));
    lab_end(r);
    lab_output(r, "packed", p.space.packed, p.floats * sizeof *in);
    problem_release(&p);
    return ncclSuccess;
}

/* ---- parts 3 and 4 ------------------------------------------------------- */

static ncclResult_t run_layer(struct lab_run *r)
{
    struct problem p = problem_of(r);
    const float *const in = lab_input(r, p.floats, DATA_FLOAT);
    float *const out = lab_buffer(r, p.floats * sizeof *out);
    lab_begin(r);
    LAB_TRY(moe_layer(&p.m, in, p.expert, p.gate, p.ntokens, out, &p.space));
    lab_end(r);
    lab_output(r, "out", out, p.floats * sizeof *out);
    problem_release(&p);
    return ncclSuccess;
}

static ncclResult_t run_overlap(struct lab_run *r)
{
    struct problem p = problem_of(r);
    const float *const in = lab_input(r, p.floats, DATA_FLOAT);
    float *const out = lab_buffer(r, p.floats * sizeof *out);
    lab_begin(r);
    LAB_TRY(moe_layer_overlapped(&p.m, in, p.expert, p.gate, p.ntokens,
                                 p.npieces, out, &p.space));
    lab_end(r);
    lab_output(r, "out", out, p.floats * sizeof *out);
    problem_release(&p);
    return ncclSuccess;
}

static const struct lab_kind kinds[] = {
    {"sort", run_sort},
    {"counts", run_counts},
    {"dispatch", run_dispatch},
    {"return", run_return},
    {"layer", run_layer},
    {"overlap", run_overlap},
    {"choose", run_choose},
    {"keep", run_keep},
    {"balance", run_balance},
    {"topk", run_topk},
    {"direct", run_direct},
    {"direct-dispatch", run_direct_dispatch},
    {"direct-combine", run_direct_combine},
    {"backward", run_backward},
    {"quantise", run_quantise},
    {"fp8", run_fp8},
    {"fp8-dispatch", run_fp8_dispatch},
    {NULL, NULL},
};

static const struct lab_command commands[] = {
    {"--latency",
     "[--max-tokens N]: dispatch and combine without a host, next to what was "
     "measured on 8 GPUs",
     latency_print},
    {"--fp8",
     ": a dispatch without a host, with 4 bytes for each element and with 1",
     fp8_print},
    {"--nodes",
     ": a dispatch over several nodes, and the combine, with a token once for "
     "each choice, rank or node",
     nodes_print},
    {NULL, NULL, NULL},
};

const struct lab lab = {
    .name = "lab7-expert-parallel",
    .brief = "a layer whose weights are on different GPUs",
    .kinds = kinds,
    .commands = commands,
};
