/*
 * Which cases run together, and what they come to: by real runs under mpirun of
 * a program that behaves as its case says. The program is this test.
 *
 * The machine counts as measured, so that no graph is needed. What comes of
 * each plan is a part of tests/grader/golden.txt.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>   /* program_invocation_short_name */
#include <jansson.h> /* json_loads */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* getenv */
#include <string.h>  /* strcmp */
#include <unistd.h>  /* symlink */

#include "child.h"
#include "golden.h"
#include "grader/run/cases.h" // tests/support has one, too
#include "heap.h"
#include "judge/data.h"
#include "judge/evidence.h"
#include "judge/judge.h"
#include "judge/plan.h"
#include "suite.h"

/* ---- the program --------------------------------------------------------- */

static const char *text_in(const json_t *j, const char *key)
{
    const char *const text = json_string_value(json_object_get(j, key));
    return text ? text : "";
}

/* Print what the recorder draws for a rank. */
static void tell_drawn(struct evidence_out *e, unsigned no, int iteration)
{
    const struct evidence_ask ask = {
        .draw = {.what = DRAW_DATA, .arg = {DATA_INT64}}, .nbytes = 32};
    int64_t v[4];
    evidence_draw(e, no, iteration, &ask, -1, v);
    printf("%d: %lld %lld %lld %lld\n", iteration, (long long)v[0],
           (long long)v[1], (long long)v[2], (long long)v[3]);
    fflush(stdout);
}

/* A case, as its parameter `does` says, on all ranks: this is no MPI program,
 * in which the others would be ended. */
static void run_case(struct evidence_out *e, const char *told, const json_t *j)
{
    const unsigned no = (unsigned)json_integer_value(json_object_get(j, "no"));
    const char *const does = text_in(json_object_get(j, "with"), "does");
    const int n = (int)json_integer_value(json_object_get(j, "iterations"));
    const int tells = strcmp(does, "tell") == 0;
    // the reference is slower by half, and is told by its name
    const double us = strcmp(program_invocation_short_name, "lab1") ? 100 : 150;
    evidence_put_status(e, no, RUN_MISSING, NULL);
    if (tells)
        printf("%s\n", told);
    if (strcmp(does, "exit") == 0)
        exit(3);
    if (strcmp(does, "wrong") == 0)
        evidence_put(e, EVIDENCE_METRIC, no, 0, "wrong", &us, sizeof us);
    for (int i = 0; i < n; i++) {
        if (tells)
            tell_drawn(e, no, i);
        evidence_put(e, EVIDENCE_METRIC, no, (unsigned)i, "time_us", &us,
                     sizeof us);
    }
    if (strcmp(does, "error") == 0)
        evidence_put_status(e, no, RUN_ERROR, "it fails");
    else
        evidence_put_status(e, no, RUN_OK, NULL);
    if (strcmp(does, "exit behind") == 0)
        exit(4);
}

static int run_rank(void)
{
    const char *const rank = getenv("PMI_RANK");
    struct evidence_out *const e = evidence_join(
        getenv("COMMLAB_JOB"), (unsigned)strtoul(rank ? rank : "0", NULL, 10));
    for (char *text; e && (text = evidence_next(e)) != NULL; free(text)) {
        json_t *const j = json_loads(text, 0, NULL);
        const char *const nonce = text_in(j, "nonce");
        if (*nonce) {
            evidence_key(e, strtoull(nonce, NULL, 16));
            return evidence_finish(e);
        }
        run_case(e, text, j);
        json_decref(j);
    }
    return 1;
}

/* ---- the grader ---------------------------------------------------------- */

static void judge_wrong(const struct judge_task *t, struct judge_verdict *v)
{
    if (evidence_metric(t->evidence, 0, t->case_no, 0, "wrong") > 0)
        judge_fail(v, "it is wrong");
}

static const struct judge_kind kinds[] = {
    {.name = "kind", .judge = judge_wrong}, {.name = NULL}};
static struct judge_lab lab;
static char dir[256];
static struct plan_case cases[8];
static struct plan plan = {.title = "Title", .cases = cases};
static struct place place;
static struct request request;
static struct result result;

static void make_place(void)
{
    char made[CHILD_FOLDER];
    child_folder(made, "cases");
    ck_assert_uint_lt(strlen(made), sizeof dir);
    strcpy(dir, made);
    struct child c = child_run(10,
                               "cd %s && chmod 755 . && mkdir -p work/out "
                               "work/tmp work/src build gpu && ln -s "
                               "/proc/%d/exe x && cp -L x work/out/program",
                               dir, (int)getpid());
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    lab = (struct judge_lab){.lab = "lab1-x", .kinds = kinds};
    plan.ncases = 0;
    request = (struct request){.isolation = 0, .seed = 5};
    place = (struct place){.plan = &plan,
                           .lab = "lab1-x",
                           .judge = &lab,
                           .machine = {.backend = backend_find("sim"),
                                       .measured = 1,
                                       .ngpus = 2,
                                       .seen = "/simgpu"}};
    snprintf(place.machine.home, sizeof place.machine.home, "%s/gpu", dir);
    snprintf(place.build, sizeof place.build, "%s/build", dir);
    snprintf(place.work, sizeof place.work, "%s/work", dir);
    snprintf(place.tmp, sizeof place.tmp, "%s/work/tmp", dir);
}

static void remove_place(void)
{
    result_release(&result);
    child_remove(dir);
}

/* The reference is there as well, so what is timed is measured. */
static void give_reference(void)
{
    struct child c = child_run(10,
                               "cd %s && mkdir build/solutions && cp "
                               "work/out/program build/solutions/lab1",
                               dir);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

static struct plan_case *add(const char *name, const char *does, int ranks)
{
    struct plan_case *const c = &cases[plan.ncases++];
    *c = (struct plan_case){.name = (char *)name,
                            .kind = (char *)"kind",
                            .part = 1,
                            .points = 4,
                            .topo = (char *)PLAN_TOPO,
                            .full = 1.2,
                            .none = 10,
                            .ranks = {ranks},
                            .nranks = 1,
                            .nwith = 1,
                            .with = {{(char *)"does", (char *)does}}};
    return c;
}

/* Run them, and print what each came to. */
static void expect(const char *part)
{
    char *text = NULL;
    size_t n;
    FILE *const f = open_memstream(&text, &n);
    result_init(&result, plan.ncases);
    const int failed = cases_run(&request, &place, &result);
    if (failed)
        fprintf(f, "%s: %s\n", outcome_name[result.outcome], result.message);
    else
        result_total(&result, &plan);
    for (int i = 0; i < plan.ncases; i++) {
        const struct case_result *const c = &result.cases[i];
        const struct judge_verdict *const v = &c->verdict;
        fprintf(f, "%s: judged %d, %g of 4 points, ranks %d, ", cases[i].name,
                c->judged, c->score, c->ranks);
        fprintf(f, "%g us of %g us, %g to %g%s%s\n", v->time_us,
                v->reference_us, v->low, v->high, v->message[0] ? ": " : "",
                v->message);
    }
    fprintf(f, "%d runs\n", result.nruns);
    fclose(f);
    golden_expect_part("tests/grader/golden.txt#cases", part, text);
    free(text);
}

START_TEST(a_case_that_ends_the_run_pays_alone)
{
    add("first", "", 2);
    add("wrong", "wrong", 2);
    add("exit", "exit", 2);
    add("behind", "", 2);
    add("error", "error", 2);
    add("last", "exit behind", 2);
    add("other", "", 2)->timed = 1; // without a reference, as it is
    expect("of two ranks");
    for (int i = 0; i < plan.ncases; i++) {
        const char *const name = plan.cases[i].name;
        const int no_answer =
            strcmp(name, "exit") == 0 || strcmp(name, "error") == 0;
        ck_assert_msg(result.cases[i].verdict.unfinished == no_answer, "%s",
                      name);
    }
}
END_TEST

START_TEST(each_number_of_ranks_is_a_run)
{
    add("one", "", 1);
    struct plan_case *const both = add("both", "", 1);
    both->ranks[both->nranks++] = 2;
    add("three", "", 3);
    add("not asked for", "", 1);
    request.cases = "one,both,three";
    expect("of several numbers");
    result_release(&result);
    lab.least_gpus = 3;
    expect("on more GPUs");
}
END_TEST

START_TEST(ranks_may_share_a_gpu)
{
    lab.shares_gpus = 1;
    place.machine.ngpus = 1;
    add("three", "", 3);
    expect("on one GPU");
}
END_TEST

START_TEST(what_is_timed_is_compared_with_the_reference)
{
    give_reference();
    add("untimed", "", 2);
    add("timed", "", 2)->timed = 1;
    add("timed and wrong", "wrong", 2)->timed = 1;
    expect("in rounds");
}
END_TEST

/* A program: a script of these lines, each quoted for a shell. */
static void give_script(const char *name, const char *lines)
{
    struct child c = child_run(10,
                               "cd %s && rm -f %s && printf '%%s\\n' "
                               "'#!/bin/sh' %s > %s && chmod 755 %s",
                               dir, name, lines, name, name);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

START_TEST(a_reference_that_fails_is_the_machines_fault)
{
    give_reference();
    add("timed", "", 2)->timed = 1;
    give_script("build/solutions/lab1", ""); // asks for no case
    expect("no reference");
}
END_TEST

START_TEST(each_machine_that_is_named_is_a_run)
{
    place.machine.measured = 0;
    add("modelled", "", 2);
    add("elsewhere", "", 2)->topo = (char *)"2x-dgx-h100";
    add("too", "", 2);
    give_script("work/out/program", ""); // asks for no case
    expect("modelled");
}
END_TEST

/* The log, in which the folder is called DIR. */
static void expect_log(const char *part)
{
    char *text = NULL;
    size_t n;
    FILE *const f = open_memstream(&text, &n);
    const char *p = result.log.head;
    for (const char *q; (q = strstr(p, dir)) != NULL; p = q + strlen(dir))
        fprintf(f, "%.*sDIR", (int)(q - p), p);
    fprintf(f, "%s", p);
    fclose(f);
    golden_expect_part("tests/grader/golden.txt#cases", part, text);
    free(text);
}

static void add_telling(const char *name, const char *topo)
{
    struct plan_case *const c = add(name, "tell", 1);
    c->topo = (char *)topo;
    c->with[c->nwith++] = (struct plan_param){(char *)"and", (char *)"so on"};
}

START_TEST(a_rank_is_told_its_cases)
{
    add_telling("one", PLAN_TOPO);
    add_telling("two", PLAN_TOPO);
    expect("telling");
    expect_log("told");
}
END_TEST

/* A program that shows how it is called, and the kit's part of its environment.
 */
static void call_shower(void)
{
    give_script("t.xml", ""); // a machine's file: nothing here reads it
    give_script("work/out/program",
                "'echo $0 $*' "
                "'env | grep -E \"^(COMMLAB|SIMGPU|UCX)_\" | sort'");
}

/* Cases that earned nothing would not be run again: but for a picture. */
START_TEST(each_machine_is_that_of_all_its_cases)
{
    place.machine.measured = 0;
    request.timeline = 1;
    add("first", "", 1);
    add("elsewhere", "", 1)->topo = (char *)"2x-dgx-h100";
    add("third", "", 1);
    call_shower();
    expect("for a picture");
}
END_TEST

START_TEST(a_measured_run_has_the_machine_of_its_caller)
{
    call_shower();
    add("measured", "", 1);
    expect("showing");
    expect_log("shown");
}
END_TEST

/* In the sandbox a program finds folders that it can only read, and is told of
 * the one that it can write. */
START_TEST(a_run_writes_to_no_folder_of_the_graders)
{
    give_script(
        "work/out/program",
        "'cd /' 'for d in job out simgpu; do touch $d/x && echo $d; done 2>&1' "
        "'touch tmp/x && echo tmp' 'echo $HOME $TMPDIR $PATH $LC_ALL'");
    request.isolation = 2;
    add("writes", "", 1);
    expect("writing");
    expect_log("written");
}
END_TEST

/* Names, files that are there and those that are not. */
START_TEST(a_modelled_run_has_the_machine_of_its_case)
{
    static const struct {
        const char *before, *file;
    } names[] = {{"2x-dgx-h100", ""},
                 {"2x:", "/t.xml@ndr"},
                 {"", "/t.xml"},
                 {"", "/no.xml@ndr"},
                 {"4x:t.xml", ""}};
    char machine[5][sizeof dir + 32];
    call_shower();
    place.machine.measured = 0;
    request.schedule = "eager";
    for (int i = 0; i < 5; i++) {
        snprintf(machine[i], sizeof machine[i], "%s%s%s", names[i].before,
                 *names[i].file ? dir : "", names[i].file);
        add("modelled", "", 1)->topo = machine[i];
    }
    expect("showing machines");
    expect_log("shown machines");
}
END_TEST

int main(void)
{
    if (getenv("COMMLAB_JOB"))
        return run_rank();
    setenv("COMMLAB_STUDENT", "ada", 1);
    setenv("SIMGPU_TOPO", "2x:/dev/../dev/null@ndr", 1);
    Suite *const s = suite_create("cases");
    TCase *const t = tcase_create("cases");
    heap_watch(t);
    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, make_place, remove_place);
    tcase_add_test(t, a_case_that_ends_the_run_pays_alone);
    tcase_add_test(t, each_number_of_ranks_is_a_run);
    tcase_add_test(t, ranks_may_share_a_gpu);
    tcase_add_test(t, what_is_timed_is_compared_with_the_reference);
    tcase_add_test(t, a_reference_that_fails_is_the_machines_fault);
    tcase_add_test(t, each_machine_that_is_named_is_a_run);
    tcase_add_test(t, each_machine_is_that_of_all_its_cases);
    tcase_add_test(t, a_rank_is_told_its_cases);
    tcase_add_test(t, a_measured_run_has_the_machine_of_its_caller);
    tcase_add_test(t, a_run_writes_to_no_folder_of_the_graders);
    tcase_add_test(t, a_modelled_run_has_the_machine_of_its_case);
    suite_add_tcase(s, t);
    return suite_run(s);
}
