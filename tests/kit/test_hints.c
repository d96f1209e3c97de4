/* Hints: a ladder for each part of each lab, shown in order and counted. */
#include <check.h>
#include <stdio.h> /* snprintf */

#include "kitcopy.h"
#include "suite.h"

START_TEST(every_part_of_every_lab_has_a_ladder)
{
    kitcopy_expect("tests/kit/ladders.sh && echo all of them", 0,
                   "all of them\n");
}
END_TEST

static const struct {
    const char *command, *says;
} broken[] = {
    {"rm handouts/hints/lab4.txt", "there is no handouts/hints/lab4.txt"},
    {"sed -i '/^# Part 5/,$d' handouts/hints/lab3.txt",
     "lab3.txt: has parts 1 2 3 4 of 1 2 3 4 5 6 7"},
    {"sed -i '0,/^## sketch/{/^## sketch/d}' handouts/hints/lab3.txt",
     "lab3.txt: part 1 has: question pseudo-code"},
    {"sed -i '0,/^## sketch/s/^## sketch/&\\n1\\n2\\n3\\n4\\n5\\n6\\n7\\n8/' "
     "handouts/hints/lab3.txt",
     "lab3.txt: part 1, sketch: 1"},
    {"echo 'ncclAllReduce(a, a, n, ncclFloat' >> handouts/hints/lab8.txt",
     "is code"},
    {"printf '%085d\\n' 1 >> handouts/hints/lab8.txt",
     "has 85 characters, over 84"},
    {"sed -n '/BEGIN HOLE/,/END HOLE/p' solutions/lab1-*/p2p.c | head -n 16 "
     ">> handouts/hints/lab1.txt",
     "this is the solution of the hole at solutions/lab1-collectives/p2p.c"},
};

START_TEST(a_broken_ladder_is_found)
{
    kitcopy_expect(broken[_i].command, 0, "");
    kitcopy_expect("tests/kit/ladders.sh", 1, broken[_i].says);
}
END_TEST

START_TEST(hints_are_shown_in_order_and_counted)
{
    kitcopy_expect("make hint-lab3", 0, "part 2  0 of 3 shown  hooks");
    kitcopy_expect("make hint-lab3 HINT=2", 0,
                   "lab3, part 2 (hooks), hint 1 of 3: question\n\n    An all");
    kitcopy_expect("make hint-lab3 HINT=2.1", 0, "hint 1 of 3: question");
    kitcopy_expect("make hint-lab3 HINT=2.3", 2,
                   "the next hint of part 2 is "
                   "2.2: try that first");
    kitcopy_expect("make hint-lab3 HINT=2", 0, "hint 2 of 3: sketch");
    kitcopy_expect("make hint-lab3 HINT=2.3", 0, "hint 3 of 3: pseudo-code");
    kitcopy_expect("make hint-lab3 HINT=2", 0,
                   "all 3 hints of part 2 have been shown");
    kitcopy_expect("make hint-lab3 HINT=1", 0, "hint 1 of 3: question");
    kitcopy_expect("cat .hints", 0, "lab3 2 1\nlab3 2 2\nlab3 2 3\nlab3 1 1\n");
    kitcopy_expect("make hint-lab3", 0, "part 2  3 of 3 shown  hooks");
    kitcopy_expect("make hint-lab3", 0, "part 1  1 of 3 shown  buckets");
    kitcopy_expect("make hint-lab1", 0, "part 1  0 of 3 shown  bootstrap");
}
END_TEST

START_TEST(a_hint_that_is_not_there_is_refused)
{
    static const char *const wrong[] = {"9",   "x", "1.x", "1.4",
                                        "1.0", ".", "0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char command[64];
        snprintf(command, sizeof command, "common/kit/hint.sh lab3 %s",
                 wrong[i]);
        kitcopy_expect(command, 2, "hint: ");
    }
    kitcopy_expect("test ! -e .hints", 0, "");
    kitcopy_expect("common/kit/hint.sh lab99", 2, "no hints for lab99");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("hints");
    TCase *const t = tcase_create("hints");
    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, kitcopy_make, kitcopy_remove);
    tcase_add_test(t, every_part_of_every_lab_has_a_ladder);
    tcase_add_loop_test(t, a_broken_ladder_is_found, 0,
                        sizeof broken / sizeof *broken);
    tcase_add_test(t, hints_are_shown_in_order_and_counted);
    tcase_add_test(t, a_hint_that_is_not_there_is_refused);
    suite_add_tcase(s, t);
    return suite_run(s);
}
