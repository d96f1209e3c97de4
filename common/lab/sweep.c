#include "lab/sweep.h"

#include <stdlib.h> /* malloc */

#include "base/must.h"
#include "lab/run.h"
#include "lab/sweep_options.h"

/* ---- one size ------------------------------------------------------------ */

struct size { /* the size of one operation */
    enum bench_shape shape;
    size_t count;      /* count argument of NCCL's call */
    size_t send, recv; /* elements in this rank's buffers */
    size_t whole;      /* elements in the larger kind of buffer */
    int gets;          /* the call defines this rank's recvbuf */
    size_t element;    /* bytes per element */
};

/* The size whose larger buffer has about nbytes. */
static struct size size_of(const struct sweep *s, enum bench_shape shape,
                           size_t nbytes)
{
    const size_t n = (size_t)s->r->nranks;
    struct size z = {.shape = shape, .element = data_size(s->type)};
    const int blocked = bench_is_blocked(shape);
    z.count = nbytes / z.element / (blocked ? n : 1);
    z.count += z.count == 0;
    z.whole = z.count * (blocked ? n : 1);
    z.send =
        shape == BENCH_ALL_GATHER || shape == BENCH_GATHER ? z.count : z.whole;
    z.recv = shape == BENCH_REDUCE_SCATTER || shape == BENCH_SCATTER ? z.count
                                                                     : z.whole;
    z.gets = (shape != BENCH_REDUCE && shape != BENCH_GATHER) ||
             s->r->rank == s->root;
    return z;
}

static int can_be_in_place(enum bench_shape shape)
{
    return shape != BENCH_ALL_TO_ALL && shape != BENCH_SEND_RECV;
}

/* True if buffers of this size keep their contents and results are checked. */
static int is_checked(const struct sweep *s, const struct size *z)
{
    return s->check && z->whole * z->element + 2 * JUDGE_RED_ZONE < s->contents;
}

/* Make buffers with fresh inputs. In place, one buffer is part of the other. */
static struct sweep_call prepare(const struct sweep *s, const struct size *z,
                                 int in_place)
{
    struct lab_run *const r = s->r;
    const size_t own = (size_t)r->rank * z->count * z->element;
    char *send = is_checked(s, z) ? lab_input(r, z->send, (int)s->type)
                                  : lab_buffer(r, z->send * z->element);
    char *recv = in_place && z->send >= z->recv
                     ? send
                     : lab_buffer(r, z->recv * z->element);
    // recvbuf is this rank's block of sendbuf
    if (in_place && z->send > z->recv)
        recv = send + own;
    if (in_place && z->recv > z->send) {
        CUDA_MUST(cudaMemcpyAsync(recv + own, send, z->send * z->element,
                                  cudaMemcpyDeviceToDevice, r->stream));
        send = recv + own;
    }
    struct sweep_call c = {.r = r,
                           .sendbuf = send,
                           .recvbuf = recv,
                           .count = z->count,
                           .type = (ncclDataType_t)s->type,
                           .op = (ncclRedOp_t)s->redop,
                           .root = s->root,
                           .scratch_nbytes = 2 * z->whole * z->element + 64};
    c.scratch = lab_buffer(r, c.scratch_nbytes);
    return c;
}

/* ---- expected results ---------------------------------------------------- */

static uint64_t seed_of(int rank)
{
    return judge_seed(1, (uint64_t)rank);
}

/* Elements [begin, begin + count) of rank's input. */
static void input_at(const struct sweep *s, int rank, size_t begin,
                     size_t count, char *out)
{
    const size_t size = data_size(s->type);
    for (size_t i = 0; i < count; i++)
        data_set(out + i * size, 0, s->type,
                 data_value(seed_of(rank), begin + i, s->type));
}

/* Elements [begin, begin + count) of all ranks' inputs, reduced. `in` is
 * scratch memory for as many elements. */
static void reduced(const struct sweep *s, size_t begin, size_t count,
                    char *want, char *in)
{
    input_at(s, 0, begin, count, want);
    for (int k = 1; k < s->r->nranks; k++) {
        input_at(s, k, begin, count, in);
        data_combine(want, in, count, s->type, s->redop);
    }
}

/*
 * The whole reduction, which all ranks need: each rank computes a part, and the
 * ranks exchange their parts. If every rank computed all of it, that would take
 * n^2 inputs, which is minutes at 64 ranks.
 */
static void shared_reduction(const struct sweep *s, const struct size *z,
                             char *want, char *in)
{
    const int n = s->r->nranks;
    int count[n], at[n];
    MPI_Datatype element;
    for (int k = 0; k < n; k++) {
        at[k] = (int)(z->whole * (size_t)k / (size_t)n);
        count[k] = (int)(z->whole * ((size_t)k + 1) / (size_t)n) - at[k];
    }
    const size_t own = (size_t)at[s->r->rank];
    reduced(s, own, (size_t)count[s->r->rank], want + own * z->element, in);
    MPI_MUST(MPI_Type_contiguous((int)z->element, MPI_BYTE, &element));
    MPI_MUST(MPI_Type_commit(&element));
    MPI_MUST(MPI_Allgatherv(MPI_IN_PLACE, 0, element, want, count, at, element,
                            s->r->mpi_comm));
    MPI_MUST(MPI_Type_free(&element));
}

/* The plain reference for this rank's recvbuf. `in` is scratch memory for as
 * many elements. All ranks call. */
static void reference(const struct sweep *s, const struct size *z, char *want,
                      char *in)
{
    const int n = s->r->nranks, rank = s->r->rank;
    const size_t count = z->count, own = (size_t)rank * count;
    const size_t block = count * z->element;
    switch (z->shape) {
    case BENCH_ALL_REDUCE:
    case BENCH_REDUCE: shared_reduction(s, z, want, in); break;
    case BENCH_REDUCE_SCATTER: reduced(s, own, count, want, in); break;
    case BENCH_BROADCAST: input_at(s, s->root, 0, count, want); break;
    case BENCH_SCATTER: input_at(s, s->root, own, count, want); break;
    case BENCH_SEND_RECV:
        input_at(s, (rank - 1 + n) % n, 0, count, want);
        break;
    default: // a block from every rank
        for (int k = 0; k < n; k++)
            input_at(s, k, z->shape == BENCH_ALL_TO_ALL ? own : 0, count,
                     want + (size_t)k * block);
    }
}

/* The number of wrong elements in all ranks' results. */
static long count_wrong(const struct sweep *s, const struct size *z,
                        const struct sweep_call *c)
{
    const size_t nbytes = z->recv * z->element;
    char *const got = malloc(nbytes), *const want = malloc(nbytes),
                *const in = malloc(nbytes);
    long mine = 0, all = 0;
    if (!got || !want || !in)
        must_stop(__FILE__, __LINE__, "malloc", "out of memory");
    CUDA_MUST(cudaMemcpy(got, c->recvbuf, nbytes, cudaMemcpyDeviceToHost));
    reference(s, z, want, in);
    if (z->gets)
        mine = (long)data_differ(got, want, z->recv, s->type);
    free(got);
    free(want);
    free(in);
    MPI_MUST(MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, s->r->mpi_comm));
    return all;
}

/* ---- measuring ----------------------------------------------------------- */

/* The mean time of a call in microseconds, on the slowest rank. */
static ncclResult_t measure(const struct sweep *s, const struct sweep_op *op,
                            const struct sweep_call *c, double *us)
{
    cudaEvent_t begin, end;
    float ms;
    CUDA_MUST(cudaEventCreate(&begin));
    CUDA_MUST(cudaEventCreate(&end));
    for (int i = 0; i < s->warmup; i++)
        LAB_TRY(op->run(c));
    CUDA_MUST(cudaStreamSynchronize(s->r->stream));
    MPI_MUST(MPI_Barrier(s->r->mpi_comm));
    CUDA_MUST(cudaEventRecord(begin, s->r->stream));
    for (int i = 0; i < s->iterations; i++)
        LAB_TRY(op->run(c));
    CUDA_MUST(cudaEventRecord(end, s->r->stream));
    CUDA_MUST(cudaEventSynchronize(end));
    CUDA_MUST(cudaEventElapsedTime(&ms, begin, end));
    CUDA_MUST(cudaEventDestroy(begin));
    CUDA_MUST(cudaEventDestroy(end));
    const double mine = ms * 1000.0 / s->iterations;
    MPI_MUST(MPI_Allreduce(&mine, us, 1, MPI_DOUBLE, MPI_MAX, s->r->mpi_comm));
    return ncclSuccess;
}

/* Check and time one size, in place or not. */
static ncclResult_t one_way(const struct sweep *s, const struct sweep_op *op,
                            const struct size *z, int in_place,
                            struct bench_time *t)
{
    *t = (struct bench_time){.wrong = -1};
    if (in_place ? !can_be_in_place(z->shape) : s->in_place)
        return ncclSuccess;
    const struct sweep_call c = prepare(s, z, in_place);
    CUDA_MUST(cudaStreamSynchronize(s->r->stream));
    LAB_TRY(op->run(&c));
    CUDA_MUST(cudaStreamSynchronize(s->r->stream));
    if (is_checked(s, z))
        t->wrong = count_wrong(s, z, &c);
    LAB_TRY(measure(s, op, &c, &t->us));
    CUDA_MUST(cudaDeviceSynchronize());
    lab_free_buffers();
    t->shown = 1;
    return ncclSuccess;
}

static ncclResult_t one_size(const struct sweep *s, const struct sweep_op *op,
                             size_t nbytes, struct bench *b)
{
    const struct size z = size_of(s, op->shape, nbytes);
    struct bench_row row = {.shape = z.shape,
                            .nranks = s->r->nranks,
                            .nbytes = z.whole * z.element,
                            .count = z.count,
                            .type = data_type_name(s->type),
                            .root = bench_has_root(z.shape) ? s->root : -1};
    if (bench_reduces(z.shape))
        row.redop = data_op_name(s->redop);
    LAB_TRY(one_way(s, op, &z, 0, &row.out_of_place));
    LAB_TRY(one_way(s, op, &z, 1, &row.in_place));
    if (s->r->rank == 0)
        bench_row(b, &row);
    else
        b->wrong += row.out_of_place.wrong > 0 || row.in_place.wrong > 0;
    return ncclSuccess;
}

/* ---- the command --------------------------------------------------------- */

/* Print each rank's device, in the form of nccl-tests. */
static void print_devices(const struct sweep *s)
{
    struct cudaDeviceProp p;
    char mine[160], line[160];
    struct lab_run *const r = s->r;
    CUDA_MUST(cudaGetDeviceProperties(&p, r->device));
    snprintf(mine, sizeof mine, "#  Rank %2d device %2d [0x%02x] %.80s",
             r->rank, r->device, p.pciBusID, p.name);
    if (r->rank != 0) {
        MPI_MUST(MPI_Send(mine, sizeof mine, MPI_CHAR, 0, 0, r->mpi_comm));
        return;
    }
    printf(
        "# minBytes %zu maxBytes %zu step: 2(factor) warmup iters: %d iters: "
        "%d validation: %d\n#\n# Using devices\n%s\n",
        s->min_nbytes, s->max_nbytes, s->warmup, s->iterations, s->check, mine);
    for (int k = 1; k < r->nranks; k++) {
        MPI_MUST(MPI_Recv(line, sizeof line, MPI_CHAR, k, 0, r->mpi_comm,
                          MPI_STATUS_IGNORE));
        puts(line);
    }
}

static ncclResult_t sweep_op(const struct sweep *s, const struct sweep_op *op,
                             struct bench *b, long *wrong)
{
    b->wrong = 0;
    if (s->r->rank == 0)
        bench_head(b, stdout, op->name);
    for (int i = 0; i < s->nsizes; i++)
        LAB_TRY(one_size(s, op, s->size[i], b));
    for (size_t nbytes = s->min_nbytes;
         s->nsizes == 0 && nbytes <= s->max_nbytes; nbytes *= 2)
        LAB_TRY(one_size(s, op, nbytes, b));
    if (s->r->rank == 0)
        bench_foot(b);
    *wrong += b->wrong;
    return ncclSuccess;
}

int sweep_main(struct lab_run *r, const struct sweep_op *own, int argc,
               char **argv)
{
    struct sweep s = {.r = r, .own = own};
    struct bench b = {0};
    long wrong_elements = 0;
    const int status = sweep_parse(&s, argc, argv);
    if (status != 0)
        return status;
    int opened = bench_output(&b, r->rank == 0 ? s.output : NULL);
    MPI_MUST(MPI_Bcast(&opened, 1, MPI_INT, 0, r->mpi_comm));
    if (opened != 0)
        return 2;
    r->seed = seed_of(r->rank);
    print_devices(&s);
    for (int i = 0; i < s.nops; i++) {
        const ncclResult_t err = sweep_op(&s, s.op[i], &b, &wrong_elements);
        if (err != ncclSuccess) // other ranks may be waiting for this rank
            must_stop(__FILE__, __LINE__, s.op[i]->name,
                      ncclGetErrorString(err));
    }
    bench_close(&b);
    return wrong_elements != 0;
}
