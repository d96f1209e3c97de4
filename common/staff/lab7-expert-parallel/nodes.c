/*
 * nodes.c: lab 7's command --nodes. Given: nothing to edit here.
 *
 * Dispatch and combine over several nodes in three ways. A network is slower
 * than NVLink, so a token should cross it once for each node that has any of
 * its experts. It goes to the rank in the same place on that node, which sends
 * it on to the ranks of its experts:
 *
 *     node 0, rank 1  --network-->  node 1, rank 1  --NVLink-->  its ranks 4, 6
 *     node 0, rank 1  <--network--  node 1, rank 1  <--NVLink--  its ranks 4, 6
 *
 * On the way back each rank adds up what it has of a token before it sends the
 * sum on. Every rank computes all ranks' choices, so that only tokens and
 * results travel here.
 */
#include <math.h>             /* NAN */
#include <nvtx3/nvToolsExt.h> /* nvtxRangePushA */
#include <stdio.h>            /* printf */
#include <stdlib.h>           /* calloc */

#include "base/must.h"
#include "cases.h"
#include "judge/judge.h" /* judge_seed */
#include "lab/try.h"     /* LAB_TRY */

enum { EXPERTS = 256, CHOICES = 8, TOKENS = 128, ELEMENTS = 7168 };
enum { RANKS = 64, ROWS = RANKS * TOKENS * CHOICES, PLACES = 8 };

enum way { WAY_CHOICES, WAY_RANKS, WAY_NODES, WAYS };

static const char *const ways[] = {"each choice", "each rank", "each node"};
static const char *const spans[][WAYS] = {
    {"dispatch each choice", "dispatch each rank", "dispatch each node"},
    {"combine each choice", "combine each rank", "combine each node"}};

static int expert[RANKS][TOKENS][CHOICES];

struct hop { /* rows to be sent, sorted by receiver, and rows that arrive */
    int row[ROWS], nsend, nrecv;
    int send[RANKS + 1], recv[RANKS + 1]; /* first row for, and of, a rank */
};

struct net { /* a way through the network, for one rank */
    int rank, nranks;
    enum way way;
    int nhops;
    struct hop hop[2]; /* the second one inside the node, if any */
    int token[ROWS];   /* what arrives: rank * TOKENS + number */
};

/* A token's floats: an element has one byte there (fp8), two back (bf16). */
enum { THERE = ELEMENTS / 4, BACK = ELEMENTS / 2 };

/* ---- choices ------------------------------------------------------------- */

/* Different experts for each token, the same for all runs. */
static void choose(int nranks)
{
    for (int r = 0; r < nranks; r++)
        for (int t = 0; t < TOKENS; t++)
            for (int j = 0; j < CHOICES; j++) {
                const uint64_t h =
                    judge_seed((uint64_t)r, (uint64_t)(t * CHOICES + j));
                int e = (int)(h % EXPERTS);
                for (int i = 0; i < j; i++)
                    if (expert[r][t][i] == e) { // taken: the next one
                        e = (e + 1) % EXPERTS;
                        i = -1;
                    }
                expert[r][t][j] = e;
            }
}

/* A token's experts on ranks first to first + n - 1. */
static int count(const struct net *d, int r, int t, int first, int n)
{
    const int each = EXPERTS / d->nranks;
    int found = 0;
    for (int j = 0; j < CHOICES; j++) {
        const int at = expert[r][t][j] / each;
        found += at >= first && at < first + n;
    }
    return found;
}

/* ---- hops ---------------------------------------------------------------- */

/* How often rank s sends token t of its own straight to rank r. */
static int copies(const struct net *d, int s, int t, int r)
{
    if (d->way == WAY_NODES) {
        const int first = r / PLACES * PLACES;
        return r % PLACES == s % PLACES && count(d, s, t, first, PLACES) > 0;
    }
    const int n = count(d, s, t, r, 1);
    return d->way == WAY_CHOICES ? n : n > 0;
}

/* From the tokens of this rank to the first rank on their way. */
static void plan_first(struct net *d)
{
    struct hop *const h = &d->hop[0];
    for (int r = 0; r < d->nranks; r++) {
        h->send[r] = h->nsend;
        h->recv[r] = h->nrecv;
        for (int t = 0; t < TOKENS; t++) {
            for (int i = copies(d, d->rank, t, r); i > 0; i--)
                h->row[h->nsend++] = t;
            for (int i = copies(d, r, t, d->rank); i > 0; i--)
                d->token[h->nrecv++] = r * TOKENS + t;
        }
    }
    h->send[d->nranks] = h->nsend;
    h->recv[d->nranks] = h->nrecv;
}

/* From the ranks in this rank's place, of all nodes, to the experts of this
 * node. The ranks of the node do the same, so this rank can tell what comes. */
static void plan_second(struct net *d)
{
    struct hop *const h = &d->hop[1];
    const struct hop *const first = &d->hop[0];
    static int token[ROWS];
    for (int r = 0; r < d->nranks; r++) {
        const int near = r / PLACES == d->rank / PLACES;
        h->send[r] = h->nsend;
        h->recv[r] = h->nrecv;
        for (int i = 0; near && i < first->nrecv; i++)
            if (count(d, d->token[i] / TOKENS, d->token[i] % TOKENS, r, 1) > 0)
                h->row[h->nsend++] = i;
        for (int s = r % PLACES; near && s < d->nranks; s += PLACES)
            for (int t = 0; t < TOKENS; t++)
                if (count(d, s, t, d->rank, 1) > 0)
                    token[h->nrecv++] = s * TOKENS + t;
    }
    h->send[d->nranks] = h->nsend;
    h->recv[d->nranks] = h->nrecv;
    for (int i = 0; i < h->nrecv; i++)
        d->token[i] = token[i];
}

/* Send packed rows of a hop and receive others in `to`; if `back` is set, from
 * its receivers to its senders. */
static ncclResult_t exchange(struct lab_run *r, const struct hop *h, int back,
                             size_t floats, const float *packed, float *to)
{
    const int *const out = back ? h->recv : h->send;
    const int *const in = back ? h->send : h->recv;
    LAB_TRY(ncclGroupStart());
    for (int s = 0; s < r->nranks; s++) {
        const size_t nsend = (size_t)(out[s + 1] - out[s]) * floats;
        const size_t nrecv = (size_t)(in[s + 1] - in[s]) * floats;
        if (nsend)
            LAB_TRY(ncclSend(packed + (size_t)out[s] * floats, nsend, ncclFloat,
                             s, r->comm, r->stream));
        if (nrecv)
            LAB_TRY(ncclRecv(to + (size_t)in[s] * floats, nrecv, ncclFloat, s,
                             r->comm, r->stream));
    }
    return ncclGroupEnd();
}

/* ---- runs ---------------------------------------------------------------- */

/* A run's buffers on the device. */
struct dispatch {
    float *in;
    struct {
        int *row;
        float *packed, *arrived;
    } hop[2];
};

/* Before each hop back, and at the end, sums: place[i] says which of the rows
 * that have come belong to row i of the sum, -1 after the last. */
struct combine {
    float *results; /* one for each choice */
    int *last;      /* place, (TOKENS, CHOICES), of the last sum */
    float *out;
    struct {
        int *place; /* (nrecv, CHOICES) */
        float *sum, *back;
    } hop[2];
};

static ncclResult_t run_dispatch(struct lab_run *r, const struct net *d,
                                 const struct dispatch *b)
{
    const float *from = b->in;
    for (int i = 0; i < d->nhops; i++) {
        const struct hop *const h = &d->hop[i];
        LAB_TRY(moe_gather(from, b->hop[i].row, h->nsend, THERE,
                           b->hop[i].packed, r->stream));
        LAB_TRY(exchange(r, h, 0, THERE, b->hop[i].packed, b->hop[i].arrived));
        from = b->hop[i].arrived;
    }
    return ncclSuccess;
}

/* Results of choices that travel one by one are not added up on the way. */
static ncclResult_t run_combine(struct lab_run *r, const struct net *d,
                                const struct combine *b)
{
    const float *from = b->results;
    for (int i = d->nhops - 1; i >= 0; i--) {
        const struct hop *const h = &d->hop[i];
        if (d->way != WAY_CHOICES) {
            LAB_TRY(moe_combine(from, b->hop[i].place, NULL, h->nrecv, CHOICES,
                                BACK, b->hop[i].sum, r->stream));
            from = b->hop[i].sum;
        }
        LAB_TRY(exchange(r, h, 1, BACK, from, b->hop[i].back));
        from = b->hop[i].back;
    }
    return moe_combine(from, b->last, NULL, TOKENS, CHOICES, BACK, b->out,
                       r->stream);
}

/* Rows of n floats whose element 0 is that of `value`, the others 0. */
static float *rows_of(struct lab_run *r, const float *value, int n, int floats)
{
    const size_t width = sizeof *value, pitch = (size_t)floats * width;
    float *const rows = lab_buffer(r, (size_t)n * pitch);
    CUDA_MUST(cudaMemset(rows, 0, (size_t)n * pitch));
    CUDA_MUST(cudaMemcpy2D(rows, pitch, value, width, width, (size_t)n,
                           cudaMemcpyHostToDevice));
    return rows;
}

/* The number of rows whose element 0 is not that of `want`. */
static int wrong_rows(const float *rows, const float *want, int n, int floats)
{
    const size_t width = sizeof *want, pitch = (size_t)floats * width;
    float *const first = calloc((size_t)n + 1, width);
    int wrong = 0;
    CUDA_MUST(cudaMemcpy2D(first, width, rows, pitch, width, (size_t)n,
                           cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        wrong += first[i] != want[i];
    free(first);
    return wrong;
}

/* Tokens carry their numbers. */
static struct dispatch dispatch_open(struct lab_run *r, const struct net *d)
{
    struct dispatch b;
    float name[TOKENS];
    for (int t = 0; t < TOKENS; t++)
        name[t] = (float)(r->rank * TOKENS + t);
    b.in = rows_of(r, name, TOKENS, THERE);
    for (int i = 0; i < d->nhops; i++) {
        const struct hop *const h = &d->hop[i];
        const size_t row = THERE * sizeof(float);
        b.hop[i].row = lab_upload(r, h->row, (size_t)h->nsend * sizeof *h->row);
        b.hop[i].packed = lab_buffer(r, (size_t)h->nsend * row);
        b.hop[i].arrived = lab_buffer(r, (size_t)h->nrecv * row);
    }
    return b;
}

static int dispatch_wrong(const struct net *d, const struct dispatch *b)
{
    const int last = d->nhops - 1, n = d->hop[last].nrecv;
    float *const want = calloc((size_t)n + 1, sizeof *want);
    for (int i = 0; i < n; i++)
        want[i] = (float)d->token[i];
    const int wrong = wrong_rows(b->hop[last].arrived, want, n, THERE);
    free(want);
    return wrong;
}

/* The result of a token's choice: the sum of 8 of them is exact. */
static float result(int token, int choice)
{
    const int e = expert[token / TOKENS][token % TOKENS][choice];
    return (float)((token + 1) * (e + 1));
}

/* The places of n rows in sums that row[i] belongs to, on the device. */
static int *places(struct lab_run *r, const int *row, int n, int nsums)
{
    int *const place = malloc((size_t)(nsums + 1) * CHOICES * sizeof *place);
    for (int i = 0; i < nsums * CHOICES; i++)
        place[i] = -1;
    for (int i = 0; i < n; i++) {
        int at = row[i] * CHOICES;
        while (place[at] >= 0)
            at++;
        place[at] = i;
    }
    int *const on_device =
        lab_upload(r, place, (size_t)nsums * CHOICES * sizeof *place);
    free(place);
    return on_device;
}

/* The results that this rank's experts have, in the order in which the tokens
 * have arrived: row[i] is the first place of result i's token in that order.
 * Returns their number. */
static int results_of(const struct net *d, int *row, float *value)
{
    const int each = EXPERTS / d->nranks, arrived = d->hop[d->nhops - 1].nrecv;
    int n = 0;
    for (int i = 0; i < arrived; i++) {
        const int token = d->token[i];
        if (i > 0 && d->token[i - 1] == token) // one more copy of it
            continue;
        for (int j = 0; j < CHOICES; j++)
            if (expert[token / TOKENS][token % TOKENS][j] / each == d->rank) {
                row[n] = i;
                value[n++] = result(token, j);
            }
    }
    return n;
}

static struct combine combine_open(struct lab_run *r, const struct net *d)
{
    static int row[ROWS];
    static float value[ROWS];
    const size_t pitch = BACK * sizeof(float);
    struct combine b;
    const int n = results_of(d, row, value);
    b.results = rows_of(r, value, n, BACK);
    for (int i = 0; i < d->nhops; i++) {
        const struct hop *const h = &d->hop[i];
        const int last = i == d->nhops - 1;
        b.hop[i].place =
            places(r, last ? row : h[1].row, last ? n : h[1].nsend, h->nrecv);
        b.hop[i].sum = lab_buffer(r, (size_t)h->nrecv * pitch);
        b.hop[i].back = lab_buffer(r, (size_t)h->nsend * pitch);
    }
    b.last = places(r, d->hop[0].row, d->hop[0].nsend, TOKENS);
    b.out = lab_buffer(r, TOKENS * pitch);
    return b;
}

static int combine_wrong(const struct net *d, const struct combine *b)
{
    float want[TOKENS] = {0};
    for (int t = 0; t < TOKENS; t++)
        for (int j = 0; j < CHOICES; j++)
            want[t] += result(d->rank * TOKENS + t, j);
    return wrong_rows(b->out, want, TOKENS, BACK);
}

/* ---- the tables ---------------------------------------------------------- */

/* Rows that this rank sends to other nodes, or to other ranks of its own. */
static int rows_sent(const struct net *d, int back, int far)
{
    int n = 0;
    for (int i = 0; i < d->nhops; i++) {
        const int *const to = back ? d->hop[i].recv : d->hop[i].send;
        for (int s = 0; s < d->nranks; s++)
            if (s != d->rank && (s / PLACES != d->rank / PLACES) == far)
                n += to[s + 1] - to[s];
    }
    return n;
}

/* Run once, and check what has come. Returns microseconds. */
static double time_us(struct lab_run *r, const struct net *d, int back)
{
    struct dispatch there = {NULL};
    struct combine home = {NULL};
    cudaEvent_t event[2];
    float ms;
    if (back)
        home = combine_open(r, d);
    else
        there = dispatch_open(r, d);
    for (int i = 0; i < 2; i++)
        CUDA_MUST(cudaEventCreate(&event[i]));
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    CUDA_MUST(cudaEventRecord(event[0], r->stream));
    nvtxRangePushA(spans[back][d->way]);
    NCCL_MUST(back ? run_combine(r, d, &home) : run_dispatch(r, d, &there));
    nvtxRangePop();
    CUDA_MUST(cudaEventRecord(event[1], r->stream));
    CUDA_MUST(cudaDeviceSynchronize());
    CUDA_MUST(cudaEventElapsedTime(&ms, event[0], event[1]));
    for (int i = 0; i < 2; i++)
        CUDA_MUST(cudaEventDestroy(event[i]));
    const int wrong =
        back ? combine_wrong(d, &home) : dispatch_wrong(d, &there);
    if (wrong > 0)
        fprintf(stderr, "rank %d: %s: %d rows are wrong\n", r->rank,
                spans[back][d->way], wrong);
    lab_free_buffers();
    return wrong ? NAN : ms * 1e3;
}

static double largest(const struct lab_run *r, double x)
{
    MPI_MUST(
        MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, r->mpi_comm));
    return x;
}

static void print_row(struct lab_run *r, enum way way, int back)
{
    static struct net d;
    d = (struct net){.rank = r->rank,
                     .nranks = r->nranks,
                     .way = way,
                     .nhops = way == WAY_NODES ? 2 : 1};
    plan_first(&d);
    if (d.nhops == 2)
        plan_second(&d);
    const double mb = (back ? BACK : THERE) * sizeof(float) / 1e6;
    const double far = largest(r, rows_sent(&d, back, 1) * mb);
    const double near = largest(r, rows_sent(&d, back, 0) * mb);
    const double us = largest(r, time_us(r, &d, back));
    if (r->rank == 0)
        printf("%-11s %12.3f %12.3f %9.1f\n", ways[way], far, near, us);
}

int nodes_print(struct lab_run *r, int argc, char **argv)
{
    static const char *const head[] = {
        "\n# dispatch, %d bytes a token\n"
        "# once for  network MB    NVLink MB        us\n",
        "\n# combine, %d bytes a result or sum\n"
        "# once for  network MB    NVLink MB        us\n"};
    (void)argc;
    (void)argv;
    if (!r->comm || r->nranks % PLACES || EXPERTS % r->nranks ||
        r->nranks > RANKS) {
        if (r->rank == 0)
            fprintf(stderr, "--nodes: use 8, 16, 32 or 64 ranks with a GPU "
                            "each, 8 on a node\n");
        return 2;
    }
    choose(r->nranks);
    if (r->rank == 0)
        printf("# %d tokens with %d of %d experts each, on %d nodes;\n"
               "# MB: from the rank that sends most\n",
               TOKENS, CHOICES, EXPERTS, r->nranks / PLACES);
    for (int back = 0; back < 2; back++) {
        if (r->rank == 0)
            printf(head[back], (back ? BACK : THERE) * (int)sizeof(float));
        for (int way = 0; way < WAYS; way++)
            print_row(r, (enum way)way, back);
    }
    return 0;
}
