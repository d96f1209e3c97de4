/* Verdicts: from evidence to messages, tables and reports. */
#define _GNU_SOURCE
#include <check.h>
#include <math.h>   /* isnan */
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* memset */

#include "fds.h"
#include "judge/report.h"
#include "judge/table.h"
#include "suite.h"

enum { NRANKS = 3, ITERATIONS = 3, NBYTES = 16 };

/* A kind whose output must exist and is always right. */
static void judge_any(const struct judge_task *t, struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks; r++)
        for (int i = 0; i < t->iterations; i++)
            judge_output(t, r, i, "out", NBYTES, v);
}

static const struct judge_kind kinds[] = {{.name = "any", .judge = judge_any},
                                          {.name = NULL}};
static const struct judge_student students[] = {
    {"any", "other() in other.c", "way", "other"},
    {"any", "any() in any.c", NULL, NULL},
    {NULL, NULL, NULL, NULL}};
static const struct judge_lab judge_test = {
    .lab = "test", .kinds = kinds, .students = students};
const struct judge_lab *const judge_labs[] = {&judge_test, NULL};

static const struct plan_case any = {
    .name = "a-case", .kind = "any", .part = 1, .points = 2};

struct shown { /* of one rank */
    enum run_status status;
    const char *text;
    size_t spoilt;  /* byte to change in the output with its zones, or */
    size_t missing; /* bytes to leave out */
    double host_us; /* more by the host's clock than by its GPU's */
};
enum { WHOLE = NBYTES + 2 * JUDGE_RED_ZONE, INTACT = WHOLE };

static char *show(const struct shown *s, int rank, size_t *nbytes)
{
    unsigned char out[WHOLE + 1];
    char *data;
    struct evidence_out *const e = evidence_memory(&data, nbytes, 1);
    evidence_put_status(e, 0, RUN_MISSING, NULL);
    memset(out, JUDGE_RED, sizeof out);
    memset(out + JUDGE_RED_ZONE, 7, NBYTES);
    out[s->spoilt] = 0;
    for (unsigned i = 0; i < ITERATIONS; i++) {
        // not in order, and of the ranks the second is slowest
        const double us = 10.0 * (1 + i * 2 % 3) + (rank + 1) % 3,
                     host_us = us + s->host_us;
        evidence_put(e, EVIDENCE_OUTPUT, 0, i, "out", out, WHOLE - s->missing);
        evidence_put(e, EVIDENCE_METRIC, 0, i, "time_us", &us, sizeof us);
        evidence_put(e, EVIDENCE_METRIC, 0, i, "host_us", &host_us,
                     sizeof host_us);
    }
    evidence_put_status(e, 0, s->status, s->text);
    evidence_finish(e);
    return data;
}

/* The last rank records `s` and the others are fine. */
static struct evidence *evidence_of(const struct shown *s)
{
    static const struct shown fine = {RUN_OK, NULL, INTACT, 0, 0};
    struct evidence *const e = evidence_new(NRANKS, 1);
    for (int r = 0; r < NRANKS; r++) {
        size_t nbytes;
        char *const data = show(r == NRANKS - 1 ? s : &fine, r, &nbytes);
        evidence_give(e, r, data, nbytes);
    }
    return e;
}

static struct judge_verdict verdict_on(const struct shown *s,
                                       const struct plan_case *c, int clocked)
{
    static const uint64_t seed[NRANKS];
    struct judge_verdict v;
    struct evidence *const e = evidence_of(s);
    const struct judge_task t = {.c = c,
                                 .nranks = NRANKS,
                                 .iterations = ITERATIONS,
                                 .seed = seed,
                                 .evidence = e,
                                 .clocked = clocked};
    judge_case(&judge_test, &t, &v);
    evidence_free(e);
    return v;
}

START_TEST(the_time_is_the_median_of_the_slowest_rank)
{
    const struct shown s = {RUN_OK, NULL, INTACT, 0, 0};
    const struct judge_verdict v = verdict_on(&s, &any, 0);
    ck_assert_msg(v.pass, "%s", v.message);
    ck_assert(v.time_us == 22);
}
END_TEST

static const struct {
    struct shown shown;
    int not_implemented;
    const char *message;
} failures[] = {
    {{RUN_NOT_IMPLEMENTED, "part 2: x", INTACT, 0, 0},
     1,
     "not implemented: part 2: x"},
    {{RUN_ERROR, "p2p.c:3: ncclSend: no", INTACT, 0, 0},
     0,
     "rank 2: p2p.c:3: ncclSend: no"},
    {{RUN_MISSING, NULL, INTACT, 0, 0},
     0,
     "rank 2 did not get to the end of this case"},
    {{RUN_OK, NULL, JUDGE_RED_ZONE - 1, 0, 0},
     0,
     "rank 2 wrote 1 byte before its output \"out\"\nLook at any() in "
     "any.c."},
    {{RUN_OK, NULL, JUDGE_RED_ZONE + NBYTES + 3, 0, 0},
     0,
     "rank 2 wrote 4 bytes past the end of its output \"out\"\nLook at any() "
     "in any.c."},
    {{RUN_OK, NULL, 0, 0, 0}, // the first byte of all, and the last
     0,
     "rank 2 wrote 256 bytes before its output \"out\"\nLook at any() in "
     "any.c."},
    {{RUN_OK, NULL, WHOLE - 1, 0, 0},
     0,
     "rank 2 wrote 256 bytes past the end of its output \"out\"\nLook at "
     "any() in any.c."},
    {{RUN_OK, NULL, INTACT, 1, 0},
     0,
     "rank 2 has no output \"out\" of 16 bytes\nLook at any() in any.c."},
};

START_TEST(a_failure_says_which_rank_and_why)
{
    const struct judge_verdict v = verdict_on(&failures[_i].shown, &any, 0);
    ck_assert(!v.pass);
    ck_assert_int_eq(v.not_implemented, failures[_i].not_implemented);
    ck_assert_str_eq(v.message, failures[_i].message);
}
END_TEST

START_TEST(the_function_depends_on_the_cases_parameters)
{
    static const struct shown short_one = {RUN_OK, NULL, INTACT, 1, 0};
    struct plan_case c = any;
    c.with[c.nwith++] = (struct plan_param){"way", "other"};
    const struct judge_verdict v = verdict_on(&short_one, &c, 0);
    ck_assert_msg(strstr(v.message, "\nLook at other() in other.c."), "%s",
                  v.message);
}
END_TEST

static const struct plan_case timed = {.name = "c",
                                       .kind = "any",
                                       .timed = 1,
                                       .ranks = {NRANKS},
                                       .nranks = 1,
                                       .us = {1},
                                       .full = 1.2,
                                       .none = 10};

START_TEST(without_a_graph_a_timed_case_counts_by_its_result)
{
    const struct shown s = {RUN_OK, NULL, INTACT, 0, 0};
    const struct judge_verdict v = verdict_on(&s, &timed, 0);
    ck_assert_msg(v.pass && v.score == 1, "%s", v.message);
    ck_assert(v.time_us == 22 && isnan(v.reference_us) && isnan(v.limit_us));
}
END_TEST

START_TEST(a_gpus_clock_is_held_against_its_hosts)
{
    static const struct {
        double host_us;
        int clocked, fine;
    } clocks[] = {{5, 1, 1},    {2009, 1, 1}, {2011, 1, 0},  {-980, 1, 1},
                  {3000, 0, 1}, {-981, 1, 0}, {-5000, 1, 0}, {NAN, 1, 0}};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        const struct shown s = {RUN_OK, NULL, INTACT, 0, clocks[i].host_us};
        const struct judge_verdict v =
            verdict_on(&s, &timed, clocks[i].clocked);
        ck_assert_msg(v.pass == clocks[i].fine && v.suspected == !v.pass,
                      "%g us: %s", clocks[i].host_us, v.message);
        if (clocks[i].host_us == 2011)
            ck_assert_str_eq(v.message,
                             "rank 2: 10 us on its GPU's clock but 2021 us on "
                             "its host's: a person will look at it");
    }
}
END_TEST

START_TEST(a_kind_that_the_lab_lacks_is_said)
{
    const struct shown s = {RUN_OK, NULL, INTACT, 0, 0};
    const struct plan_case c = {.name = "c", .kind = "other"};
    const struct judge_verdict v = verdict_on(&s, &c, 0);
    ck_assert(!v.pass);
    ck_assert_str_eq(
        v.message, "the plan asks for \"other\", which this lab cannot judge");
}
END_TEST

START_TEST(a_graph_that_should_exist_is_missed)
{
    static const struct judge_student none[] = {{NULL, NULL, NULL, NULL}};
    static const struct judge_lab lab = {
        .lab = "t", .kinds = kinds, .students = none};
    static const uint64_t seed[NRANKS];
    struct judge_verdict v;
    struct evidence *const e =
        evidence_of(&(struct shown){RUN_OK, NULL, INTACT, 0, 0});
    struct judge_task t = {.c = &timed,
                           .nranks = NRANKS,
                           .iterations = ITERATIONS,
                           .seed = seed,
                           .evidence = e,
                           .graph_problem = "it has gone"};
    judge_case(&lab, &t, &v);
    ck_assert_str_eq(v.message, "cannot be timed: it has gone");
    t.c = &any; // which needs none
    judge_case(&lab, &t, &v);
    ck_assert(v.pass && v.score == 1);
    evidence_free(e);
}
END_TEST

/* A wrong result of a rank that went on after a call had failed. */
START_TEST(a_wrong_result_names_the_call_that_failed)
{
    const struct shown s = {RUN_OK, "p2p.c:3: no", INTACT, 1, 0};
    const struct judge_verdict v = verdict_on(&s, &any, 0);
    ck_assert_str_eq(v.message,
                     "rank 2 has no output \"out\" of 16 bytes\nLook at any() "
                     "in any.c.\nrank 2: p2p.c:3: no");
    const struct shown right = {RUN_OK, "p2p.c:3: no", INTACT, 0, 0};
    ck_assert_str_eq(verdict_on(&right, &any, 0).message, "");
    const struct shown slow = {RUN_OK, "p2p.c:3: no", INTACT, 0, 3000};
    ck_assert(!strstr(verdict_on(&slow, &timed, 1).message, "p2p"));
}
END_TEST

START_TEST(seeds_differ_by_case_and_rank)
{
    ck_assert_uint_ne(judge_case_seed(1, "a"), judge_case_seed(1, "b"));
    ck_assert_uint_ne(judge_case_seed(1, "a"), judge_case_seed(2, "a"));
    ck_assert_uint_ne(judge_seed(1, 0), judge_seed(1, 1));
    // the published first number of splitmix64 for seed 1234567
    ck_assert_uint_eq(judge_seed(1234567, 0), UINT64_C(6457827717110365317));
}
END_TEST

/* ---- tables and JSON ----------------------------------------------------- */

static char *row_of(const struct judge_verdict *v, const char *rerun)
{
    char *text;
    size_t nbytes;
    FILE *const f = open_memstream(&text, &nbytes);
    table_row(f, &any, v, rerun);
    fclose(f);
    return text;
}

START_TEST(times_are_in_the_unit_that_suits)
{
    static const struct {
        double us;
        const char *text;
    } times[] = {{0.5, " 0.50 us"},  {12.34, " 12.3 us"}, {999, " 999 us"},
                 {1000, " 1.00 ms"}, {45678, " 45.7 ms"}, {2e6, " 2.00 s"}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const struct judge_verdict v = {
            .pass = 1, .score = 1, .time_us = times[i].us};
        char *const row = row_of(&v, NULL);
        ck_assert_msg(strstr(row, times[i].text) && strstr(row, " 2/2\n"), "%s",
                      row);
        free(row);
    }
}
END_TEST

START_TEST(a_failed_row_says_why_and_how_to_run_it_again)
{
    const struct judge_verdict v = {.time_us = NAN, .message = "one\ntwo"};
    char *const row = row_of(&v, "mpirun -n 2 x");
    ck_assert_msg(strstr(row, "  0/2\n        one\n        two\n"
                              "        again: mpirun -n 2 x\n"),
                  "%s", row);
    free(row);
}
END_TEST

START_TEST(nothing_in_a_message_steers_the_terminal)
{
    const struct judge_verdict v = {.time_us = NAN,
                                    .message = "\33[2J\r\b\x9b\xc2\x9b!"};
    char *const row = row_of(&v, NULL);
    ck_assert_msg(strstr(row, "?[2J\?\?\?\?\?!\n") != NULL, "%s", row);
    for (const char *c = row; *c; c++)
        ck_assert(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
    free(row);
}
END_TEST

START_TEST(a_report_survives_text_that_is_no_text)
{
    struct judge_verdict v = {.time_us = NAN,
                              .message = "bad \x80\xff\xfe byte"};
    json_t *const j = report_case(&any, &v, OUTCOME_FAIL, 0, 4, "again");
    ck_assert_str_eq(json_string_value(json_object_get(j, "message")),
                     "bad \?\?\? byte");
    ck_assert(json_is_null(json_object_get(j, "time_us")));
    ck_assert_int_eq(json_integer_value(json_object_get(j, "ranks")), 4);
    json_decref(j);
}
END_TEST

START_TEST(a_kind_that_the_lab_cannot_judge_is_found)
{
    static const struct {
        char *kind, *says;
    } asks[] = {
        {"any", ""},
        {"answer", ""},
        {"amy", "the plan:0: case a-case: its judge has no kind \"amy\": did "
                "you mean any?"},
        {"broadcast",
         "the plan:0: case a-case: its judge has no kind \"broadcast\""},
    };
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        char err[256] = "";
        struct plan_case cases[] = {any, any};
        cases[1].kind = asks[i].kind;
        const struct plan p = {.lab = "x", .cases = cases, .ncases = 2};
        ck_assert_int_eq(judge_check_kinds(&judge_test, &p, err, sizeof err),
                         -(asks[i].says[0] != 0));
        ck_assert_str_eq(err, asks[i].says);
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("judge");
    TCase *const t = tcase_create("judge");
    fds_watch(t);
    tcase_add_test(t, the_time_is_the_median_of_the_slowest_rank);
    tcase_add_test(t, the_function_depends_on_the_cases_parameters);
    tcase_add_test(t, a_kind_that_the_lab_cannot_judge_is_found);
    tcase_add_loop_test(t, a_failure_says_which_rank_and_why, 0,
                        sizeof failures / sizeof *failures);
    tcase_add_test(t, a_gpus_clock_is_held_against_its_hosts);
    tcase_add_test(t, without_a_graph_a_timed_case_counts_by_its_result);
    tcase_add_test(t, a_kind_that_the_lab_lacks_is_said);
    tcase_add_test(t, a_graph_that_should_exist_is_missed);
    tcase_add_test(t, a_wrong_result_names_the_call_that_failed);
    tcase_add_test(t, seeds_differ_by_case_and_rank);
    tcase_add_test(t, times_are_in_the_unit_that_suits);
    tcase_add_test(t, a_failed_row_says_why_and_how_to_run_it_again);
    tcase_add_test(t, nothing_in_a_message_steers_the_terminal);
    tcase_add_test(t, a_report_survives_text_that_is_no_text);
    suite_add_tcase(s, t);
    return suite_run(s);
}
