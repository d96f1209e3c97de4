/* Calls of libraries on captured streams: each probe checks itself, under every
 * schedule; and mistakes with such graphs. */
#include <check.h>
#include <string.h> /* strstr */

#include "child.h"
#include "probe_run.h"
#include "suite.h"

static const char *const schedules[] = {"eager", "late", "random:1"};

START_TEST(a_captured_call_runs_at_each_launch)
{
    struct child c = child_run(
        60, "SIMGPU_CHECK=1 SIMGPU_SCHEDULE=%s %s/tests/extras/prog_captured",
        schedules[_i], child_build());
    ck_assert_msg(c.status == 0, "%s: status %d\n%s%s", schedules[_i], c.status,
                  c.out, c.err);
    ck_assert_int_eq(probe_count(c.out, "pass "), 11);
    child_clear(&c);
}
END_TEST

static const struct {
    const char *argument;
    int status;
    const char *says[3];
} mistakes[] = {
    {"", 0, {"0 hazards, 0 warnings"}},
    {"ordered", 0, {"0 hazards, 0 warnings"}},
    {"again", 0, {"0 hazards, 0 warnings"}},
    {"race",
     70,
     {"race", "cublasSaxpy writes them at prog_captured_misuse.cu:"}},
    {"freed",
     70,
     {"cublasSaxpy at prog_captured_misuse.cu:", "as the graph was captured",
      "keep it as long as a graph uses it"}},
    {"generator",
     70,
     {"curandGenerateUniform at prog_captured_misuse.cu:",
      "has been destroyed since", "Keep it as long as a graph uses it."}},
};

START_TEST(a_mistake_with_a_captured_call_is_named)
{
    struct child c =
        child_run(60, "SIMGPU_CHECK=1 %s/tests/extras/prog_captured_misuse %s",
                  child_build(), mistakes[_i].argument);
    ck_assert_msg(c.status == mistakes[_i].status, "%s: status %d\n%s%s",
                  mistakes[_i].argument, c.status, c.out, c.err);
    for (int k = 0; k < 3 && mistakes[_i].says[k]; k++)
        ck_assert_msg(strstr(c.err, mistakes[_i].says[k]), "%s: lacks %s:\n%s",
                      mistakes[_i].argument, mistakes[_i].says[k], c.err);
    child_clear(&c);
}
END_TEST

/* The bytes of a captured call are in the execution graph, as a kernel's. */
START_TEST(the_modelled_time_has_each_launch)
{
    probe_times("", "extras/prog_captured a_product_waits_for_its_launch",
                "cublasSgemm");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("captured");
    TCase *const t = tcase_create("captured");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_captured_call_runs_at_each_launch, 0,
                        (int)(sizeof schedules / sizeof *schedules));
    tcase_add_loop_test(t, a_mistake_with_a_captured_call_is_named, 0,
                        (int)(sizeof mistakes / sizeof *mistakes));
    tcase_add_test(t, the_modelled_time_has_each_launch);
    suite_add_tcase(s, t);
    return suite_run(s);
}
