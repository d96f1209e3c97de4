/*
 * What `make deliver` packs, run as the services do, with this kit in the place
 * of the one that they would build.
 */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h>
#include <string.h> /* strstr */

#include "child.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

static void make_folder(void)
{
    child_folder(dir, "deliver");
    struct child c = child_run(60, "cd %s/.. && common/kit/deliver.sh lab1 %s",
                               child_build(), dir);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}

static void remove_folder(void)
{
    child_remove(dir);
}

/* Shell lines in the folder; $kit is this kit. What they print. */
static struct child sh(const char *lines)
{
    struct child c = child_run(
        300, "cd %s && kit=%s/.. && export COMMLAB_KIT=$kit && {\n%s\n}", dir,
        child_build(), lines);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    return c;
}

/* A tree with two labs, of which git tracks only lab1. */
START_TEST(files_that_git_does_not_track_are_told)
{
    struct child c =
        sh("mkdir -p kit/common kit/labs/lab1-x kit/labs/lab2-y && cd kit\n"
           "cp -r $kit/common/kit common && cp $kit/common/deps.mk common\n"
           "touch labs/lab1-x/a.c labs/lab2-y/b.c\n"
           "git init -q . && git add common labs/lab1-x\n"
           "common/kit/deliver.sh lab1 out && ls out\n"
           "common/kit/deliver.sh lab2 none || echo status $?; ls none\n");
    static const char untracked[] =
        "deliver: not included, since git doesn't track them:\n"
        "    labs/lab2-y/\n";
    ck_assert_ptr_nonnull(strstr(c.out, untracked));
    ck_assert_ptr_nonnull(strstr(c.out, "lab1-x-gradescope.zip\n"));
    ck_assert_ptr_nonnull(
        strstr(c.out, "deliver: git add lab2-y's files first: nothing was "
                      "written\nstatus 1\n"));
    child_clear(&c);
}
END_TEST

START_TEST(gradescope_gets_results_from_its_archive)
{
    struct child c =
        sh("mkdir source submission && (cd source && unzip -q ../*.zip)\n"
           "test -x source/setup.sh && test -x source/run_autograder\n"
           "cp $kit/solutions/lab1-collectives/* submission\n"
           "rm submission/alphabeta.c\n"
           "export AUTOGRADER=$PWD; ./source/run_autograder > log 2>&1\n"
           "cat results/results.json");
    json_error_t error;
    json_t *const j = json_loads(c.out, 0, &error);
    ck_assert_msg(j != NULL, "%s: %s", error.text, c.out);
    const double score = json_number_value(json_object_get(j, "score"));
    ck_assert_msg(score > 50 && score < 100, "%s", c.out);
    ck_assert(strstr(json_string_value(json_object_get(j, "output")),
                     "alphabeta.c is missing") != NULL);
    ck_assert_uint_gt(json_array_size(json_object_get(j, "tests")), 10);
    json_decref(j);
    child_clear(&c);
}
END_TEST

/* The student is who Gradescope says: answers to grace's questions are right.
 */
START_TEST(gradescope_tells_whose_questions_were_answered)
{
    struct child c =
        sh("mkdir source submission && (cd source && unzip -q ../*.zip)\n"
           "(cd $kit && build/plan --answers lab1-collectives --student grace) "
           "> submission/answers.txt\n"
           "echo '{\"users\": [{\"email\": \"grace@x.org\", \"id\": 7}, "
           "{\"email\": \"bob@x.org\"}]}' > submission_metadata.json\n"
           "export AUTOGRADER=$PWD; ./source/run_autograder > log 2>&1\n"
           "cat results/results.json");
    json_t *const j = json_loads(c.out, 0, NULL), *test;
    size_t i;
    int nanswers = 0;
    ck_assert_msg(j != NULL, "%s", c.out);
    json_array_foreach(json_object_get(j, "tests"), i, test)
    {
        const char *const name =
            json_string_value(json_object_get(test, "name"));
        const double score = json_number_value(json_object_get(test, "score"));
        const int is_answer = strstr(name, "answer-") != NULL;
        nanswers += is_answer;
        ck_assert_msg(!is_answer || score > 0, "%s: %s", name, c.out);
    }
    ck_assert_int_eq(nanswers, 6);
    json_decref(j);
    child_clear(&c);
}
END_TEST

START_TEST(gradescope_gets_results_when_the_kit_is_broken)
{
    struct child c =
        sh("mkdir source submission && (cd source && unzip -q ../*.zip)\n"
           "export AUTOGRADER=$PWD COMMLAB_KIT=/nonexistent\n"
           "./source/run_autograder > log 2>&1; cat results/results.json");
    json_t *const j = json_loads(c.out, 0, NULL);
    ck_assert_msg(j != NULL, "%s", c.out);
    ck_assert(json_object_get(j, "score") == NULL); // it is no zero
    ck_assert(strstr(c.out, "autograder itself failed") != NULL);
    json_decref(j);
    child_clear(&c);
}
END_TEST

START_TEST(autolabs_last_line_is_the_scores)
{
    struct child c =
        sh("cp *-autolab/* .; cp autograde-Makefile Makefile\n"
           "tar czf handin.tar.gz -C $kit/labs/lab1-collectives .\n"
           "make -s -f autograde-Makefile 2> log");
    c.out[strlen(c.out) - 1] = 0;
    const char *const line = strrchr(c.out, '\n');
    json_t *const j = json_loads(line ? line + 1 : c.out, 0, NULL);
    ck_assert_msg(j != NULL, "%s", c.out);
    ck_assert(json_is_number(
        json_object_get(json_object_get(j, "scores"), "lab1-collectives")));
    json_decref(j);
    child_clear(&c);
}
END_TEST

START_TEST(githubs_workflow_and_archives_hold_no_solution)
{
    struct child c =
        sh("! grep -n '@[A-Za-z]*@' *.yml *-autolab/autograde-Makefile\n"
           "grep -c 'LAB1_RESULTS: ${{ steps.grade.outputs.result }}' *.yml\n"
           "tar xf *-autolab/autograde.tar; tar tzf kit.tar.gz > list\n"
           "grep -c 'plans/hidden/lab1-collectives.yaml' list\n"
           "! grep -e '^kit/solutions/' -e '^kit/tests/.*[ch]$' list");
    ck_assert_str_eq(c.out, "1\n1\n");
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("deliver");
    TCase *const t = tcase_create("deliver");
    tcase_set_timeout(t, 600);
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_test(t, files_that_git_does_not_track_are_told);
    tcase_add_test(t, gradescope_gets_results_from_its_archive);
    tcase_add_test(t, gradescope_tells_whose_questions_were_answered);
    tcase_add_test(t, gradescope_gets_results_when_the_kit_is_broken);
    tcase_add_test(t, autolabs_last_line_is_the_scores);
    tcase_add_test(t, githubs_workflow_and_archives_hold_no_solution);
    suite_add_tcase(s, t);
    return suite_run(s);
}
