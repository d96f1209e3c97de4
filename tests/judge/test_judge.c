/* The judge's parts: plans, evidence, data. */
#include <check.h>
#include <math.h>   /* isnan */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* EXIT_FAILURE */
#include <string.h> /* strstr */
#include <unistd.h> /* unlink */

#include "judge/data.h"

const struct judge_lab *const judge_labs[] = {NULL};

static void write_text(const char *path, const char *text, size_t nbytes)
{
    FILE *const f = fopen(path, "w");
    ck_assert(f != NULL && fwrite(text, 1, nbytes, f) == nbytes);
    fclose(f);
}

/* ---- plans -------------------------------------------------------------------- */

#define HEAD "lab: x\ntitle: X\nfiles: [a.c]\nranks: [4]\n"
static const struct bad_plan {
    const char *text, *says;
} bad_plans[] = {
    {HEAD "cases:\n  - {name: a}\n", ":6: a case needs a name and a kind"},
    {HEAD "cases:\n  - {name: a, kind: k, points: many}\n",
     ":6: points is a number from 0 to 1000, not \"many\""},
    {HEAD "cases:\n  - {name: a, kind: k}\n  - {name: a, kind: k}\n",
     ":7: two cases are called a"},
    {HEAD "cases:\n  - {name: a, kind: k, colour: red}\n",
     ":6: unknown or repeated key \"colour\" in a case"},
    {HEAD "extra: 1\n", ":5: unknown or repeated key \"extra\""},
    {"lab: x\nfiles: [../a.c]\n", ":2: a file to edit is a plain name"},
    {"lab: x\nfiles: [a.c\n", ":3: "},
    {"lab: x\n", ": a plan needs lab, files and cases"},
    {HEAD "cases:\n  - {name: a, kind: k, ranks: [0]}\n",
     ":6: a number of ranks is a number from 1"},
};

START_TEST(a_bad_plan_is_named_with_its_line)
{
    const char path[] = "/tmp/commlab-plan.yaml";
    char err[512] = "", want[600];
    write_text(path, bad_plans[_i].text, strlen(bad_plans[_i].text));
    ck_assert(plan_load(path, NULL, err, sizeof err) == NULL);
    snprintf(want, sizeof want, "%s%s", path, bad_plans[_i].says);
    ck_assert_msg(strncmp(err, want, strlen(want)) == 0, "\"%s\"", err);
    unlink(path);
}
END_TEST

START_TEST(a_plan_and_its_hidden_cases_are_read)
{
    const char path[] = "/tmp/commlab-plan.yaml";
    const char hidden[] = "/tmp/commlab-hidden.yaml";
    const char text[] = HEAD "cases:\n  - {name: a, part: 2, points: 3, kind: "
                             "k, ranks: [2, 3], with: {count: 7}}\n";
    const char more[] = "cases:\n  - {name: b, kind: k}\n";
    char err[512] = "";
    write_text(path, text, strlen(text));
    write_text(hidden, more, strlen(more));
    struct plan *const p = plan_load(path, hidden, err, sizeof err);
    ck_assert_msg(p != NULL, "%s", err);
    ck_assert_int_eq(p->ncases, 2);
    ck_assert_int_eq(p->cases[0].nranks, 2);
    ck_assert_int_eq(plan_int(&p->cases[0], "count", 0), 7);
    ck_assert_int_eq(plan_int(&p->cases[0], "absent", 9), 9);
    ck_assert_int_eq(p->cases[0].hidden, 0);
    ck_assert_int_eq(p->cases[1].hidden, 1);
    ck_assert_int_eq(p->cases[1].ranks[0], 4);
    plan_free(p);
    unlink(path);
    unlink(hidden);
}
END_TEST

/* ---- evidence ------------------------------------------------------------------ */

static const char evidence_format[] = "/tmp/commlab-evidence-%d";
static const char evidence_path[] = "/tmp/commlab-evidence-0";

static void show(uint64_t nonce)
{
    const uint32_t ok = RUN_OK;
    const double us = 12.5;
    struct evidence_out *const e = evidence_create(evidence_path, nonce);
    ck_assert(e != NULL);
    evidence_put(e, EVIDENCE_OUTPUT, 3, 1, "recvbuf", "hello", 5);
    evidence_put(e, EVIDENCE_METRIC, 3, 1, "time_us", &us, sizeof us);
    evidence_put(e, EVIDENCE_STATUS, 3, 0, "status", &ok, sizeof ok);
    ck_assert_int_eq(evidence_finish(e), 0);
}

START_TEST(what_is_shown_is_read)
{
    size_t n;
    show(7);
    struct evidence *const e = evidence_load(evidence_format, 1, 7);
    ck_assert(evidence_done(e, 0) && !evidence_problem(e, 0));
    ck_assert_int_eq(evidence_status(e, 0, 3), RUN_OK);
    ck_assert_int_eq(evidence_status(e, 0, 4), RUN_MISSING);
    ck_assert_mem_eq(evidence_output(e, 0, 3, 1, "recvbuf", &n), "hello", 5);
    ck_assert_int_eq(n, 5);
    ck_assert(evidence_output(e, 0, 3, 0, "recvbuf", &n) == NULL);
    ck_assert(evidence_metric(e, 0, 3, 1, "time_us") == 12.5);
    ck_assert(isnan(evidence_metric(e, 0, 3, 1, "recvbuf")));
    evidence_free(e);
    unlink(evidence_path);
}
END_TEST

START_TEST(another_runs_evidence_is_not_done)
{
    show(7);
    struct evidence *const e = evidence_load(evidence_format, 1, 8);
    ck_assert(!evidence_done(e, 0) && evidence_problem(e, 0));
    evidence_free(e);
    unlink(evidence_path);
}
END_TEST

/* Cut at every length, and with every byte changed: never a crash. */
START_TEST(damaged_evidence_is_survived)
{
    char good[4096], bad[4096];
    show(7);
    FILE *const f = fopen(evidence_path, "r");
    const size_t size = fread(good, 1, sizeof good, f);
    fclose(f);
    for (size_t i = 0; i < size; i++) {
        size_t n;
        memcpy(bad, good, size);
        bad[i] = (char)(bad[i] ^ 0x5a);
        for (int cut = 0; cut < 2; cut++) {
            write_text(evidence_path, bad, cut ? i : size);
            struct evidence *const e = evidence_load(evidence_format, 1, 7);
            evidence_status(e, 0, 3);
            evidence_output(e, 0, 3, 1, "recvbuf", &n);
            ck_assert(n <= size);
            ck_assert(!cut || !evidence_done(e, 0));
            evidence_free(e);
        }
    }
    unlink(evidence_path);
}
END_TEST

/* ---- data ------------------------------------------------------------------------ */

static const enum data_type types[] = {DATA_INT8,   DATA_UINT8, DATA_INT32,
                                       DATA_UINT32, DATA_INT64, DATA_UINT64,
                                       DATA_FLOAT,  DATA_DOUBLE};
enum { TYPES = sizeof types / sizeof *types };

START_TEST(one_wrong_element_is_found_in_every_type)
{
    enum { N = 100 };
    const enum data_type type = types[_i];
    char want[N * 8], got[N * 8];
    struct judge_verdict v = {.pass = 1};
    data_fill(want, N, type, 42);
    memcpy(got, want, sizeof got);
    data_compare(got, want, N, type, 2, &v);
    ck_assert(v.pass);
    got[17 * data_size(type)] ^= 1;
    data_compare(got, want, N, type, 2, &v);
    ck_assert(!v.pass);
    ck_assert_msg(strncmp(v.message, "element 17 of rank 2 is ", 24) == 0 &&
                      strstr(v.message, "(1 of 100 differ)"),
                  "%s", v.message);
}
END_TEST

START_TEST(inputs_follow_from_their_seed_alone)
{
    float a[64], b[64];
    data_fill(a, 64, DATA_FLOAT, 1);
    data_fill(b, 64, DATA_FLOAT, 1);
    ck_assert_mem_eq(a, b, sizeof a);
    data_fill(b, 64, DATA_FLOAT, 2);
    ck_assert_mem_ne(a, b, sizeof a);
    for (int i = 0; i < 64; i++)
        ck_assert(a[i] != 0 && a[i] == (int)a[i] && a[i] >= -4 && a[i] <= 4);
}
END_TEST

START_TEST(nan_never_matches)
{
    const float want = 1, nan = NAN;
    struct judge_verdict v = {.pass = 1};
    data_compare(&nan, &want, 1, DATA_FLOAT, 0, &v);
    ck_assert(!v.pass);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("judge");
    TCase *const t = tcase_create("judge");
    tcase_add_loop_test(t, a_bad_plan_is_named_with_its_line, 0,
                        sizeof bad_plans / sizeof *bad_plans);
    tcase_add_test(t, a_plan_and_its_hidden_cases_are_read);
    tcase_add_test(t, what_is_shown_is_read);
    tcase_add_test(t, another_runs_evidence_is_not_done);
    tcase_add_test(t, damaged_evidence_is_survived);
    tcase_add_loop_test(t, one_wrong_element_is_found_in_every_type, 0, TYPES);
    tcase_add_test(t, inputs_follow_from_their_seed_alone);
    tcase_add_test(t, nan_never_matches);
    suite_add_tcase(s, t);
    SRunner *const r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
