/*
 * The rules that programs rely on (prog_ruleNN.c, one each) hold on simgpu under
 * every schedule: what a program prints is what is written here. On GPUs the
 * same programs print the same (make GPU=cuda, then run them by hand). Enumerators
 * and structures are held to what CUDA 13.0's headers say.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "suite.h"

static const struct rule {
    const char *number;
    const char *prints;
} rules[] = {
    {"01", "when it is enqueued: not done\n"
           "when the host has waited: done\n"},
    {"02", "behind the first, the first: done\n"
           "before the second, the second: not done\n"},
    {"03", "a new stream reads 7\n"
           "a new thread reads 7\n"},
    {"04", "what was before the record: done\n"
           "what came after it: not done\n"
           "and when it was recorded again: done\n"},
    {"05", "behind an event never recorded: not done\n"
           "what was before the record: done\n"
           "what a later record stands for: not done\n"
           "from another device: done\n"},
    {"06", "at once: cudaErrorNotReady\n"
           "later: cudaSuccess\n"
           "and then: done\n"
           "when it is synchronised: done\n"},
    {"07", "another stream's work: not done\n"
           "its own: done\n"
           "a blocking stream's, by the legacy stream: done\n"
           "a non-blocking one's: not done\n"},
    {"08", "a non-blocking stream's work: done\n"
           "another device's: not done\n"},
    {"09", "a blocking stream's work, to the legacy stream: done\n"
           "to a non-blocking stream: not done\n"
           "the legacy stream's work, to a blocking stream: done\n"
           "to a non-blocking stream: not done\n"},
    {"10", "its work, to the legacy stream: done\n"
           "the legacy stream's work, to it: done\n"},
    {"11", "device to host: done\n"
           "pinned host to device: done\n"
           "device to device: not done\n"
           "a fill: not done\n"
           "a pageable source changed afterwards: 5 arrives\n"},
    {"12", "what was before it, when it returns: not done\n"
           "a pinned source changed meanwhile: 6 arrives\n"},
    {"13", "what was before it, when it returns: not done\n"
           "after it 9 is there\n"},
    {"14", "cudaFree: done\n"
           "cudaFreeAsync: not done\n"
           "in between 8 was there\n"},
    {"15", "what was before it: done\n"
           "a CUDA call inside it: cudaErrorNotPermitted\n"},
    {"16", "when the event is destroyed: not done\n"
           "when the stream is destroyed: not done\n"
           "in the end: done\n"},
    {"22", "the same allocation's handles are equal\n"
           "behind a record of the other process: 9\n"},
};
enum { RULES = sizeof rules / sizeof *rules, SCHEDULES = 3 };
static const char *const schedules[SCHEDULES] = {"eager", "late", "random:1"};

START_TEST(a_rule_holds_under_every_schedule)
{
    const struct rule *const r = &rules[_i / SCHEDULES];
    const char *const schedule = schedules[_i % SCHEDULES];
    const int nranks = strcmp(r->number, "22") == 0 ? 2 : 1;
    struct child c = child_run(
        60, "SIMGPU_SCHEDULE=%s mpirun -n %d %s/tests/conformance/prog_rule%s",
        schedule, nranks, child_build(), r->number);
    ck_assert_msg(c.status == 0 && strcmp(c.out, r->prints) == 0,
                  "rule %s, schedule %s: status %d\n%s%sexpected:\n%s",
                  r->number, schedule, c.status, c.out, c.err, r->prints);
    child_clear(&c);
}
END_TEST

START_TEST(values_and_layouts_are_those_of_cudas_headers)
{
    struct child c = child_run(30,
                               "%s/tests/conformance/prog_headers | "
                               "diff tests/conformance/headers.txt -",
                               child_build());
    ck_assert_msg(c.status == 0, "CUDA's, and simgpu's:\n%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("conformance");
    TCase *const t = tcase_create("rules");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_rule_holds_under_every_schedule, 0,
                        RULES * SCHEDULES);
    tcase_add_test(t, values_and_layouts_are_those_of_cudas_headers);
    suite_add_tcase(s, t);
    return suite_run(s);
}
