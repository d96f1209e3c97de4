/*
 * cases.c: runs lab 9's cases. Given: nothing to edit here.
 *
 * A rank's blocks of queries, keys, values and output gradients follow from its
 * seed. In timed cases blocks are so large that simgpu doesn't keep their
 * contents.
 */
#include "cases.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "base/must.h"
#include "judge_attend.h"
#include "judge_cost.h"
#include "report.h"
#include "support.h"

_Static_assert((int)COST_BLOCKS == SEQ_EXTRA, "what a rank may allocate");

extern const struct judge_lab judge_lab9;
const struct judge_lab *const judge_labs[] = {&judge_lab9, NULL};

/* One at a time: the next iteration releases what the last one left behind. */
static struct {
    struct seq seq;
    struct seq_heads heads;
    struct seq_mix mix;
    struct nn_attend_state st;
} now;

static void release(void)
{
    if (now.mix.inside.comm)
        ncclCommDestroy(now.mix.inside.comm);
    if (now.mix.between.comm)
        ncclCommDestroy(now.mix.between.comm);
    seq_state_release(&now.st);
    seq_heads_release(&now.heads);
    seq_release(&now.seq);
    memset(&now, 0, sizeof now);
    norms_release();
}

float *cases_input(struct lab_run *r, size_t count)
{
    const struct draw_ask d = order_draw();
    return lab_draw_buffer(r, &d, count * sizeof(float));
}

/* ---- a sequence ---------------------------------------------------------- */

struct problem {
    struct judge_order o;
    size_t block, nbytes;    /* a block's floats and bytes */
    float *q, *k, *v, *dout; /* inputs */
    float *o_out, *dq, *dk, *dv;
};

/* Mark what has no contents: judge/graph/trace.h. */
static void mark_inputs(struct lab_run *r, const struct problem *p)
{
    lab_source(r, "q", p->q, p->nbytes);
    lab_source(r, "k", p->k, p->nbytes);
    lab_source(r, "v", p->v, p->nbytes);
    lab_source(r, "dout", p->dout, p->nbytes);
}

/* Make the sequence and its blocks, with contents if with_data. */
static ncclResult_t begin(struct lab_run *r, struct problem *p, int with_data)
{
    release();
    p->o = order_of(r->c, r->nranks);
    p->block = order_block(&p->o);
    p->nbytes = p->block * sizeof(float);
    now.seq =
        (struct seq){.comm = r->comm,
                     .rank = r->rank,
                     .nranks = r->nranks,
                     .order = cases_order(&p->o),
                     .rows = p->o.rows,
                     .a = {p->o.heads, p->o.width, order_scale(p->o.width)},
                     .compute = r->stream};
    LAB_TRY(seq_init(&now.seq));
    float *const in =
        with_data ? cases_input(r, 4 * p->block) : lab_buffer(r, 4 * p->nbytes);
    p->q = in;
    p->k = in + p->block;
    p->v = in + 2 * p->block;
    p->dout = in + 3 * p->block;
    p->o_out = lab_buffer(r, p->nbytes);
    p->dq = lab_buffer(r, p->nbytes);
    p->dk = lab_buffer(r, p->nbytes);
    p->dv = lab_buffer(r, p->nbytes);
    if (!with_data)
        mark_inputs(r, p);
    return ncclSuccess;
}

/* The student's work begins: memory allocated so far counts as given. */
static void measured(struct lab_run *r)
{
    lab_given(r);
    lab_begin(r);
}

/* Record count floats of the device that are not in a lab_buffer(). */
static void show(struct lab_run *r, const char *name, const float *at,
                 size_t count)
{
    float *const copy = lab_buffer(r, count * sizeof *copy);
    CUDA_MUST(cudaMemcpyAsync(copy, at, count * sizeof *copy,
                              cudaMemcpyDeviceToDevice, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    lab_output(r, name, copy, count * sizeof *copy);
}

static void show_back(struct lab_run *r, const struct problem *p)
{
    lab_output(r, "dq", p->dq, p->nbytes);
    lab_output(r, "dk", p->dk, p->nbytes);
    lab_output(r, "dv", p->dv, p->nbytes);
}

/* ---- part 2 -------------------------------------------------------------- */

static ncclResult_t run_exchange(struct lab_run *r)
{
    struct problem p;
    LAB_TRY(begin(r, &p, 1));
    lab_begin(r);
    LAB_TRY(seq_to_heads(&now.seq, p.q, p.dq, r->stream));
    LAB_TRY(seq_to_rows(&now.seq, p.dq, p.dk, r->stream));
    lab_end(r);
    lab_output(r, "heads", p.dq, p.nbytes);
    lab_output(r, "rows", p.dk, p.nbytes);
    return ncclSuccess;
}

static ncclResult_t run_heads(struct lab_run *r)
{
    struct problem p;
    LAB_TRY(begin(r, &p, 1));
    LAB_TRY(seq_heads_init(&now.heads, &now.seq, r->nranks));
    measured(r);
    LAB_TRY(heads_forward(&now.seq, &now.heads, p.q, p.k, p.v, p.o_out));
    lab_end(r);
    lab_output(r, "o", p.o_out, p.nbytes);
    return ncclSuccess;
}

static ncclResult_t run_heads_back(struct lab_run *r)
{
    struct problem p;
    LAB_TRY(begin(r, &p, 1));
    LAB_TRY(seq_heads_init(&now.heads, &now.seq, r->nranks));
    LAB_TRY(heads_forward(&now.seq, &now.heads, p.q, p.k, p.v, p.o_out));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    measured(r);
    LAB_TRY(heads_backward(&now.seq, &now.heads, p.dout, p.dq, p.dk, p.dv));
    lab_end(r);
    show_back(r, &p);
    return ncclSuccess;
}

/* ---- parts 3 and 4 ------------------------------------------------------- */

static ncclResult_t forward(struct lab_run *r, struct problem *p, int with_data)
{
    LAB_TRY(begin(r, p, with_data));
    LAB_TRY(seq_state_init(&now.st, now.seq.rows, &now.seq.a));
    measured(r);
    LAB_TRY(ring_forward(&now.seq, p->q, p->k, p->v, &now.st));
    lab_end(r);
    return ncclSuccess;
}

static ncclResult_t run_ring(struct lab_run *r)
{
    struct problem p;
    LAB_TRY(forward(r, &p, 1));
    show(r, "o", now.st.o, p.block);
    show(r, "lse", now.st.most, p.block / (size_t)p.o.width);
    return ncclSuccess;
}

static ncclResult_t run_ring_time(struct lab_run *r)
{
    struct problem p;
    LAB_TRY(forward(r, &p, 0));
    lab_result(r, "o", now.st.o, p.nbytes);
    return ncclSuccess;
}

/* Position i of those that seq_places() gives; -1 if there is none. */
static int position(const struct nn_places *places, int i)
{
    for (int k = 0; k < places->nruns && k < NN_ATTEND_RUNS; k++) {
        const struct nn_run *const run = &places->run[k];
        if (i < run->count)
            return run->first + i * run->stride;
        i -= run->count;
    }
    return -1;
}

static ncclResult_t run_places(struct lab_run *r)
{
    const int over = (int)plan_int(r->c, "over", 4);
    const struct judge_order o = order_of(r->c, over);
    const struct seq s = {
        .nranks = over, .order = cases_order(&o), .rows = o.rows};
    for (int rank = 0; rank < over; rank++) {
        struct nn_places places = {0};
        seq_places(&s, rank, &places);
        for (int i = 0; i < o.rows; i++) {
            char name[EVIDENCE_NAME];
            snprintf(name, sizeof name, "place.%d.%d", rank, i);
            lab_metric(r, name, position(&places, i));
        }
    }
    return ncclSuccess;
}

/* ---- part 5 -------------------------------------------------------------- */

/* Copy a rank's block to its place in the sequence, or back from there. */
static void place_block(const struct judge_order *o, int rank,
                        const float *block, double *whole)
{
    const size_t row = (size_t)(o->heads * o->width);
    for (int i = 0; i < o->rows; i++)
        for (size_t c = 0; c < row; c++)
            whole[(size_t)order_place(o, rank, i) * row + c] =
                block[(size_t)i * row + c];
}

static void *upload_rows(struct lab_run *r, const struct judge_order *o,
                         const double *whole, size_t row)
{
    const size_t count = (size_t)o->rows * row;
    float *const host = malloc(count * sizeof *host);
    for (size_t i = 0; i < count; i++)
        host[i] =
            (float)whole[(size_t)order_place(o, r->rank, (int)(i / row)) * row +
                         i % row];
    void *const at = lab_upload(r, host, count * sizeof *host);
    free(host);
    return at;
}

/* Fill st, made of lab_buffer()s, as a forward pass leaves it, without calling
 * part 3. */
static void forward_given(struct lab_run *r, const struct problem *p,
                          struct nn_attend_state *st)
{
    const struct judge_order *const o = &p->o;
    const size_t n = (size_t)r->nranks, row = (size_t)(o->heads * o->width);
    float *const all = malloc(n * 3 * p->nbytes);
    float *const own = malloc(4 * p->nbytes);
    struct attend *const a = attend_new(o->nranks * o->rows, o->heads, o->width,
                                        order_scale(o->width));
    const struct draw_ask d = order_draw();
    lab_draw(r, &d, own, 4 * p->nbytes);
    MPI_MUST(MPI_Allgather(own, (int)(3 * p->block), MPI_FLOAT, all,
                           (int)(3 * p->block), MPI_FLOAT, r->mpi_comm));
    for (int k = 0; k < r->nranks; k++) {
        const float *const in = all + (size_t)k * 3 * p->block;
        place_block(o, k, in, a->q);
        place_block(o, k, in + p->block, a->k);
        place_block(o, k, in + 2 * p->block, a->v);
    }
    attend_forward(a);
    *st = (struct nn_attend_state){
        .rows = o->rows,
        .o = upload_rows(r, o, a->o.at, row),
        .most = upload_rows(r, o, a->lse.at, (size_t)o->heads),
        .sum = lab_buffer(r, p->nbytes / (size_t)o->width)};
    attend_free(a);
    free(own);
    free(all);
}

static ncclResult_t backward(struct lab_run *r, struct problem *p,
                             const struct nn_attend_state *st)
{
    float *const delta = lab_buffer(r, p->nbytes / (size_t)p->o.width);
    LAB_TRY_CUDA(nn_attend_delta(&now.seq.a, delta, p->dout, st->o,
                                 now.seq.rows, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    measured(r);
    LAB_TRY(ring_backward(&now.seq, p->q, p->k, p->v, st, delta, p->dout, p->dq,
                          p->dk, p->dv));
    lab_end(r);
    return ncclSuccess;
}

static ncclResult_t run_back(struct lab_run *r)
{
    struct problem p;
    struct nn_attend_state st;
    LAB_TRY(begin(r, &p, 1));
    forward_given(r, &p, &st);
    LAB_TRY(backward(r, &p, &st));
    show_back(r, &p);
    return ncclSuccess;
}

static ncclResult_t run_back_time(struct lab_run *r)
{
    struct problem p;
    LAB_TRY(begin(r, &p, 0));
    LAB_TRY(seq_state_init(&now.st, now.seq.rows, &now.seq.a));
    LAB_TRY_CUDA(nn_attend_begin(&now.seq.a, &now.st, r->stream)); // any values
    LAB_TRY(backward(r, &p, &now.st));
    lab_result(r, "dq", p.dq, p.nbytes);
    lab_result(r, "dk", p.dk, p.nbytes);
    lab_result(r, "dv", p.dv, p.nbytes);
    return ncclSuccess;
}

/* ---- part 6 -------------------------------------------------------------- */

/* Fail if the parts of a mix don't fit the case's buffers. */
static ncclResult_t check_mix(const struct seq_mix *m,
                              const struct judge_order *o)
{
    const int nodes = o->nranks / o->per_node;
    if (m->inside.nranks != o->per_node || m->between.nranks != nodes ||
        m->inside.rows != o->rows || m->between.rows != o->rows * o->per_node ||
        m->inside.a.heads != o->heads ||
        m->between.a.heads != o->heads / o->per_node)
        return lab_note_wrong(
            "mix_open() on %d ranks, %d a node: inside has %d ranks, %d rows "
            "and %d heads, should be %d, %d and %d; between has %d, %d and %d, "
            "should be %d, %d and %d",
            o->nranks, o->per_node, m->inside.nranks, m->inside.rows,
            m->inside.a.heads, o->per_node, o->rows, o->heads,
            m->between.nranks, m->between.rows, m->between.a.heads, nodes,
            o->rows * o->per_node, o->heads / o->per_node);
    return ncclSuccess;
}

static ncclResult_t mixed(struct lab_run *r, struct problem *p, int with_data)
{
    LAB_TRY(begin(r, p, with_data));
    LAB_TRY(mix_open(&now.seq, p->o.per_node, &now.mix));
    LAB_TRY(check_mix(&now.mix, &p->o));
    LAB_TRY(seq_heads_init(&now.heads, &now.seq, p->o.per_node));
    measured(r);
    LAB_TRY(mix_forward(&now.mix, &now.heads, p->q, p->k, p->v, p->o_out));
    lab_end(r);
    return ncclSuccess;
}

static ncclResult_t run_mix(struct lab_run *r)
{
    struct problem p;
    LAB_TRY(mixed(r, &p, 1));
    lab_output(r, "o", p.o_out, p.nbytes);
    return ncclSuccess;
}

static ncclResult_t run_mix_time(struct lab_run *r)
{
    struct problem p;
    LAB_TRY(mixed(r, &p, 0));
    lab_result(r, "o", p.o_out, p.nbytes);
    return ncclSuccess;
}

static const struct lab_kind kinds[] = {
    {"norms", run_norms},         {"exchange", run_exchange},
    {"heads", run_heads},         {"heads_back", run_heads_back},
    {"ring", run_ring},           {"ring_time", run_ring_time},
    {"places", run_places},       {"back", run_back},
    {"back_time", run_back_time}, {"mix", run_mix},
    {"mix_time", run_mix_time},   {NULL, NULL},
};

static const struct lab_command commands[] = {
    {"--report",
     "[--tokens N --heads N --width N]: the ring in each order, next to an "
     "equal share of one device's time",
     report_orders},
    {"--costs",
     "[--tokens N --heads N --width N]: what a rank holds and sends for a "
     "sequence of N tokens",
     report_costs},
    {"--published",
     ": the three orders as a public benchmark computes them, next to what it "
     "measured on 8 GPUs",
     report_published},
    {NULL, NULL, NULL},
};

/* The commands need no contents, and kernels declare their costs. */
static const char *dataless_for(int argc, char **argv)
{
    (void)argc;
    for (const struct lab_command *c = commands; c->option; c++)
        if (strcmp(argv[0], c->option) == 0)
            return "1K";
    return NULL;
}

const struct lab lab = {
    .name = "lab9-long-context",
    .brief = "one sequence over many ranks: norms, heads, rings",
    .kinds = kinds,
    .commands = commands,
    .dataless = "1M", // buffers that large occur only where time is judged
    .dataless_for = dataless_for,
    .release = release,
};
