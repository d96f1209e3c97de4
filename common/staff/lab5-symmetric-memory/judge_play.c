/*
 * judge_play.c: the judge of lab 5's ping-pong in kernels
 *
 * In every round each rank adds a number that the other one cannot know, so no
 * round can be skipped. The graph shows that the items travelled, and that the
 * kernels waited for each other in every round.
 */
#include <stdlib.h> /* malloc */

#include "drawn.h"
#include "graph/record/read.h"
#include "judge5.h"

/* What a rank receives in each round; 0 if it has no partner. */
static void fill_received(const struct judge_task *t, const uint64_t *seed,
                          int rank, size_t rounds, float *want)
{
    const int even = rank & ~1, odd = rank | 1;
    const uint64_t path = DRAWN_ADD;
    double x = odd < t->nranks ? judge5_input(seed[even], 0) : 0;
    for (size_t i = 0; i < rounds; i++) {
        const double before = x;
        if (odd < t->nranks)
            x += data_value(judge_seed(seed[odd], path), i, DATA_FLOAT);
        want[i] = (float)(rank == even ? x : before);
        if (odd < t->nranks)
            x += data_value(judge_seed(seed[even], path), i, DATA_FLOAT);
    }
}

/* The first round's value comes from the even rank, all others also from the
 * odd one, which has added to them. */
static struct rank_set from_both(const struct judge_task *t,
                                 const uint64_t *seed, int rank, size_t i)
{
    struct rank_set need = {{0}};
    (void)seed;
    if ((rank | 1) < t->nranks) {
        rank_set_add(&need, rank & ~1);
        if (i > 0)
            rank_set_add(&need, rank | 1);
    }
    return need;
}

/* Fail unless a rank's kernel sent its partner an item in every round, and
 * waited in every round. */
static void judge_game(const struct judge_task *t, int rank, int iteration,
                       struct judge_verdict *v)
{
    const double rounds = (double)plan_int(t->c, "rounds", 100);
    const double item = (double)(judge5_count(t) / 4 * 16);
    const int own = judge5_gpu(spans_topo(t->spans), rank);
    const int other = judge5_gpu(spans_topo(t->spans), rank ^ 1);
    double sent = 0, parts = 0;
    struct spans_window w;
    if (spans_window(t, rank, iteration, &w) != 0)
        return;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const k = &t->graph->nodes[at];
        parts += k->node.kind == GRAPH_KERNEL;
        for (size_t i = 0; k->node.kind == GRAPH_KERNEL && i < k->nmoves; i++)
            if (k->moves[i].from == own && k->moves[i].to == other)
                sent += (double)k->moves[i].nbytes;
    }
    if (own != other && sent < rounds * item)
        judge_fail_method(
            v,
            "the result is right, but rank %d's kernel puts %.0f bytes "
            "into rank %d's box; %.0f rounds of an item of %.0f bytes "
            "are %.0f",
            rank, sent, rank ^ 1, rounds, item, rounds * item);
    else if (parts < rounds)
        judge_fail_method(
            v,
            "the result is right, but rank %d's kernel waits for rank "
            "%d %.0f times in %.0f rounds",
            rank, rank ^ 1, parts, rounds);
}

void judge5_play(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t rounds = (size_t)plan_int(t->c, "rounds", 100);
    float *const want = malloc(rounds * sizeof *want);
    for (int it = 0; it < t->iterations && v->pass; it++) {
        uint64_t *const seed = judge5_seeds(t, it);
        for (int r = 0; r < t->nranks; r++) {
            const void *const got =
                judge_output(t, r, it, "out", rounds * sizeof *want, v);
            fill_received(t, seed, r, rounds, want);
            if (got)
                data_compare(got, want, rounds, DATA_FLOAT, r, v);
            judge5_descend(t, r, it, "out", rounds, from_both, seed, v);
            if (v->pass && t->spans && (r ^ 1) < t->nranks)
                judge_game(t, r, it, v);
            judge5_launches(t, r, it, 1, v);
        }
        free(seed);
    }
    free(want);
}
