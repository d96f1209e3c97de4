/* Long contexts: the solution earns everything, the skeleton nothing, and each
 * mistake costs what its patch says it does. */
#include <check.h>
#include <math.h>   /* fabs */
#include <stdio.h>  /* sscanf */
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h"

/* Parts of the ideal, modelled and measured, in percent. */
START_TEST(published_ratios_are_met)
{
    static const char *const names[] = {"\nplain", "\nzigzag", "\nstriped"};
    double got[3], want[3];
    struct child c = child_run(
        60, "SIMGPU_TOPO=dgx-h100 mpirun -n 8 %s/solutions/lab9 --published",
        child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    for (int i = 0; i < 3; i++) {
        const char *const row = strstr(c.out, names[i]);
        ck_assert_msg(row != NULL && sscanf(row + strlen(names[i]),
                                            "%*f ms %lf %% %*f ms %lf", &got[i],
                                            &want[i]) == 2,
                      "no row%s in\n%s", names[i], c.out);
        ck_assert_msg(fabs(got[i] / want[i] - 1) < 0.1,
                      "%s: %.1f %% of the ideal, measured %.1f %%", names[i],
                      got[i], want[i]);
    }
    ck_assert(got[0] < got[2] && got[2] < got[1]);
    child_clear(&c);
}
END_TEST

/* With others, what is charged would not be what was measured. */
START_TEST(published_needs_its_machine)
{
    static const struct {
        const char *topo;
        int nranks;
        const char *says;
    } runs[] = {{"dgx-a100", 8, "dgx-h100"}, {"dgx-h100", 4, "mpirun -n 8"}};
    struct child c = child_run(
        60, "SIMGPU_TOPO=%s mpirun -n %d %s/solutions/lab9 --published",
        runs[_i].topo, runs[_i].nranks, child_build());
    ck_assert_msg(c.status != 0 && strstr(c.err, runs[_i].says), "%s%s", c.out,
                  c.err);
    child_clear(&c);
}
END_TEST

static void own_tests(TCase *t)
{
    tcase_add_test(t, published_ratios_are_met);
    tcase_add_loop_test(t, published_needs_its_machine, 0, 2);
}

int main(void)
{
    static const struct labtest lab = {.lab = "lab9-long-context",
                                       .nmutants = 8};
    return labtest_main(&lab, own_tests);
}
