#include "report.h"

#include <stdio.h> /* printf */

#include "base/must.h"
#include "draw.h"
#include "lab/flags.h"
#include "lab4.h"
#include "measure.h"

/* ---- the command line ---------------------------------------------------- */

struct request {
    long tp, pp, micro, chunks; /* micro: per replica */
    long blocks, width, rows;   /* blocks: of the whole network */
    long checkpoint;            /* 0 or 1 */
    enum hybrid_schedule schedule;
    const char *out;         /* file */
    long warmup, iterations; /* steps */
};

static const char *const schedules[] = {"fill-drain", "1f1b", "interleaved",
                                        NULL};

static int parse(const struct lab_run *r, int argc, char **argv,
                 struct request *q)
{
    struct flag_choice schedule = {schedules, (int)q->schedule};
    const struct flag flags[] = {
        {"--tp-size", FLAG_NUMBER, &q->tp, 1, 64},
        {"--pp-size", FLAG_NUMBER, &q->pp, 1, 32},
        {"--microbatches", FLAG_NUMBER, &q->micro, 1, STAGE_MAX_MICRO},
        {"--schedule", FLAG_CHOICE, &schedule, 0, 0},
        {"--chunks", FLAG_NUMBER, &q->chunks, 1, STAGE_MAX_CHUNKS},
        {"--checkpoint", FLAG_SET, &q->checkpoint, 0, 0},
        {"--blocks", FLAG_NUMBER, &q->blocks, 1, STAGE_MAX_BLOCKS},
        {"--width", FLAG_NUMBER, &q->width, 1, 1 << 16},
        {"--rows", FLAG_NUMBER, &q->rows, 1, 1 << 16},
        {"--iterations", FLAG_NUMBER, &q->iterations, 1, 1000},
        {"--warmup", FLAG_NUMBER, &q->warmup, 1, 1000},
        {"--output", FLAG_TEXT, &q->out, 0, 0},
        {"-o", FLAG_TEXT, &q->out, 0, 0},
        {NULL, FLAG_NUMBER, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return -1;
    q->schedule = (enum hybrid_schedule)schedule.chosen;
    return 0;
}

static struct hybrid_config config_of(const struct request *q)
{
    const int width = (int)q->width;
    return (struct hybrid_config){.shape = {.depth = 2 * (int)q->blocks,
                                            .in = width,
                                            .hidden = width,
                                            .out = width,
                                            .rows = (int)q->rows},
                                  .tp = (int)q->tp,
                                  .pp = (int)q->pp,
                                  .nmicro = (int)q->micro,
                                  .schedule = q->schedule,
                                  .nchunks = (int)q->chunks,
                                  .checkpoint = (int)q->checkpoint,
                                  .hyper = {.lr = 1e-3f}};
}

static struct effort effort_of(const struct request *q)
{
    return (struct effort){(int)q->warmup, (int)q->iterations};
}

/* Check that nranks can run it. Returns 0, or -1 after printing the reason. */
static int fits(const struct lab_run *r, const struct request *q, int nranks)
{
    const char *why = NULL;
    const int interleaved = q->schedule == HYBRID_INTERLEAVED && q->pp > 1;
    const long runs = q->pp * (interleaved ? q->chunks : 1);
    if (nranks % (q->tp * q->pp) != 0)
        why = "the number of ranks must be a multiple of --tp-size * --pp-size";
    else if (q->width % q->tp != 0)
        why = "--width must be a multiple of --tp-size";
    else if (q->blocks < runs)
        why = "each stage, or each chunk of one, needs a block: use more "
              "--blocks";
    else if (interleaved && q->micro % q->pp != 0)
        why = "interleaved, --microbatches must be a multiple of --pp-size";
    else if (interleaved && q->checkpoint)
        why = "checkpointing works only for stages with one chunk";
    if (why && r->rank == 0)
        fprintf(stderr, "%d ranks: %s\n", nranks, why);
    return why ? -1 : 0;
}

/* ---- --benchmark --------------------------------------------------------- */

static void print_part(const char *name, double ms, double step)
{
    printf("  %-18s %9.3f ms  %5.1f %%\n", name, ms, 100 * ms / step);
}

int report_benchmark(struct lab_run *r, int argc, char **argv)
{
    struct request q = {1, 1, 8, 2, 16, 4096, 512, 0, HYBRID_1F1B, NULL, 1, 1};
    if (parse(r, argc, argv, &q) != 0 || fits(r, &q, r->nranks) != 0)
        return 2;
    const struct hybrid_config c = config_of(&q);
    const struct measured m =
        measure(r, &c, effort_of(&q), r->mpi_comm, r->comm, r->rank, r->nranks);
    const long dp = r->nranks / (q.tp * q.pp);
    if (r->rank != 0)
        return 0;
    printf("%d ranks: tensor %ld x data %ld x pipeline %ld, %s%s\n", r->nranks,
           q.tp, dp, q.pp, schedules[q.schedule],
           q.checkpoint ? ", checkpoints" : "");
    printf("%ld blocks of width %ld, %ld micro-batches of %ld rows on each of "
           "%ld replica%s\n\n",
           q.blocks, q.width, q.micro, q.rows, dp, dp == 1 ? "" : "s");
    printf("step                 %9.3f ms  %.0f rows/s\n", m.step,
           1e3 * (double)(dp * q.micro * q.rows) / m.step);
    print_part("computation", m.compute, m.step);
    print_part("update", m.update, m.step);
    print_part("bubble, at least", m.bubble, m.step);
    print_part("communication", m.comm, m.step);
    printf("activations          %9.1f MiB on the rank with the most\n",
           m.activations / (1 << 20));
    return 0;
}

/* ---- --scaling ----------------------------------------------------------- */

struct way { /* to use n ranks, with a published efficiency */
    int n, tp, pp;
    const char *published;
};

static const struct way ways[] = {
    {1, 1, 1, "100"}, {2, 1, 1, "96"}, {4, 1, 1, "92"}, {8, 1, 1, "87.5"},
    {8, 2, 2, "81"},  {8, 8, 1, "-"},  {8, 1, 8, "-"},
};

/* Measure one row: the first w->n ranks work, the others are idle. */
static struct measured try_way(struct lab_run *r, const struct request *q,
                               const struct way *w)
{
    ncclComm_t comm = NULL;
    MPI_Comm mpi_comm;
    struct measured m = {0};
    const int in = r->rank < w->n;
    struct request mine = *q;
    mine.tp = w->tp;
    mine.pp = w->pp;
    mine.micro = q->micro * w->tp * w->pp / w->n;
    const struct hybrid_config c = config_of(&mine);
    NCCL_MUST(ncclCommSplit(r->comm, in ? 0 : NCCL_SPLIT_NOCOLOR, r->rank,
                            &comm, NULL));
    MPI_MUST(MPI_Comm_split(r->mpi_comm, in, r->rank, &mpi_comm));
    if (in) {
        m = measure(r, &c, effort_of(q), mpi_comm, comm, r->rank, w->n);
        NCCL_MUST(ncclCommDestroy(comm));
    }
    MPI_MUST(MPI_Comm_free(&mpi_comm));
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    return m;
}

int report_scaling(struct lab_run *r, int argc, char **argv)
{
    struct request q = {1, 1, 16, 2, 16, 4096, 512, 0, HYBRID_1F1B, NULL, 1, 1};
    double one = 0;
    if (parse(r, argc, argv, &q) != 0)
        return 2;
    if (r->rank == 0)
        printf("%ld blocks of width %ld; a step of %ld micro-batches of %ld "
               "rows, shared by all ranks\n\n"
               "ranks  tp  dp  pp    step ms      rows/s  speed-up  "
               "efficiency  (published)  comm ratio\n",
               q.blocks, q.width, q.micro, q.rows);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct way *const w = &ways[i];
        const int dp = w->n / w->tp / w->pp;
        if (w->n > r->nranks || q.micro % dp != 0 || q.blocks < w->pp)
            continue;
        const struct measured m = try_way(r, &q, w);
        one = i == 0 ? m.step : one;
        if (r->rank == 0)
            printf("%5d %3d %3d %3d %10.3f %11.0f %9.2f %9.1f %% %9s %s %9.1f "
                   "%%\n",
                   w->n, w->tp, dp, w->pp, m.step,
                   1e3 * (double)(q.micro * q.rows) / m.step, one / m.step,
                   100 * one / m.step / w->n, w->published,
                   w->published[0] == '-' ? " " : "%", 100 * m.comm / m.step);
    }
    return 0;
}

/* ---- --bubble ------------------------------------------------------------ */

int report_bubble(struct lab_run *r, int argc, char **argv)
{
    static const int micro[] = {4, 8, 16};
    struct request q = {
        1,    r->nranks, 0, 1, 4L * r->nranks, 32768, 128, 0, HYBRID_FILL_DRAIN,
        NULL, 1,         1};
    if (parse(r, argc, argv, &q) != 0 || fits(r, &q, r->nranks) != 0)
        return 2;
    if (r->rank == 0)
        printf("%d stages of equal work\n\n"
               "schedule      micro   step ms  bubble  (P-1)/(M+P-1)  "
               "activations MiB\n",
               r->nranks);
    for (int k = 0; k < 6; k++) {
        q.schedule = (enum hybrid_schedule)(k / 3);
        q.micro = micro[k % 3];
        const struct hybrid_config c = config_of(&q);
        const struct measured m = measure(r, &c, effort_of(&q), r->mpi_comm,
                                          r->comm, r->rank, r->nranks);
        if (r->rank == 0)
            printf("%-12s %6ld %9.1f %6.2f %% %12.2f %% %15.0f\n",
                   schedules[q.schedule], q.micro, m.step,
                   100 * (1 - m.compute / (m.step - m.update)),
                   100.0 * (r->nranks - 1) / (double)(q.micro + r->nranks - 1),
                   m.activations / (1 << 20));
    }
    return 0;
}

/* ---- --draw -------------------------------------------------------------- */

struct traced { /* a run whose step is drawn */
    struct hybrid h;
    struct nn_batch batch[STAGE_MAX_MICRO];
};

static ncclResult_t traced_step(void *arg)
{
    struct traced *const k = arg;
    return hybrid_step(&k->h, k->batch);
}

void report_batch(struct lab_run *r, const struct nn_shape *s, int nmicro,
                  struct nn_batch *batch)
{
    batch[0].x = lab_buffer(r, (size_t)s->rows * (size_t)s->in * sizeof(float));
    for (int j = 1; j < nmicro; j++)
        batch[j] = batch[0];
}

int report_drawing(struct lab_run *r, int argc, char **argv)
{
    struct request q = {1,
                        r->nranks,
                        2L * r->nranks,
                        2,
                        4L * r->nranks,
                        8192,
                        512,
                        0,
                        HYBRID_1F1B,
                        "step.svg",
                        1,
                        1};
    if (parse(r, argc, argv, &q) != 0 || fits(r, &q, r->nranks) != 0)
        return 2;
    const struct hybrid_config c = config_of(&q);
    struct traced k;
    NCCL_MUST(hybrid_init(&k.h, &c, r->rank, r->nranks, r->comm, r->stream));
    CUDA_MUST(cudaMemsetAsync(k.h.stage.weights, 0,
                              k.h.stage.count * sizeof(float), r->stream));
    report_batch(r, &c.shape, c.nmicro, k.batch);
    const struct pipeline_drawing d = {.title = schedules[q.schedule],
                                       .nstages = c.pp,
                                       .stage = &k.h.stage,
                                       .step = traced_step,
                                       .arg = &k};
    const int status = draw_step(r, &d, q.out);
    hybrid_release(&k.h);
    return status;
}

/* ---- --placement --------------------------------------------------------- */

int report_placement(struct lab_run *r, int argc, char **argv)
{
    struct request q = {8, 1, 4, 1, 8, 8192, 1024, 0, HYBRID_1F1B, NULL, 1, 1};
    if (parse(r, argc, argv, &q) != 0 || fits(r, &q, r->nranks) != 0)
        return 2;
    const struct hybrid_config c = config_of(&q);
    const struct measured near =
        measure(r, &c, effort_of(&q), r->mpi_comm, r->comm, r->rank, r->nranks);
    // neighbours are half of all ranks apart: 0 8 1 9 2 10 ...
    ncclComm_t comm;
    int rank;
    const int half = (r->nranks + 1) / 2;
    NCCL_MUST(ncclCommSplit(r->comm, 0, r->rank % half * 2 + r->rank / half,
                            &comm, NULL));
    NCCL_MUST(ncclCommUserRank(comm, &rank));
    const struct measured far =
        measure(r, &c, effort_of(&q), r->mpi_comm, comm, rank, r->nranks);
    NCCL_MUST(ncclCommDestroy(comm));
    if (r->rank == 0)
        printf("tensor parallel over %ld ranks  step ms  communication ms\n"
               "neighbours                  %10.3f %17.3f\n"
               "every other one far away    %10.3f %17.3f\n",
               q.tp, near.step, near.comm, far.step, far.comm);
    return 0;
}
