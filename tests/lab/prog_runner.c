/* links: lab judge graph topo base
 * A lab for the runner's tests: each kind of case is a way in which student
 * code may behave.
 */
#include <nvtx3/nvToolsExt.h> /* nvtxRangePop */
#include <pthread.h>          /* pthread_create */
#include <signal.h>           /* raise */
#include <stdio.h>            /* printf */
#include <stdlib.h>           /* exit */
#include <time.h>             /* clock */
#include <unistd.h>           /* sleep */

#include "judge/needs.h"
#include "lab/lab.h"

enum { COUNT = 1024, NBYTES = COUNT * 4 };

/* ---- what ranks do ------------------------------------------------------- */

static ncclResult_t sum(struct lab_run *r, float *data)
{
    return ncclAllReduce(data, data, COUNT, ncclFloat, ncclSum, r->comm,
                         r->stream);
}

static ncclResult_t size_of(const struct lab_run *r, size_t *nbytes)
{
    LAB_TRY_CUDA(cudaGetLastError());
    *nbytes = (size_t)plan_int(r->c, "count", COUNT) * 4;
    return ncclSuccess;
}

/* It compiles without a warning that nbytes may have no value, because the
 * compiler sees that LAB_TRY_CUDA() returns errors only. */
static ncclResult_t fine(struct lab_run *r)
{
    size_t nbytes;
    float *const data = lab_input(r, COUNT, ncclFloat);
    LAB_TRY(size_of(r, &nbytes));
    lab_begin(r);
    LAB_TRY(sum(r, data));
    lab_end(r);
    lab_output(r, "data", data, nbytes);
    return ncclSuccess;
}

static ncclResult_t hole(struct lab_run *r)
{
    (void)r;
    LAB_HOLE("part 1: all of it");
}

/* Half written: it works up to the hole. */
static ncclResult_t hole_behind_work(struct lab_run *r)
{
    float *const data = lab_input(r, COUNT, ncclFloat);
    lab_begin(r);
    LAB_TRY(sum(r, data));
    LAB_HOLE("part 1: the second half");
}

/* The root's part is written, the others' is not: the root returns. */
static ncclResult_t hole_on_others(struct lab_run *r)
{
    lab_begin(r);
    if (r->rank != 0)
        LAB_HOLE("part 1: on the other ranks");
    lab_end(r);
    return ncclSuccess;
}

/* The last rank's part is not written, and the others wait for it in NCCL. */
static ncclResult_t hole_others_wait_for(struct lab_run *r)
{
    float *const data = lab_input(r, COUNT, ncclFloat);
    lab_begin(r);
    if (r->rank == r->nranks - 1)
        LAB_HOLE("part 1: on the last rank");
    LAB_TRY(sum(r, data));
    lab_end(r);
    return ncclSuccess;
}

static ncclResult_t hole_in_group(struct lab_run *r)
{
    (void)r;
    LAB_TRY(ncclGroupStart());
    LAB_HOLE("part 1: inside of a group");
}

static ncclResult_t error(struct lab_run *r)
{
    LAB_TRY(
        ncclAllReduce(NULL, NULL, COUNT, ncclFloat, ncclSum, NULL, r->stream));
    return ncclSuccess;
}

/* Student code's own ranges, some of them not closed, or closed too often. */
static ncclResult_t ranges(struct lab_run *r)
{
    const int pops = (int)plan_int(r->c, "pops", 0);
    float *const data = lab_input(r, COUNT, ncclFloat);
    lab_begin(r);
    for (int i = 0; i < pops; i++)
        nvtxRangePop();
    nvtxRangePushA("mine");
    nvtxRangePushA("fine #0"); // another case's name
    LAB_TRY(sum(r, data));
    lab_end(r);
    lab_output(r, "data", data, NBYTES);
    return ncclSuccess;
}

/* Holds at most 3 MiB, and 1 MiB at the end, with either allocator. */
static ncclResult_t memory(struct lab_run *r)
{
    enum { MIB = 1 << 20 };
    void *a, *b, *c;
    float *const data = lab_input(r, COUNT, ncclFloat);
    lab_begin(r);
    LAB_TRY_CUDA(cudaMalloc(&a, MIB));
    LAB_TRY_CUDA(cudaMallocAsync(&b, 2 * MIB, r->stream));
    LAB_TRY_CUDA(cudaFreeAsync(b, r->stream));
    LAB_TRY_CUDA(cudaMalloc(&c, MIB));
    LAB_TRY_CUDA(cudaFree(a));
    lab_end(r);
    LAB_TRY_CUDA(cudaFree(c));
    lab_output(r, "data", data, NBYTES);
    return ncclSuccess;
}

static void *synchronise(void *arg)
{
    cudaStreamSynchronize(((struct lab_run *)arg)->stream);
    return NULL;
}

static ncclResult_t thread(struct lab_run *r)
{
    pthread_t t;
    float *const data = lab_input(r, COUNT, ncclFloat);
    lab_begin(r);
    LAB_TRY(sum(r, data));
    pthread_create(&t, NULL, synchronise, r);
    pthread_join(t, NULL);
    lab_end(r);
    lab_output(r, "data", data, NBYTES);
    return ncclSuccess;
}

/* ---- ways to end a run --------------------------------------------------- */

static int none = 0;
static volatile int endless = 1;

static int *nowhere(void)
{
    return none ? &none : NULL;
}

static ncclResult_t hangs(struct lab_run *r)
{
    float *const data = lab_input(r, COUNT, ncclFloat);
    lab_begin(r);
    if (r->rank != 0)
        LAB_TRY(sum(r, data));
    lab_end(r);
    return ncclSuccess;
}

/* Rank 1 leaves with an error while the others wait for it in MPI. */
static ncclResult_t leaves(struct lab_run *r)
{
    LAB_TRY(r->rank == 1 ? ncclInvalidUsage : ncclSuccess);
    MPI_Bcast(&none, 1, MPI_INT, 0, r->mpi_comm);
    MPI_Barrier(r->mpi_comm);
    return ncclSuccess;
}

static ncclResult_t crashes(struct lab_run *r)
{
    if (r->rank == 1)
        *nowhere() = 5;
    return ncclSuccess;
}

static ncclResult_t exits(struct lab_run *r)
{
    if (r->rank == 1)
        exit(0);
    return ncclSuccess;
}

static ncclResult_t mpi_fails(struct lab_run *r)
{
    if (r->rank == 1)
        MPI_Send(r, 1, MPI_INT, r->nranks, 0, r->mpi_comm);
    return ncclSuccess;
}

static ncclResult_t floods(struct lab_run *r)
{
    while (endless)
        printf("rank %d has not finished yet, nor will it ever\n", r->rank);
    return ncclSuccess;
}

static ncclResult_t loops(struct lab_run *r)
{
    while (r->rank == 0 && endless) {
    }
    return ncclSuccess;
}

static ncclResult_t sleeps(struct lab_run *r)
{
    sleep(r->rank == 0 ? 1000 : 0);
    return ncclSuccess;
}

/* Takes a core for a second and a half, however long it waits for it. */
static ncclResult_t computes(struct lab_run *r)
{
    while (clock() < 3 * CLOCKS_PER_SEC / 2) {
    }
    return fine(r);
}

static ncclResult_t polls(struct lab_run *r)
{
    cudaEvent_t never;
    LAB_TRY_CUDA(cudaEventCreate(&never));
    while (cudaStreamQuery(r->stream) == cudaSuccess && endless) {
    }
    return ncclSuccess;
}

static ncclResult_t mismatches(struct lab_run *r)
{
    float *const data = lab_input(r, COUNT, ncclFloat);
    LAB_TRY(ncclAllReduce(data, data, COUNT - (size_t)r->rank, ncclFloat,
                          ncclSum, r->comm, r->stream));
    return ncclSuccess;
}

static ncclResult_t dereferences(struct lab_run *r)
{
    float *const data = lab_input(r, COUNT, ncclFloat);
    data[0] = 1;
    return ncclSuccess;
}

static ncclResult_t aborts(struct lab_run *r)
{
    if (r->rank == 0)
        abort();
    return ncclSuccess;
}

static ncclResult_t is_killed(struct lab_run *r)
{
    if (r->rank == 1)
        raise(SIGKILL);
    return ncclSuccess;
}

/* Asks the kit for more memory than there is. */
static ncclResult_t starves(struct lab_run *r)
{
    lab_buffer(r, (size_t)1 << 50);
    return ncclSuccess;
}

static const struct lab_kind kinds[] = {
    {"starves", starves},
    {"hangs", hangs},
    {"leaves", leaves},
    {"crashes", crashes},
    {"exits", exits},
    {"mpi_fails", mpi_fails},
    {"floods", floods},
    {"loops", loops},
    {"polls", polls},
    {"sleeps", sleeps},
    {"computes", computes},
    {"mismatches", mismatches},
    {"dereferences", dereferences},
    {"aborts", aborts},
    {"is-killed", is_killed},
    {"fine", fine},
    {"hole", hole},
    {"hole-behind-work", hole_behind_work},
    {"hole-on-others", hole_on_others},
    {"hole-others-wait-for", hole_others_wait_for},
    {"hole-in-group", hole_in_group},
    {"error", error},
    {"ranges", ranges},
    {"thread", thread},
    {"memory", memory},
    {NULL, NULL},
};
const struct lab lab = {
    .name = "runner", .brief = "ways to behave", .kinds = kinds};

/* ---- the lab ------------------------------------------------------------- */

static void judge_any(const struct judge_task *t, struct judge_verdict *v)
{
    for (int rank = 0; rank < t->nranks; rank++)
        for (int i = 0; i < t->iterations; i++)
            judge_output(t, rank, i, "data", NBYTES, v);
}

static void judge_memory(const struct judge_task *t, struct judge_verdict *v)
{
    const double own = NBYTES + 2 * JUDGE_RED_ZONE, mib = 1 << 20;
    for (int rank = 0; rank < t->nranks; rank++)
        for (unsigned i = 0; i < (unsigned)t->iterations; i++) {
            const double peak =
                evidence_metric(t->evidence, rank, t->case_no, i, "peak_bytes");
            const double live = evidence_metric(t->evidence, rank, t->case_no,
                                                i, "device_bytes");
            if (peak != own + 3 * mib || live != own + mib)
                judge_fail(v, "rank %d holds %.0f bytes, %.0f at most", rank,
                           live, peak);
        }
}

static double limit(const struct judge_task *t)
{
    return (double)plan_int(t->c, "limit", 1);
}

#define ANY(kind)                                                              \
    {                                                                          \
        .name = kind, .judge = judge_any, .limit_us = limit                    \
    }
static const struct judge_kind judge_kinds[] = {
    ANY("fine"),
    ANY("hole"),
    ANY("hole-behind-work"),
    ANY("hole-on-others"),
    ANY("hole-others-wait-for"),
    ANY("hole-in-group"),
    ANY("error"),
    ANY("hangs"),
    ANY("leaves"),
    ANY("crashes"),
    ANY("exits"),
    ANY("mpi_fails"),
    ANY("floods"),
    ANY("loops"),
    ANY("polls"),
    ANY("sleeps"),
    ANY("computes"),
    ANY("mismatches"),
    ANY("dereferences"),
    ANY("aborts"),
    ANY("is-killed"),
    ANY("ranges"),
    ANY("thread"),
    {.name = "memory", .judge = judge_memory},
    {.name = NULL},
};
/* with: {gpus: 1}: a GPU of its own for each rank; {nodes: N}: so many. */
static int needs(const struct plan_case *c, const struct judge_place *p,
                 char *text, size_t nbytes)
{
    const int nodes = (int)plan_int(c, "nodes", 0);
    if (plan_int(c, "gpus", 0) && p->nranks > p->ngpus)
        snprintf(text, nbytes, "at most %d ranks", p->ngpus);
    else if (nodes && p->nnodes != nodes)
        snprintf(text, nbytes, "ranks on %d nodes, not %d", nodes, p->nnodes);
    return text[0] != 0;
}

static const struct judge_lab judge = {
    .lab = "runner", .kinds = judge_kinds, .needs = needs};
const struct judge_lab *const judge_labs[] = {&judge, NULL};
