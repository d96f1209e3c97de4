/* Lab 3: what all labs have to show; overlap hides what it can on large
 * networks, optimizer memory shrinks with the ranks, and training on a file
 * gives lab 2's losses. */
#include <check.h>
#include <stdio.h>  /* sscanf */
#include <stdlib.h> /* strtod */
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h"
#include "topo/topo.h"

/* The number behind the n-th occurrence of a word, NaN-free: the test fails if
 * it isn't there. */
static double behind(const char *out, const char *word)
{
    const char *const at = strstr(out, word);
    ck_assert_msg(at != NULL, "no \"%s\" in:\n%s", word, out);
    return strtod(at + strlen(word), NULL);
}

static const char *const machines[] = {"dgx-h100", "pcie-4090"};

/* Communication that the graph of a run shows beside computation, on rank 0. */
static double hidden_ms(const char *dir)
{
    double us = -1;
    struct child c = child_run(240, "%s/commgraph time %s", child_build(), dir);
    const char *const table = strstr(c.out, "hidden us");
    const char *const row = table ? strstr(table, "\n0 ") : NULL;
    ck_assert_msg(row && sscanf(row, "\n0 %*f %*f %*f %lf", &us) == 1, "%s%s",
                  c.out, c.err);
    child_clear(&c);
    return us * 1e-3;
}

/*
 * A network large enough that products dominate, without contents: 16 layers of
 * 16 MiB. What can be hidden: all but the last bucket, and no more than what is
 * left of the backward pass when the first is complete. NCCL's share of compute
 * makes the products longer meanwhile, which counts as exposed.
 */
START_TEST(overlap_hides_what_it_can)
{
    char dir[] = "/tmp/commlab-lab3-XXXXXX", err[256];
    struct topo *const topo = topo_load(machines[_i], err, sizeof err);
    ck_assert_msg(topo != NULL, "%s", err);
    ck_assert_ptr_nonnull(mkdtemp(dir));
    struct child c = child_run(
        240,
        "SIMGPU_GRAPH=%s SIMGPU_DATALESS=64K SIMGPU_TOPO=%s mpirun -n 8 "
        "%s/solutions/lab3 --overlap-report --layers 16 --width 2048 --rows "
        "2048",
        dir, machines[_i], child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    const double compute = behind(c.out, "compute"),
                 comm = behind(c.out, "communication"),
                 step = behind(c.out, "\nstep"),
                 after = behind(c.out, "no overlap");
    const int buckets = atoi(c.out);
    const double back = compute * 2 / 3 * 15 / 16; // two of three products
    const double left = 1 - topo_costs(topo)->nccl_sm_share;
    const double most = left * comm * (buckets - 1) / buckets;
    const double hidden = hidden_ms(dir) / 2; // a warm-up, then the step
    ck_assert_int_ge(buckets, 3);
    ck_assert_msg(hidden >= 0.9 * (most < back ? most : back), "%g ms of\n%s",
                  hidden, c.out);
    ck_assert_msg(step < after, "%s", c.out);
    ck_assert_double_eq_tol(hidden, behind(c.out, "\n  hidden"), 0.01 * comm);
    topo_free(topo);
    child_clear(&c);
    c = child_run(30, "rm -r %s", dir);
    child_clear(&c);
}
END_TEST

START_TEST(optimizer_memory_shrinks_with_the_ranks)
{
    static const int ranks[] = {1, 2, 4, 8};
    struct child c = child_run(60,
                               "mpirun -n %d %s/solutions/lab3 "
                               "--zero-report --layers 16 --width 64",
                               ranks[_i], child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    const double whole = behind(c.out, "whole"),
                 most = behind(c.out, "at most");
    // 16 equal parameters: evenly
    ck_assert_double_eq_tol(most, whole / ranks[_i], 0.005);
    child_clear(&c);
}
END_TEST

/* The loss that a training run printed last. */
static double last_loss(const char *program, int nranks)
{
    struct child c = child_run(120,
                               "mpirun -n %d %s/solutions/%s --train --data "
                               "%s/common/topo/FORMAT.md --steps 20 --batch 24",
                               nranks, child_build(), program, labtest_root());
    const char *at = NULL;
    for (const char *p = c.out; (p = strstr(p, "loss ")); p++)
        at = p;
    ck_assert_msg(c.status == 0 && at, "%s%s", c.out, c.err);
    const double loss = strtod(at + 5, NULL);
    child_clear(&c);
    return loss;
}

START_TEST(a_file_is_learnt_as_in_lab_2)
{
    const double want = last_loss("lab2", 1);
    ck_assert_double_eq_tol(last_loss("lab3", 1), want, 0.0021);
    ck_assert_double_eq_tol(last_loss("lab3", 4), want, 0.0021);
}
END_TEST

START_TEST(the_picture_of_a_step_shows_that_step_alone)
{
    struct child c = child_run(
        120,
        "d=$(mktemp -d) && SIMGPU_GRAPH=$d/g mpirun -n 8 %s/solutions/lab3 "
        "--case overlap --iterations 1 > $d/log && %s/commgraph timeline $d/g "
        "-o $d/x.svg --span 'overlap #0' && cat $d/x.svg && rm -r $d",
        child_build(), child_build());
    ck_assert_msg(c.status == 0, "%s", c.err);
    ck_assert_ptr_nonnull(strstr(c.out, "ncclAllReduce"));
    ck_assert_ptr_nonnull(strstr(c.out, "communication, hidden) "));
    ck_assert_ptr_null(strstr(c.out, "ncclCommInitRank"));
    child_clear(&c);
}
END_TEST

static void own_tests(TCase *t)
{
    tcase_add_test(t, the_picture_of_a_step_shows_that_step_alone);
    tcase_add_loop_test(t, overlap_hides_what_it_can, 0, 2);
    tcase_add_loop_test(t, optimizer_memory_shrinks_with_the_ranks, 0, 4);
    tcase_add_test(t, a_file_is_learnt_as_in_lab_2);
}

int main(void)
{
    static const struct labtest lab3 = {.lab = "lab3-ddp-overlap",
                                        .nmutants = 8};
    return labtest_main(&lab3, own_tests);
}
