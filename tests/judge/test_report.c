/* What is said of verdicts: tables, reports, and why a rank left a case. */
#define _GNU_SOURCE
#include <check.h>
#include <math.h>   /* NAN */
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* strchr */

#include "fds.h"
#include "graph/record/read.h"
#include "judge/points.h"
#include "judge/report.h"
#include "judge/table.h"
#include "suite.h"
#include "synthetic.h"

static const struct judge_kind kinds[] = {{.name = NULL}};
static const struct judge_lab first = {.lab = "first", .kinds = kinds},
                              second = {.lab = "second", .kinds = kinds};
const struct judge_lab *const judge_labs[] = {&first, &second, NULL};

/* ---- tables -------------------------------------------------------------- */

static const struct plan_case plain = {.name = "a-case",
                                       .part = 1,
                                       .points = 2},
                              timed = {.name = "a-case",
                                       .part = 12,
                                       .points = 3,
                                       .timed = 1};

#define ROW(part, word, time)                                                  \
    part "  a-case                         " word " " time "  "
static const struct {
    const struct plan_case *c;
    struct judge_verdict v;
    const char *row;
} rows[] = {
    {&plain,
     {.pass = 1, .score = 1, .time_us = NAN},
     ROW("   1", "pass            ", "            ") "2/2\n"},
    {&timed,
     {.pass = 1, .score = 1, .time_us = 12.34, .reference_us = 20, .low = NAN},
     ROW("  12", "pass            ", "     12.3 us") "3/3\n"
                                                     "        12.3 us, "
                                                     "reference 20.0 us\n"},
    {&plain,
     {.pass = 1, .answered = 1, .score = 1, .time_us = NAN},
     ROW("   1", "answered        ", "            ") "-/2\n"},
    {&plain,
     {.not_implemented = 1, .time_us = NAN, .message = "unseen"},
     ROW("   1", "NOT IMPLEMENTED ", "            ") "0/2\n"},
    {&plain,
     {.suspected = 1, .time_us = 1500, .message = "odd"},
     ROW("   1", "SUSPECTED       ", "     1.50 ms") "0/2\n"
                                                     "        odd\n"
                                                     "        again: do it\n"},
    {&plain,
     {.skipped = 1, .time_us = NAN, .message = "no GPU"},
     ROW("   1", "SKIPPED         ", "            ") "0/2\n"
                                                     "        no GPU\n"},
    {&plain,
     {.score = .625, .time_us = NAN, .message = "slow"},
     ROW("   1", "PARTLY          ", "            ") "1.25/2\n"
                                                     "        slow\n"
                                                     "        again: do it\n"},
    {&plain,
     {.time_us = NAN, .message = "wrong"},
     ROW("   1", "FAIL            ", "            ") "0/2\n"
                                                     "        wrong\n"
                                                     "        again: do it\n"},
    {&plain,
     {.time_us = NAN, .graders_only = 1, .message = "x = 1 is wrong"},
     ROW("   1", "FAIL            ",
         "            ") "0/2\n"
                         "        x = 1 is wrong\n"},
};

static char *text;
static size_t nbytes;

static void closes_with(FILE *f, const char *what)
{
    fclose(f);
    ck_assert_str_eq(text, what);
    free(text);
}

START_TEST(a_row_has_its_word_time_and_points)
{
    FILE *const f = open_memstream(&text, &nbytes);
    table_row(f, rows[_i].c, &rows[_i].v, "do it");
    closes_with(f, rows[_i].row);
}
END_TEST

START_TEST(a_table_has_a_head_and_a_total)
{
    FILE *f = open_memstream(&text, &nbytes);
    table_head(f, "lab 1");
    closes_with(f,
                "\nlab 1\n\npart  case                           verdict     "
                "             time  points\n");
    f = open_memstream(&text, &nbytes);
    table_total(f, 2.5, 10, 0);
    closes_with(f, "\ntotal 2.5 of 10 points\n");
    f = open_memstream(&text, &nbytes);
    table_total(f, 2, 4, 1);
    closes_with(f, "\ntotal 2 of 4 points\nwithout 1 answered question, which "
                   "the course's grader judges\n");
}
END_TEST

START_TEST(text_is_cut_and_what_is_not_ascii_replaced)
{
    static const struct {
        const char *text;
        int most;
        const char *shown;
    } texts[] = {{"abc", 2, "ab"},
                 {"abc", 4, "abc"},
                 {" ~\x1f\x7f\x80", 9,
                  " ~?"
                  "?"
                  "?"},
                 {"a\nb", 9, "a\n        b"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FILE *const f = open_memstream(&text, &nbytes);
        table_text(f, texts[i].text, texts[i].most);
        closes_with(f, texts[i].shown);
    }
}
END_TEST

START_TEST(a_time_has_three_digits)
{
    static const struct {
        double us;
        const char *shown;
    } times[] = {{9.5, "9.50 us"},   {10, "10.0 us"},   {99.5, "99.5 us"},
                 {100, "100 us"},    {1000, "1.00 ms"}, {1e6, "1.00 s"},
                 {999000, "999 ms"}, {2.5e6, "2.50 s"}, {0, "0.00 us"}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const struct judge_verdict v = {
            .pass = 1, .score = 1, .time_us = times[i].us};
        char row[128];
        snprintf(row, sizeof row,
                 ROW("   1", "pass            ", "%12s") "2/2\n",
                 times[i].shown);
        FILE *const f = open_memstream(&text, &nbytes);
        table_row(f, &plain, &v, NULL);
        closes_with(f, row);
    }
}
END_TEST

/* ---- reports ------------------------------------------------------------- */

static const struct {
    const char *topo;
    int hidden;
    struct judge_verdict v;
    const char *json;
} reports[] = {
    {NULL,
     0,
     {.time_us = NAN,
      .reference_us = NAN,
      .limit_us = NAN,
      .low = NAN,
      .high = NAN,
      .message = "slow"},
     "{\"name\":\"a-case\",\"part\":1,\"score\":1.25,\"max_score\":2.0,"
     "\"outcome\":\"fail\",\"message\":\"slow\",\"time_us\":null,"
     "\"reference_us\":null,\"limit_us\":null,\"ratio_low\":null,"
     "\"ratio_high\":null,\"ranks\":4,\"topology\":\"" PLAN_TOPO "\","
     "\"rerun\":\"again\",\"hidden\":false}"},
    {NULL,
     0,
     {.unfinished = 1, .message = "the run hangs"},
     "{\"name\":\"a-case\",\"part\":1,\"score\":1.25,\"max_score\":2.0,"
     "\"outcome\":\"fail\",\"message\":\"the run hangs\",\"time_us\":0.0,"
     "\"reference_us\":0.0,\"limit_us\":0.0,\"ratio_low\":0.0,"
     "\"ratio_high\":0.0,\"ranks\":4,\"topology\":\"" PLAN_TOPO "\","
     "\"rerun\":\"again\",\"hidden\":false,\"unfinished\":true}"},
    {"dgx-a100",
     1,
     {.time_us = 1.5,
      .reference_us = 2.5,
      .limit_us = 3.5,
      .low = 4.5,
      .high = 5.5},
     "{\"name\":\"a-case\",\"part\":1,\"score\":1.25,\"max_score\":2.0,"
     "\"outcome\":\"fail\",\"message\":\"\",\"time_us\":1.5,"
     "\"reference_us\":2.5,\"limit_us\":3.5,\"ratio_low\":4.5,"
     "\"ratio_high\":5.5,\"ranks\":4,\"topology\":\"dgx-a100\","
     "\"rerun\":\"again\",\"hidden\":true}"},
};

START_TEST(a_report_has_all_of_a_verdict)
{
    struct plan_case c = plain;
    c.topo = (char *)reports[_i].topo;
    c.hidden = reports[_i].hidden;
    json_t *const j =
        report_case(&c, &reports[_i].v, OUTCOME_FAIL, 1.25, 4, "again");
    char *const dump = json_dumps(j, JSON_COMPACT);
    ck_assert_str_eq(dump, reports[_i].json);
    free(dump);
    json_decref(j);
}
END_TEST

START_TEST(text_that_is_no_utf8_becomes_ascii)
{
    static char is[2001], shown[1024];
    memset(is, 'x', sizeof is - 1);
    memset(shown, 'x', sizeof shown - 1);
    is[0] = '\x80';
    is[1] = '\x7f';
    shown[0] = '?';
    shown[1] = '\x7f';
    json_t *const j = report_text(is);
    ck_assert_str_eq(json_string_value(j), shown);
    json_decref(j);
}
END_TEST

START_TEST(outcomes_have_names_and_an_order)
{
    static const struct judge_verdict of[] = {
        [OUTCOME_PASS] = {.pass = 1},
        [OUTCOME_FAIL] = {.score = .5},
        [OUTCOME_INFRA] = {.skipped = 1},
        [OUTCOME_SUSPECTED] = {.suspected = 1, .skipped = 1}};
    static const char *const name[] = {"pass", "fail", "infra", "suspected"};
    for (int i = 0; i < OUTCOMES; i++) {
        ck_assert_str_eq(outcome_name[i], name[i]);
        ck_assert_int_eq(outcome_find(name[i]), i);
        ck_assert_int_eq(points_outcome(&of[i]), i);
    }
    ck_assert_int_eq(outcome_find("other"), OUTCOME_INFRA);
    ck_assert_int_eq(outcome_find(NULL), OUTCOME_INFRA);
}
END_TEST

/* ---- verdicts ------------------------------------------------------------ */

START_TEST(labs_are_found_by_name)
{
    ck_assert(judge_lab_find("first") == &first);
    ck_assert(judge_lab_find("second") == &second);
    ck_assert(judge_lab_find("third") == NULL);
}
END_TEST

START_TEST(everybody_is_every_rank)
{
    static const int all[] = {1, 8, 63, 64, 65, 128, 1000, LAB_MAX_RANKS};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct judge_task t = {.nranks = all[i]};
        const struct rank_set s = judge_everybody(&t);
        ck_assert_int_eq(rank_set_count(&s), all[i]);
        for (int r = 0; r < LAB_MAX_RANKS + 9; r++)
            ck_assert_int_eq(rank_set_has(&s, r), r < all[i]);
    }
}
END_TEST

START_TEST(the_first_reason_is_kept_and_no_score)
{
    struct judge_verdict v = {.pass = 1, .score = 1};
    judge_fail(&v, "%s %d", "one", 1);
    ck_assert(v.pass == 0 && v.score == 0);
    v.score = .5;
    judge_fail(&v, "two");
    ck_assert(v.score == 0);
    ck_assert_str_eq(v.message, "one 1");
}
END_TEST

START_TEST(a_wrong_method_leaves_the_result_right)
{
    struct judge_verdict v = {.pass = 1, .right = 1, .score = 1};
    judge_fail_method(&v, "%s %d", "one", 1);
    ck_assert(v.pass == 0 && v.score == 0 && v.right);
    ck_assert_str_eq(v.message, "one 1");
    judge_fail(&v, "two");
    ck_assert(!v.right);
    ck_assert_str_eq(v.message, "one 1");
}
END_TEST

/* ---- what a graph knows of calls that failed ----------------------------- */

#define FREE                                                                   \
    "Free memory when nothing uses it any more: wait for the streams that do."
#define SIZE "Is the size in bytes, and the pointer the one that was meant?"

static const struct {
    uint32_t rank; // with the note
    const char *note;
    int behind; // lines that the note's call is behind the rank's text
    const char *more;
} notes[] = {
    {1, "use after free of x", 0, "\nuse after free of x.\n" FREE},
    {1, "use after free of x", 7, "\nuse after free of x.\n" FREE},
    {1, "x has only 4 bytes", 0, "\nx has only 4 bytes.\n" SIZE},
    {1, "use after free of x", 8, "\nsecond line"},  // another call
    {1, "use after free of x", -1, "\nsecond line"}, // an earlier one
    {0, "use after free of x", 0, "\nsecond line"},  // another rank's
};

/* Evidence of two ranks, of which rank 1 left case 0 with this text. */
static struct evidence *left_with(const char *why)
{
    struct evidence *const e = evidence_new(2, 1);
    for (int r = 0; r < 2; r++) {
        char *data;
        size_t n;
        struct evidence_out *const out = evidence_memory(&data, &n, 1);
        evidence_put_status(out, 0, r ? RUN_ERROR : RUN_OK, r ? why : NULL);
        ck_assert_int_eq(evidence_finish(out), 0);
        evidence_give(e, r, data, n);
    }
    return e;
}

static struct judge_verdict verdict_of(const struct graph *g, const char *why)
{
    struct judge_verdict v;
    const struct plan_case c = {.kind = "any"};
    struct evidence *const e = left_with(why);
    const struct judge_task t = {
        .c = &c, .nranks = 2, .evidence = e, .graph = g};
    judge_case(&first, &t, &v);
    evidence_free(e);
    ck_assert(!v.pass && v.score == 0);
    return v;
}

START_TEST(a_call_that_failed_is_explained_by_a_note_of_it)
{
    struct synthetic s;
    char site[256], why[320], want[512];
    synthetic_init(&s, 2);
    for (uint32_t r = 0; r < 2; r++)
        SYNTHETIC(&s, r, .node = {.kind = GRAPH_HOST});
    struct graph_segment *const rank = s.rank[notes[_i].rank];
    const uint32_t id = graph_site(rank, (char *)&left_with + 1);
    graph_note_fault(rank, 1, id, 0, notes[_i].note);
    struct graph *const g = synthetic_load(&s);
    graph_site_text_of(g, notes[_i].rank, id, site, sizeof site);
    char *const colon = strchr(site, ':');
    ck_assert_msg(colon != NULL, "%s", site);
    snprintf(why, sizeof why, "%.*s:%d: cudaFree: no\nsecond line",
             (int)(colon - site), site, atoi(colon + 1) - notes[_i].behind);
    snprintf(want, sizeof want, "rank 1: %.*s%s", (int)strcspn(why, "\n"), why,
             notes[_i].more);
    ck_assert_str_eq(verdict_of(g, why).message, want);
    graph_free(g);
    synthetic_release(&s);
}
END_TEST

START_TEST(a_rank_that_left_without_a_word_is_named)
{
    ck_assert_str_eq(verdict_of(NULL, NULL).message,
                     "rank 1: returned an error");
}
END_TEST

static const struct {
    enum run_status rank[2];
    int unfinished;
} endings[] = {
    {{RUN_OK, RUN_NOT_IMPLEMENTED}, 0},
    {{RUN_NOT_IMPLEMENTED, RUN_ERROR}, 0}, // the first counts
    {{RUN_NOT_IMPLEMENTED, RUN_MISSING}, 0},
    {{RUN_MISSING, RUN_NOT_IMPLEMENTED}, 0}, // but says nothing
    {{RUN_OK, RUN_ERROR}, 1},
    {{RUN_OK, RUN_MISSING}, 1},
    {{RUN_MISSING, RUN_MISSING}, 1},
    {{RUN_ERROR, RUN_NOT_IMPLEMENTED}, 1},
};

START_TEST(a_case_is_finished_when_all_ranks_are)
{
    struct judge_verdict v;
    const struct plan_case c = {.kind = "any"};
    struct evidence *const e = evidence_new(2, 1);
    for (int r = 0; r < 2; r++) {
        char *data;
        size_t n;
        struct evidence_out *const out = evidence_memory(&data, &n, 1);
        evidence_put_status(out, 0, endings[_i].rank[r], NULL);
        ck_assert_int_eq(evidence_finish(out), 0);
        evidence_give(e, r, data, n);
    }
    const struct judge_task t = {.c = &c, .nranks = 2, .evidence = e};
    judge_case(&first, &t, &v);
    ck_assert_int_eq(v.unfinished, endings[_i].unfinished);
    ck_assert(!v.pass);
    evidence_free(e);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("report");
    TCase *const t = tcase_create("report");
    fds_watch(t);
    tcase_add_loop_test(t, a_row_has_its_word_time_and_points, 0,
                        sizeof rows / sizeof *rows);
    tcase_add_test(t, a_table_has_a_head_and_a_total);
    tcase_add_test(t, text_is_cut_and_what_is_not_ascii_replaced);
    tcase_add_test(t, a_time_has_three_digits);
    tcase_add_loop_test(t, a_report_has_all_of_a_verdict, 0,
                        sizeof reports / sizeof *reports);
    tcase_add_test(t, text_that_is_no_utf8_becomes_ascii);
    tcase_add_test(t, outcomes_have_names_and_an_order);
    tcase_add_test(t, labs_are_found_by_name);
    tcase_add_test(t, everybody_is_every_rank);
    tcase_add_test(t, the_first_reason_is_kept_and_no_score);
    tcase_add_test(t, a_wrong_method_leaves_the_result_right);
    tcase_add_loop_test(t, a_call_that_failed_is_explained_by_a_note_of_it, 0,
                        sizeof notes / sizeof *notes);
    tcase_add_test(t, a_rank_that_left_without_a_word_is_named);
    tcase_add_loop_test(t, a_case_is_finished_when_all_ranks_are, 0,
                        sizeof endings / sizeof *endings);
    suite_add_tcase(s, t);
    return suite_run(s);
}
