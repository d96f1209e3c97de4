/* answers.txt: reading it, right answers, and messages for others. */
#define _GNU_SOURCE
#include <check.h>
#include <malloc.h> /* mallopt */
#include <math.h>   /* NAN */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* strtod */
#include <string.h> /* strstr */
#include <unistd.h> /* dup */

#include "judge/answers.h"
#include "judge/prediction.h"
#include "suite.h"

const struct judge_lab *const judge_labs[] = {NULL};

static const char text[] = "# ring_ms = 3\n"
                           "ring_ms = 4.18 ms   # two of them\r\n"
                           "  steps=14\n"
                           "empty = \n"
                           "blank =  # to do\n"
                           "comma = 4,18\n"
                           "word = many\n"
                           "twice = 1\n"
                           "infinite = inf\n"
                           "tiny = -1.5e-6 s\n"
                           "twice = 2\n"
                           "last = 7\n"
                           "forty = x123456789012345678901234567890123456789\n"
                           "fortyone = "
                           "x1234567890123456789012345678901234567890\n"
                           "\tend\t=\t8\tms";

#define HOW                                                                    \
    ": after the \"=\" write digits, with a point if needed, then a unit or "  \
    "nothing"

static const struct {
    const char *name;
    int found;
    double number;
    const char *says;
} lines[] = {
    {"ring_ms", 0, 4.18, ""},
    {"steps", 0, 14, ""},
    {"tiny", 0, -1.5e-6, ""},
    {"last", 0, 7, ""},
    {"end", 0, 8, ""},
    {"empty", 1, 0, ""},
    {"blank", 1, 0, ""},
    {"ring", -1, 0, "answers.txt has no line \"ring = ...\""},
    {"comma", -1, 0, "answers.txt:6: comma: \"4,18\" is not a number" HOW},
    {"word", -1, 0, "answers.txt:7: word: \"many\" is not a number" HOW},
    {"forty", -1, 0,
     "answers.txt:13: forty: \"x123456789012345678901234567890123456789\" is "
     "not a number" HOW},
    {"fortyone", -1, 0,
     "answers.txt:14: fortyone: \"x123456789012345678901234567890123456789\" "
     "is not a number" HOW},
    {"infinite", -1, 0, "answers.txt:9: infinite: \"inf\" is not a number" HOW},
    {"twice", -1, 0, "answers.txt:11: twice is answered twice"},
};

START_TEST(a_line_is_a_number_or_a_message)
{
    char err[200] = "";
    double number = 0;
    ck_assert_int_eq(
        answers_find(text, lines[_i].name, &number, err, sizeof err),
        lines[_i].found);
    ck_assert_str_eq(err, lines[_i].says);
    if (lines[_i].found == 0)
        ck_assert_double_eq(number, lines[_i].number);
}
END_TEST

/* ---- what is no case ----------------------------------------------------- */

static const char asked[] = "# How to answer.\n\n"
                            "# How many times\n#   as long?\n"
                            "prediction =\n\n"
                            "# Why?\nin_words =\nBecause\nit is.\n";

START_TEST(a_question_is_the_comment_above_its_line)
{
    static const struct {
        const char *name, *question;
    } all[] = {{"prediction", "How many times\nas long?\n"},
               {"in_words", "Why?\n"},
               {"no", ""}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *const question = answers_question(asked, all[i].name);
        ck_assert_str_eq(question, all[i].question);
        free(question);
    }
    char *const none = answers_question("a = 1\n", "a");
    ck_assert_str_eq(none, "");
    free(none);
}
END_TEST

START_TEST(words_are_the_rest_of_the_file)
{
    ck_assert_str_eq(answers_after(asked, ANSWERS_IN_WORDS),
                     "\nBecause\nit is.\n");
    ck_assert_ptr_null(answers_after(asked, "words"));
}
END_TEST

START_TEST(a_prediction_is_sealed_with_its_time)
{
    struct prediction p;
    prediction_read(asked, &p);
    ck_assert_int_eq(p.state, PREDICTION_NONE);
    char *const made = prediction_write(asked, 1 / 3., 1772375400);
    ck_assert_ptr_nonnull(strstr(
        made, "\nprediction = 0.333333 # made 2026-03-01 14:30 UTC, seal "));
    ck_assert_ptr_nonnull(strstr(made, "\n\n# Why?\nin_words =\nBecause"));
    prediction_read(made, &p);
    ck_assert_int_eq(p.state, PREDICTION_MADE);
    ck_assert_double_eq(p.number, 0.333333);
    ck_assert_str_eq(p.when, "2026-03-01 14:30 UTC");
    static const char *const changes[] = {"0.333333", "2026", ":30", "seal "};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *const changed = strdup(made);
        char *const at = strstr(changed, changes[i]) + strlen(changes[i]) - 1;
        *at = *at == ' ' ? '_' : '7';
        prediction_read(changed, &p);
        ck_assert_msg(p.state == PREDICTION_UNSEALED && !p.when[0],
                      "a change in \"%s\" is not seen", changes[i]);
        free(changed);
    }
    free(made);
}
END_TEST

START_TEST(a_prediction_by_hand_has_no_seal)
{
    static const char *const lines[] = {"prediction = 4", "prediction = four",
                                        "prediction = 4 # made today, seal 1"};
    struct prediction p;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        prediction_read(lines[i], &p);
        ck_assert_int_eq(p.state, PREDICTION_UNSEALED);
    }
    prediction_read("prediction = # four", &p);
    ck_assert_int_eq(p.state, PREDICTION_NONE);
    prediction_read(NULL, &p);
    ck_assert_int_eq(p.state, PREDICTION_NONE);
}
END_TEST

/* ---- verdicts ------------------------------------------------------------ */

/* right: the formula in the hidden plan, NULL without one. */
static struct judge_verdict verdict_by(double tolerance, const char *right,
                                       const char *answers)
{
    struct judge_verdict v = JUDGE_VERDICT_NONE;
    char text[32];
    struct answer a = {.formula = {(char *)right}, .n = 1};
    snprintf(text, sizeof text, "%g", tolerance);
    const struct plan_case c = {
        .kind = JUDGE_ANSWER,
        .with = {{"question", "x"}, {"tolerance", text}},
        .nwith = 2,
        .answer = right ? &a : NULL,
        .right = right ? strtod(right, NULL) : NAN};
    const struct judge_task t = {.c = &c, .nranks = 4, .answers = answers};
    v.pass = 1;
    v.score = 1;
    answers_judge(&t, &v);
    return v;
}

static const struct {
    const char *number;
    double tolerance;
    const char *answers;
    int right;
} answers[] = {
    {"4.18", 0.02, "x = 4.18", 1}, {"4.18", 0.02, "x = 4.26", 1},
    {"4.18", 0.02, "x = 4.10", 1}, {"4.18", 0.02, "x = 4.36", 0},
    {"4.18", 0.02, "x = 4.00", 0}, {"4.18", 0.02, "x = -4.18", 0},
    {"4.18", 0.02, "x = 0", 0},    {"1e-9", 0.01, "x = 1.005e-9", 1},
    {"-12", 0.05, "x = -12.3", 1}, {"-12", 0.05, "x = 12", 0},
    {"14", 0, "x = 14", 1},        {"14", 0, "x = 15", 0},
    {"14", 0, "x = 14.2", 0},      {"0", 0, "x = 0", 1},
};

START_TEST(answers_of_other_members_are_right_too)
{
    static const double also[] = {7, 9};
    static const struct {
        const char *answers;
        int right;
    } all[] = {{"x = 5", 1}, {"x = 7", 1}, {"x = 9", 1}, {"x = 8", 0}};
    struct answer a = {.formula = {(char *)"5"}, .n = 1};
    const struct plan_case c = {.kind = JUDGE_ANSWER,
                                .with = {{"question", "x"}},
                                .nwith = 1,
                                .answer = &a,
                                .right = 5,
                                .also = (double *)also,
                                .nalso = 2};
    for (int i = 0; i < 4; i++) {
        struct judge_verdict v = JUDGE_VERDICT_NONE;
        const struct judge_task t = {
            .c = &c, .nranks = 4, .answers = all[i].answers};
        v.pass = 1;
        answers_judge(&t, &v);
        ck_assert_msg(v.pass == all[i].right, "%s: %s", all[i].answers,
                      v.message);
    }
}
END_TEST

START_TEST(an_answer_is_right_within_its_tolerance)
{
    const struct judge_verdict v = verdict_by(
        answers[_i].tolerance, answers[_i].number, answers[_i].answers);
    ck_assert_msg(v.pass == answers[_i].right, "%s: %s: %s", answers[_i].number,
                  answers[_i].answers, v.message);
    ck_assert(!v.answered);
    ck_assert(v.pass || strstr(v.message, "is wrong") ||
              strstr(v.message, "whole number"));
}
END_TEST

/* Where the right answer is unknown, any number has the same verdict. */
START_TEST(without_a_hidden_plan_only_the_format_is_judged)
{
    for (int i = 0; i < 64; i++) {
        char line[32];
        snprintf(line, sizeof line, "x = %d", i);
        const struct judge_verdict v = verdict_by(0, NULL, line);
        ck_assert(v.pass && v.answered && !v.message[0]);
    }
    ck_assert(!verdict_by(0, NULL, "x = 1.5").pass);
    ck_assert(verdict_by(0.01, NULL, "x = 1.5").answered);
    ck_assert(!verdict_by(0.01, NULL, "x = about 4").pass);
}
END_TEST

START_TEST(no_answer_is_not_implemented)
{
    const struct judge_verdict v = verdict_by(0.01, "4", "x =\n");
    ck_assert(!v.pass && v.not_implemented && v.score == 0);
    ck_assert_str_eq(v.message, "not answered: x in answers.txt");
}
END_TEST

START_TEST(a_missing_file_or_question_is_said)
{
    ck_assert_str_eq(verdict_by(0.01, "4", NULL).message,
                     "there is no answers.txt next to your code");
    ck_assert_str_eq(verdict_by(0.01, "4", "y = 1").message,
                     "answers.txt has no line \"x = ...\"");
    const int next = dup(2);
    close(next);
    ck_assert_ptr_null(answers_load("/no/answers.txt"));
    ck_assert_ptr_null(answers_load("/dev/zero"));
    ck_assert_int_eq(dup(2), next); // nothing is left open
}
END_TEST

/* Whatever was in the memory that it is read into. */
START_TEST(an_empty_file_has_no_answers)
{
    char path[] = "/tmp/commlab-answers-XXXXXX";
    const int fd = mkstemp(path);
    ck_assert(fd >= 0 && close(fd) == 0);
    mallopt(M_PERTURB, 0xa5);
    char *const read = answers_load(path);
    mallopt(M_PERTURB, 0);
    unlink(path);
    ck_assert_ptr_nonnull(read);
    ck_assert_str_eq(read, "");
    free(read);
}
END_TEST

/* With its own standard input closed, a process gets descriptor 0 for it. */
START_TEST(the_file_may_be_descriptor_0)
{
    char path[] = "/tmp/commlab-answers-XXXXXX";
    const int fd = mkstemp(path), before = dup(0);
    ck_assert(fd >= 0 && write(fd, "n = 1", 5) == 5 && close(fd) == 0);
    close(0);
    char *const read = answers_load(path);
    dup2(before, 0);
    close(before);
    unlink(path);
    ck_assert_ptr_nonnull(read);
    ck_assert_str_eq(read, "n = 1");
    free(read);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("answers");
    TCase *const t = tcase_create("answers");
    tcase_add_loop_test(t, a_line_is_a_number_or_a_message, 0,
                        sizeof lines / sizeof *lines);
    tcase_add_test(t, a_question_is_the_comment_above_its_line);
    tcase_add_test(t, words_are_the_rest_of_the_file);
    tcase_add_test(t, a_prediction_is_sealed_with_its_time);
    tcase_add_test(t, a_prediction_by_hand_has_no_seal);
    tcase_add_test(t, answers_of_other_members_are_right_too);
    tcase_add_loop_test(t, an_answer_is_right_within_its_tolerance, 0,
                        sizeof answers / sizeof *answers);
    tcase_add_test(t, without_a_hidden_plan_only_the_format_is_judged);
    tcase_add_test(t, no_answer_is_not_implemented);
    tcase_add_test(t, a_missing_file_or_question_is_said);
    tcase_add_test(t, an_empty_file_has_no_answers);
    tcase_add_test(t, the_file_may_be_descriptor_0);
    suite_add_tcase(s, t);
    return suite_run(s);
}
