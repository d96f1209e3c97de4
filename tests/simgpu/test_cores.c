/*
 * A grid's blocks on several cores (device/cores.h): results and the graph are
 * those of one core.
 */
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* atoi */
#include <string.h> /* strcmp */

#include "child.h"
#include "recorded.h"
#include "suite.h"

#if defined(__x86_64__)
enum { MARKS = 1 };
#else
enum { MARKS = 0 }; // simnvcc reads x86-64's assembly alone
#endif

START_TEST(what_kernels_call_tells_what_they_promise)
{
    static const struct {
        const char *kernel;
        int independent, unwaiting;
    } of[] = {{"copies", 1, 1},         {"increments", 1, 1},
              {"gathers", 1, 1},        {"gathers_late", 1, 1},
              {"updates_a_half", 1, 1}, {"shares_a_table", 1, 1},
              {"recurses", 1, 1},       {"copies_rows", 1, 1},
              {"places", 1, 1},         {"transposes", 1, 0},
              {"fills<float>", 1, 0},   {"waits_in_turn", 1, 0},
              {"adds", 0, 0},           {"polls", 0, 0},
              {"fences", 0, 0},         {"prints", 0, 0},
              {"shuffles", 0, 0},       {"asks_the_clock", 0, 0},
              {"calls_a_pointer", 0, 0}};
    char want[2048] = "";
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        snprintf(want + strlen(want), sizeof want - strlen(want), "%s:%s%s\n",
                 of[i].kernel, MARKS && of[i].independent ? " independent" : "",
                 MARKS && of[i].unwaiting ? " unwaiting" : "");
    struct child c =
        child_run(20, "%s/tests/simgpu/prog_cores marks", child_build());
    ck_assert_str_eq(c.out, want);
    child_clear(&c);
}
END_TEST

static struct graph *run(int cores, struct child *c)
{
    return recorded_run(c, "SIMGPU_CORES=%d %s/tests/simgpu/prog_cores", cores,
                        child_build());
}

/* How many threads were started for the kernels, by the last line, which is cut
 * off. */
static int helpers(struct child *c)
{
    char *const line = strrchr(c->out, ':');
    char *const end = line ? strchr(line, '\n') : NULL;
    ck_assert_msg(end != NULL, "%s", c->out);
    const int n = atoi(end + 1);
    end[1] = 0;
    return n;
}

START_TEST(cores_change_nothing)
{
    static const int cores[] = {2, 3, 5, 64};
    struct child one, more;
    struct graph *const a = run(1, &one), *const b = run(cores[_i], &more);
#if defined(__x86_64__)
    const int helps = cores[_i] - 1;
#else
    const int helps = 0;
#endif
    ck_assert_int_eq(helpers(&more) - helpers(&one), helps);
    ck_assert_str_eq(one.out, more.out);
    recorded_same_kernels(a, b);
    graph_free(a);
    graph_free(b);
    child_clear(&one);
    child_clear(&more);
}
END_TEST

/* The first block in order that is wrong is on the second core, or third; those
 * behind it are wrong at once. */
START_TEST(the_first_error_is_reported)
{
    struct child one = child_run(
        60, "SIMGPU_CORES=1 %s/tests/simgpu/prog_cores wrong", child_build());
    ck_assert_msg(strstr(one.err, "Block (128,0,0), thread (0,0,0)"), "%s",
                  one.err);
    for (int cores = 2; cores < 6; cores++) {
        struct child more =
            child_run(60, "SIMGPU_CORES=%d %s/tests/simgpu/prog_cores wrong",
                      cores, child_build());
        ck_assert_int_eq(more.status, one.status);
        ck_assert_str_eq(more.err, one.err);
        child_clear(&more);
    }
    child_clear(&one);
}
END_TEST

START_TEST(a_number_is_asked_for)
{
    static const char *const wrong[] = {"0", "65", "two", "", "2 "};
    struct child c =
        child_run(20, "SIMGPU_CORES='%s' %s/tests/simgpu/prog_cores", wrong[_i],
                  child_build());
    ck_assert_int_ne(c.status, 0);
    ck_assert_msg(strstr(c.err, "SIMGPU_CORES") &&
                      strstr(c.err, "from 1 to 64"),
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("cores");
    TCase *const t = tcase_create("cores");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, what_kernels_call_tells_what_they_promise);
    tcase_add_loop_test(t, cores_change_nothing, 0, 4);
    tcase_add_test(t, the_first_error_is_reported);
    tcase_add_loop_test(t, a_number_is_asked_for, 0, 5);
    suite_add_tcase(s, t);
    return suite_run(s);
}
