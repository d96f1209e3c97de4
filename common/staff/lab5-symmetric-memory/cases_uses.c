/*
 * cases_uses.c: runs lab 5's cases of part 5. Given: nothing to edit here.
 */
#include <stdlib.h> /* malloc */

#include "base/must.h"
#include "cases.h"
#include "drawn.h"
#include "nn/exercise.h"
#include "nn/ops.h" /* nn_add */

static struct symm *const heap = &cases_heap;

enum { HEAP = 1 << 20 };

static size_t size_param(const struct lab_run *r, const char *key,
                         int64_t value)
{
    return (size_t)plan_int(r->c, key, value);
}

/* ---- gradients ----------------------------------------------------------- */

void cases_same_weights(struct lab_run *r, struct exercise *e)
{
    const size_t nbytes = e->m.count * sizeof(float);
    float *const h = malloc(nbytes);
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    CUDA_MUST(cudaMemcpy(h, e->m.weights, nbytes, cudaMemcpyDeviceToHost));
    MPI_MUST(MPI_Bcast(h, (int)e->m.count, MPI_FLOAT, 0, r->mpi_comm));
    CUDA_MUST(cudaMemcpy(e->m.weights, h, nbytes, cudaMemcpyHostToDevice));
    CUDA_MUST(cudaDeviceSynchronize());
    free(h);
}

ncclResult_t run_gradsync(struct lab_run *r)
{
    struct symm_reducer a;
    struct gradsync g;
    struct exercise *const e = exercise_new(r);
    LAB_TRY(cases_open(r, 4 * e->m.count * sizeof(float) + HEAP));
    LAB_TRY(symm_reducer_init(&a, heap, r->comm));
    LAB_TRY(gradsync_open(&g, &a, &e->m));
    cases_same_weights(r, e);
    lab_begin(r);
    for (int i = 0; i < e->task.steps; i++) {
        LAB_TRY(
            gradsync_step(&g, &e->m, exercise_batch(e, i, 0), &e->optimizer));
        exercise_note(e, i);
    }
    lab_end(r);
    lab_metric(r, "gradients", (double)g.count);
    exercise_show(e, r);
    exercise_release();
    cases_close();
    return ncclSuccess;
}

/* Gradients that are applied `late` steps later. */
ncclResult_t run_late(struct lab_run *r)
{
    const int late = (int)plan_int(r->c, "late", 1);
    struct late l;
    struct exercise *const e = exercise_new(r);
    const size_t slots = ((size_t)late + 1) * (size_t)r->nranks;
    LAB_TRY(cases_open(r, slots * e->m.count * sizeof(float) + HEAP));
    LAB_TRY(late_open(&l, heap, &e->m, late));
    cases_same_weights(r, e);
    lab_begin(r);
    for (int i = 0; i < e->task.steps; i++) {
        LAB_TRY(late_step(&l, &e->m, exercise_batch(e, i, 0), &e->optimizer));
        exercise_note(e, i);
    }
    lab_end(r);
    late_close(&l);
    exercise_show(e, r);
    exercise_release();
    cases_close();
    return ncclSuccess;
}

/* ---- pipeline ------------------------------------------------------------ */

/* Message i of stage r: message i of the previous stage plus this rank's input
 * i. */
static ncclResult_t do_message(struct lab_run *r, struct handoff *h,
                               const float *in, float *work)
{
    const size_t nbytes = h->count * sizeof *work;
    float *msg;
    if (r->rank == 0) {
        CUDA_MUST(cudaMemcpyAsync(work, in, nbytes, cudaMemcpyDeviceToDevice,
                                  r->stream));
    } else {
        LAB_TRY(handoff_recv(h, &msg, r->stream));
        CUDA_MUST(cudaMemcpyAsync(work, msg, nbytes, cudaMemcpyDeviceToDevice,
                                  r->stream));
        LAB_TRY(handoff_done(h, r->stream));
        CUDA_MUST(nn_add(work, in, h->count, r->stream));
    }
    if (r->rank + 1 < r->nranks)
        LAB_TRY(handoff_send(h, work, r->stream));
    return ncclSuccess;
}

ncclResult_t run_pipeline(struct lab_run *r)
{
    const size_t count = size_param(r, "count", 1000);
    const size_t messages = size_param(r, "messages", 7);
    const float *const in = lab_input(r, messages * count, DATA_FLOAT);
    float *const work = lab_buffer(r, messages * count * sizeof *work);
    struct handoff h;
    LAB_TRY(cases_open(r, HEAP));
    LAB_TRY(handoff_open(&h, heap, count));
    lab_begin(r);
    for (size_t i = 0; i < messages; i++)
        LAB_TRY(do_message(r, &h, in + i * count, work + i * count));
    lab_end(r);
    lab_output(r, "work", work, messages * count * sizeof *work);
    cases_close();
    return ncclSuccess;
}

/* ---- product ------------------------------------------------------------- */

struct product { /* the layer of a case */
    struct tpgemm g;
    int rows, in, cols, pieces;
    float *x, *terms, *y; /* terms: NULL: columns */
    const float *w;
};

static ncclResult_t do_product(struct product *p)
{
    if (p->terms)
        return tpgemm_sum(&p->g, p->x, p->w, p->terms, p->y, p->rows, p->in,
                          p->cols);
    return tpgemm_run(&p->g, p->x, p->w, p->y, p->rows, p->in, p->cols,
                      p->pieces);
}

/* `calls` products, each of an x twice as large as before. */
static ncclResult_t run_product(struct lab_run *r, int is_sum)
{
    const size_t rows = size_param(r, "rows", 12), in = size_param(r, "in", 8),
                 cols = size_param(r, "cols", 5);
    const size_t calls = size_param(r, "calls", 2);
    const size_t nbytes =
        (is_sum ? 1 : (size_t)r->nranks) * rows * cols * sizeof(float);
    struct product p = {.rows = (int)rows,
                        .in = (int)in,
                        .cols = (int)cols,
                        .pieces = (int)plan_int(r->c, "pieces", 3),
                        .x = lab_input(r, rows * in, DATA_FLOAT),
                        .w = lab_input(r, in * cols, DATA_FLOAT)};
    char *const out = lab_buffer(r, calls * nbytes);
    LAB_TRY(cases_open(r, 2 * nbytes + HEAP));
    LAB_TRY(tpgemm_open(&p.g, heap, r->stream));
    if (is_sum)
        LAB_TRY(cases_alloc(r, nbytes, (void **)&p.terms));
    LAB_TRY(cases_alloc(r, nbytes, (void **)&p.y));
    lab_begin(r);
    for (size_t i = 0; i < calls; i++) {
        LAB_TRY(do_product(&p));
        if (calls == 1)
            break;
        CUDA_MUST(nn_scale(p.x, 2, rows * in, r->stream));
        CUDA_MUST(cudaMemcpyAsync(out + i * nbytes, p.y, nbytes,
                                  cudaMemcpyDeviceToDevice, r->stream));
    }
    lab_end(r);
    cases_show(r, "y", calls == 1 ? (char *)p.y : out, calls * nbytes);
    tpgemm_close(&p.g);
    cases_close();
    return ncclSuccess;
}

ncclResult_t run_gemm(struct lab_run *r)
{
    return run_product(r, 0);
}

ncclResult_t run_gemm_sum(struct lab_run *r)
{
    return run_product(r, 1);
}

/* ---- ring buffer --------------------------------------------------------- */

ncclResult_t run_ring(struct lab_run *r)
{
    const size_t count = size_param(r, "count", 64) / 4;
    const size_t nitems = size_param(r, "items", 30);
    const size_t nbytes = nitems * count * sizeof(float4);
    const void *const in = lab_input(r, nitems * count * 4, DATA_FLOAT);
    void *const out = lab_buffer(r, nbytes);
    cudaStream_t consumer;
    struct ring ring;
    CUDA_MUST(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking));
    LAB_TRY(cases_open(r, RING_SLOTS * count * sizeof(float4) + HEAP));
    LAB_TRY(ring_open(&ring, heap, count));
    lab_begin(r);
    LAB_TRY(ring_produce(&ring, in, (unsigned)nitems, r->stream));
    LAB_TRY(ring_consume(&ring, out, (unsigned)nitems, consumer));
    lab_end(r);
    lab_output(r, "out", out, nbytes);
    CUDA_MUST(cudaStreamDestroy(consumer));
    cases_close();
    return ncclSuccess;
}

/* ---- distributed tensor -------------------------------------------------- */

/* Every rank writes a part that belongs to others, and reads half of all. */
ncclResult_t run_dtensor(struct lab_run *r)
{
    const size_t count = size_param(r, "count", 1000), half = count / 2;
    const size_t first = drawn_share(count, r->nranks, r->rank);
    const size_t mine = drawn_share(count, r->nranks, r->rank + 1) - first;
    uint64_t begin;
    lab_draw(r,
             &(struct draw_ask){.what = DRAWN_BEGIN, .arg = {(int64_t)count}},
             &begin, sizeof begin);
    const float *const in = lab_input(r, mine, DATA_FLOAT);
    float *const out = lab_buffer(r, half * sizeof *out);
    struct dtensor t;
    LAB_TRY(cases_open(r, HEAP));
    LAB_TRY(dtensor_open(&t, heap, count));
    lab_metric(r, "per", (double)t.per);
    lab_begin(r);
    LAB_TRY(dtensor_put(&t, first, mine, in, r->stream));
    LAB_TRY(symm_barrier(heap, r->stream));
    LAB_TRY(dtensor_get(&t, begin, half, out, r->stream));
    lab_metric(r, "beyond",
               dtensor_get(&t, count - half + 1, half, out, r->stream));
    lab_metric(r, "far", dtensor_put(&t, count + 1, 0, in, r->stream));
    lab_end(r);
    lab_output(r, "out", out, half * sizeof *out);
    cases_close();
    return ncclSuccess;
}

/* ---- parameter cache ----------------------------------------------------- */

/* Requests, each for an adapter. The adapter of the next request is fetched
 * before work with this one starts. */
static ncclResult_t serve(struct lab_run *r, struct pcache *c, float *out,
                          const int *adapter, int requests)
{
    int slot, next = 0;
    LAB_TRY(pcache_fetch(c, adapter[0], &slot));
    for (int i = 0; i < requests; i++) {
        if (i + 1 < requests)
            LAB_TRY(pcache_fetch(c, adapter[i + 1], &next));
        LAB_TRY(pcache_begin(c, slot, r->stream));
        CUDA_MUST(nn_add(out + (size_t)i * c->count,
                         c->slots + (size_t)slot * c->count, c->count,
                         r->stream));
        LAB_TRY(pcache_end(c, slot, r->stream));
        slot = next;
    }
    return ncclSuccess;
}

ncclResult_t run_pcache(struct lab_run *r)
{
    const size_t count = size_param(r, "count", 400);
    const int requests = (int)plan_int(r->c, "requests", 12);
    const int per = (int)plan_int(r->c, "per", 3); // adapters of a rank
    const struct draw_ask drawn = {.what = DRAWN_ADAPTERS,
                                   .arg = {per * r->nranks}};
    int *const adapter = malloc((size_t)requests * sizeof *adapter);
    const size_t nbytes = (size_t)requests * count * sizeof(float);
    float *const out = lab_buffer(r, nbytes), *home;
    struct pcache c;
    lab_draw(r, &drawn, adapter, (size_t)requests * sizeof *adapter);
    CUDA_MUST(cudaMemsetAsync(out, 0, nbytes, r->stream));
    LAB_TRY(cases_open(r, HEAP));
    LAB_TRY(cases_input(r, (size_t)per * count, &home));
    LAB_TRY(pcache_open(&c, heap, home, count));
    lab_begin(r);
    LAB_TRY(serve(r, &c, out, adapter, requests));
    lab_end(r);
    free(adapter);
    lab_metric(r, "fetches", c.fetches);
    lab_output(r, "out", out, nbytes);
    pcache_close(&c);
    cases_close();
    return ncclSuccess;
}

/* ---- hash map ------------------------------------------------------------ */

/* All ranks add at the same time; then all look up every possible key. */
ncclResult_t run_hashmap(struct lab_run *r)
{
    const size_t n = size_param(r, "keys", 300),
                 range = size_param(r, "range", 200);
    const struct draw_ask pairs = {.what = DRAWN_PAIRS,
                                   .arg = {(int64_t)range}};
    unsigned *const host = malloc(range * sizeof *host);
    for (size_t i = 0; i < range; i++)
        host[i] = (unsigned)i + 1;
    const unsigned *const d = lab_draw_buffer(r, &pairs, 2 * n * sizeof *d);
    const unsigned *const all = lab_upload(r, host, range * sizeof *host);
    free(host);
    unsigned *const out = lab_buffer(r, range * sizeof *out);
    struct hashmap h;
    LAB_TRY(cases_open(r, HEAP));
    LAB_TRY(
        hashmap_open(&h, heap, 2 * (unsigned)range / (unsigned)r->nranks + 16));
    lab_begin(r);
    LAB_TRY(hashmap_add(&h, d, d + n, n, r->stream));
    LAB_TRY(symm_barrier(heap, r->stream));
    LAB_TRY(hashmap_find(&h, all, out, range, r->stream));
    lab_end(r);
    lab_output(r, "out", out, range * sizeof *out);
    cases_close();
    return ncclSuccess;
}
