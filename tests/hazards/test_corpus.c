/*
 * Programs with one bug each, and their fixed twins: every bug is reported and
 * no fixed program is, under every schedule.
 *
 * Each case is run under a few schedules; HAZARDS_FULL=1 runs it under eager,
 * late and 20 random ones, with ranks on 2 to 8 of them (ten minutes or so).
 */
#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "suite.h"

static const char *const programs[] = {
    "prog_streams", "prog_memory",    "prog_pinned",       "prog_graphs",
    "prog_ranks",   "prog_mismatch",  "prog_device_api",   "prog_device_net",
    "prog_shmem",   "prog_libraries", "prog_shared",       "prog_managed",
    "prog_meeting", "prog_cluster",   "prog_between",      "prog_blas",
    "prog_host",    "prog_variables", "prog_device_blocks"};
enum { PROGRAMS = sizeof programs / sizeof *programs, MAX_CASES = 512 };

static struct subject {
    const char *program;
    char name[64], says[128];
    int nranks; /* at least; 0: no MPI */
} subjects[MAX_CASES];
static int nsubjects;

static int is_full(void)
{
    const char *const full = getenv("HAZARDS_FULL");
    return full && strcmp(full, "1") == 0;
}

static void list(const char *program)
{
    struct child c =
        child_run(60, "%s/tests/hazards/%s --list", child_build(), program);
    for (char *line = strtok(c.out, "\n"); line; line = strtok(NULL, "\n")) {
        struct subject *const s = &subjects[nsubjects];
        s->program = program;
        if (nsubjects == MAX_CASES ||
            sscanf(line, "%63s %d %127s", s->name, &s->nranks, s->says) != 3)
            abort();
        for (char *p = s->says; *p; p++)
            if (*p == '~')
                *p = ' ';
        nsubjects++;
    }
    child_clear(&c);
}

static struct child run(const struct subject *s, const char *variant,
                        const char *schedule, int nranks)
{
    char mpirun[32] = "";
    if (s->nranks)
        snprintf(mpirun, sizeof mpirun, "mpirun -n %d", nranks);
    return child_run(120,
                     "SIMGPU_CHECK=1 SIMGPU_SCHEDULE=%s %s "
                     "%s/tests/hazards/%s %s %s < /dev/null",
                     schedule, mpirun, child_build(), s->program, s->name,
                     variant);
}

/* True if the text has the line's number; 0 stands for no line. */
static int names_line(const char *text, int line)
{
    char where[32];
    snprintf(where, sizeof where, ".cu:%d", line);
    const char *at = line ? strstr(text, where) : text;
    while (at && line && isdigit((unsigned char)at[strlen(where)]))
        at = strstr(at + 1, where);
    return at != NULL;
}

/* The report names the lines that the program prints. */
static int names_lines(const struct child *c)
{
    int line[2] = {0, 0};
    const char *const said = strstr(c->out, "lines ");
    if (said)
        sscanf(said, "lines %d %d", &line[0], &line[1]);
    return names_line(c->err, line[0]) && names_line(c->err, line[1]);
}

static void check_once(const struct subject *s, const char *schedule,
                       int nranks)
{
    struct child c = run(s, "faulty", schedule, nranks);
    // If one rank ends the run, the status is its own, or that of the
    // killed ranks.
    const int stopped = strstr(c.err, "check:") == NULL;
    const int found = !c.timed_out &&
                      (stopped ? c.status != 0 : c.status == 70) &&
                      strstr(c.err, s->says) && names_lines(&c);
    ck_assert_msg(found,
                  "%s %s, %s, %d ranks: not found, status %d, lines and words "
                  "expected: %s%s\n%s",
                  s->program, s->name, schedule, nranks, c.status, c.out,
                  s->says, c.err);
    ck_assert_msg(!strstr(c.err, " 0 warnings in") ||
                      !strstr(c.err, "\nwarning: "),
                  "a warning that is not counted: %s", c.err);
    child_clear(&c);
    c = run(s, "fixed", schedule, nranks);
    ck_assert_msg(!c.timed_out && c.status == 0 &&
                      strstr(c.err, "check: 0 hazards, 0 warnings"),
                  "%s %s, %s, %d ranks: accused, status %d\n%s", s->program,
                  s->name, schedule, nranks, c.status, c.err);
    child_clear(&c);
}

START_TEST(each_mistake_is_found_and_its_twin_is_not_accused)
{
    const struct subject *const s = &subjects[_i];
    static const int ranks[] = {2, 3, 4, 5, 6, 7, 8};
    const int hangs = strcmp(s->program, "prog_mismatch") == 0; // for seconds
    const int first = !is_full() && hangs ? _i % 2 : 0;
    const int last = is_full() ? 22 : hangs ? first + 1 : s->nranks ? 2 : 3;
    for (int k = first; k < last; k++) {
        char schedule[32] = "eager";
        if (k == 1)
            strcpy(schedule, "late");
        else if (k > 1)
            snprintf(schedule, sizeof schedule, "random:%d",
                     is_full() ? k - 1 : _i + 1);
        check_once(s, schedule,
                   s->nranks ? ranks[(_i + k) % (is_full() ? 7 : 3)] : 1);
    }
}
END_TEST

/* What drivers do is right, but not promised: a note, not an accusation. */
START_TEST(a_copy_of_pageable_memory_is_remarked_on)
{
    static const struct {
        const char *program, *name;
        int is_said;
    } runs[] = {
        {"prog_streams", "source-reused", 1},
        {"prog_pinned", "target-is-read", 0},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct child c =
            child_run(60, "SIMGPU_CHECK=1 %s/tests/hazards/%s %s fixed",
                      child_build(), runs[i].program, runs[i].name);
        const char *const note =
            strstr(c.err, "simgpu: check: note: cudaMemcpyAsync at "
                          "prog_streams.cu:");
        ck_assert_int_eq(c.status, 0);
        ck_assert_msg((note != NULL) == runs[i].is_said, "%s", c.err);
        ck_assert_msg(
            !note || strstr(note, " copies pageable memory: drivers are done "
                                  "with it when the call returns, but since "
                                  "CUDA 12 the manual (API synchronization "
                                  "behavior) only says that they might be. "
                                  "Wait for the stream before the host uses "
                                  "it, or allocate it with cudaMallocHost.\n"),
            "%s", c.err);
        child_clear(&c);
    }
}
END_TEST

/* Of a copy, or a message, nothing says what becomes of the bytes. */
START_TEST(what_may_come_to_nothing_is_a_warning)
{
    static const char *const schedules[] = {"eager", "late", "random:5"};
    const int before = nsubjects;
    list("prog_unwritten");
    ck_assert_int_gt(nsubjects, before);
    for (int i = before; i < nsubjects; i++) {
        const struct subject *const s = &subjects[i];
        const char *const schedule = schedules[i % 3];
        struct child c = run(s, "faulty", schedule, 2);
        ck_assert_msg(c.status == 0 && names_lines(&c) &&
                          strstr(c.err, "check: 0 hazards, 1 warning in") &&
                          strstr(c.err, "\nwarning: ") &&
                          strstr(c.err, s->says),
                      "%s, %s: status %d, expected: %s%s\n%s", s->name,
                      schedule, c.status, c.out, s->says, c.err);
        child_clear(&c);
        c = run(s, "fixed", schedule, 2);
        ck_assert_msg(c.status == 0 &&
                          strstr(c.err, "check: 0 hazards, 0 warnings"),
                      "%s, %s: accused\n%s", s->name, schedule, c.err);
        child_clear(&c);
    }
}
END_TEST

START_TEST(without_a_check_nothing_is_said)
{
    struct child c =
        child_run(60,
                  "SIMGPU_SCHEDULE=eager %s/tests/hazards/prog_streams "
                  "two-streams faulty",
                  child_build());
    ck_assert_int_eq(c.status, 0);
    ck_assert_str_eq(c.err, "");
    child_clear(&c);
}
END_TEST

START_TEST(a_wrong_setting_is_named)
{
    struct child c = child_run(60,
                               "SIMGPU_CHECK=yes %s/tests/hazards/prog_streams "
                               "two-streams faulty",
                               child_build());
    ck_assert_int_eq(c.status, 70);
    ck_assert_msg(strstr(c.err, "SIMGPU_CHECK=yes: use 1") != NULL, "%s",
                  c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_saved_run_says_the_same)
{
    char dir[] = "/tmp/commlab-hazards-XXXXXX";
    ck_assert(mkdtemp(dir) != NULL);
    struct child c =
        child_run(60,
                  "cd %s && SIMGPU_GRAPH=run %s/tests/hazards/prog_streams "
                  "two-streams faulty; %s/commgraph hazards run; echo $?; "
                  "%s/commgraph hazards --json run; rm -r %s",
                  dir, child_build(), child_build(), child_build(), dir);
    static const char *const says[] = {
        "race on bytes 0 to 3999 of the 4000-byte allocation made at "
        "prog_streams.cu:",
        "fill writes them at prog_streams.cu:",
        "1 hazards and 0 warnings in",
        "ranks\n1\n",
        "\"errors\": 1",
        "\"access\": \"write\"",
        "\"nbytes\": 4000",
    };
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        ck_assert_msg(strstr(c.out, says[i]) != NULL, "\"%s\" is not in:\n%s%s",
                      says[i], c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    for (int i = 0; i < PROGRAMS; i++)
        list(programs[i]);
    Suite *const suite = suite_create("hazards of programs");
    TCase *const t = tcase_create("corpus");
    tcase_set_timeout(t, is_full() ? 3600 : 600);
    tcase_add_loop_test(t, each_mistake_is_found_and_its_twin_is_not_accused, 0,
                        nsubjects);
    tcase_add_test(t, a_copy_of_pageable_memory_is_remarked_on);
    tcase_add_test(t, what_may_come_to_nothing_is_a_warning);
    tcase_add_test(t, without_a_check_nothing_is_said);
    tcase_add_test(t, a_wrong_setting_is_named);
    tcase_add_test(t, a_saved_run_says_the_same);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
