/*
 * A group that is never ended is reported, with the line where it began.
 */
#include <check.h>
#include <string.h>

#include "child.h"
#include "suite.h"

enum { FAULT = 70 }; /* or 9, of a rank that mpirun has killed */

static struct child run(const char *how)
{
    return child_run(60, "mpirun -n 2 %s/tests/simgpu/prog_open_group %s",
                     child_build(), how);
}

static const struct {
    const char *how;
    int status;
    const char *says[3];
} open[] = {
    {"ends",
     FAULT,
     {"the program ends in the group that ncclGroupStart began at "
      "prog_open_group.c:40: there is no",
      "ncclGroupEnd for it, so nothing of the group was launched: 2 calls, the "
      "first ncclAllReduce at prog_open_group.c:35.",
      "Call ncclGroupEnd()"}},
    {"fails",
     3,
     {"the program ends in the group that ncclGroupStart began at "
      "prog_open_group.c:40",
      "2 calls"}},
    {"nests",
     FAULT,
     {"the group that ncclGroupStart began at prog_open_group.c:55",
      "one call, ncclAllReduce at prog_open_group.c:35."}},
    {"destroys",
     0,
     {"warning: prog_open_group.c:65: ncclCommDestroy destroys a communicator "
      "of the group that ncclGroupStart began at prog_open_group.c:63",
      "(the group holds one call, ncclAllReduce at prog_open_group.c:35). Call",
      "ncclGroupEnd() first."}},
    {"hangs",
     FAULT,
     {"the run hangs", "  rank 0 waits:",
      "not launched, since the group of ncclGroupStart at "
      "prog_open_group.c:72 has not ended: one call, ncclAllReduce at "
      "prog_open_group.c:35"}},
};

START_TEST(a_group_that_is_not_ended_is_reported)
{
    struct child c = run(open[_i].how);
    const char *at = c.err;
    ck_assert_msg(!c.timed_out && (c.status == open[_i].status ||
                                   (open[_i].status == FAULT && c.status != 0)),
                  "status %d\n%s", c.status, c.err);
    for (int i = 0; i < 3 && at && open[_i].says[i]; i++)
        at = strstr(at, open[_i].says[i]);
    ck_assert_msg(at != NULL, "%s", c.err);
    ck_assert_msg(strstr(c.out, "done") || _i == 1 || _i == 4,
                  "what the program printed is lost: %s", c.out);
    child_clear(&c);
}
END_TEST

static const char *const others[] = {"closes", "empty", "error", "aborts"};

START_TEST(a_group_that_holds_nothing_is_not)
{
    struct child c = run(others[_i]);
    ck_assert_msg(c.status == 0 && !strstr(c.err, "ncclGroupStart"),
                  "%s: status %d\n%s", others[_i], c.status, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("open group");
    TCase *const t = tcase_create("open group");
    tcase_set_timeout(t, 120);
    SUITE_LOOP(t, a_group_that_is_not_ended_is_reported, open);
    SUITE_LOOP(t, a_group_that_holds_nothing_is_not, others);
    suite_add_tcase(s, t);
    return suite_run(s);
}
