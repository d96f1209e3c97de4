#include "compare.h"

#include <math.h>   /* NAN */
#include <stdio.h>  /* printf */
#include <stdlib.h> /* calloc */

#include "base/must.h"
#include "cases.h"
#include "lab/flags.h"
#include "measure.h"
#include "nn/ops.h"
#include "plot.h"
#include "server.h"

static struct symm *const heap = &cases_heap;

struct compare { /* what the calls below use; each table some of it */
    struct lab_run *r;
    size_t nbytes, count; /* the current row's */
    struct symm_reducer a;
    struct window window;
    float *send, *recv, *weights;
    int updates;             /* weight updates so far */
    struct server server[2]; /* on rank 0; on all ranks */
    struct pcache cache;
    float *home;
    int lookups;
    long wrong; /* elements, in all rows so far */
};

/* ---- tables -------------------------------------------------------------- */

struct column {
    const char *name;
    measured *call;
    int is_nccl;   /* left out where there is no NCCL */
    size_t most;   /* bytes: larger rows leave it out; 0: none does */
    int by_switch; /* left out where no switch adds */
};

struct table {
    const char *title;
    size_t least, most, factor; /* bytes of the rows */
    size_t heap;                /* times those bytes */
    ncclResult_t (*open)(struct compare *c);
    ncclResult_t (*close)(struct compare *c); /* after a row; may be NULL */
    int verifies;                             /* c->wrong */
    const struct column *column;              /* ended by a NULL name */
};

static void print_head(const struct table *t, const struct lab_run *r)
{
    printf("# %s, %d ranks; us\n#    bytes", t->title, r->nranks);
    for (const struct column *k = t->column; k->name; k++)
        printf(" %15s", k->name);
    printf("%s\n", t->verifies ? "   #wrong" : "");
}

static int is_left_out(const struct column *k, const struct compare *c)
{
    return (k->is_nccl && !c->r->comm) || (k->most && c->nbytes > k->most) ||
           (k->by_switch && !c->window.multimem);
}

/* A row, and its points in the plot. */
static ncclResult_t do_row(const struct table *t, struct compare *c,
                           struct plot *p)
{
    char text[PLOT_CURVES * 20], *end = text;
    const int iterations = c->nbytes > 1 << 20 ? 1 : 3;
    c->count = c->nbytes / sizeof(float);
    const long before = c->wrong;
    LAB_TRY(cases_open(c->r, t->heap * c->nbytes + (1 << 20)));
    LAB_TRY(t->open(c));
    CUDA_MUST(cudaDeviceSynchronize()); // peers read what was filled
    MPI_MUST(MPI_Barrier(c->r->mpi_comm));
    for (int k = 0; t->column[k].name; k++) {
        const struct column *const of = &t->column[k];
        double us = NAN;
        if (!is_left_out(of, c))
            LAB_TRY(measure_us(c->r, of->call, c, iterations, &us));
        plot_add(&p->curve[k], (double)c->nbytes, us);
        end +=
            us >= 0 ? sprintf(end, " %15.1f", us) : sprintf(end, " %15s", "-");
    }
    if (t->close)
        LAB_TRY(t->close(c));
    if (t->verifies)
        sprintf(end, " %8ld", c->wrong - before);
    if (c->r->rank == 0)
        printf("%10zu%s\n", c->nbytes, text);
    fflush(stdout);
    cases_close();
    lab_free_buffers();
    return ncclSuccess;
}

static int do_table(struct lab_run *r, const struct table *t, int argc,
                    char **argv)
{
    long most_kb = (long)((t->most + 999) / 1000);
    const char *path = NULL;
    const struct flag flags[] = {
        {"--max-kb", FLAG_NUMBER, &most_kb, 1, 1000000},
        {"-o", FLAG_TEXT, &path, 0, 0},
        {NULL, 0, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    struct compare c = {.r = r};
    struct plot *const p = calloc(1, sizeof *p);
    if (!p)
        must_stop(__FILE__, __LINE__, "calloc", "out of memory");
    *p = (struct plot){
        .title = t->title, .x = "bytes", .y = "us", .log_x = 1, .log_y = 1};
    for (; t->column[p->ncurves].name; p->ncurves++)
        snprintf(p->curve[p->ncurves].name, sizeof p->curve->name, "%s",
                 t->column[p->ncurves].name);
    if (r->rank == 0)
        print_head(t, r);
    for (size_t nbytes = t->least; nbytes <= (size_t)most_kb * 1000;
         nbytes *= t->factor) {
        c.nbytes = nbytes;
        const ncclResult_t err = do_row(t, &c, p);
        if (err != ncclSuccess) // others may be waiting for this rank
            must_stop(__FILE__, __LINE__, argv[0], ncclGetErrorString(err));
    }
    const int failed = path && plot_write(p, r, path) != 0;
    free(p);
    return failed || c.wrong ? 1 : 0;
}

/* ---- all-reduces --------------------------------------------------------- */

static ncclResult_t open_reduce(struct compare *c)
{
    LAB_TRY(symm_alloc(heap, c->nbytes, (void **)&c->send));
    LAB_TRY(symm_alloc(heap, c->nbytes, (void **)&c->recv));
    return symm_reducer_init(&c->a, heap, c->r->comm);
}

static ncclResult_t one_shot(void *arg)
{
    struct compare *const c = arg;
    return symm_one_shot(&c->a, c->send, c->recv, c->count, c->r->stream);
}

static ncclResult_t two_shot(void *arg)
{
    struct compare *const c = arg;
    return symm_two_shot(&c->a, c->send, c->recv, c->count, c->r->stream);
}

static ncclResult_t nccl(void *arg)
{
    struct compare *const c = arg;
    return ncclAllReduce(c->send, c->recv, c->count, ncclFloat, ncclSum,
                         c->r->comm, c->r->stream);
}

/* Two-shot in a heap that is opened for this call only. */
static ncclResult_t registered_anew(void *arg)
{
    struct compare *const c = arg;
    struct symm own;
    struct symm_reducer a;
    float *send, *recv;
    LAB_TRY(symm_open(&own, c->r->mpi_comm, 2 * c->nbytes + 65536));
    LAB_TRY(symm_alloc(&own, c->nbytes, (void **)&send));
    LAB_TRY(symm_alloc(&own, c->nbytes, (void **)&recv));
    LAB_TRY(symm_reducer_init(&a, &own, c->r->comm));
    LAB_TRY(symm_two_shot(&a, send, recv, c->count, c->r->stream));
    CUDA_MUST(cudaStreamSynchronize(c->r->stream));
    symm_close(&own);
    return ncclSuccess;
}

int compare_latency(struct lab_run *r, int argc, char **argv)
{
    static const struct column columns[] = {
        {"one-shot", one_shot, 0, 1000000, 0},
        {"two-shot", two_shot, 0, 0, 0},
        {"NCCL", nccl, 1, 0, 0},
        {"register each", registered_anew, 0, 10000000, 0},
        {NULL, NULL, 0, 0, 0}};
    static const struct table t = {.title = "All-reduce",
                                   .least = 1000,
                                   .most = 100000000,
                                   .factor = 10,
                                   .heap = 2,
                                   .open = open_reduce,
                                   .column = columns};
    return do_table(r, &t, argc, argv);
}

/* ---- windows ------------------------------------------------------------- */

/* Open a window, with multimem if the machine has it. */
static ncclResult_t open_window(struct compare *c)
{
    if (!c->r->comm)
        must_stop(__FILE__, __LINE__, "--windows",
                  "NCCL's windows need a GPU for each rank");
    if (window_open(&c->window, c->r->comm, c->count, 1) != ncclSuccess)
        LAB_TRY(window_open(&c->window, c->r->comm, c->count, 0));
    c->send = c->window.send;
    c->recv = c->window.recv;
    return ncclSuccess;
}

static ncclResult_t close_window(struct compare *c)
{
    window_close(&c->window);
    return ncclSuccess;
}

static ncclResult_t by_loads(void *arg)
{
    struct compare *const c = arg;
    return window_two_shot(&c->window, c->count, c->r->stream);
}

static ncclResult_t by_switch(void *arg)
{
    struct compare *const c = arg;
    return window_multimem(&c->window, c->count, c->r->stream);
}

/* Up to 10 MB, as a switch that adds takes simgpu long: 100 MB take minutes. */
int compare_windows(struct lab_run *r, int argc, char **argv)
{
    static const struct column columns[] = {
        {.name = "window", .call = by_loads},
        {.name = "multimem", .call = by_switch, .by_switch = 1},
        {.name = "NCCL", .call = nccl, .is_nccl = 1},
        {.name = NULL}};
    static const struct table t = {.title = "All-reduce in NCCL's windows",
                                   .least = 1000,
                                   .most = 10000000,
                                   .factor = 10,
                                   .open = open_window,
                                   .close = close_window,
                                   .column = columns};
    return do_table(r, &t, argc, argv);
}

/* ---- gradients ----------------------------------------------------------- */

static const struct nn_hyper hyper = {.lr = 0.5f};

/* Set gradients to rank + 1 and weights to zero. */
static ncclResult_t open_sync(struct compare *c)
{
    float *const host = malloc(c->nbytes + 1);
    if (!host)
        must_stop(__FILE__, __LINE__, "malloc", "out of memory");
    for (size_t i = 0; i < c->count; i++)
        host[i] = (float)c->r->rank + 1;
    LAB_TRY(open_reduce(c));
    CUDA_MUST(cudaMemcpy(c->send, host, c->nbytes, cudaMemcpyHostToDevice));
    free(host);
    c->weights = lab_buffer(c->r, c->nbytes);
    CUDA_MUST(cudaMemsetAsync(c->weights, 0, c->nbytes, c->r->stream));
    CUDA_MUST(cudaStreamSynchronize(c->r->stream));
    c->updates = 0;
    LAB_TRY(server_open(&c->server[0], heap, c->count, 1));
    return server_open(&c->server[1], heap, c->count, c->r->nranks);
}

static ncclResult_t update(struct compare *c)
{
    c->updates++;
    LAB_TRY_CUDA(nn_sgd(c->weights, c->recv, &hyper, c->count, c->r->stream));
    return ncclSuccess;
}

static ncclResult_t sync_one_shot(void *arg)
{
    LAB_TRY(one_shot(arg));
    return update(arg);
}

static ncclResult_t sync_two_shot(void *arg)
{
    LAB_TRY(two_shot(arg));
    return update(arg);
}

static ncclResult_t sync_nccl(void *arg)
{
    LAB_TRY(nccl(arg));
    return update(arg);
}

static ncclResult_t sync_server(void *arg)
{
    struct compare *const c = arg;
    return server_step(&c->server[0], c->send, &hyper, c->r->stream);
}

static ncclResult_t sync_shards(void *arg)
{
    struct compare *const c = arg;
    return server_step(&c->server[1], c->send, &hyper, c->r->stream);
}

/* Count the elements of weights that aren't what `steps` steps make of them. */
static long wrong_weights(const struct compare *c, const float *weights,
                          int steps)
{
    const int n = c->r->nranks;
    const float want = -hyper.lr * (float)(steps * n * (n + 1) / 2);
    float *const host = malloc(c->nbytes + 1);
    long wrong = 0;
    if (!host)
        must_stop(__FILE__, __LINE__, "malloc", "out of memory");
    CUDA_MUST(cudaMemcpy(host, weights, c->nbytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < c->count; i++)
        wrong += host[i] != want;
    free(host);
    return wrong;
}

static ncclResult_t check_sync(struct compare *c)
{
    long wrong = wrong_weights(c, c->weights, c->updates);
    for (int i = 0; i < 2; i++)
        wrong +=
            wrong_weights(c, c->server[i].weights, (int)c->server[i].steps);
    MPI_MUST(MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM,
                           c->r->mpi_comm));
    c->wrong += wrong;
    return ncclSuccess;
}

int compare_sync(struct lab_run *r, int argc, char **argv)
{
    static const struct column columns[] = {
        {"one-shot", sync_one_shot, 0, 1 << 20, 0},
        {"two-shot", sync_two_shot, 0, 0, 0},
        {"NCCL", sync_nccl, 1, 0, 0},
        {"one server", sync_server, 0, 0, 0},
        {"server per rank", sync_shards, 0, 0, 0},
        {NULL, NULL, 0, 0, 0}};
    static const struct table t = {.title = "Gradients to updated weights",
                                   .least = 4096,
                                   .most = 4 << 20,
                                   .factor = 4,
                                   .heap = 24,
                                   .open = open_sync,
                                   .close = check_sync,
                                   .verifies = 1,
                                   .column = columns};
    return do_table(r, &t, argc, argv);
}

/* ---- adapters ------------------------------------------------------------ */

enum { ADAPTERS = PCACHE_SLOTS + 1 }; /* per rank; a cache keeps one less */

static ncclResult_t open_cache(struct compare *c)
{
    LAB_TRY(symm_alloc(heap, ADAPTERS * c->nbytes, (void **)&c->home));
    LAB_TRY(symm_alloc(heap, c->nbytes, (void **)&c->recv));
    c->lookups = 0;
    return pcache_open(&c->cache, heap, c->home, c->count);
}

static ncclResult_t close_cache(struct compare *c)
{
    pcache_close(&c->cache);
    return ncclSuccess;
}

/* Look up an adapter of the next rank. */
static ncclResult_t look_up(struct compare *c, int number)
{
    const int n = c->r->nranks;
    int slot;
    LAB_TRY(pcache_fetch(&c->cache, number * n + (c->r->rank + 1) % n, &slot));
    LAB_TRY(pcache_begin(&c->cache, slot, c->r->stream));
    return pcache_end(&c->cache, slot, c->r->stream);
}

static ncclResult_t hit(void *arg)
{
    return look_up(arg, 0);
}

/* Every look-up of ADAPTERS in turn misses: the least recently used one is
 * always the next. */
static ncclResult_t miss(void *arg)
{
    struct compare *const c = arg;
    return look_up(c, ++c->lookups % ADAPTERS);
}

/* Unlike in a get, the owner has to take part. */
static ncclResult_t fetch_by_nccl(void *arg)
{
    struct compare *const c = arg;
    const int n = c->r->nranks, rank = c->r->rank;
    LAB_TRY(ncclGroupStart());
    LAB_TRY(ncclSend(c->home, c->count, ncclFloat, (rank + n - 1) % n,
                     c->r->comm, c->r->stream));
    LAB_TRY(ncclRecv(c->recv, c->count, ncclFloat, (rank + 1) % n, c->r->comm,
                     c->r->stream));
    return ncclGroupEnd();
}

int compare_cache(struct lab_run *r, int argc, char **argv)
{
    static const struct column columns[] = {
        {"hit", hit, 0, 0, 0},
        {"miss, get", miss, 0, 0, 0},
        {"miss, NCCL", fetch_by_nccl, 1, 0, 0},
        {NULL, NULL, 0, 0, 0}};
    static const struct table t = {.title = "Looking up an adapter",
                                   .least = 4096,
                                   .most = 16 << 20,
                                   .factor = 4,
                                   .heap = ADAPTERS + 1,
                                   .open = open_cache,
                                   .close = close_cache,
                                   .column = columns};
    return do_table(r, &t, argc, argv);
}
