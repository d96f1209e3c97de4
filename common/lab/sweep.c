#include "lab/sweep.h"

#include <getopt.h> /* getopt_long */
#include <stdlib.h> /* strtoull */
#include <string.h> /* strcmp */

#include "base/must.h"
#include "base/size.h"
#include "judge/data.h"
#include "lab/run.h"

enum { MAX_OPS = 32, MAX_ITERATIONS = 1000, MAX_SIZES = 64 };

/* Larger buffers have no contents on simgpu, unless --check is given: filling
 * and checking 1 GiB on 8 ranks takes minutes. The default sweep is checked. */
#define UNCHECKED "8M"

struct sweep {
    struct lab_run *r;
    const struct sweep_op *own;         /* the lab's; may be NULL */
    const struct sweep_op *op[MAX_OPS]; /* to be swept */
    int nops;
    size_t min_nbytes, max_nbytes;
    enum data_type type;
    enum data_op redop;
    int root, iterations, warmup, check;
    int in_place;           /* 1: only; 0: both */
    size_t size[MAX_SIZES]; /* of --sizes-mb, instead of min to max */
    int nsizes;
    const char *output; /* file, or NULL */
    uint64_t contents;  /* buffers of less bytes have them */
};

/* ---- options ------------------------------------------------------------- */

static const struct option known[] = {
    {"op", 1, NULL, 'o'},       {"min-kb", 1, NULL, 'a'},
    {"max-mb", 1, NULL, 'b'},   {"dtype", 1, NULL, 'd'},
    {"redop", 1, NULL, 'r'},    {"root", 1, NULL, 't'},
    {"warmup", 1, NULL, 'w'},   {"iterations", 1, NULL, 'i'},
    {"in-place", 0, NULL, 'p'}, {"no-check", 0, NULL, 'n'},
    {"check", 0, NULL, 'c'},    {"sizes-mb", 1, NULL, 's'},
    {"output", 1, NULL, 'f'},   {NULL, 0, NULL, 0}};

static const char usage[] =
    "--bench [--op NAME[,NAME]] [--min-kb K] [--max-mb M] [--dtype T]\n"
    "        [--sizes-mb M,M,...] [--redop OP] [--root R] [--warmup N]\n"
    "        [--iterations N] [--in-place] [--check | --no-check]\n"
    "        [--output FILE.csv]\n";

/* Print what is wrong, on rank 0. Returns 2. */
static int wrong(const struct sweep *s, const char *what, const char *value,
                 const char *instead)
{
    if (s->r->rank == 0)
        fprintf(stderr, "%s: --bench: %s%s%s: %s\n%s", lab.name, what,
                *value ? " " : "", value, instead, usage);
    return 2;
}

static const struct sweep_op *find_op(const struct sweep_op *table,
                                      const char *name)
{
    while (table && table->name && strcmp(table->name, name) != 0)
        table++;
    return table && table->name ? table : NULL;
}

static void add_names(const struct sweep_op *table, char *out, size_t nbytes)
{
    for (; table && table->name; table++)
        snprintf(out + strlen(out), nbytes - strlen(out), " %s", table->name);
}

static int take_op(struct sweep *s, const char *name)
{
    char names[512] = "choose from all";
    const struct sweep_op *op = find_op(sweep_nccl, name);
    if (!op)
        op = find_op(s->own, name);
    if (op && s->nops < MAX_OPS) {
        s->op[s->nops++] = op;
        return 0;
    }
    add_names(sweep_nccl, names, sizeof names);
    add_names(s->own, names, sizeof names);
    return wrong(s, "--op", name, names);
}

/* Names between commas. */
static int take_ops(struct sweep *s, char *names)
{
    char *rest;
    int status = 0;
    for (char *name = strtok_r(names, ",", &rest); name && !status;
         name = strtok_r(NULL, ",", &rest)) {
        if (strcmp(name, "all") != 0)
            status = take_op(s, name);
        for (const struct sweep_op *op = sweep_nccl;
             strcmp(name, "all") == 0 && op->name; op++)
            status |= take_op(s, op->name);
    }
    return status;
}

/* A positive number times `unit`; 0 if the text isn't one. */
static size_t amount(const char *text, double unit)
{
    char *end;
    const double v = strtod(text, &end);
    return *end || end == text || !(v > 0 && v * unit < 1e12)
               ? 0
               : (size_t)(v * unit);
}

/* Sizes between commas. */
static int take_sizes(struct sweep *s, char *sizes)
{
    char *rest;
    s->nsizes = 0;
    for (char *size = strtok_r(sizes, ",", &rest); size;
         size = strtok_r(NULL, ",", &rest)) {
        const size_t nbytes = amount(size, 1 << 20);
        if (nbytes == 0 || s->nsizes == MAX_SIZES)
            return wrong(s, "--sizes-mb", size, "not a size, or too many");
        s->size[s->nsizes++] = nbytes;
    }
    return s->nsizes ? 0 : wrong(s, "--sizes-mb", "", "names no size");
}

static int take_type(struct sweep *s, const char *value)
{
    char names[DATA_NAMES], why[DATA_NAMES + 32];
    const int found = data_type(value);
    s->type = (enum data_type)found;
    snprintf(why, sizeof why, "not an NCCL type: %s",
             data_type_names(names, sizeof names));
    return found >= 0 ? 0 : wrong(s, "--dtype", value, why);
}

/* Take option k. 0, or 2 after a message. */
static int take(struct sweep *s, int k, char *value)
{
    int found = 0;
    switch (k) {
    case 'o': return take_ops(s, value);
    case 'a':
        s->min_nbytes = amount(value, 1024);
        return s->min_nbytes ? 0 : wrong(s, "--min-kb", value, "not a size");
    case 'b':
        s->max_nbytes = amount(value, 1 << 20);
        return s->max_nbytes ? 0 : wrong(s, "--max-mb", value, "not a size");
    case 'd': return take_type(s, value);
    case 's': return take_sizes(s, value);
    case 'f': s->output = value; return 0;
    case 'r':
        found = data_op(value);
        s->redop = (enum data_op)found;
        return found >= 0 ? 0 : wrong(s, "--redop", value, "sum prod max min");
    case 't':
        s->root = atoi(value);
        return s->root >= 0 && s->root < s->r->nranks
                   ? 0
                   : wrong(s, "--root", value, "not a rank of this run");
    case 'w':
        s->warmup = strcmp(value, "0") ? (int)amount(value, 1) : 0;
        return s->warmup > 0 || !strcmp(value, "0")
                   ? 0
                   : wrong(s, "--warmup", value, "not a count");
    case 'i':
        s->iterations = (int)amount(value, 1);
        return s->iterations > 0 && s->iterations <= MAX_ITERATIONS
                   ? 0
                   : wrong(s, "--iterations", value, "1 to 1000");
    case 'p': s->in_place = 1; return 0;
    case 'n': s->check = 0; return 0;
    case 'c': s->check = 1; return 0;
    default: return 0;
    }
}

static int parse(struct sweep *s, int argc, char **argv)
{
    int status = 0;
    opterr = 0;
    optind = 1;
    for (int k;
         !status && (k = getopt_long(argc, argv, ":", known, NULL)) != -1;) {
        if (k == '?' || k == ':')
            status = wrong(s, argv[optind - 1], "",
                           k == ':' ? "needs a value" : "not an option");
        else
            status = take(s, k, optarg);
    }
    if (!status && optind < argc)
        status = wrong(s, argv[optind], "", "not an option");
    if (!status && s->min_nbytes > s->max_nbytes)
        status = wrong(s, "--min-kb", "", "more than --max-mb");
    if (s->nops == 0)
        s->op[s->nops++] = &sweep_nccl[0];
    return status;
}

/* ---- one size ------------------------------------------------------------ */

struct size { /* the size of one operation */
    enum bench_shape shape;
    size_t count;      /* as in NCCL's call */
    size_t send, recv; /* elements in this rank's buffers */
    size_t whole;      /* elements in the larger kind of buffer */
    int gets;          /* this rank's recvbuf is defined afterwards */
    size_t element;    /* bytes */
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

/* True if the buffers of this size have contents, and are to be looked at. */
static int is_checked(const struct sweep *s, const struct size *z)
{
    return s->check && z->whole * z->element + 2 * JUDGE_RED_ZONE < s->contents;
}

/* Make buffers with fresh inputs; in place, one is part of the other. */
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
    if (in_place && z->send > z->recv) // its own block of sendbuf
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

/* ---- what should come out ------------------------------------------------ */

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

/* Elements [begin, begin + count) of all ranks' inputs, reduced. `in` holds as
 * many. */
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
 * The whole reduction, which all ranks need: each computes a part, and the
 * parts are exchanged. All of it on every rank would take n^2 inputs, minutes
 * at 64 ranks.
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

/* The plain reference: this rank's recvbuf. `in` holds as many elements. All
 * ranks call. */
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

/* Check and time one size, one way. */
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

/* Each rank's device, as nccl-tests lists them. */
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

/* The smallest buffer without contents, as sweep_dataless() or the user has
 * set it; GPUs ignore it, and the sweep is the same there. */
static uint64_t contents_below(void)
{
    const char *const text = getenv("SIMGPU_DATALESS");
    uint64_t nbytes = UINT64_MAX;
    if (text && strcmp(text, "on") == 0)
        return 0;
    return text && size_parse(text, &nbytes) == 0 ? nbytes : UINT64_MAX;
}

const char *sweep_dataless(int argc, char **argv)
{
    char names[1024] = "";
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--check") == 0)
            return NULL;
        if (strncmp(argv[i], "--op=", 5) == 0)
            snprintf(names, sizeof names, "%s", argv[i] + 5);
        if (strcmp(argv[i], "--op") == 0 && i + 1 < argc)
            snprintf(names, sizeof names, "%s", argv[i + 1]);
    }
    char *rest;
    for (char *name = strtok_r(names, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest))
        if (strcmp(name, "all") != 0 && !find_op(sweep_nccl, name))
            return NULL;
    return UNCHECKED;
}

int sweep_main(struct lab_run *r, const struct sweep_op *own, int argc,
               char **argv)
{
    struct sweep s = {.r = r,
                      .own = own,
                      .min_nbytes = 1024,
                      .max_nbytes = 4 << 20,
                      .type = DATA_FLOAT,
                      .iterations = 5,
                      .warmup = 1,
                      .check = 1,
                      .contents = contents_below()};
    struct bench b = {0};
    long wrong_elements = 0;
    const int status = parse(&s, argc, argv);
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
        if (err != ncclSuccess) // others may be waiting for this rank
            must_stop(__FILE__, __LINE__, s.op[i]->name,
                      ncclGetErrorString(err));
    }
    bench_close(&b);
    return wrong_elements != 0;
}
