/* One small program for each part of the runtime's interface; each checks
 * itself, under every schedule. */
#include <check.h>
#include <string.h> /* strstr */

#include "child.h"
#include "suite.h"

/* Programs of tests/probes, and how many probes they have at least. */
static const struct family {
    const char *name;
    int nprobes;
} families[] = {
    {"prog_rt_graphs", 16},
    {"prog_rt_memory", 14},
    {"prog_rt_libraries", 3},
};
static const char *const schedules[] = {"eager", "late", "random:1"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        n++;
    return n;
}

START_TEST(a_part_of_the_runtime_does_what_cuda_says)
{
    const struct family *const f = &families[_i / SCHEDULES];
    struct child c =
        child_run(60, "SIMGPU_CHECK=1 SIMGPU_SCHEDULE=%s %s/tests/probes/%s",
                  schedules[_i % SCHEDULES], child_build(), f->name);
    ck_assert_msg(c.status == 0, "%s: status %d\n%s%s", f->name, c.status,
                  c.out, c.err);
    ck_assert_int_ge(count(c.out, "pass "), f->nprobes);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("rt");
    TCase *const t = tcase_create("probes");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_part_of_the_runtime_does_what_cuda_says, 0,
                        SCHEDULES * (int)(sizeof families / sizeof *families));
    suite_add_tcase(s, t);
    return suite_run(s);
}
