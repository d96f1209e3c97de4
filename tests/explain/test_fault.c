/*
 * test_fault.c: planted faults as the cause of lost time (explain_fault.c)
 */
#include <check.h>
#include <string.h>

#include "child.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

static void setup(void)
{
    child_folder(dir, "fault");
}

static void teardown(void)
{
    child_remove(dir);
}

static const struct {
    const char *fault, *says; /* NULL: no fault is a cause */
} runs[] = {
    {"slow:rank=0,factor=20", "1. fault: saves up to "},
    {"stall:rank=0,op=5,for=9ms", "[stall:rank=0,op=5,for=9ms]"},
    {"stall:rank=0,at=20us,for=9ms", "[stall:rank=0,at=20us,for=9ms]"},
    {"flip:rank=0,op=5", NULL},
    {"link:from=4,to=5,rate=0.1", NULL},
    {"", NULL},
};

START_TEST(a_planted_fault_is_named_if_it_costs_time)
{
    struct child c = child_run(
        60,
        "cd %s && SIMGPU_GRAPH=g SIMGPU_FAULT='%s' "
        "%s/tests/simgpu/prog_planted > out && %s/commgraph explain g",
        dir, runs[_i].fault, child_build(), child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    const char *const fault = strstr(c.out, "fault: saves up to");
    ck_assert_msg(runs[_i].says ? fault && strstr(c.out, runs[_i].says)
                                : !fault,
                  "%s", c.out);
    child_clear(&c);
}
END_TEST

static const struct {
    const char *fault, *has;
} pictures[] = {
    {"stall:rank=0,op=5,for=9ms", "held up by a fault"},
    {"kill:rank=0,op=5", "<title>kill:rank=0,op=5</title>"},
    {"flip:rank=0,op=5", "<title>flip:rank=0,op=5</title>"},
};

START_TEST(pictures_show_where_it_strikes)
{
    struct child c = child_run(
        60,
        "cd %s && (SIMGPU_GRAPH=g SIMGPU_FAULT='%s' "
        "%s/tests/simgpu/prog_planted > out; %s/commgraph timeline g -o t.svg "
        "&& %s/commgraph view g -o v.html && cat t.svg v.html)",
        dir, pictures[_i].fault, child_build(), child_build(), child_build());
    ck_assert_msg(strstr(c.out, pictures[_i].has) != NULL, "%s", c.err);
    ck_assert_msg(strstr(c.out, "rank 0: planted fault: ") != NULL, "%s",
                  c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("fault");
    TCase *const t = tcase_create("fault");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    SUITE_LOOP(t, a_planted_fault_is_named_if_it_costs_time, runs);
    SUITE_LOOP(t, pictures_show_where_it_strikes, pictures);
    suite_add_tcase(s, t);
    return suite_run(s);
}
