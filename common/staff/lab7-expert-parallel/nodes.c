/*
 * nodes.c: lab 7's command --nodes. Given: nothing to edit here.
 *
 * A dispatch over several nodes in three ways. A network is slower than NVLink,
 * so a token should cross it once for each node that has any of its experts. It
 * goes to the rank in the same place on that node, which sends it on to the
 * ranks of its experts:
 *
 *     node 0, rank 1  --network-->  node 1, rank 1  --NVLink-->  its ranks 4, 6
 *
 * Every rank computes all ranks' choices, so that only tokens travel here.
 */
#include <math.h>             /* NAN */
#include <nvtx3/nvToolsExt.h> /* nvtxRangePushA */
#include <stdio.h>            /* printf */
#include <stdlib.h>           /* calloc */

#include "base/must.h"
#include "cases.h"
#include "judge/judge.h" /* judge_seed */
#include "lab/try.h"     /* LAB_TRY */

enum { EXPERTS = 256, CHOICES = 8, TOKENS = 128, FLOATS = 7168 / 4 };
enum { RANKS = 64, ROWS = RANKS * TOKENS * CHOICES, PLACES = 8 };

enum way { WAY_CHOICES, WAY_RANKS, WAY_NODES, WAYS };

static const char *const ways[] = {"each choice", "each rank", "each node"};

static int expert[RANKS][TOKENS][CHOICES];

struct hop { /* rows to be sent, sorted by receiver, and rows that arrive */
    int row[ROWS], nsend, nrecv;
    int send[RANKS + 1], recv[RANKS + 1]; /* first row for, and of, a rank */
};

struct net { /* a dispatch on one rank */
    int rank, nranks;
    enum way way;
    struct hop hop[2]; /* the second one inside the node, if any */
    int token[ROWS];   /* what arrives: rank * TOKENS + number */
};

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

/* Send rows of `from` and receive others in `to`. */
static ncclResult_t run_hop(struct lab_run *r, const struct hop *h,
                            const int *row, const float *from, float *packed,
                            float *to)
{
    LAB_TRY(moe_gather(from, row, h->nsend, FLOATS, packed, r->stream));
    LAB_TRY(ncclGroupStart());
    for (int s = 0; s < r->nranks; s++) {
        const size_t nsend = (size_t)(h->send[s + 1] - h->send[s]) * FLOATS;
        const size_t nrecv = (size_t)(h->recv[s + 1] - h->recv[s]) * FLOATS;
        if (nsend)
            LAB_TRY(ncclSend(packed + (size_t)h->send[s] * FLOATS, nsend,
                             ncclFloat, s, r->comm, r->stream));
        if (nrecv)
            LAB_TRY(ncclRecv(to + (size_t)h->recv[s] * FLOATS, nrecv, ncclFloat,
                             s, r->comm, r->stream));
    }
    return ncclGroupEnd();
}

/* ---- the table ----------------------------------------------------------- */

/* Rows that this rank sends to other nodes, or to other ranks of its own. */
static int rows_sent(const struct net *d, int nhops, int far)
{
    int n = 0;
    for (int i = 0; i < nhops; i++)
        for (int s = 0; s < d->nranks; s++)
            if (s != d->rank && (s / PLACES != d->rank / PLACES) == far)
                n += d->hop[i].send[s + 1] - d->hop[i].send[s];
    return n;
}

/* Floats that name the tokens: element 0 of each is its number. */
static float *name_tokens(struct lab_run *r)
{
    float *const host = calloc((size_t)TOKENS * FLOATS, sizeof *host);
    for (int t = 0; t < TOKENS; t++)
        host[(size_t)t * FLOATS] = (float)(r->rank * TOKENS + t);
    float *const in =
        lab_upload(r, host, (size_t)TOKENS * FLOATS * sizeof *host);
    free(host);
    return in;
}

/* The number of rows that hold another token than they should. */
static int wrong_rows(const struct net *d, const struct hop *last,
                      const float *arrived)
{
    const size_t pitch = FLOATS * sizeof(float);
    float *const first = calloc((size_t)last->nrecv + 1, sizeof *first);
    int wrong = 0;
    CUDA_MUST(cudaMemcpy2D(first, sizeof *first, arrived, pitch, sizeof *first,
                           (size_t)last->nrecv, cudaMemcpyDeviceToHost));
    for (int i = 0; i < last->nrecv; i++)
        wrong += (int)first[i] != d->token[i];
    free(first);
    return wrong;
}

/* Dispatch once, and check what has arrived. Returns microseconds. */
static double dispatch_us(struct lab_run *r, const struct net *d, int nhops)
{
    const float *from = name_tokens(r);
    const int *row[2];
    float *packed[2], *to[2];
    cudaEvent_t begin, end;
    float ms;
    for (int i = 0; i < nhops; i++) {
        const struct hop *const h = &d->hop[i];
        const size_t nsend = (size_t)h->nsend, nrecv = (size_t)h->nrecv;
        row[i] = lab_upload(r, h->row, nsend * sizeof *h->row);
        packed[i] = lab_buffer(r, nsend * FLOATS * sizeof(float));
        to[i] = lab_buffer(r, nrecv * FLOATS * sizeof(float));
    }
    CUDA_MUST(cudaEventCreate(&begin));
    CUDA_MUST(cudaEventCreate(&end));
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    CUDA_MUST(cudaEventRecord(begin, r->stream));
    nvtxRangePushA(ways[d->way]);
    for (int i = 0; i < nhops; i++) {
        NCCL_MUST(run_hop(r, &d->hop[i], row[i], from, packed[i], to[i]));
        from = to[i];
    }
    nvtxRangePop();
    CUDA_MUST(cudaEventRecord(end, r->stream));
    CUDA_MUST(cudaDeviceSynchronize());
    CUDA_MUST(cudaEventElapsedTime(&ms, begin, end));
    CUDA_MUST(cudaEventDestroy(begin));
    CUDA_MUST(cudaEventDestroy(end));
    const int wrong = wrong_rows(d, &d->hop[nhops - 1], from);
    if (wrong > 0)
        fprintf(stderr, "rank %d: %d rows hold another token\n", r->rank,
                wrong);
    lab_free_buffers();
    return wrong ? NAN : ms * 1e3;
}

static double largest(const struct lab_run *r, double x)
{
    MPI_MUST(
        MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, r->mpi_comm));
    return x;
}

static void print_row(struct lab_run *r, enum way way)
{
    static struct net d;
    const int nhops = way == WAY_NODES ? 2 : 1;
    d = (struct net){.rank = r->rank, .nranks = r->nranks, .way = way};
    plan_first(&d);
    if (nhops == 2)
        plan_second(&d);
    const double mb = FLOATS * sizeof(float) / 1e6;
    const double far = largest(r, rows_sent(&d, nhops, 1) * mb);
    const double near = largest(r, rows_sent(&d, nhops, 0) * mb);
    const double us = largest(r, dispatch_us(r, &d, nhops));
    if (r->rank == 0)
        printf("%-11s %12.3f %12.3f %9.1f\n", ways[way], far, near, us);
}

int nodes_print(struct lab_run *r, int argc, char **argv)
{
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
        printf("# dispatch of %d tokens to %d of %d experts, %d bytes each, on "
               "%d nodes;\n# MB: from the rank that sends most\n"
               "# once for  network MB    NVLink MB        us\n",
               TOKENS, CHOICES, EXPERTS, FLOATS * (int)sizeof(float),
               r->nranks / PLACES);
    for (int way = 0; way < WAYS; way++)
        print_row(r, (enum way)way);
    return 0;
}
