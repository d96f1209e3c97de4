/*
 * Who holds which piece after each step of a collective made of messages.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "golden.h"
#include "graph/explain/steps.h"
#include "replayed.h"
#include "suite.h"

enum { US = 1000000, CHUNK = 1 << 20 };

static struct replayed t;
static uint64_t match;

static void teardown(void)
{
    replayed_release(&t);
}

/* An allocation of a rank. */
static uint64_t memory(uint32_t rank, uint32_t number)
{
    return (uint64_t)rank << 32 | number;
}

/* A message of one chunk: from offset `at` to offset `to_at`. */
static void message(uint32_t from, uint64_t alloc, uint64_t at, uint32_t to,
                    uint64_t to_alloc, uint64_t to_at)
{
    match++;
    for (uint32_t end = 0; end < 2; end++) {
        const uint32_t r = end ? to : from;
        SYNTHETIC(
            &t.s, r, .name = end ? "ncclRecv" : "ncclSend",
            .node = {.kind = end ? GRAPH_RECV : GRAPH_SEND,
                     .op = TOPO_OP_SENDRECV,
                     .queue = 1 + end, // a rank sends and receives at once
                     .place = (int32_t)r,
                     .peer_place = (int32_t)(end ? from : to),
                     .match = match,
                     .match_kind = GRAPH_MATCH_PAIR,
                     .match_size = 2,
                     .match_rank = end,
                     .bytes = CHUNK,
                     .span = graph_string(t.s.rank[r], "ring #0")},
            .accesses = {{end ? to_alloc : alloc, end ? to_at : at,
                          (end ? to_at : at) + CHUNK,
                          end ? GRAPH_WRITE : GRAPH_READ, 0}});
    }
}

/* Add the chunk that came into allocation 2 to one of allocation 1. */
static void reduce(uint32_t r, uint64_t at)
{
    SYNTHETIC(&t.s, r, .name = "add",
              .node = {.kind = GRAPH_KERNEL,
                       .queue = 2,
                       .place = (int32_t)r,
                       .host_ps = US,
                       .latency_ps = US,
                       .span = graph_string(t.s.rank[r], "ring #0")},
              .accesses = {{memory(r, 2), 0, CHUNK, GRAPH_READ, 0},
                           {memory(r, 1), at, at + CHUNK, GRAPH_READ, 0},
                           {memory(r, 1), at, at + CHUNK, GRAPH_WRITE, 0}});
}

static struct steps find(const char *span)
{
    struct steps s;
    replayed_run(&t, NULL);
    ck_assert_int_eq(steps_find(t.g, replay_times(t.r), span, &s), 0);
    return s;
}

static uint64_t held(const struct steps *s, uint32_t step, uint32_t rank,
                     uint32_t piece)
{
    ck_assert_uint_lt(step, s->nsteps);
    return s->mask[((size_t)step * s->nranks + rank) * s->npieces + piece];
}

/* Two ranks: each sends a chunk, adds what came, and sends the sum back. */
START_TEST(an_all_reduce_ends_with_all_sums_on_all_ranks)
{
    replayed_init(&t, "dgx-a100", 2);
    for (uint32_t r = 0; r < 2; r++)
        message(r, memory(r, 1), r ? 0 : CHUNK, 1 - r, memory(1 - r, 2), 0);
    for (uint32_t r = 0; r < 2; r++)
        reduce(r, r ? CHUNK : 0);
    // Queue 1 sends after the sum: it follows the kernel of queue 2.
    for (uint32_t r = 0; r < 2; r++)
        SYNTHETIC(&t.s, r, .name = "wait",
                  .node = {.kind = GRAPH_MARK,
                           .queue = 1,
                           .place = (int32_t)r,
                           .span = graph_string(t.s.rank[r], "ring #0")},
                  .deps = {{r, 3}});
    for (uint32_t r = 0; r < 2; r++)
        message(r, memory(r, 1), r ? CHUNK : 0, 1 - r, memory(1 - r, 1),
                r ? CHUNK : 0);
    struct steps s = find("ring");
    ck_assert_int_eq(s.by_rank, 0);
    ck_assert_uint_eq(s.npieces, 2);
    ck_assert_uint_eq(s.piece[1].begin, CHUNK);
    ck_assert_uint_eq(s.nsteps, 3);
    for (uint32_t r = 0; r < 2; r++) {
        for (uint32_t p = 0; p < 2; p++) {
            ck_assert_uint_eq(held(&s, 0, r, p), UINT64_C(1) << r);
            ck_assert_uint_eq(held(&s, 1, r, p), p == r ? 3 : 1u << r);
            ck_assert_uint_eq(held(&s, 2, r, p), 3);
        }
    }
    steps_release(&s);
}
END_TEST

/* Rank 0's chunk goes to rank 1, and from there to rank 2. */
START_TEST(a_broadcast_has_pieces_of_one_rank)
{
    replayed_init(&t, "dgx-a100", 3);
    message(0, memory(0, 1), 0, 1, memory(1, 1), CHUNK);
    SYNTHETIC(&t.s, 1, .name = "wait",
              .node = {.kind = GRAPH_MARK,
                       .queue = 1,
                       .place = 1,
                       .span = graph_string(t.s.rank[1], "ring #0")},
              .deps = {{1, 1}});
    message(1, memory(1, 1), CHUNK, 2, memory(2, 1), 0);
    struct steps s = find("ring #0");
    ck_assert_int_eq(s.by_rank, 1);
    ck_assert_uint_eq(s.npieces, 1);
    ck_assert_uint_eq(s.piece[0].rank, 0);
    ck_assert_uint_eq(s.nsteps, 3);
    for (uint32_t step = 0; step < 3; step++)
        for (uint32_t r = 0; r < 3; r++)
            ck_assert_uint_eq(held(&s, step, r, 0), r <= step);
    ck_assert(s.end_ps[1] > 0 && s.end_ps[2] > s.end_ps[1]);
    steps_release(&s);
}
END_TEST

START_TEST(without_messages_there_are_no_pieces)
{
    replayed_init(&t, "dgx-a100", 2);
    reduce(0, 0);
    struct steps s = find("ring");
    ck_assert_uint_eq(s.npieces, 0);
    steps_release(&s);
    ck_assert_int_eq(steps_find(t.g, replay_times(t.r), "nonesuch", &s), 0);
    ck_assert_uint_eq(s.npieces, 0);
    steps_release(&s);
}
END_TEST

/* ---- many ---------------------------------------------------------------- */

static uint32_t seed;

static uint32_t next_random(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % below;
}

/* An operation in the queue of all: those of a rank are in order. */
static void then(uint32_t r, struct synthetic_op op)
{
    op.node.queue = 1;
    op.node.place = (int32_t)r;
    op.node.latency_ps = US;
    op.node.span = graph_string(t.s.rank[r], "random");
    synthetic_add(&t.s, r, &op);
}

/* Bytes begin..end of an allocation go into others of the same rank. */
static void shift(uint32_t r, uint64_t from, uint64_t to, uint64_t nbytes,
                  int adds)
{
    const struct graph_access access[] = {
        {memory(r, adds ? 2 : 1), from, from + nbytes, GRAPH_READ, 0},
        {memory(r, 1), to, to + nbytes, GRAPH_READ, 0},
        {memory(r, adds ? 1 : 2), to, to + nbytes,
         adds == 2 ? GRAPH_ATOMIC : GRAPH_WRITE, 0}};
    struct synthetic_op op = {
        .name = "op", .node = {.kind = adds ? GRAPH_KERNEL : GRAPH_COPY}};
    op.accesses[0] = access[0];
    op.accesses[1] = access[adds ? 1 : 2];
    if (adds)
        op.accesses[2] = access[2];
    then(r, op);
}

/* Some of 8 chunks of 16 bytes go from one rank to another. */
static void send_some(uint32_t nranks)
{
    const uint32_t from = next_random(nranks);
    const uint32_t to = (from + 1 + next_random(nranks - 1)) % nranks;
    const uint64_t at = 16 * next_random(8), n = 16 * (1 + next_random(4));
    const uint64_t to_at = next_random(4) ? at : 16 * next_random(8);
    const uint32_t into = 1 + next_random(2);
    match++;
    for (uint32_t end = 0; end < 2; end++)
        SYNTHETIC(
            &t.s, end ? to : from, .name = "message",
            .node = {.kind = end ? GRAPH_RECV : GRAPH_SEND,
                     .op = TOPO_OP_SENDRECV,
                     .queue = 1,
                     .place = (int32_t)(end ? to : from),
                     .peer_place = (int32_t)(end ? from : to),
                     .match = match,
                     .match_kind = GRAPH_MATCH_PAIR,
                     .match_size = 2,
                     .match_rank = end,
                     .bytes = n,
                     .span = graph_string(t.s.rank[end ? to : from], "random")},
            .accesses = {{memory(end ? to : from, end ? into : 1),
                          end ? to_at : at, (end ? to_at : at) + n,
                          end ? GRAPH_WRITE : GRAPH_READ, 0}});
}

/* True if a node ends then. */
static int ends_at(uint64_t ps)
{
    const struct replay_time *const time = replay_times(t.r);
    for (uint32_t i = 0; i < t.g->nnodes; i++)
        if (time[i].end_ps == ps)
            return 1;
    return 0;
}

static void print_steps(FILE *f, const struct steps *s)
{
    fprintf(f, "%s, pieces", s->by_rank ? "by rank" : "together");
    for (uint32_t p = 0; p < s->npieces; p++)
        fprintf(f, " %u:%llu-%llu", s->piece[p].rank,
                (unsigned long long)s->piece[p].begin,
                (unsigned long long)s->piece[p].end);
    for (uint32_t i = 0; i < s->nsteps; i++) {
        fprintf(f, "\nstep %u", i);
        ck_assert(i == 0 ? s->end_ps[i] == 0 : ends_at(s->end_ps[i]));
        ck_assert(i == 0 || s->end_ps[i] > s->end_ps[i - 1]);
        for (uint32_t r = 0; r < s->nranks; r++) {
            fprintf(f, " |");
            for (uint32_t p = 0; p < s->npieces; p++)
                fprintf(f, " %llx", (unsigned long long)held(s, i, r, p));
        }
    }
    fprintf(f, "\n");
}

START_TEST(who_holds_what_is_as_it_was)
{
    char *text, part[32];
    size_t nbytes;
    FILE *const f = open_memstream(&text, &nbytes);
    const uint32_t nranks = 2 + (uint32_t)_i % 3;
    seed = 99 + (uint32_t)_i;
    replayed_init(&t, "dgx-a100", nranks);
    for (int i = 0; i < 12; i++) {
        const uint32_t r = next_random(nranks), kind = next_random(5);
        const uint64_t at = 16 * next_random(8), to = 16 * next_random(8);
        if (kind < 3)
            send_some(nranks);
        else
            shift(r, kind == 3 ? to : at, to, 16 * (1 + next_random(3)),
                  kind == 3 ? 1 + (int)next_random(2) : 0);
    }
    struct steps s = find("random");
    print_steps(f, &s);
    fclose(f);
    snprintf(part, sizeof part, "run %d", _i);
    golden_expect_part("tests/graph/golden.txt#steps", part, text);
    steps_release(&s);
    free(text);
}
END_TEST

static const struct {
    uint32_t nranks, nmessages, npieces, nsteps;
} limits[] = {
    {STEPS_RANKS, 1, 1, 2},
    {STEPS_RANKS + 1, 1, 0, 0},
    {2, STEPS_PIECES, STEPS_PIECES, STEPS_PIECES + 1},
    {2, STEPS_PIECES + 1, 0, 0},
};

/* Messages of a chunk each, one after another. */
START_TEST(beyond_the_limits_there_are_no_pieces)
{
    replayed_init(&t, "dgx-a100", limits[_i].nranks);
    for (uint32_t i = 0; i < limits[_i].nmessages; i++)
        message(0, memory(0, 1), (uint64_t)i * CHUNK, 1, memory(1, 1),
                (uint64_t)i * CHUNK);
    struct steps s = find("ring");
    ck_assert_uint_eq(s.npieces, limits[_i].npieces);
    if (s.npieces)
        ck_assert_uint_eq(s.nsteps, limits[_i].nsteps);
    steps_release(&s);
}
END_TEST

/* The same chunk to and fro, with a step for each message. */
START_TEST(there_are_at_most_512_steps)
{
    for (uint32_t n = STEPS_MOST - 1; n <= STEPS_MOST; n++) {
        replayed_init(&t, "dgx-a100", 2);
        for (uint32_t i = 0; i < n; i++) // in one queue: see message()
            message(0, memory(0, 1), 0, 1, memory(1, 1), 0);
        struct steps s = find("ring");
        ck_assert_uint_eq(s.npieces, n < STEPS_MOST);
        steps_release(&s);
        if (n < STEPS_MOST)
            replayed_release(&t);
    }
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("steps");
    TCase *const c = tcase_create("steps");
    tcase_add_checked_fixture(c, NULL, teardown);
    tcase_add_test(c, an_all_reduce_ends_with_all_sums_on_all_ranks);
    tcase_add_test(c, a_broadcast_has_pieces_of_one_rank);
    tcase_add_test(c, without_messages_there_are_no_pieces);
    tcase_add_loop_test(c, who_holds_what_is_as_it_was, 0, 20);
    tcase_add_loop_test(c, beyond_the_limits_there_are_no_pieces, 0,
                        sizeof limits / sizeof *limits);
    tcase_add_test(c, there_are_at_most_512_steps);
    suite_add_tcase(suite, c);
    return suite_run(suite);
}
