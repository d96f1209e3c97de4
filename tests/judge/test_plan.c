/* Plans: reading them, and errors in bad ones. */
#define _GNU_SOURCE
#include <check.h>
#include <math.h>   /* isnan */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* mkstemp */
#include <string.h> /* strstr */
#include <unistd.h> /* unlink */

#include "judge/plan.h"
#include "suite.h"

/* A file with this text; the caller unlinks it. */
static const char *file_of(const char *text, char *path)
{
    strcpy(path, "/tmp/commlab-plan-XXXXXX");
    const int fd = mkstemp(path);
    ck_assert(fd >= 0);
    ck_assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    return path;
}

#define HEAD "lab: x\ntitle: X\nfiles: [a.c]\nranks: [4]\n"
#define CASE "{name: a, part: 1, kind: k"
static const struct bad_plan {
    const char *text, *says;
} bad_plans[] = {
    {HEAD "cases:\n  - {name: a}\n",
     ":6: a case needs a name, a part and a kind"},
    {HEAD "cases:\n  - " CASE ", points: many}\n",
     ":6: points is a number from 0 to 1000, not \"many\""},
    {HEAD "cases:\n  - " CASE ", points: -1}\n",
     ":6: points is a number from 0 to 1000, not \"-1\""},
    {HEAD "cases:\n  - " CASE ", points: nan}\n", ":6: points is a number"},
    {HEAD "cases:\n  - {name: a, kind: k, part: 1.5}\n",
     ":6: part is a whole number, not 1.5"},
    {HEAD "cases:\n  - " CASE "}\n  - " CASE "}\n",
     ":7: two cases are named \"a\""},
    {HEAD "cases:\n  - " CASE ", colour: red}\n",
     ":6: unknown or repeated key \"colour\" in a case"},
    {HEAD "cases:\n  - " CASE ", name: b}\n",
     ":6: unknown or repeated key \"name\" in a case"},
    {HEAD "cases:\n  - {name: A b, part: 1, kind: k}\n",
     ":6: name is lower-case letters, digits and -, not \"A b\""},
    {HEAD "cases:\n  - " CASE ", with: {n: 1, n: 2}}\n",
     ":6: the parameter n is given twice"},
    {HEAD "cases:\n  - " CASE ", with: {n: [1, 2]}}\n",
     ":6: a parameter is a single value"},
    {HEAD "cases:\n  - " CASE ", with: 3}\n",
     ":6: with is a list of \"key: value\""},
    {HEAD "extra: 1\n", ":5: unknown or repeated key \"extra\""},
    {"lab: x\nfiles: [../a.c]\n", ":2: a file to edit is a plain name"},
    {"lab: x\nfiles: [a.c\n", ":3: "},
    {"", ": a plan needs lab, files and cases"},
    {"lab: x\n", ": a plan needs lab, files and cases"},
    {"- a\n", ":1: a plan is a list of \"key: value\""},
    {HEAD "cases:\n  - " CASE ", ranks: [0]}\n",
     ":6: a number of ranks is a number from 1"},
    {HEAD "cases:\n  - " CASE ", timed: 2}\n",
     ":6: timed is a number from 0 to 1, not \"2\""},
    {HEAD "cases:\n  - " CASE ", full: 0.5}\n",
     ":6: full is a number from 1 to 1000"},
    {HEAD "full: 3\ncases:\n  - " CASE ", none: 2}\n",
     ":7: a: full (3) is less than none (2)"},
    {HEAD "cases:\n  - " CASE ", topo: ''}\n", ":6: topo names a machine"},
    {"lab: x\nfiles: [a.c]\ncases:\n  - " CASE "}\n",
     ":4: a needs ranks, its own or before all cases"},
    {HEAD "numbers: {n: [4]}\n", ":5: n needs at least 2 choices"},
    {HEAD "numbers: {n: [4, 5, 4]}\n", ":5: n has the choice 4 twice"},
    {HEAD "numbers: {n-m: [4, 5]}\n",
     ":5: a number's name is letters, digits and _, not \"n-m\""},
    {HEAD "numbers:\n  n: [4, 5]\n  n: [6, 7]\n",
     ":7: the number n is listed twice"},
    {HEAD "numbers:\n  g: {n: [4, 5], m: [6, 7, 8]}\n",
     ":6: g are drawn together"},
    {HEAD "predict: [a, b]\ncases:\n  - " CASE "}\n",
     ": predict names \"b\", which is not a case"},
    {HEAD "rubric: [why, what]\n", ":5: a rubric belongs into the hidden plan"},
    {HEAD "answers: {q: 3}\n", ":5: answers belong into the hidden plan"},
};

START_TEST(a_bad_plan_is_named_with_its_line)
{
    char path[64], err[512] = "", want[600];
    file_of(bad_plans[_i].text, path);
    ck_assert(plan_load(path, NULL, err, sizeof err) == NULL);
    snprintf(want, sizeof want, "%s%s", path, bad_plans[_i].says);
    ck_assert_msg(strncmp(err, want, strlen(want)) == 0, "\"%s\", not \"%s\"",
                  err, want);
    unlink(path);
}
END_TEST

#define ASKS                                                                   \
    HEAD "numbers: {n: [4, 5], m: [dgx-a, dgx-b], k: [1, 0]}\ncases:\n  - "    \
         "{name: a, part: 1, kind: answer, with: {question: q, tolerance: "    \
         "0.01}}\n"

static const struct bad_answer {
    const char *hidden, *says;
} bad_answers[] = {
    {"answers:\n  q: n + x\n", ":2: at column 5: there is no number \"x\": the "
                               "plan's numbers are n, m, k"},
    {"answers:\n  q: log(n)\n",
     ":2: at column 5: there is no function \"log\": there are ceil, floor, "
     "sqrt, min, max"},
    {"answers:\n  q: (n + 1\n", ":2: at column 7: ')' is missing"},
    {"rubric:\n  - why\n", ":2: a rubric lists a cause and a consequence"},
    {"answers:\n  q: 3 / k\n", ":2: at column 6: this divides by zero"},
    {"answers:\n  q: {dgx-b: 1, dgx-a: 2}\n",
     ":2: \"dgx-b\" is not the next choice of a number"},
    {"answers:\n  q: {dgx-a: 1}\n",
     ":2: an answer by choice needs all choices"},
    {"answers:\n  q: {dgx-a: 1, dgx-b: n +}\n",
     ":2: at column 4: the formula ends too early"},
    {"answers:\n  r: 1\n", ":2: no case asks for \"r\""},
    {"answers:\n  q: n\n  q: n\n", ":3: no case asks for \"q\", or it"},
    {"numbers:\n  r: [1, 2]\n", ":2: numbers belong into the visible plan"},
};

START_TEST(a_bad_answer_is_named_with_its_line)
{
    char path[64], hidden[64], err[512] = "", want[600];
    file_of(ASKS, path);
    file_of(bad_answers[_i].hidden, hidden);
    ck_assert(plan_load(path, hidden, err, sizeof err) == NULL);
    snprintf(want, sizeof want, "%s%s", hidden, bad_answers[_i].says);
    ck_assert_msg(strncmp(err, want, strlen(want)) == 0, "\"%s\", not \"%s\"",
                  err, want);
    unlink(path);
    unlink(hidden);
}
END_TEST

static struct plan *load_answer(const char *answer, char path[64])
{
    char hidden[64], text[200], err[512] = "";
    snprintf(text, sizeof text, "answers:\n  q: %s\n", answer);
    file_of(ASKS, path);
    file_of(text, hidden);
    struct plan *const p = plan_load(path, hidden, err, sizeof err);
    ck_assert_msg(p != NULL, "%s", err);
    unlink(hidden);
    return p;
}

/* Students with either machine and either n get the answer to their own. */
START_TEST(the_right_answer_is_the_students)
{
    char path[64], student[16];
    struct plan *const p =
        load_answer("{dgx-a: 10 * n, dgx-b: 100 * n + k}", path);
    int seen[2][2] = {{0}};
    for (int i = 0; i < 64; i++) {
        snprintf(student, sizeof student, "s%d", i);
        plan_draw(p, student);
        const int n = p->draw.choice[0], m = p->draw.choice[1],
                  k = p->draw.choice[2];
        ck_assert(p->cases[0].right ==
                  (m ? 100. * (4 + n) + (k ? 0 : 1) : 10. * (4 + n)));
        seen[n][m]++;
        plan_draw(p, student); // the same each time
        ck_assert(p->draw.choice[0] == n && p->draw.choice[1] == m);
    }
    for (int i = 0; i < 4; i++)
        ck_assert_int_gt(seen[i / 2][i % 2], 4);
    plan_free(p);
    unlink(path);
}
END_TEST

/* A group may answer to the numbers of any member. */
START_TEST(a_groups_answers_are_any_members)
{
    char path[64], student[16];
    double own[8];
    struct plan *const p =
        load_answer("{dgx-a: 10 * n, dgx-b: 100 * n + k}", path);
    for (int i = 0; i < 8; i++) {
        snprintf(student, sizeof student, "s%d", i);
        plan_draw(p, student);
        own[i] = p->cases[0].right;
    }
    plan_draw(p, "s0");
    plan_draw_also(p, "");
    ck_assert_int_eq(p->cases[0].nalso, 0);
    plan_draw_also(p, "s1,s2,s3");
    plan_draw_also(p, "s4");
    ck_assert_int_eq(p->cases[0].nalso, 4);
    ck_assert(p->cases[0].right == own[0]);
    for (int i = 0; i < 4; i++)
        ck_assert(p->cases[0].also[i] == own[i + 1]);
    plan_free(p);
    unlink(path);
}
END_TEST

static const struct {
    const char *answer, *says; /* NULL: neighbours differ */
} neighbours[] = {
    {"n", NULL},
    {"{dgx-a: 5, dgx-b: 7}", NULL},
    {"{dgx-a: 5, dgx-b: 5.05}", "m dgx-a gives 5, and m dgx-b gives 5.05"},
    {"100 + k", "k 0 gives 100, and k 1 gives 101"},
    {"7", "it uses no drawn number"},
};

START_TEST(neighbours_with_the_same_answer_are_found)
{
    char path[64], err[512] = "", want[512] = "";
    struct plan *const p = load_answer(neighbours[_i].answer, path);
    ck_assert_int_eq(plan_check_answers(p, err, sizeof err),
                     neighbours[_i].says ? -1 : 0);
    if (neighbours[_i].says)
        snprintf(want, sizeof want, "%s:7: case a: question q: %s", path,
                 neighbours[_i].says);
    ck_assert_str_eq(err, want);
    plan_free(p);
    unlink(path);
}
END_TEST

/* The second one has none; what has no question needs none. */
START_TEST(each_question_needs_an_answer)
{
    char path[64], hidden[64], err[512] = "", want[512];
    file_of(ASKS "  - {name: b, part: 1, kind: k}\n  - {name: c, part: 1, "
                 "kind: answer, with: {question: r}}\n",
            path);
    file_of("answers:\n  q: n\n", hidden);
    struct plan *const p = plan_load(path, hidden, err, sizeof err);
    ck_assert_msg(p != NULL, "%s", err);
    ck_assert_int_eq(plan_check_answers(p, err, sizeof err), -1);
    snprintf(want, sizeof want,
             "%s:9: case c: question r: the hidden plan has no answer to it",
             path);
    ck_assert_str_eq(err, want);
    plan_free(p);
    unlink(path);
    unlink(hidden);
}
END_TEST

START_TEST(a_plan_that_is_not_there_is_an_error)
{
    char err[512] = "";
    ck_assert(plan_load("/no/plan.yaml", NULL, err, sizeof err) == NULL);
    ck_assert_str_eq(err, "/no/plan.yaml: No such file or directory");
}
END_TEST

START_TEST(a_plan_and_its_hidden_cases_are_read)
{
    char path[64], hidden[64], err[512] = "";
    file_of(HEAD "cases:\n  - {name: a, part: 2, points: 2.5, kind: k, ranks: "
                 "[2, 3], with: {count: 7, type: int8}}\n",
            path);
    file_of("cases:\n  - {name: b, part: 1, kind: k}\n", hidden);
    struct plan *const p = plan_load(path, hidden, err, sizeof err);
    ck_assert_msg(p != NULL, "%s", err);
    ck_assert_str_eq(p->lab, "x");
    ck_assert_str_eq(p->title, "X");
    ck_assert_int_eq(p->nfiles, 1);
    ck_assert_int_eq(p->ncases, 2);
    const struct plan_case *const a = &p->cases[0], *const b = &p->cases[1];
    ck_assert_int_eq(a->nranks, 2);
    ck_assert_int_eq(a->ranks[1], 3);
    ck_assert(a->points == 2.5);
    ck_assert_int_eq(plan_int(a, "count", 0), 7);
    ck_assert_int_eq(plan_int(a, "absent", 9), 9);
    ck_assert_str_eq(plan_text(a, "type", "float"), "int8");
    ck_assert_int_eq(a->hidden, 0);
    ck_assert_int_eq(b->hidden, 1);
    ck_assert_int_eq(b->ranks[0], 4);
    ck_assert(plan_find(p, "b") == b && plan_find(p, "c") == NULL);
    plan_free(p);
    unlink(path);
    unlink(hidden);
}
END_TEST

START_TEST(hidden_cases_need_not_exist)
{
    char path[64], err[512] = "";
    file_of(HEAD "cases: [" CASE "}]\n", path);
    struct plan *const p = plan_load(path, "/no/file", err, sizeof err);
    ck_assert_msg(p != NULL && p->ncases == 1, "%s", err);
    plan_free(p);
    unlink(path);
}
END_TEST

/* ---- machines and times -------------------------------------------------- */

/* A folder with plan.yaml and times/plan.yaml; removed by clear_plans(). */
static char plans[32];

static struct plan *load_plans(const char *plan, const char *times,
                               char err[512])
{
    char path[64], line[64];
    strcpy(plans, "/tmp/commlab-plans-XXXXXX");
    ck_assert(mkdtemp(plans) != NULL);
    snprintf(line, sizeof line, "mkdir %s/times", plans);
    ck_assert_int_eq(system(line), 0);
    const char *const texts[] = {plan, times};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%splan.yaml", plans, i ? "times/" : "");
        FILE *const f = fopen(path, "w");
        ck_assert(f && fputs(texts[i], f) >= 0 && fclose(f) == 0);
    }
    snprintf(path, sizeof path, "%s/plan.yaml", plans);
    return plan_load(path, NULL, err, 512);
}

static void clear_plans(void)
{
    char line[64];
    snprintf(line, sizeof line, "rm -r %s", plans);
    ck_assert_int_eq(system(line), 0);
}

#define TIMED                                                                  \
    HEAD "topo: dgx-a100\nfull: 1.5\ncases:\n  - " CASE                        \
         ", timed: 1, ranks: [4, 8], none: 20}\n"                              \
         "  - {name: b, part: 1, kind: k}\n"                                   \
         "  - {name: c, part: 1, kind: k, topo: pcie-4090}\n"

START_TEST(a_timed_case_has_a_machine_and_times)
{
    char err[512] = "";
    struct plan *const p =
        load_plans(TIMED,
                   "times:\n  - {case: a, ranks: 8, us: 0.5}\n"
                   "  - {case: gone, ranks: 8, us: 1}\n",
                   err);
    ck_assert_msg(p != NULL, "%s", err);
    const struct plan_case *const a = &p->cases[0], *const b = &p->cases[1],
                                  *const c = &p->cases[2];
    ck_assert_str_eq(a->topo, "dgx-a100");
    ck_assert_str_eq(c->topo, "pcie-4090");
    ck_assert(a->full == 1.5 && a->none == 20 && b->none == 10);
    ck_assert(plan_reference_us(a, 8) == 0.5);
    ck_assert(isnan(plan_reference_us(a, 4)) && isnan(plan_reference_us(b, 4)));
    ck_assert_int_eq(plan_check_times(p, err, sizeof err), -1);
    ck_assert_str_eq(err, "times/x.yaml has no time for a on 4 ranks: run make "
                          "plans");
    plan_free(p);
    clear_plans();
}
END_TEST

START_TEST(only_pinned_cases_need_their_ranks_and_machine)
{
    char err[512] = "";
    struct plan *const p = load_plans(TIMED, "times: []\n", err);
    ck_assert_msg(p != NULL, "%s", err);
    const struct plan_case *const a = &p->cases[0], *const b = &p->cases[1],
                                  *const c = &p->cases[2];
    ck_assert(plan_fits(a, 8, "dgx-a100") && plan_fits(a, 4, "dgx-a100"));
    ck_assert(!plan_fits(a, 3, "dgx-a100") && !plan_fits(a, 8, "dgx-h100"));
    ck_assert(plan_fits(a, 8, NULL) && !plan_fits(a, 3, NULL));
    ck_assert(plan_fits(b, 3, "dgx-h100"));
    ck_assert(plan_fits(c, 4, "pcie-4090") && !plan_fits(c, 4, "dgx-a100"));
    plan_free(p);
    clear_plans();
}
END_TEST

START_TEST(bad_times_are_named_with_their_line)
{
    char err[512] = "";
    ck_assert(load_plans(TIMED, "times:\n  - {case: a, ranks: 8, us: soon}\n",
                         err) == NULL);
    ck_assert_msg(strstr(err, "/times/plan.yaml:2: us is a number") != NULL,
                  "%s", err);
    clear_plans();
}
END_TEST

START_TEST(names_that_may_have_been_meant_are_found)
{
    static const char *const asked[][2] = {
        {"rnig", "ring"},
        {"ring", "ring, ring-odd"},
        {"broadcast-even", "broadcast"},
        {"xyzzy", ""},
        {"", ""},
    };
    char path[64], near[64], err[512] = "";
    file_of(HEAD "cases:\n  - {name: ring, part: 1, kind: k}\n"
                 "  - {name: ring-odd, part: 1, kind: k}\n"
                 "  - {name: broadcast, part: 1, kind: k}\n",
            path);
    struct plan *const p = plan_load(path, NULL, err, sizeof err);
    ck_assert_msg(p != NULL, "%s", err);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        plan_near(p, asked[i][0], near, sizeof near);
        ck_assert_str_eq(near, asked[i][1]);
    }
    plan_near(p, "ring", near, 10); // no room for the second
    ck_assert_str_eq(near, "ring");
    plan_free(p);
    unlink(path);
}
END_TEST

static const struct {
    const char *first, *second; /* the second case's name is b */
    const char *says;           /* NULL: good ones */
} machines[] = {
    {"topo: dgx-a100, ranks: [8]", "ranks: [8]", NULL},
    {"topo: dgx-h100, ranks: [4, 9]", "ranks: [1]",
     ":6: case a: dgx-h100 has 8 GPUs, and it has 9 ranks"},
    {"topo: dgx-h100, ranks: [9, 4]", "ranks: [1]",
     ":6: case a: dgx-h100 has 8 GPUs, and it has 9 ranks"},
    {"topo: dgx-h100, ranks: [8]", "topo: dgx-h100, ranks: [9]",
     ":7: case b: dgx-h100 has 8 GPUs, and it has 9 ranks"},
    {"topo: dgx-h100, ranks: [8]", "topo: dgx-a100, ranks: [9]",
     ":7: case b: dgx-a100 has 8 GPUs, and it has 9 ranks"},
};

static int check_machines(const char *first, const char *second, char *err,
                          size_t err_nbytes)
{
    char text[512], path[64];
    snprintf(text, sizeof text,
             HEAD "cases:\n  - " CASE ", %s}\n"
                  "  - {name: b, part: 1, kind: k, %s}\n",
             first, second);
    struct plan *const p =
        plan_load(file_of(text, path), NULL, err, err_nbytes);
    ck_assert_msg(p != NULL, "%s", err);
    const int result = plan_check_machines(p, err, err_nbytes);
    plan_free(p);
    unlink(path);
    return result;
}

START_TEST(a_machine_that_cannot_run_a_case_is_found)
{
    char err[512] = "";
    const int bad = check_machines(machines[_i].first, machines[_i].second, err,
                                   sizeof err);
    ck_assert_int_eq(bad, machines[_i].says ? -1 : 0);
    if (machines[_i].says)
        ck_assert_str_eq(strchrnul(err, ':'), machines[_i].says);
}
END_TEST

START_TEST(a_machine_that_is_not_there_is_found)
{
    static const char begin[] = ":6: case a: ";
    char err[512] = "";
    ck_assert_int_eq(check_machines("topo: dgx-z900, ranks: [8]", "ranks: [8]",
                                    err, sizeof err),
                     -1);
    ck_assert_msg(strncmp(strchrnul(err, ':'), begin, sizeof begin - 1) == 0 &&
                      strstr(err, "dgx-z900"),
                  "%s", err);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("plan");
    TCase *const t = tcase_create("plan");
    tcase_add_loop_test(t, a_bad_plan_is_named_with_its_line, 0,
                        sizeof bad_plans / sizeof *bad_plans);
    tcase_add_loop_test(t, a_bad_answer_is_named_with_its_line, 0,
                        sizeof bad_answers / sizeof *bad_answers);
    tcase_add_test(t, a_groups_answers_are_any_members);
    tcase_add_test(t, the_right_answer_is_the_students);
    tcase_add_loop_test(t, neighbours_with_the_same_answer_are_found, 0,
                        sizeof neighbours / sizeof *neighbours);
    tcase_add_test(t, each_question_needs_an_answer);
    tcase_add_test(t, a_plan_that_is_not_there_is_an_error);
    tcase_add_test(t, a_plan_and_its_hidden_cases_are_read);
    tcase_add_test(t, hidden_cases_need_not_exist);
    tcase_add_test(t, a_timed_case_has_a_machine_and_times);
    tcase_add_test(t, only_pinned_cases_need_their_ranks_and_machine);
    tcase_add_test(t, bad_times_are_named_with_their_line);
    tcase_add_loop_test(t, a_machine_that_cannot_run_a_case_is_found, 0,
                        sizeof machines / sizeof *machines);
    tcase_add_test(t, a_machine_that_is_not_there_is_found);
    tcase_add_test(t, names_that_may_have_been_meant_are_found);
    suite_add_tcase(s, t);
    return suite_run(s);
}
