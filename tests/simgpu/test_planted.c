/*
 * test_planted.c: faults that SIMGPU_FAULT plants in programs, under every
 * schedule, and ranks that outlive another one (core/watch/keeper.h)
 */
#include <check.h>
#include <string.h>

#include "child.h"
#include "conform.h"
#include "golden.h"
#include "suite.h"

/* ---- one rank ------------------------------------------------------------ */

#define HEALTHY "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a\n"
#define ZEROS   "00000000000000000000000000000000\n"
#define LOST    "cudaErrorUnknown\n"

static const struct {
    const char *fault;
    int status;
    const char *out, *err;
} plants[] = {
    {"", 0, "wait: cudaSuccess\n20.000 us\n" HEALTHY, NULL},
    {"kill:rank=1,op=3", 0, "wait: cudaSuccess\n20.000 us\n" HEALTHY, NULL},
    {"kill:rank=0,op=3", 137, "",
     "planted fault: kill:rank=0,op=3: before cudaMemsetAsync at "
     "prog_planted.c:24"},
    {"kill:rank=0,at=3ms", 0, "wait: cudaSuccess\n20.000 us\n" HEALTHY, NULL},
    {"kill:rank=0,span=backward,signal=15", 143, "",
     "planted fault: kill:rank=0,span=backward,signal=15: before "
     "cudaMemsetAsync at prog_planted.c:24"},
    {"lost:rank=0,op=10", 0,
     "fill 9: " LOST "fill 10: " LOST "wait: " LOST ZEROS,
     "planted fault: lost:rank=0,op=10: before cudaMemsetAsync"},
    {"lost:rank=0,at=0ms", 0,
     "fill 1: " LOST "fill 2: " LOST "fill 3: " LOST "fill 4: " LOST
     "fill 5: " LOST "fill 6: " LOST "fill 7: " LOST "fill 8: " LOST
     "fill 9: " LOST "fill 10: " LOST "wait: " LOST ZEROS,
     "planted fault: lost:rank=0,at=0ms"},
    {"flip:rank=0,op=11,bit=9", 0,
     "wait: cudaSuccess\n20.000 us\n0a080a0a0a0a0a0a0a0a0a0a0a0a0a0a\n",
     "planted fault: flip:rank=0,op=11,bit=9: before cudaMemsetAsync"},
    {"flip:rank=0,op=5,bit=9", 0, "wait: cudaSuccess\n20.000 us\n" HEALTHY,
     "planted fault: flip"},
    {"flip:rank=0,op=2,bit=9", 0, "wait: cudaSuccess\n20.000 us\n" HEALTHY,
     "cudaEventRecord writes no device memory of this rank, so nothing was "
     "flipped"},
    {"stall:rank=0,op=5,for=1ms", 0, "wait: cudaSuccess\n1020.000 us\n" HEALTHY,
     "planted fault: stall"},
    {"slow:rank=0,factor=2", 0, "wait: cudaSuccess\n40.000 us\n" HEALTHY, NULL},
    {"link:from=0,to=1,rate=0.1", 0, "wait: cudaSuccess\n20.000 us\n" HEALTHY,
     NULL},
    {"kill:rank=0", 70, "",
     "simgpu: SIMGPU_FAULT=kill:rank=0: character 1: kill needs one of op=, "
     "at= and span="},
};
enum { PLANTS = sizeof plants / sizeof *plants };

START_TEST(a_fault_strikes_at_the_same_place_under_every_schedule)
{
    const int p = _i / CONFORM_SCHEDULES;
    struct child c = child_run(
        30, "SIMGPU_SCHEDULE=%s SIMGPU_FAULT='%s' %s/tests/simgpu/prog_planted",
        conform_schedules[_i % CONFORM_SCHEDULES], plants[p].fault,
        child_build());
    ck_assert_int_eq(c.status, plants[p].status);
    ck_assert_str_eq(c.out, plants[p].out);
    if (plants[p].err)
        ck_assert_msg(strstr(c.err, plants[p].err) != NULL, "%s", c.err);
    else
        ck_assert_str_eq(c.err, "");
    child_clear(&c);
}
END_TEST

/* ---- several ranks ------------------------------------------------------- */

/* The step that a death at this operation of rank 2 breaks off. */
static const struct {
    const char *fault, *says;
} deaths[] = {
    {"kill:rank=2,op=3", "broken 0, 3 ranks"},
    {"kill:rank=2,op=20", "broken 6, 3 ranks"},
    {"kill:rank=2,op=37", "broken 11, 3 ranks"},
    {"", "broken 12, 4 ranks"},
};

START_TEST(ranks_outlive_another_and_go_on_to_the_right_values)
{
    const int d = _i / CONFORM_SCHEDULES;
    struct child c =
        child_run(60,
                  "SIMGPU_SURVIVE=1 SIMGPU_SCHEDULE=%s SIMGPU_FAULT='%s' "
                  "mpirun -n 4 %s/tests/simgpu/prog_survive",
                  conform_schedules[_i % CONFORM_SCHEDULES], deaths[d].fault,
                  child_build());
    ck_assert_msg(c.status == 0 && !strstr(c.out, "FAILED"), "%d\n%s%s",
                  c.status, c.out, c.err);
    const char *at = c.out;
    const int nleft = deaths[d].fault[0] ? 3 : 4;
    for (int i = 0; i < nleft; i++) {
        at = strstr(at, deaths[d].says);
        ck_assert_msg(at != NULL, "%s%s", c.out, c.err);
        at++;
    }
    if (deaths[d].fault[0])
        ck_assert_msg(strstr(c.err, "rank 2: planted fault: kill:rank=2,op=") &&
                          strstr(c.err, ") was killed by SIGKILL"),
                      "%s", c.err);
    child_clear(&c);
}
END_TEST

START_TEST(without_the_setting_a_death_ends_the_run)
{
    struct child c = child_run(60,
                               "SIMGPU_FAULT=kill:rank=2,op=20 mpirun -n 4 "
                               "%s/tests/simgpu/prog_survive",
                               child_build());
    ck_assert_msg(c.status != 0 && strstr(c.err, "planted fault: kill:rank=2"),
                  "%d\n%s%s", c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

/* ---- communicators ------------------------------------------------------- */

/* Every state of a communicator, and every failure: tests/simgpu/states.txt. */
static const char *const failures[] = {"none",   "abort",  "revoke",
                                       "shrink", "killed", "lost"};

START_TEST(calls_answer_by_the_state_of_their_communicator)
{
    struct child c =
        child_run(60,
                  "NCCL_RUNTIME_CONNECT=0 SIMGPU_SURVIVE=1 SIMGPU_SCHEDULE=%s "
                  "SIMGPU_FAULT=lost:rank=0,span=lost mpirun -n 2 "
                  "%s/tests/simgpu/prog_comm_failures %s",
                  child_schedule(), child_build(), failures[_i]);
    golden_expect_part("tests/simgpu/states.txt", failures[_i], c.out);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("planted");
    TCase *const t = tcase_create("planted");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t,
                        a_fault_strikes_at_the_same_place_under_every_schedule,
                        0, PLANTS * CONFORM_SCHEDULES);
    tcase_add_loop_test(
        t, ranks_outlive_another_and_go_on_to_the_right_values, 0,
        (int)(sizeof deaths / sizeof *deaths) * CONFORM_SCHEDULES);
    tcase_add_test(t, without_the_setting_a_death_ends_the_run);
    SUITE_LOOP(t, calls_answer_by_the_state_of_their_communicator, failures);
    suite_add_tcase(s, t);
    return suite_run(s);
}
