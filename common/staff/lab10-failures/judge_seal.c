/*
 * judge_seal.c: the judge of part 8: sums that errors in transit don't change,
 * and how few bytes mend them
 */
#include <math.h>   /* fmin */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy, memset, strcmp */

#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge/graph/spans.h"
#include "judge10.h"

/* The bytes of collectives that it takes: elements, seals and the blocks that
 * are bad, and the flags of each round. */
struct seal_bytes {
    double data, flags;
};

static struct seal_bytes seal_bytes(const struct judge_task *t, int iteration)
{
    const uint64_t count = (uint64_t)plan_int(t->c, "count", 5000);
    const uint64_t nblocks = (count + DRAWN_BLOCK - 1) / DRAWN_BLOCK;
    const uint64_t nsums = 1 + (uint64_t)plan_int(t->c, "clean", 0);
    struct drawn_flip flip[DRAWN_FLIPS_MOST];
    const int n =
        drawn_flips(t->c, judge_input_seed(t, 0, iteration), t->nranks, flip);
    const int hopeless = plan_int(t->c, "hopeless", 0) != 0;
    uint64_t bytes = (nsums + (uint64_t)hopeless) *
                     (count * sizeof(float) + nblocks * sizeof(double));
    int last = -1, rounds = 1 + hopeless * DRAWN_TRIES;
    for (int i = 0; i < n; i++) {
        const uint64_t left = count - flip[i].at / DRAWN_BLOCK * DRAWN_BLOCK;
        const uint64_t block = left < DRAWN_BLOCK ? left : DRAWN_BLOCK;
        const int again = hopeless && flip[i].round == 0 ? DRAWN_TRIES - 1 : 0;
        bytes += (uint64_t)(1 + again) * block * sizeof(float);
        last = flip[i].round > last ? flip[i].round : last;
    }
    rounds += last + 1;
    return (struct seal_bytes){(double)bytes,
                               (double)(nsums - 1 + (uint64_t)rounds) *
                                   (double)nblocks * sizeof(int)};
}

static void judge_seal_bytes(const struct judge_task *t, int rank,
                             int iteration, struct judge_verdict *v)
{
    const struct seal_bytes want = seal_bytes(t, iteration);
    const double bytes = judge_collective_bytes(t, rank, iteration);
    if (bytes > want.data + want.flags)
        judge_fail_method(
            v,
            "the result is right, but rank %d's collectives have %.0f "
            "bytes; %.0f are enough: elements and seals once, flags, "
            "and the blocks that are bad",
            rank, bytes, want.data + want.flags);
    else if (t->graph && bytes < want.data)
        judge_fail_method(
            v,
            "the result is right, but rank %d's collectives have %.0f "
            "bytes, less than the %.0f of elements, seals and bad "
            "blocks: some are not summed",
            rank, bytes, want.data);
}

/* The sums have to have gone where damage happens: every flip that waits for a
 * rank is a kernel there. */
static void judge_transit(const struct judge_task *t, int rank, int iteration,
                          struct judge_verdict *v)
{
    struct drawn_flip flip[DRAWN_FLIPS_MOST];
    struct spans_window w;
    // judge_hopeless() says how many rounds the hopeless sum should have.
    const double rounds = plan_int(t->c, "hopeless", 0)
                              ? judge10_metric(t, rank, iteration, "rounds.0")
                              : 0;
    const int stays = rounds > 0 ? (int)fmin(rounds, DRAWN_TRIES) : 0;
    int want = 0, got = 0;
    const int n =
        drawn_flips(t->c, judge_input_seed(t, 0, iteration), t->nranks, flip);
    for (int i = 0; i < n; i++)
        want += flip[i].rank == rank ? 1 + (flip[i].round == 0 ? stays : 0) : 0;
    if (spans_window(t, rank, iteration, &w) != 0)
        return;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const op = &t->graph->nodes[at];
        got += op->node.kind == GRAPH_KERNEL && op->part == 0 &&
               strcmp(op->name, "flip") == 0;
    }
    if (got < want)
        judge_fail_method(v,
                          "the result is right, but %d of the %d errors in "
                          "transit to rank %d did not happen: call "
                          "seal_transit() after each group that sums elements",
                          want - got, want, rank);
}

/* The sum whose blocks stay bad ends with an error, after SEAL_TRIES rounds. */
static void judge_hopeless(const struct judge_task *t, int rank, int iteration,
                           struct judge_verdict *v)
{
    const double rounds = judge10_metric(t, rank, iteration, "rounds.0");
    if (judge10_metric(t, rank, iteration, "gave_up.0") != 1)
        judge_fail(v,
                   "a block stays bad, and seal_sum() returns ncclSuccess on "
                   "rank %d after %.0f calls of seal_transit(); should return "
                   "ncclRemoteError after %d rounds, with a call in each",
                   rank, rounds, DRAWN_TRIES);
    else if (rounds != DRAWN_TRIES)
        judge_fail(v,
                   "a block stays bad, and seal_sum() gives up after %.0f "
                   "rounds on rank %d; should after %d: the first sum is "
                   "round 1",
                   rounds, rank, DRAWN_TRIES);
}

void judge10_seal(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t count = (size_t)plan_int(t->c, "count", 5000);
    const size_t nsums = 1 + (size_t)plan_int(t->c, "clean", 0);
    float *const want = malloc(nsums * count * sizeof *want);
    for (int i = 0; i < t->iterations; i++) {
        memset(want, 0, count * sizeof *want);
        for (int r = 0; r < t->nranks; r++)
            for (size_t k = 0; k < count; k++)
                want[k] += drawn_float(judge_input_seed(t, r, i), k);
        for (size_t s = 1; s < nsums; s++)
            memcpy(want + s * count, want, count * sizeof *want);
        for (int r = 0; r < t->nranks; r++) {
            judge10_floats(t, r, i, "sum", want, nsums * count, v);
            judge_transit(t, r, i, v);
            if (plan_int(t->c, "hopeless", 0))
                judge_hopeless(t, r, i, v);
            judge_seal_bytes(t, r, i, v);
        }
    }
    free(want);
    judge_no_mpi(t, "NCCL combines the flags", v);
}
