/*
 * commgraph explain on runs with a planted cause: how often is its first answer
 * the right one, and how much of what it promises does its advice save? And its
 * words, its options, its errors.
 */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "golden.h"
#include "suite.h"

enum { MAX_PLANTED = 64 };

static struct planted {
    char name[64], kind[32], machine[64];
    int nranks;
} planted[MAX_PLANTED];
static int nplanted;

static char dir[CHILD_FOLDER];

static void setup(void)
{
    child_folder(dir, "explain");
}

static void teardown(void)
{
    child_remove(dir);
}

static void list_of(const char *program)
{
    struct child c = child_run(60, "%s --list", program);
    nplanted = 0;
    for (char *line = strtok(c.out, "\n"); line; line = strtok(NULL, "\n")) {
        struct planted *const p = &planted[nplanted];
        if (nplanted++ == MAX_PLANTED ||
            sscanf(line, "%63s %31s %d %63s", p->name, p->kind, &p->nranks,
                   p->machine) != 4)
            ck_abort_msg("%s", line);
    }
    child_clear(&c);
}

static const char *causes(void)
{
    static char program[CHILD_FOLDER + 64];
    snprintf(program, sizeof program, "%s/tests/explain/prog_causes",
             child_build());
    return program;
}

static void list(void)
{
    list_of(causes());
}

/* Run one, of that program, and save its graph in DIR/NAME. Returns what it
 * printed. */
static struct child record_of(const char *program, const struct planted *p,
                              const char *schedule)
{
    struct child c = child_run(
        120,
        "SIMGPU_TOPO=%s SIMGPU_SCHEDULE=%s SIMGPU_DATALESS=on "
        "SIMGPU_GRAPH=%s/%s mpirun -n %d %s %s < /dev/null",
        p->machine, schedule, dir, p->name, p->nranks, program, p->name);
    ck_assert_msg(c.status == 0, "%s: status %d\n%s", p->name, c.status, c.err);
    return c;
}

static struct child record(const struct planted *p, const char *schedule)
{
    return record_of(causes(), p, schedule);
}

static const struct planted *find(const char *name)
{
    list();
    for (int i = 0; i < nplanted; i++)
        if (strcmp(planted[i].name, name) == 0)
            return &planted[i];
    ck_abort_msg("no run is called %s", name);
}

static struct child explain(const char *name, const char *options)
{
    return child_run(60, "%s/commgraph explain %s/%s %s", child_build(), dir,
                     name, options);
}

/* What the command prints of all runs, for eyes: golden_expect(). */
struct printed {
    FILE *f;
    char *text;
    size_t nbytes;
};

static void printed_begin(struct printed *p)
{
    p->f = open_memstream(&p->text, &p->nbytes);
}

static void printed_expect(struct printed *p, const char *path)
{
    fclose(p->f);
    golden_expect(path, p->text);
    free(p->text);
}

/* commgraph COMMAND, without line numbers: on_line() compares them. */
static void print(struct printed *to, const char *name, const char *command)
{
    struct child c = child_run(60, "%s/commgraph %s %s/%s", child_build(),
                               command, dir, name);
    ck_assert_msg(c.status == 0, "%s: %s", name, c.err);
    fprintf(to->f, "==== %s %s\n", command, name);
    for (const char *p = c.out; *p; p++) {
        fputc(*p, to->f);
        if (strncmp(p, "u:", 2) == 0) // prog_causes.cu:12
            p += 1 + strspn(p + 2, "0123456789");
    }
    child_clear(&c);
}

/* The first answer: the first cause, or the first limit if it binds the run. */
static const json_t *answer(const json_t *all)
{
    const int bound = json_is_string(json_object_get(all, "bound_by"));
    return json_array_get(json_object_get(all, bound ? "limits" : "causes"), 0);
}

static const char *text_of(const json_t *j, const char *key)
{
    const char *const text = json_string_value(json_object_get(j, key));
    return text ? text : "";
}

/* Savings are listed largest first. */
static void expect_order(const json_t *findings, const char *name)
{
    double last_us = HUGE_VAL;
    size_t i;
    const json_t *f;
    json_array_foreach(findings, i, f)
    {
        const double us = json_real_value(json_object_get(f, "saves_us"));
        ck_assert_msg(us <= last_us, "%s: %s saves more than the one before",
                      name, text_of(f, "kind"));
        last_us = us;
    }
}

/* True if the site is on one of the lines that the program printed. */
static int on_line(const char *site, const char *lines)
{
    const char *const colon = strrchr(site, ':');
    char word[32];
    if (!colon)
        return 0;
    snprintf(word, sizeof word, "line %d\n", atoi(colon + 1));
    return strstr(lines, word) != NULL;
}

START_TEST(the_first_answer_is_the_planted_cause)
{
    int nright = 0, nlines = 0;
    struct printed answers, times;
    printed_begin(&answers);
    printed_begin(&times);
    list();
    ck_assert_int_ge(nplanted, 30);
    for (int i = 0; i < nplanted; i++) {
        struct child run = record(&planted[i], child_schedule());
        struct child c = explain(planted[i].name, "--json");
        ck_assert_msg(c.status == 0, "%s: %s", planted[i].name, c.err);
        json_t *const all = json_loads(c.out, 0, NULL);
        const json_t *const first = answer(all);
        const int right = strcmp(text_of(first, "kind"), planted[i].kind) == 0;
        const int line = on_line(text_of(first, "site"), run.out);
        printf("%-32s %-14s %-14s %5.1f %%  %s%s\n", planted[i].name,
               planted[i].kind, text_of(first, "kind"),
               json_real_value(json_object_get(first, "percent")),
               right ? "" : "wrong ", line ? "" : "other line");
        expect_order(json_object_get(all, "causes"), planted[i].name);
        expect_order(json_object_get(all, "limits"), planted[i].name);
        nright += right;
        nlines += right && line;
        print(&answers, planted[i].name, "explain");
        if (i == 1)
            print(&answers, planted[i].name, "explain --json");
        print(&times, planted[i].name, "time");
        if (i % 3 == 0) // they are long
            print(&times, planted[i].name, "critical-path");
        json_decref(all);
        child_clear(&c);
        child_clear(&run);
    }
    printf("%d of %d right, %d with the line\n", nright, nplanted, nlines);
    ck_assert_int_eq(nright, nplanted);
    ck_assert_int_eq(nlines, nplanted);
    printed_expect(&answers, "tests/explain/answers.txt");
    printed_expect(&times, "tests/explain/times.txt");
}
END_TEST

/* What a lab's task 0 has students find: the kind of the cause, and the call of
 * common/staff/slow/slow.cu that its line makes. */
START_TEST(what_students_profile_has_one_cause)
{
    static const struct {
        struct planted run;
        const char *call;
    } all[] = {{{"lab3", "overlap", "dgx-h100", 8}, "ncclAllReduce("},
               {{"lab4", "chain", "dgx-h100", 4}, "ncclRecv(out, "},
               {{"lab5", "small", "dgx-h100", 8}, "ncclAllReduce("},
               {{"lab8", "overlap", "dgx-h100", 8}, "ncclAllGather("}};
    char program[CHILD_FOLDER + 8];
    snprintf(program, sizeof program, "%s/slow", child_build());
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct child run = record_of(program, &all[i].run, child_schedule());
        struct child c = explain(all[i].run.name, "--json --span step");
        json_t *const found = json_loads(c.out, 0, NULL);
        const json_t *const first = answer(found);
        const char *const site = text_of(first, "site");
        ck_assert_str_eq(text_of(first, "kind"), all[i].run.kind);
        ck_assert_double_ge(json_real_value(json_object_get(first, "percent")),
                            10);
        struct child line = child_run(
            60, "sed -n %sp common/staff/slow/slow.cu", strchr(site, ':') + 1);
        ck_assert_msg(strstr(line.out, all[i].call) != NULL,
                      "%s: %s is \"%s\", without %s", all[i].run.name, site,
                      line.out, all[i].call);
        child_clear(&line);
        json_decref(found);
        child_clear(&c);
        child_clear(&run);
    }
}
END_TEST

/* ---- the advice, taken literally ---------------------------------------- */

/* Each planted run has a patch of its name in tests/explain/changes.patch: the
 * advice of its first answer, and the change that it asks for. Apply all of
 * them to a copy of the program, DIR/changed/prog_causes, and build it as users
 * do. */
static void build_changed(char program[CHILD_FOLDER + 64])
{
    snprintf(program, CHILD_FOLDER + 64, "%s/changed/prog_causes", dir);
    struct child c = child_run(
        240,
        "mkdir %s/changed && cp tests/explain/*.cu tests/explain/*.cuh "
        "%s/changed && "
        "patch -s -F0 -p1 -d %s/changed < tests/explain/changes.patch && "
        "%s/simgpu/bin/simnvcc -O1 %s.cu -o %s -lnccl -lmpich "
        "$(pkg-config --cflags --libs-only-L mpich) -DMPICH_SKIP_MPICXX",
        dir, dir, dir, child_build(), program, program);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}

/* The head of its patch: "Try: ADVICE", wrapped. */
static void expect_advice(const struct planted *p, const char *advice)
{
    struct child c = child_run(
        60,
        "tests/section.sh tests/explain/changes.patch %s | awk '/^--- / { exit "
        "} NF { printf \"%%s%%s\", between, $0; between = \" \" }'",
        p->name);
    ck_assert_msg(c.status == 0 && strncmp(c.out, "Try: ", 5) == 0 &&
                      strcmp(c.out + 5, advice) == 0,
                  "the patch %s does this:\n%s\nbut the advice is\n%s", p->name,
                  c.out, advice);
    child_clear(&c);
}

static json_t *explain_all(const struct planted *p)
{
    struct child c = explain(p->name, "--json");
    json_t *const all = json_loads(c.out, 0, NULL);
    ck_assert_msg(c.status == 0 && all, "%s: %s", p->name, c.err);
    child_clear(&c);
    return all;
}

static double number_of(const json_t *j, const char *key)
{
    return json_real_value(json_object_get(j, key));
}

START_TEST(the_advice_saves_half_of_its_promise_or_more)
{
    char changed[CHILD_FOLDER + 64];
    struct printed savings;
    double before_us[MAX_PLANTED], promised_us[MAX_PLANTED];
    int nkept = 0;
    build_changed(changed);
    list();
    for (int i = 0; i < nplanted; i++) {
        struct child run = record(&planted[i], child_schedule());
        json_t *const all = explain_all(&planted[i]);
        before_us[i] = number_of(all, "total_us");
        promised_us[i] = number_of(answer(all), "saves_us");
        expect_advice(&planted[i], text_of(answer(all), "try"));
        json_decref(all);
        child_clear(&run);
    }
    list_of(changed); // a patch may name another machine
    printed_begin(&savings);
    fprintf(savings.f, "%-32s %-14s %11s %11s %11s %5s\n", "run", "cause",
            "before us", "promised us", "saved us", "kept");
    for (int i = 0; i < nplanted; i++) {
        struct child run = child_run(60, "rm -r %s/%s", dir, planted[i].name);
        child_clear(&run);
        run = record_of(changed, &planted[i], child_schedule());
        json_t *const all = explain_all(&planted[i]);
        const double saved_us = before_us[i] - number_of(all, "total_us");
        fprintf(savings.f, "%-32s %-14s %11.1f %11.1f %11.1f %4.0f%%\n",
                planted[i].name, planted[i].kind, before_us[i], promised_us[i],
                saved_us, 100 * saved_us / promised_us[i]);
        nkept += saved_us >= promised_us[i] / 2;
        json_decref(all);
        child_clear(&run);
    }
    printed_expect(&savings, "tests/explain/savings.txt");
    ck_assert_int_eq(nkept, nplanted);
}
END_TEST

START_TEST(the_answer_does_not_depend_on_the_schedule)
{
    static const char *const schedule[] = {"eager", "late", "random:4"};
    const struct planted *const p = find("device-sync-before-each-bucket");
    char *before = NULL;
    for (int i = 0; i < 3; i++) {
        struct child run = record(p, schedule[i]), c = explain(p->name, "");
        ck_assert_msg(c.status == 0, "%s", c.err);
        if (before)
            ck_assert_str_eq(before, c.out);
        free(before);
        before = strdup(c.out);
        child_clear(&run);
        child_clear(&c);
    }
    free(before);
}
END_TEST

START_TEST(a_cause_has_its_saving_its_line_and_what_to_try)
{
    const struct planted *const p = find("one-slow-rank");
    struct child run = record(p, child_schedule()), c = explain(p->name, "");
    ck_assert_msg(c.status == 0, "%s", c.err);
    // Ranks 0, 1 and 3 compute for 500 us in each of 4 steps, rank 2 for 1000:
    // balanced it would be 625, and 4 * 375 us are saved.
    static const char *const parts[] = {
        "4 ranks on dgx-h100: 4",
        "4 of work there",
        "ncclCommInitRank",
        "1. imbalance: saves up to 150",
        "(1.6\n    times the mean of all)",
        "rank 2",
        "Try: divide the work evenly",
        "arithmetic were infinitely",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        ck_assert_msg(strstr(c.out, parts[i]), "no '%s' in\n%s", parts[i],
                      c.out);
    child_clear(&run);
    child_clear(&c);
}
END_TEST

START_TEST(a_good_run_is_bound_by_its_kernels)
{
    const struct planted *const p = find("one-heavy-kernel");
    struct child run = record(p, child_schedule()), c = explain(p->name, "");
    ck_assert_msg(
        c.status == 0 && !strstr(c.out, "\n1. ") &&
            strstr(c.out,
                   "Nothing stands out. The run is bound by its compute"),
        "%s%s", c.out, c.err);
    child_clear(&run);
    child_clear(&c);
}
END_TEST

START_TEST(a_small_cause_comes_after_what_binds_the_run)
{
    const struct planted *const p = find("large-all-reduces-and-a-kernel");
    struct child run = record(p, child_schedule()), c = explain(p->name, "");
    const char *const bound = strstr(c.out, "\nThe run is bound by its pcie"),
                      *const cause = strstr(c.out, "\n1. overlap");
    ck_assert_msg(c.status == 0 && bound && cause && bound < cause, "%s%s",
                  c.out, c.err);
    child_clear(&run);
    child_clear(&c);
}
END_TEST

/* Only the second span is slow because of its host. */
START_TEST(a_span_is_explained_by_itself)
{
    const struct planted *const p = find("tiny-kernels-on-one-rank");
    struct child run = record(p, child_schedule());
    struct child c = explain(p->name, "--json --span 'cost: 2.144e+09'");
    ck_assert_msg(c.status == 0, "%s", c.err);
    json_t *const part = json_loads(c.out, 0, NULL);
    child_clear(&c);
    c = explain(p->name, "--json");
    json_t *const all = json_loads(c.out, 0, NULL);
    ck_assert_double_lt(json_real_value(json_object_get(part, "total_us")),
                        json_real_value(json_object_get(all, "total_us")));
    json_decref(part);
    json_decref(all);
    child_clear(&c);
    c = explain(p->name, "--span nonesuch");
    ck_assert_int_eq(c.status, 1);
    ck_assert_str_eq(
        c.err, "commgraph: the run has no operation in a span \"nonesuch\"\n");
    child_clear(&c);
    child_clear(&run);
}
END_TEST

START_TEST(wrong_usage_has_status_2)
{
    static const char *const wrong[] = {"", "/a /b", "--bogus", "/a --topo",
                                        "/a --span"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct child c =
            child_run(60, "%s/commgraph explain %s", child_build(), wrong[i]);
        ck_assert_msg(c.status == 2 && strstr(c.err, "usage:"), "'%s': %d %s",
                      wrong[i], c.status, c.err);
        child_clear(&c);
    }
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("explain");
    TCase *const slow = tcase_create("advice");
    tcase_add_checked_fixture(slow, setup, teardown);
    tcase_add_test(slow, the_advice_saves_half_of_its_promise_or_more);
    tcase_set_timeout(slow, 600);
    suite_add_tcase(suite, slow);
    TCase *const t = tcase_create("explain");
    tcase_set_tags(t, "quick");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, the_first_answer_is_the_planted_cause);
    tcase_add_test(t, what_students_profile_has_one_cause);
    tcase_add_test(t, the_answer_does_not_depend_on_the_schedule);
    tcase_add_test(t, a_cause_has_its_saving_its_line_and_what_to_try);
    tcase_add_test(t, a_good_run_is_bound_by_its_kernels);
    tcase_add_test(t, a_small_cause_comes_after_what_binds_the_run);
    tcase_add_test(t, a_span_is_explained_by_itself);
    tcase_add_test(t, wrong_usage_has_status_2);
    tcase_set_timeout(t, 600);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
