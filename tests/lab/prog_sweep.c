/* links: lab judge graph topo base
 * A lab for the tests of --bench: no cases, but operations to sweep, some of
 * which are wrong.
 *
 *     spoilt     an all-reduce after which rank 1 changes two elements
 *     short      an all-gather that leaves out the last rank's block
 *     hole       not written yet
 */
#include "lab/sweep.h"

static const struct judge_kind no_kinds[] = {{.name = NULL}};
static const struct judge_lab judge = {.lab = "sweep", .kinds = no_kinds};
const struct judge_lab *const judge_labs[] = {&judge, NULL};

static ncclResult_t spoilt(const struct sweep_call *c)
{
    LAB_TRY(ncclAllReduce(c->sendbuf, c->recvbuf, c->count, c->type, c->op,
                          c->r->comm, c->r->stream));
    if (c->r->rank == 1)
        LAB_TRY_CUDA(cudaMemsetAsync(c->recvbuf, 0x55, 8, c->r->stream));
    return ncclSuccess;
}

/* Every rank except the last broadcasts its block. */
static ncclResult_t too_short(const struct sweep_call *c)
{
    float *const recv = c->recvbuf;
    for (int k = 0; k < c->r->nranks - 1; k++) {
        float *const block = recv + (size_t)k * c->count;
        LAB_TRY(ncclBroadcast(c->r->rank == k ? c->sendbuf : block, block,
                              c->count, c->type, k, c->r->comm, c->r->stream));
    }
    return ncclSuccess;
}

static ncclResult_t hole(const struct sweep_call *c)
{
    (void)c;
    LAB_HOLE("part 9: nothing");
}

static const struct sweep_op own[] = {
    {"spoilt", BENCH_ALL_REDUCE, spoilt},
    {"short", BENCH_ALL_GATHER, too_short},
    {"hole", BENCH_ALL_REDUCE, hole},
    {NULL, BENCH_SHAPES, NULL},
};

static int bench(struct lab_run *r, int argc, char **argv)
{
    return sweep_main(r, own, argc, argv);
}

static const struct lab_kind kinds[] = {{NULL, NULL}};
static const struct lab_command commands[] = {{"--bench", "sweep", bench},
                                              {NULL, NULL, NULL}};
const struct lab lab = {
    .name = "sweep", .brief = "sweeps", .kinds = kinds, .commands = commands};
