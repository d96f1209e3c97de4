#include "report.h"

#include <stdio.h> /* printf */

#include "base/must.h"
#include "lab/flags.h"
#include "support.h"

struct request {
    long tokens, heads, width;
};

struct run { /* what is timed, on buffers without contents */
    struct seq s;
    struct nn_attend_state st;
    float *q, *k, *v, *dout, *dq, *dk, *dv, *delta;
};

static void run_init(struct run *p, struct lab_run *r, struct seq s)
{
    float **const block[] = {&p->q,  &p->k,  &p->v, &p->dout,
                             &p->dq, &p->dk, &p->dv};
    *p = (struct run){.s = s};
    s.compute = p->s.compute = r->stream;
    NCCL_MUST(seq_init(&p->s));
    NCCL_MUST(seq_state_init(&p->st, p->s.rows, &p->s.a));
    for (int i = 0; i < 7; i++)
        *block[i] = lab_buffer(r, seq_block(&p->s) * sizeof **block[i]);
    p->delta = lab_buffer(r, (size_t)p->s.rows * (size_t)p->s.a.heads *
                                 sizeof *p->delta);
}

static void run_release(struct run *p)
{
    seq_state_release(&p->st);
    seq_release(&p->s);
    lab_free_buffers();
}

/* ---- one device ---------------------------------------------------------- */

static struct nn_places whole(const struct run *p)
{
    return (struct nn_places){.nruns = 1, .run = {{0, 1, p->s.rows}}};
}

static ncclResult_t alone_forward(void *run)
{
    struct run *const p = run;
    const struct nn_places all = whole(p);
    LAB_TRY_CUDA(nn_attend_begin(&p->s.a, &p->st, p->s.compute));
    LAB_TRY_CUDA(
        nn_attend(&p->s.a, &p->st, p->q, &all, p->k, p->v, &all, p->s.compute));
    LAB_TRY_CUDA(nn_attend_end(&p->s.a, &p->st, p->s.compute));
    return ncclSuccess;
}

static ncclResult_t alone_backward(void *run)
{
    struct run *const p = run;
    const struct nn_places all = whole(p);
    const struct nn_attend_row row = {p->q, p->dout, p->st.most, p->delta};
    LAB_TRY_CUDA(nn_attend_back(&p->s.a, &row, &all, p->k, p->v, &all, p->dq,
                                p->dk, p->dv, p->s.compute));
    return ncclSuccess;
}

/* ---- the ring ------------------------------------------------------------ */

static ncclResult_t forward(void *run)
{
    struct run *const p = run;
    return ring_forward(&p->s, p->q, p->k, p->v, &p->st);
}

static ncclResult_t backward(void *run)
{
    struct run *const p = run;
    return ring_backward(&p->s, p->q, p->k, p->v, &p->st, p->delta, p->dout,
                         p->dq, p->dk, p->dv);
}

/* ---- times --------------------------------------------------------------- */

double report_ms(const struct lab_run *r, ncclResult_t (*work)(void *arg),
                 void *arg)
{
    float ms;
    double most;
    cudaEvent_t begin, end;
    CUDA_MUST(cudaEventCreate(&begin));
    CUDA_MUST(cudaEventCreate(&end));
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    CUDA_MUST(cudaEventRecord(begin, r->stream));
    NCCL_MUST(work(arg));
    CUDA_MUST(cudaEventRecord(end, r->stream));
    CUDA_MUST(cudaDeviceSynchronize());
    CUDA_MUST(cudaEventElapsedTime(&ms, begin, end));
    CUDA_MUST(cudaEventDestroy(begin));
    CUDA_MUST(cudaEventDestroy(end));
    most = ms;
    MPI_MUST(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX,
                           r->mpi_comm));
    return most;
}

struct times {
    double forward, backward;
};

static void print_times(const char *what, struct times t, struct times ideal)
{
    const double both = t.forward + t.backward;
    printf("%-9s %9.3f ms  %5.1f %%   %9.3f ms  %5.1f %%\n", what, t.forward,
           100 * ideal.forward / t.forward, both,
           100 * (ideal.forward + ideal.backward) / both);
}

/* An n-th of one device's time for the whole sequence. */
static struct times time_alone(struct lab_run *r, struct seq s)
{
    struct run p;
    s.rows *= r->nranks;
    run_init(&p, r, s);
    const struct times t = {report_ms(r, alone_forward, &p) / r->nranks,
                            report_ms(r, alone_backward, &p) / r->nranks};
    run_release(&p);
    return t;
}

int report_orders(struct lab_run *r, int argc, char **argv)
{
    static const char *const names[] = {"plain", "zigzag", "striped"};
    struct request q = {8192, 32, 128};
    const struct flag flags[] = {
        {"--tokens", FLAG_NUMBER, &q.tokens, 2, 1 << 16},
        {"--heads", FLAG_NUMBER, &q.heads, 1, 1 << 10},
        {"--width", FLAG_NUMBER, &q.width, 1, NN_ATTEND_WIDTH},
        {NULL, 0, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    struct seq s = {.comm = r->comm,
                    .rank = r->rank,
                    .nranks = r->nranks,
                    .rows = (int)(q.tokens - q.tokens % 2),
                    .a = {(int)q.heads, (int)q.width, 1}};
    const struct times ideal = time_alone(r, s);
    if (r->rank == 0) {
        printf("%d ranks, %d tokens each, %d heads of width %d, fp32\n\n",
               r->nranks, s.rows, s.a.heads, s.a.width);
        printf("order            forward  of ideal   and backward  of ideal\n");
        print_times("ideal", ideal, ideal);
    }
    for (s.order = SEQ_PLAIN; s.order <= SEQ_STRIPED; s.order++) {
        struct run p;
        run_init(&p, r, s);
        const struct times t = {report_ms(r, forward, &p),
                                report_ms(r, backward, &p)};
        if (r->rank == 0)
            print_times(names[s.order], t, ideal);
        run_release(&p);
    }
    return 0;
}
