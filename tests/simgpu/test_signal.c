/*
 * Kernels that wait for each other while they run: they meet under every
 * schedule, on fewer cores than ranks; a wait that never ends is reported; and
 * what is modelled of them does not depend on timing.
 *
 * SIGNAL_ROUNDS (default 40) is how often the ranks meet.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "graph/replay/load.h"
#include "replayed.h"
#include "suite.h"

static const struct {
    int nranks;
    const char *schedule;
} runs[] = {{1, "eager"},    {2, "eager"}, {4, "eager"},    {8, "eager"},
            {2, "late"},     {4, "late"},  {5, "random:1"}, {3, "random:2"},
            {8, "random:3"}, {8, "late"}};
enum { RUNS = sizeof runs / sizeof *runs };

static struct child run(int nranks, const char *schedule, const char *dir,
                        const char *args)
{
    return child_run(280,
                     "SIMGPU_GRAPH=%s SIMGPU_SCHEDULE=%s mpirun -n %d "
                     "%s/tests/simgpu/prog_signal %s",
                     dir, schedule, nranks, child_build(), args);
}

START_TEST(kernels_of_all_ranks_meet)
{
    const char *const rounds = getenv("SIGNAL_ROUNDS");
    struct child c =
        run(runs[_i].nranks, runs[_i].schedule, "", rounds ? rounds : "40");
    ck_assert_msg(!c.timed_out && c.status == 0 && !strstr(c.out, "FAILED") &&
                      strstr(c.out, "ok    "),
                  "%d ranks, %s: status %d%s\n%s%s", runs[_i].nranks,
                  runs[_i].schedule, c.status, c.timed_out ? ", timed out" : "",
                  c.out, c.err);
    child_clear(&c);
}
END_TEST

static const struct {
    const char *args;
    const char *says[4];
} mistakes[] = {
    {"0 never",
     {"the run hangs",
      "kernel one_shot, block (0,0,0), thread 1 waits on the flag",
      "which is 0: byte 4 of the 96-byte allocation made at prog_signal.cu",
      "MPI_Barrier"}},
    {"0 last-block",
     {"the run hangs",
      "kernel last_block, block (2,1,3), thread 5 waits on the flag",
      "which is 0: byte 4 of the 96-byte allocation made at prog_signal.cu",
      "a kernel at sync.cuh:"}},
    {"0 barriers",
     {"the run hangs", "a kernel at ?: kernel last_block,",
      "block (1,3,2), thread 0 and others wait at different barriers",
      "last_block at prog_signal.cu"}},
};

START_TEST(a_flag_of_a_later_block_arrives)
{
    struct child c = run(2, "eager", "", "0 later-block");
    ck_assert_msg(c.status == 0, "status %d\n%s", c.status, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_flag_that_never_comes_is_named)
{
    struct child c = run(2, "eager", "", mistakes[_i].args);
    ck_assert_int_ne(c.status, 0);
    for (int i = 0; i < 4; i++)
        ck_assert_msg(strstr(c.err, mistakes[_i].says[i]) != NULL,
                      "\"%s\" is not in:\n%s", mistakes[_i].says[i], c.err);
    child_clear(&c);
}
END_TEST

static const struct {
    const char *name;
    const char *says[3];
} spins[] = {
    {"hang_shared",
     {"a kernel at prog_spin.cu:", "block (0,0,0), thread 0 waits on the flag",
      "which is 0: bytes 0 to 3 of the __shared__ array flag"}},
    {"hang_device",
     {"a kernel at prog_spin.cu:", "which is 0: ",
      "the __device__ variable volatile_flag"}},
    {"hang_fence",
     {"a kernel at prog_spin.cu:",
      "kernel hang_fence, block (0,0,0), thread 0 ",
      "reads the same memory in a loop"}},
    {"hang_barrier",
     {"a kernel at prog_spin.cu:", "thread 1 waits on the flag",
      "which is 1: the __device__ variable device_lock"}},
    {"hang_resident",
     {"a kernel at prog_spin.cu:", "the __device__ variable device_flag",
      "680 blocks of its grid have not started"}},
};

START_TEST(a_loop_that_waits_for_nothing_is_named)
{
    struct child c = child_run(280, "%s/tests/simgpu/prog_spin %s",
                               child_build(), spins[_i].name);
    ck_assert_int_ne(c.status, 0);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(strstr(c.err, spins[_i].says[i]) != NULL,
                      "\"%s\" is not in:\n%s", spins[_i].says[i], c.err);
    ck_assert_msg(strstr(c.err, "A kernel waits for a word of memory"), "%s",
                  c.err);
    child_clear(&c);
}
END_TEST

/* Each rendezvous is in the graph: a part of every kernel that follows parts of
 * all other ranks' kernels. */
static void check_meetings(const struct graph *g, int meetings)
{
    int n = 0;
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const struct graph_view *const v = &g->nodes[at];
        if (v->node.ndeps != g->nranks - 1 || !v->dep_parts)
            continue;
        ck_assert_str_eq(v->name, "one_shot");
        for (uint32_t d = 0; d < v->node.ndeps; d++)
            ck_assert_uint_ne(g->nodes[graph_dep(g, at, d)].node.rank,
                              v->node.rank);
        n++;
    }
    ck_assert_int_eq(n, meetings * (int)g->nranks);
}

START_TEST(modelled_time_does_not_depend_on_who_was_faster)
{
    static const char *const schedules[] = {"eager", "late", "random:1"};
    char dir[] = "/tmp/commlab-signal-XXXXXX";
    ck_assert(mkdtemp(dir) != NULL);
    uint64_t end_ps = 0;
    for (int i = 0; i < 3; i++) {
        struct child c = run(4, schedules[i], dir, "10 one-shot");
        ck_assert_msg(c.status == 0, "%s", c.err);
        struct replayed saved;
        replayed_saved(&saved, dir);
        check_meetings(saved.g, 2 * 10);
        ck_assert(i == 0 || replay_end_ps(saved.r) == end_ps);
        end_ps = replay_end_ps(saved.r);
        replayed_release(&saved);
        child_clear(&c);
    }
    struct child c = child_run(10, "rm -r %s", dir);
    child_clear(&c);
}
END_TEST

/* The bytes that each rank's kernel of this name moves, as a text. */
static void moves_of(const struct graph *g, const char *name, char *out,
                     size_t nbytes)
{
    size_t n = 0;
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const struct graph_view *const v = &g->nodes[at];
        for (size_t i = 0; strcmp(v->name, name) == 0 && i < v->nmoves; i++)
            n +=
                (size_t)snprintf(out + n, nbytes - n, "rank %u: %d > %d %lu\n",
                                 v->node.rank, v->moves[i].from, v->moves[i].to,
                                 (unsigned long)v->moves[i].nbytes);
    }
}

/* Of 3 ranks that claim words by compare-and-swap the later ones try more of
 * them: 4 words and 4 counters count, whoever came first. */
START_TEST(tries_that_depend_on_who_was_first_move_no_bytes)
{
    char dir[CHILD_FOLDER], err[256], args[32], moves[1024] = "";
    child_folder(dir, "claim");
    snprintf(args, sizeof args, "0 claim %d", _i);
    struct child c = run(3, "eager", dir, args);
    ck_assert_msg(c.status == 0, "%s", c.err);
    struct graph *const g = graph_load(dir, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    moves_of(g, "claim", moves, sizeof moves);
    ck_assert_str_eq(moves, "rank 0: 0 > 0 32\nrank 1: 1 > 0 32\n"
                            "rank 2: 2 > 0 32\n");
    graph_free(g);
    child_remove(dir);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("signal");
    TCase *const t = tcase_create("signal");
    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, kernels_of_all_ranks_meet, 0, RUNS);
    tcase_add_loop_test(t, a_flag_that_never_comes_is_named, 0, 3);
    SUITE_LOOP(t, a_loop_that_waits_for_nothing_is_named, spins);
    tcase_add_test(t, a_flag_of_a_later_block_arrives);
    tcase_add_loop_test(t, tries_that_depend_on_who_was_first_move_no_bytes, 0,
                        3);
    tcase_add_test(t, modelled_time_does_not_depend_on_who_was_faster);
    suite_add_tcase(s, t);
    return suite_run(s);
}
