/*
 * A plan that changes after its lab was graded: grade regrade's preview warns
 * of answers that only the change made wrong, and of points that moved. All of
 * it is real: a kit of its own, a batch, edits of the plan, previews.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* setenv */

#include "kitcopy.h"
#include "suite.h"

/* ada's solution is graded once, by the plan as it is. */
static void setup(void)
{
    setenv("COMMLAB_KEYS", ".", 1);
    kitcopy_make();
    kitcopy_add_build();
    kitcopy_expect("mkdir in && cp -r solutions/lab1-collectives in/ada && "
                   "printf 'student\nada\n' > roster.csv && "
                   "cp grader/plans/lab1-collectives.yaml was.yaml && "
                   "build/grade batch --roster roster.csv --submissions in "
                   "--ledger L.db --lab lab1",
                   0, "1 graded");
}

#define FLOOR "answer-ring-floor"
#define ALPHA "answer-alpha"
#define WRONG                                                                  \
    "grade regrade: " FLOOR ": 1 of 1 right answers are now wrong\n"           \
    "  the plan's numbers:, formula or tolerance moved after the students "    \
    "answered: put\n  them back, or regrade only other cases (--case)\n"
#define WORTH(name, was, is)                                                   \
    "grade regrade: " name ": worth " was                                      \
    " points when 1 of 1 were graded, " is " in the plan\n"
#define TOTAL(is)                                                              \
    "grade regrade: " is " points in all, the plan's 100, in 1 of 1\n"         \
    "  points moved between cases that are regraded and others: regrade "      \
    "without --case\n"

static const struct {
    const char *edit;  /* sed changes the plan of lab 1 so */
    const char *cases; /* that are regraded */
    const char *warns;
} moved[] = {
    {"s/x/x/", FLOOR "," ALPHA, ""},
    {"s/ring_GBps: .200, 450, 900/ring_GBps: [210, 460, 910/", FLOOR, WRONG},
    // a question whose numbers did not move
    {"s/ring_GBps: .200, 450, 900/ring_GBps: [210, 460, 910/", ALPHA, ""},
    // a point moves between two cases; both, one, and neither are regraded
    {"/" FLOOR "/s/points: 1/points: 0.5/; /" ALPHA "/s/points: 1.5/points: 2/",
     FLOOR "," ALPHA, WORTH(FLOOR, "1", "0.5") WORTH(ALPHA, "1.5", "2")},
    {"/" FLOOR "/s/points: 1/points: 0.5/; /" ALPHA "/s/points: 1.5/points: 2/",
     ALPHA, WORTH(FLOOR, "1", "0.5") WORTH(ALPHA, "1.5", "2") TOTAL("100.5")},
    {"s/name: " FLOOR "/name: answer-floor/", ALPHA,
     "grade regrade: the plan no longer has the case " FLOOR "\n"},
};

START_TEST(the_preview_warns_of_a_plan_that_moved)
{
    char commands[1024];
    setenv("WARNS", moved[_i].warns, 1);
    snprintf(commands, sizeof commands,
             "sed '%s' was.yaml > grader/plans/lab1-collectives.yaml && "
             "warns=$(build/grade regrade --ledger L.db --lab lab1 --case %s "
             "2>&1 > shown; echo \"status $?\") && cat shown && "
             "echo \"$warns\" && [ \"$warns\" = \"${WARNS}status 0\" ]",
             moved[_i].edit, moved[_i].cases);
    kitcopy_expect(commands, 0, "of 1 submissions change; --yes");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("moved");
    TCase *const t = tcase_create("moved");
    tcase_set_timeout(t, 600);
    tcase_add_unchecked_fixture(t, setup, kitcopy_remove);
    SUITE_LOOP(t, the_preview_warns_of_a_plan_that_moved, moved);
    suite_add_tcase(s, t);
    return suite_run(s);
}
