/*
 * Who holds which piece after each step of a collective made of messages.
 */
#include <check.h>
#include <stdlib.h>

#include "graph/steps.h"
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

int main(void)
{
    Suite *const suite = suite_create("steps");
    TCase *const c = tcase_create("steps");
    tcase_add_checked_fixture(c, NULL, teardown);
    tcase_add_test(c, an_all_reduce_ends_with_all_sums_on_all_ranks);
    tcase_add_test(c, a_broadcast_has_pieces_of_one_rank);
    tcase_add_test(c, without_messages_there_are_no_pieces);
    suite_add_tcase(suite, c);
    return suite_run(suite);
}
