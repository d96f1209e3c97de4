/*
 * cases.c: runs lab 0's cases. Given: nothing to edit here.
 *
 * Functions on ordinary memory get arrays that end in guards (terms.h); their
 * results are copied to the device to be recorded.
 */
#include <stdlib.h> /* malloc */

#include "base/must.h"
#include "judge/data.h"
#include "lab/lab.h"
#include "lab0.h"
#include "show.h" /* the command */
#include "terms.h"

extern const struct judge_lab judge_lab0;
const struct judge_lab *const judge_labs[] = {&judge_lab0, NULL};

static int count_of(const struct lab_run *r)
{
    return (int)plan_int(r->c, "count", 1024);
}

/* A rank that the plan names, modulo the number of ranks. */
static int rank_of(const struct lab_run *r, const char *key, int otherwise)
{
    return (int)plan_int(r->c, key, otherwise) % r->nranks;
}

/* ---- MPI ----------------------------------------------------------------- */

/* n ints and their guards, still unwritten. The caller frees them. */
static int *unwritten(int n)
{
    int *const ints = malloc((size_t)(n + TERMS_GUARDS) * sizeof *ints);
    for (int i = 0; i < n + TERMS_GUARDS; i++)
        ints[i] = TERMS_GUARD;
    return ints;
}

/* n values of this rank's input, on the host. */
static void draw(struct lab_run *r, void *out, size_t n, enum data_type type)
{
    const struct draw_ask d = {.what = DRAW_DATA, .arg = {type}};
    lab_draw(r, &d, out, n * data_size(type));
}

/* This rank's input: n ints. The caller frees them. */
static int *input(struct lab_run *r, int n)
{
    int *const ints = malloc((size_t)n * sizeof *ints);
    draw(r, ints, (size_t)n, DATA_INT32);
    return ints;
}

/* Record n elements of 4 bytes and their guards, and free them. */
static void show(struct lab_run *r, const char *name, void *values, int n)
{
    const size_t nbytes = (size_t)(n + TERMS_GUARDS) * 4;
    lab_output(r, name, lab_upload(r, values, nbytes), nbytes);
    free(values);
}

static ncclResult_t run_message(struct lab_run *r)
{
    const int n = count_of(r), from = rank_of(r, "from", 0);
    const int to = rank_of(r, "to", 1);
    int *const out = input(r, n), *const in = unwritten(n);
    lab_begin(r);
    if (from != to) // from == to: the judge asks for two ranks
        first_message(out, in, n, from, to, r->mpi_comm);
    lab_end(r);
    show(r, "in", in, n);
    free(out);
    return ncclSuccess;
}

static ncclResult_t run_share(struct lab_run *r)
{
    const int n = count_of(r), root = rank_of(r, "root", 0);
    int *const values = unwritten(n);
    if (r->rank == root)
        draw(r, values, (size_t)n, DATA_INT32);
    lab_begin(r);
    first_share(values, n, root, r->mpi_comm);
    lab_end(r);
    show(r, "values", values, n);
    return ncclSuccess;
}

static ncclResult_t run_ring(struct lab_run *r)
{
    const int n = terms_ring_count(count_of(r), r->nranks);
    int *const mine = input(r, n), *const all = unwritten(n * r->nranks);
    lab_begin(r);
    first_ring(mine, all, n, r->mpi_comm);
    lab_end(r);
    show(r, "all", all, n * r->nranks);
    free(mine);
    return ncclSuccess;
}

/* ---- CUDA ---------------------------------------------------------------- */

static ncclResult_t run_trip(struct lab_run *r)
{
    const size_t n = (size_t)count_of(r), whole = n + TERMS_GUARDS;
    float *const in = malloc(whole * sizeof *in);
    float *const out = malloc(whole * sizeof *out);
    draw(r, in, n, DATA_FLOAT);
    for (size_t i = 0; i < whole; i++)
        out[i] = TERMS_GUARD;
    lab_begin(r);
    LAB_TRY(first_trip(in, out, n));
    lab_end(r);
    show(r, "out", out, (int)n);
    free(in);
    return ncclSuccess;
}

static ncclResult_t run_axpy(struct lab_run *r)
{
    const size_t n = (size_t)count_of(r), nbytes = n * sizeof(float);
    const struct draw_ask of_y = {
        .what = DRAW_DATA, .npath = 1, .path = {TERMS_Y}, .arg = {DATA_FLOAT}};
    const float *const x = lab_input(r, n, DATA_FLOAT);
    float *const y = lab_draw_buffer(r, &of_y, nbytes);
    lab_begin(r);
    LAB_TRY(first_axpy(TERMS_A, x, y, n, r->stream));
    lab_end(r);
    lab_output(r, "y", y, nbytes);
    return ncclSuccess;
}

static void make_streams(cudaStream_t stream[2])
{
    for (int i = 0; i < 2; i++)
        CUDA_MUST(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
}

static void release_streams(cudaStream_t stream[2])
{
    for (int i = 0; i < 2; i++)
        CUDA_MUST(cudaStreamDestroy(stream[i]));
}

static ncclResult_t run_order(struct lab_run *r)
{
    const size_t n = (size_t)count_of(r);
    cudaStream_t stream[2];
    float *const x = lab_input(r, n, DATA_FLOAT);
    make_streams(stream);
    lab_begin(r);
    LAB_TRY(first_order(x, n, stream[0], stream[1]));
    lab_end(r);
    lab_output(r, "x", x, n * sizeof *x);
    release_streams(stream);
    return ncclSuccess;
}

static ncclResult_t run_overlap(struct lab_run *r)
{
    const size_t n = (size_t)count_of(r), nbytes = n * sizeof(float);
    cudaStream_t stream[2];
    float *in, *out;
    struct first_work w = {.device = lab_buffer(r, nbytes),
                           .count = n,
                           .npieces = (int)plan_int(r->c, "pieces", 4)};
    CUDA_MUST(cudaMallocHost((void **)&in, nbytes));
    CUDA_MUST(cudaMallocHost((void **)&out, nbytes));
    draw(r, in, n, DATA_FLOAT);
    for (size_t i = 0; i < n; i++)
        out[i] = TERMS_GUARD;
    w.in = in, w.out = out;
    make_streams(stream);
    w.up = stream[0], w.down = stream[1];
    lab_begin(r);
    LAB_TRY(first_overlap(&w));
    lab_end(r);
    lab_output(r, "out", lab_upload(r, out, nbytes), nbytes);
    release_streams(stream);
    CUDA_MUST(cudaFreeHost(in));
    CUDA_MUST(cudaFreeHost(out));
    return ncclSuccess;
}

/* ---- NCCL ---------------------------------------------------------------- */

/* Sums the input of all ranks on the student's communicator. */
static ncclResult_t run_comm(struct lab_run *r)
{
    const size_t n = (size_t)count_of(r);
    ncclComm_t comm = NULL;
    int rank, nranks;
    float *const x = lab_input(r, n, DATA_FLOAT);
    lab_begin(r);
    LAB_TRY(first_comm(r->mpi_comm, &comm));
    lab_end(r);
    LAB_TRY(ncclCommUserRank(comm, &rank));
    LAB_TRY(ncclCommCount(comm, &nranks));
    lab_metric(r, "rank", rank);
    lab_metric(r, "nranks", nranks);
    LAB_TRY(ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    lab_output(r, "sum", x, n * sizeof *x);
    LAB_TRY(ncclCommDestroy(comm));
    return ncclSuccess;
}

/* Ranks 0 and 1 are partners, 2 and 3, and so on; if the number of ranks is
 * odd, the last one is its own partner. */
static ncclResult_t run_swap(struct lab_run *r)
{
    const size_t n = (size_t)count_of(r);
    const int other = r->rank ^ 1;
    const float *const in = lab_input(r, n, DATA_FLOAT);
    float *const out = lab_buffer(r, n * sizeof *out);
    lab_begin(r);
    LAB_TRY(first_swap(in, out, n, other < r->nranks ? other : r->rank, r->comm,
                       r->stream));
    lab_end(r);
    lab_output(r, "recvbuf", out, n * sizeof *out);
    return ncclSuccess;
}

static ncclResult_t run_collectives(struct lab_run *r)
{
    const size_t each = (size_t)count_of(r), size = sizeof(float);
    const size_t n = each * (size_t)r->nranks;
    const float *const in = lab_input(r, n, DATA_FLOAT);
    const struct first_tour tour = {
        .broadcast = lab_buffer(r, n * size),
        .all_gather = lab_buffer(r, (size_t)r->nranks * n * size),
        .reduce_scatter = lab_buffer(r, each * size),
        .all_reduce = lab_buffer(r, n * size),
    };
    lab_begin(r);
    LAB_TRY(first_collectives(in, &tour, n, rank_of(r, "root", 0), r->comm,
                              r->stream));
    lab_end(r);
    lab_output(r, "broadcast", tour.broadcast, n * size);
    lab_output(r, "all_gather", tour.all_gather, (size_t)r->nranks * n * size);
    lab_output(r, "reduce_scatter", tour.reduce_scatter, each * size);
    lab_output(r, "all_reduce", tour.all_reduce, n * size);
    return ncclSuccess;
}

static const struct lab_kind kinds[] = {
    {"message", run_message},
    {"share", run_share},
    {"ring", run_ring},
    {"trip", run_trip},
    {"axpy", run_axpy},
    {"order", run_order},
    {"overlap", run_overlap},
    {"comm", run_comm},
    {"swap", run_swap},
    {"collectives", run_collectives},
    {NULL, NULL},
};

static const struct lab_command commands[] = {
    {"--show", "collectives, race, hang or timeline: for the handout",
     show_run},
    {NULL, NULL, NULL},
};

const struct lab lab = {
    .name = "lab0-first-steps",
    .brief = "first steps with MPI, CUDA and NCCL",
    .kinds = kinds,
    .commands = commands,
};
