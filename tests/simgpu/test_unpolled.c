/*
 * Work of a non-blocking communicator about which the program doesn't ask, or
 * asks too late.
 */
#include <check.h>
#include <string.h>

#include "child.h"
#include "suite.h"

static struct child run(const char *way, const char *schedule)
{
    return child_run(60,
                     "SIMGPU_CHECK=1 SIMGPU_SCHEDULE=%s mpirun -n 2 "
                     "%s/tests/simgpu/prog_nccl_unpolled %s",
                     schedule, child_build(), way);
}

static const struct {
    const char *way, *says[2];
} wrong[] = {
    {"never",
     {"in progress: ncclAllReduce at prog_nccl_unpolled.c:36 has returned "
      "ncclInProgress, and nothing has called ncclCommGetAsyncError since"}},
    {"group",
     {"in progress: 2 calls, the first ncclAllReduce at "
      "prog_nccl_unpolled.c:36, have returned"}},
    {"init",
     {"in progress: ncclCommInitRankConfig at prog_nccl_unpolled.c:23 has "
      "returned"}},
    {"late",
     {"race: cudaMemcpyAsync at prog_nccl_unpolled.c:41 reads bytes that "
      "ncclAllReduce at prog_nccl_unpolled.c:36 may write until "
      "ncclCommGetAsyncError has returned ncclSuccess"}},
    {"hangs",
     {"the run hangs", "    ncclAllReduce at prog_nccl_unpolled.c:36 has "
                       "returned ncclInProgress, and nothing has called"}},
};

static const char *const schedules[] = {"eager", "late", "random:5"};
enum { SCHEDULES = 3, WRONG = sizeof wrong / sizeof *wrong };

START_TEST(work_that_nothing_asks_about_is_reported)
{
    const char *const way = wrong[_i / SCHEDULES].way;
    struct child c = run(way, schedules[_i % SCHEDULES]);
    const char *at = c.err;
    for (int i = 0; i < 2 && at && wrong[_i / SCHEDULES].says[i]; i++)
        at = strstr(at, wrong[_i / SCHEDULES].says[i]);
    ck_assert_msg(!c.timed_out && c.status != 0 && at, "%s: status %d\n%s", way,
                  c.status, c.err);
    child_clear(&c);
}
END_TEST

static const char *const right[] = {"in-time", "meanwhile", "aborts"};
enum { RIGHT = sizeof right / sizeof *right };

START_TEST(work_that_is_asked_about_is_not)
{
    struct child c = run(right[_i / SCHEDULES], schedules[_i % SCHEDULES]);
    ck_assert_msg(c.status == 0 &&
                      strstr(c.err, "check: 0 hazards, 0 warnings"),
                  "%s: status %d\n%s", right[_i / SCHEDULES], c.status, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("unpolled");
    TCase *const t = tcase_create("unpolled");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, work_that_nothing_asks_about_is_reported, 0,
                        WRONG * SCHEDULES);
    tcase_add_loop_test(t, work_that_is_asked_about_is_not, 0,
                        RIGHT * SCHEDULES);
    suite_add_tcase(s, t);
    return suite_run(s);
}
