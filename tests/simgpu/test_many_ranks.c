/*
 * More ranks than a word has bits: programs and labs run on 64 and on 128, and
 * reports name rank 63, 64 or 127 as they would any other. Few cores do: a rank
 * that waits lets the others run.
 */
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */

#include "child.h"
#include "suite.h"

enum { MANY_SEC = 600 };

/* ---- a program on 128 ranks ---------------------------------------------- */

static struct child run(const char *who)
{
    return child_run(MANY_SEC,
                     "SIMGPU_CHECK=1 SIMGPU_TOPO=16x:dgx-h100 mpirun -n 128 "
                     "%s/tests/simgpu/prog_many_ranks %s",
                     child_build(), who);
}

START_TEST(a_program_of_128_ranks_is_not_accused)
{
    struct child c = run("");
    ck_assert_msg(c.status == 0 && strstr(c.out, "128 ranks are fine\n") &&
                      strstr(c.err, "check: 0 hazards, 0 warnings in"),
                  "status %d\n%s%s", c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

static const int culprits[] = {63, 64, 127};

/* Both mistakes are reported once, of that rank. */
START_TEST(a_report_names_any_rank)
{
    char who[16], at[32];
    snprintf(who, sizeof who, "%d", culprits[_i]);
    snprintf(at, sizeof at, "(rank %d, ", culprits[_i]);
    struct child c = run(who);
    const char *const unwritten = strstr(c.err, "uninitialised read on"),
                      *const race = strstr(c.err, "race on");
    ck_assert_msg(strstr(c.err, "check: 2 hazards, 0 warnings in") &&
                      unwritten && race,
                  "%s", c.err);
    ck_assert_msg(strstr(unwritten, at) && strstr(race, at),
                  "no \"%s\" in:\n%s", at, c.err);
    ck_assert_msg(!strstr(c.err, " times, on "), "%s", c.err);
    child_clear(&c);
}
END_TEST

/* ---- labs on 64 ranks ---------------------------------------------------- */

static const struct {
    const char *lab, *cases;
} labs[] = {
    {"lab0", "ring-large,all-reduce"},
    {"lab1", "first-all-reduce,halving-doubling"},
    {"lab2", "broadcast,assign"},
    {"lab3", "measure,owners"},
    {"lab4", "block-backward,gather-product,grid"},
    {"lab6", "peer-access,one-way"},
    {"lab7", "dispatch"},
    {"lab8", "views"},
    {"lab9", "places,ring"},
};

START_TEST(a_solution_is_full_on_64_ranks)
{
    struct child c =
        child_run(MANY_SEC,
                  "SIMGPU_TOPO=8x:dgx-h100 mpirun -n 64 %s/solutions/%s "
                  "--case %s",
                  child_build(), labs[_i].lab, labs[_i].cases);
    ck_assert_msg(c.status == 0 && !strstr(c.out, "Not run"), "%s: %d\n%s%s",
                  labs[_i].lab, c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

/* Cases that have fewer places than there are ranks. */
static const struct {
    const char *lab, *name, *needs;
} limits[] = {
    {"lab2", "data-parallel", "at most 8 ranks: rank 0 drives one GPU of its "},
    {"lab4", "pipe-1f1b", "at most 8 stages: its network has 8 blocks"},
    {"lab4", "pipe-interleaved", "at most 8 stages: its network has 16 blocks"},
    {"lab5", "heap", "ranks of one node\n"},
};

START_TEST(a_case_for_fewer_ranks_is_left_out)
{
    struct child c =
        child_run(MANY_SEC,
                  "SIMGPU_TOPO=8x:dgx-h100 mpirun -n 64 %s/solutions/%s "
                  "--case %s",
                  child_build(), limits[_i].lab, limits[_i].name);
    ck_assert_msg(strstr(c.out, "\nNot run, because they need other ranks") &&
                      strstr(c.out, limits[_i].needs) &&
                      strstr(c.out, "\ntotal 0 of 0 points\n") && !*c.err,
                  "%s: %d\n%s%s", limits[_i].lab, c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("many ranks");
    TCase *const t = tcase_create("many ranks");
    tcase_set_timeout(t, 2 * MANY_SEC);
    tcase_add_test(t, a_program_of_128_ranks_is_not_accused);
    tcase_add_loop_test(t, a_report_names_any_rank, 0,
                        sizeof culprits / sizeof *culprits);
    tcase_add_loop_test(t, a_solution_is_full_on_64_ranks, 0,
                        sizeof labs / sizeof *labs);
    tcase_add_loop_test(t, a_case_for_fewer_ranks_is_left_out, 0,
                        sizeof limits / sizeof *limits);
    suite_add_tcase(s, t);
    return suite_run(s);
}
