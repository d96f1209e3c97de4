/*
 * Collectives that ranks issue in opposite orders are a warning.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "suite.h"

static struct child run(int nranks, const char *how)
{
    return child_run(120,
                     "SIMGPU_CHECK=1 mpirun -n %d "
                     "%s/tests/hazards/prog_crossed %s",
                     nranks, child_build(), how);
}

/* With 3 ranks, one of the communicators has two of them. */
static const struct {
    int nranks;
    const char *says[2], *often;
} crossed[] = {
    {2,
     {"  rank 0: ncclAllReduce at prog_crossed.cpp:20, then ncclBroadcast at "
      "prog_crossed.cpp:26\n",
      "  rank 1: ncclBroadcast at prog_crossed.cpp:26, then ncclAllReduce at "
      "prog_crossed.cpp:20\n"},
     "  (3 times)\n"},
    {3,
     {"  rank 1: ncclAllReduce at prog_crossed.cpp:20, then ncclBroadcast at "
      "prog_crossed.cpp:26\n",
      "  rank 2: ncclBroadcast at prog_crossed.cpp:26, then ncclAllReduce at "
      "prog_crossed.cpp:20\n"},
     "  (3 times)\n"},
};

START_TEST(opposite_orders_are_a_warning)
{
    struct child c = run(crossed[_i].nranks, "crossed");
    const char *const at =
        strstr(c.err, "\nwarning: crossed collectives of two communicators: "
                      "ranks issue them in opposite orders\n");
    ck_assert_msg(c.status == 0 && at &&
                      strstr(c.err, "check: 0 hazards, 1 warning in"),
                  "status %d\n%s", c.status, c.err);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(strstr(at, crossed[_i].says[i]) != NULL, "%s", c.err);
    ck_assert_msg(strstr(at, crossed[_i].often) != NULL, "%s", c.err);
    child_clear(&c);
}
END_TEST

/* Rank i shares one communicator with the rank before it, one with the next. */
START_TEST(a_ring_of_ranks_is_a_warning)
{
    struct child c = run(_i, "ring");
    const char *const at =
        strstr(c.err, "\nwarning: crossed collectives of several "
                      "communicators: ranks wait in a ring\n");
    ck_assert_msg(c.status == 0 && at &&
                      strstr(c.err, "check: 0 hazards, 1 warning in"),
                  "status %d\n%s", c.status, c.err);
    for (int rank = 0; rank < 3; rank++) {
        char says[128];
        snprintf(says, sizeof says,
                 "\n  rank %d: ncclAllReduce at prog_crossed.cpp:106, then "
                 "ncclAllReduce at prog_crossed.cpp:107",
                 rank);
        ck_assert_msg(strstr(at, says) != NULL, "%s", c.err);
    }
    ck_assert_msg((strstr(at, "and so on, on 4 ranks") != NULL) == (_i == 4),
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

static const char *const others[] = {"ordered", "grouped", "half-grouped",
                                     "threaded", "open-ring"};

START_TEST(other_orders_are_none)
{
    for (int nranks = 2; nranks <= 3; nranks++) {
        struct child c = run(nranks, others[_i]);
        ck_assert_msg(
            c.status == 0 && strstr(c.err, "check: 0 hazards, 0 warnings in"),
            "%s, %d ranks: status %d\n%s", others[_i], nranks, c.status, c.err);
        child_clear(&c);
    }
}
END_TEST

START_TEST(on_one_stream_they_hang)
{
    struct child c = run(2, "one-stream");
    ck_assert_msg(c.status != 0 && strstr(c.err, "the run hangs") &&
                      strstr(c.err, "prog_crossed.cpp:20") &&
                      strstr(c.err, "prog_crossed.cpp:26"),
                  "status %d\n%s", c.status, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("crossed");
    TCase *const t = tcase_create("crossed");
    tcase_set_timeout(t, 300);
    SUITE_LOOP(t, opposite_orders_are_a_warning, crossed);
    tcase_add_loop_test(t, a_ring_of_ranks_is_a_warning, 3, 5);
    SUITE_LOOP(t, other_orders_are_none, others);
    tcase_add_test(t, on_one_stream_they_hang);
    suite_add_tcase(s, t);
    return suite_run(s);
}
