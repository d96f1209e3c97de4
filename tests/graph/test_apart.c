/*
 * Operations of two threads of a rank that touch the same bytes: which of them
 * are found to be in order by host threads alone, each pair once, by the later.
 */
#include <check.h>

#include "suite.h"
#include "synthetic.h"

static struct synthetic s;

static void setup(void)
{
    synthetic_init(&s, 2);
}

static void teardown(void)
{
    synthetic_release(&s);
}

/* ---- what a rank does ---------------------------------------------------- */

/* A thread's kernel, in its own queue. */
#define KERNEL(RANK, THREAD, ...)                                              \
    SYNTHETIC(&s, RANK,                                                        \
              .node = {.kind = GRAPH_KERNEL,                                   \
                       .thread = (THREAD),                                     \
                       .queue = 1 + (THREAD)},                                 \
              __VA_ARGS__)
#define TOUCHES(begin, how)                                                    \
    {                                                                          \
        7, (begin), (begin) + 10, (how), 0                                     \
    }

static struct graph_ref writes(uint32_t rank, uint32_t thread, uint64_t begin)
{
    return KERNEL(rank, thread, .accesses = {TOUCHES(begin, GRAPH_WRITE)});
}

static struct graph_ref reads(uint32_t rank, uint32_t thread, uint64_t begin)
{
    return KERNEL(rank, thread, .accesses = {TOUCHES(begin, GRAPH_READ)});
}

/* Thread 1 begins before anything is there to wait for. */
static void sleeps(uint32_t rank)
{
    SYNTHETIC(&s, rank, .node = {.kind = GRAPH_HOST, .thread = 1});
}

static void thread_0_waits_for(uint32_t rank, struct graph_ref op)
{
    SYNTHETIC(&s, rank, .node = {.kind = GRAPH_HOST}, .deps = {op});
}

/* ---- what is found ------------------------------------------------------- */

struct pair {
    struct graph_ref before, after;
};

static void expect(const struct pair *pair, size_t n)
{
    struct graph *const g = synthetic_load(&s);
    ck_assert_uint_eq(g->napart, n);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_eq(g->apart[i].before, graph_find(g, pair[i].before));
        ck_assert_uint_eq(g->apart[i].after, graph_find(g, pair[i].after));
    }
    graph_free(g);
}

/* Rank 0 reads last, although its operations are the first in the graph. */
START_TEST(each_pair_is_found_once_by_the_later)
{
    struct graph_ref w[2][3], last[2];
    for (uint32_t rank = 0; rank < 2; rank++) {
        sleeps(rank);
        for (uint64_t k = 0; k < 3; k++)
            w[rank][k] = writes(rank, 0, 1000 * rank + 20 * k);
        thread_0_waits_for(rank, w[rank][2]);
    }
    // the second write, the others, and the first once more
    last[1] = KERNEL(
        1, 1,
        .accesses = {TOUCHES(1022, GRAPH_READ), TOUCHES(1000, GRAPH_READ),
                     TOUCHES(1035, GRAPH_ATOMIC), TOUCHES(1005, GRAPH_READ)});
    last[0] =
        KERNEL(0, 1, .deps = {last[1]},
               .accesses = {TOUCHES(40, GRAPH_WRITE), TOUCHES(0, GRAPH_READ)});
    const struct pair pairs[] = {{w[0][0], last[0]},
                                 {w[0][2], last[0]},
                                 {w[1][0], last[1]},
                                 {w[1][1], last[1]},
                                 {w[1][2], last[1]}};
    expect(pairs, sizeof pairs / sizeof *pairs);
}
END_TEST

/* The first write is in a queue that is not waited for; the last two come after
 * what is. */
START_TEST(what_is_a_race_is_none)
{
    sleeps(0);
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_KERNEL, .queue = 9},
              .accesses = {TOUCHES(80, GRAPH_WRITE)});
    const struct graph_ref a = writes(0, 0, 0);
    const struct graph_ref b = writes(0, 0, 20);
    thread_0_waits_for(0, b);
    writes(0, 0, 40);
    writes(0, 0, 60);
    reads(0, 1, 80);
    const struct graph_ref one = reads(0, 1, 0);
    const struct graph_ref all =
        KERNEL(0, 1,
               .accesses = {TOUCHES(0, GRAPH_READ), TOUCHES(40, GRAPH_READ),
                            TOUCHES(20, GRAPH_READ), TOUCHES(60, GRAPH_READ)});
    expect((const struct pair[]){{a, one}, {a, all}, {b, all}}, 3);
}
END_TEST

/* A thread's own order, other bytes, two reads, other ranks, the host. */
START_TEST(what_else_is_none)
{
    for (uint32_t rank = 0; rank < 2; rank++)
        sleeps(rank);
    writes(0, 1, 0);
    reads(0, 1, 0);
    const struct graph_ref w = writes(0, 0, 20);
    thread_0_waits_for(0, w);
    reads(0, 1, 10);
    reads(0, 1, 30);
    const struct graph_ref r = reads(0, 0, 50);
    thread_0_waits_for(0, r);
    const struct graph_ref own = reads(0, 1, 50);
    KERNEL(1, 1, .deps = {own}, .accesses = {TOUCHES(20, GRAPH_READ)});
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_HOST, .thread = 1},
              .accesses = {TOUCHES(20, GRAPH_READ)});
    expect(NULL, 0);
}
END_TEST

START_TEST(there_may_be_many)
{
    enum { MANY = 150 };
    struct pair pair[MANY];
    sleeps(1);
    for (uint64_t i = 0; i < MANY; i++)
        pair[i].before = writes(1, 0, 20 * i);
    thread_0_waits_for(1, pair[MANY - 1].before);
    for (uint64_t i = 0; i < MANY; i++)
        pair[i].after = reads(1, 1, 20 * i + 9);
    expect(pair, MANY);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("apart");
    TCase *const t = tcase_create("apart");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, each_pair_is_found_once_by_the_later);
    tcase_add_test(t, what_is_a_race_is_none);
    tcase_add_test(t, what_else_is_none);
    tcase_add_test(t, there_may_be_many);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
