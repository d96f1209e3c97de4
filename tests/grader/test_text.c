/*
 * Text from outside, sets of names, and what a batch says of its progress: each
 * limit from both sides.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdint.h>      /* uint32_t */
#include <stdio.h>       /* open_memstream */
#include <stdlib.h>      /* free */
#include <string.h>      /* memset */
#include <sys/syscall.h> /* SYS_clock_gettime */
#include <time.h>        /* clock_gettime */
#include <unistd.h>      /* isatty */

#include "fds.h"
#include "grader/base/names.h"
#include "grader/base/text.h"
#include "grader/batch/progress.h"
#include "heap.h"
#include "suite.h"

/* ---- characters ---------------------------------------------------------- */

static void encode(uint32_t c, char out[5])
{
    const int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    memset(out, 0, 5);
    for (int i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(lead[n] | c);
}

static const struct {
    uint32_t first, last; /* of what is left out */
} unwelcome[] = {
    {0x01, 0x08},     {0x0B, 0x1F},     {0x7F, 0x9F},     {0x200E, 0x200F},
    {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF}, {0xFFFE, 0xFFFF},
};

static void ck_kept(uint32_t c, int kept)
{
    char text[5];
    encode(c, text);
    char *const clean = text_clean(text, TEXT_MESSAGE);
    const char *const as = c == '\t' ? " " : text;
    ck_assert_msg(strcmp(clean, kept ? as : "") == 0, "U+%04X: \"%s\"", c,
                  clean);
    free(clean);
}

START_TEST(what_harms_a_page_is_left_out_and_its_neighbours_stay)
{
    if (unwelcome[_i].first > 1)
        ck_kept(unwelcome[_i].first - 1, 1);
    ck_kept(unwelcome[_i].first, 0);
    ck_kept(unwelcome[_i].last, 0);
    ck_kept(unwelcome[_i].last + 1, 1);
}
END_TEST

static const struct {
    const char *text;
    int wrong; /* bytes that stand for no character */
} bytes[] = {
    {"\xC1\xBF", 2},
    {"\xC2\xA0", 0},
    {"\xDF\xBF", 0},
    {"\xE0\x9F\xBF", 3},
    {"\xE0\xA0\x80", 0},
    {"\xED\x9F\xBF", 0},
    {"\xED\xA0\x80", 3},
    {"\xED\xBF\xBF", 3},
    {"\xEE\x80\x80", 0},
    {"\xF0\x8F\xBF\xBF", 4},
    {"\xF0\x90\x80\x80", 0},
    {"\xF4\x8F\xBF\xBD", 0},
    {"\xF4\x90\x80\x80", 4},
    {"\xF8\x88\x80\x80", 4},
    {"\x80", 1},
    {"\xBF", 1},
    {"\xC3", 1},
    {"\xF0\x90\x80", 3},
};

START_TEST(only_utf_8_is_utf_8)
{
    char want[32] = "";
    for (int i = 0; i < bytes[_i].wrong; i++)
        strcat(want, "\xEF\xBF\xBD");
    char *const clean = text_clean(bytes[_i].text, TEXT_NAME);
    ck_assert_str_eq(clean, bytes[_i].wrong ? want : bytes[_i].text);
    free(clean);
}
END_TEST

/* Letters of two bytes each: what is counted is letters. */
START_TEST(text_is_cut_behind_its_last_letter_that_fits)
{
    for (size_t n = 4; n <= 6; n++) {
        char text[16] = "", want[16] = "";
        for (size_t i = 0; i < n; i++)
            strcat(text, "\xC3\xA9");
        memcpy(want, text, n < 5 ? 2 * n : 10);
        if (n > 5)
            strcat(want, "\xE2\x80\xA6");
        char *const clean = text_clean(text, 5);
        ck_assert_str_eq(clean, want);
        free(clean);
    }
}
END_TEST

START_TEST(only_what_is_longer_than_a_name_has_lines)
{
    char *const name = text_clean("a\nb", TEXT_NAME), *const message =
                                                          text_clean("a\nb",
                                                                     TEXT_NAME +
                                                                         1);
    ck_assert_str_eq(name, "ab");
    ck_assert_str_eq(message, "a\nb");
    free(name);
    free(message);
}
END_TEST

static const struct {
    const char *text, *csv;
} cells[] = {
    {"", "\"\""},           {"=1", "\"'=1\""},   {"+x", "\"'+x\""},
    {"-x", "\"'-x\""},      {"@", "\"'@\""},     {"\tx", "\"'\tx\""},
    {"\rx", "\"'\rx\""},    {"x=1", "\"x=1\""},  {"+1", "\"+1\""},
    {"-1e-3", "\"-1e-3\""}, {"-1x", "\"'-1x\""}, {"-inf", "\"'-inf\""},
    {"-", "\"'-\""},        {"\"", "\"\"\"\""},
};

START_TEST(a_login_is_written_as_it_is)
{
    char *got = NULL;
    size_t n;
    FILE *const f = open_memstream(&got, &n);
    text_csv_key(f, "+ada");
    text_csv_key(f, "@b.c-d");
    fclose(f);
    ck_assert_str_eq(got, "\"+ada\"\"@b.c-d\"");
    free(got);
}
END_TEST

START_TEST(no_cell_is_a_formula)
{
    char *got = NULL;
    size_t n;
    FILE *const f = open_memstream(&got, &n);
    text_csv(f, cells[_i].text);
    fclose(f);
    ck_assert_str_eq(got, cells[_i].csv);
    free(got);
}
END_TEST

static const struct {
    const char *text;
    int is_key;
} keys[] = {
    {"", 0},    {"a", 1},     {"Z", 1},  {"9", 1},   {"_", 1},  {"@", 1},
    {"+", 1},   {".", 0},     {"-", 0},  {"a.", 1},  {"a-", 1}, {"a b", 0},
    {"a/b", 0}, {"a\xC3", 0}, {"..", 0}, {"a\n", 0},
};

START_TEST(a_key_is_of_few_characters)
{
    ck_assert_msg(text_is_key(keys[_i].text) == keys[_i].is_key, "\"%s\"",
                  keys[_i].text);
}
END_TEST

START_TEST(a_key_has_at_most_64_letters)
{
    char key[66] = "";
    memset(key, 'k', 65);
    ck_assert_int_eq(text_is_key(key), 0);
    key[64] = 0;
    ck_assert_int_eq(text_is_key(key), 1);
}
END_TEST

static const struct {
    const char *text;
    int err, value;
} numbers[] = {
    {"-3", 0, -3}, {"-4", -1, 99}, {"12", 0, 12}, {"13", -1, 99},
    {"", -1, 99},  {"7x", -1, 99}, {"x", -1, 99}, {"0", 0, 0},
};

START_TEST(a_number_is_whole_and_within_its_limits)
{
    int value = 99;
    ck_assert_int_eq(text_number(numbers[_i].text, -3, 12, &value),
                     numbers[_i].err);
    ck_assert_int_eq(value, numbers[_i].value);
    ck_assert_int_eq(text_number("9223372036854775808", 0, INT64_MAX, &value),
                     -1);
}
END_TEST

/* ---- sets of names ------------------------------------------------------- */

START_TEST(a_set_has_what_was_put_into_it_and_nothing_else)
{
    struct names s = {.n = 0};
    char name[16];
    ck_assert_int_eq(names_have(&s, "n1"), 0);
    for (int i = 199; i >= 0; i--) { // not in their order, and grown twice
        snprintf(name, sizeof name, "n%d", i);
        names_add(&s, name);
        ck_assert_int_eq(names_have(&s, name), 1); // also once it was sorted
    }
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "n%d", i);
        ck_assert_int_eq(names_have(&s, name), 1);
    }
    ck_assert_int_eq(names_have(&s, "n200"), 0);
    ck_assert_int_eq(names_have(&s, "n"), 0);
    ck_assert_uint_eq(s.n, 200);
    names_release(&s);
    ck_assert_uint_eq(s.n, 0);
    ck_assert_int_eq(names_have(&s, "n1"), 0);
}
END_TEST

START_TEST(a_files_words_are_names)
{
    char path[] = "/tmp/commlab-names-XXXXXX";
    struct names s = {.n = 0};
    const int fd = mkstemp(path);
    ck_assert_int_eq(write(fd, "one two\n\n three", 15), 15);
    close(fd);
    ck_assert_int_eq(names_load(&s, path), 0);
    const int next = dup(0);
    ck_assert_int_eq(next, fd); // the file is closed
    close(next);
    ck_assert_uint_eq(s.n, 3);
    ck_assert(names_have(&s, "one") && names_have(&s, "two") &&
              names_have(&s, "three"));
    names_release(&s);
    unlink(path);
    ck_assert_int_eq(names_load(&s, path), -1);
}
END_TEST

/* ---- progress ------------------------------------------------------------ */

/* The clock and the terminal of these tests, instead of the system's. */
static int64_t clock_ns = -1;
static int is_terminal;

int clock_gettime(clockid_t id, struct timespec *t)
{
    if (clock_ns < 0)
        return (int)syscall(SYS_clock_gettime, id, t);
    *t = (struct timespec){clock_ns / 1000000000, clock_ns % 1000000000};
    return 0;
}

int isatty(int fd)
{
    (void)fd;
    return is_terminal;
}

/* `done` of `total`, one each `sec`; what is said of the last, and the end. */
static char *said(int total, int done, double sec, int at_end)
{
    static char text[1 << 16];
    struct progress p;
    FILE *const f = fmemopen(text, sizeof text, "w");
    memset(text, 0, sizeof text);
    clock_ns = 5500000000;
    progress_begin(&p, f, total);
    p.running = 3;
    for (int i = 0; i < done; i++) {
        clock_ns += (int64_t)(sec * 1e9);
        if (i == done - 1)
            rewind(f);
        progress_done(&p,
                      i % 4 == 1   ? OUTCOME_FAIL
                      : i % 4 == 2 ? OUTCOME_SUSPECTED
                      : i % 8 == 3 ? OUTCOME_INFRA
                                   : OUTCOME_PASS,
                      i % 8 == 5, "ada: pass");
    }
    if (at_end)
        rewind(f);
    if (at_end)
        progress_end(&p);
    fputc(0, f);
    fclose(f);
    clock_ns = -1;
    return text;
}

static const struct {
    int total, done;
    double sec;
    const char *line, *end;
} rates[] = {
    {10, 1, 2, "(1/10  30.0/min  18 s left)", "1 graded in 2 s: 1 pass, 0"},
    {10, 10, 9.9, "(10/10  6.1/min  0 s left)",
     "10 graded in 99 s: 4 pass, 1 partial, 2 fail, 2 suspected, 1 infra\n"},
    {10, 5, 20, "(5/10  3.0/min  1 min left)",
     "5 graded in 1 min: 2 pass, 0 partial, 1 fail, 1 suspected, 1 infra\n"},
    {100, 1, 60.4, "(1/100  1.0/min  99 min left)", "1 graded in 60 s: "},
    {101, 1, 60, "(1/101  1.0/min  1 h 40 min left)", "1 graded in 60 s: "},
    {100, 40, 150, "(40/100  0.4/min  2 h 30 min left)",
     "40 graded in 1 h 40 min: 15 pass, 5 partial, 5 fail, 10 suspected, 5 "
     "infra\n"},
};

START_TEST(progress_tells_the_rate_and_what_is_left)
{
    is_terminal = 0;
    char *const line = said(rates[_i].total, rates[_i].done, rates[_i].sec, 0);
    ck_assert_msg(strncmp(line, "ada: pass  (", 12) == 0 &&
                      strstr(line, rates[_i].line),
                  "%s, not %s", line, rates[_i].line);
    char *const end = said(rates[_i].total, rates[_i].done, rates[_i].sec, 1);
    ck_assert_msg(strncmp(end, rates[_i].end, strlen(rates[_i].end)) == 0,
                  "%s, not %s", end, rates[_i].end);
}
END_TEST

/* Only the last 32 say how fast it is. */
START_TEST(a_slow_start_is_forgotten)
{
    static char text[4096];
    struct progress p;
    FILE *const f = fmemopen(text, sizeof text, "w");
    is_terminal = 0;
    clock_ns = 0;
    progress_begin(&p, f, 100);
    clock_ns += 1000000000000;
    for (int i = 0; i < PROGRESS_LAST + 1; i++) {
        clock_ns += 1000000000;
        rewind(f);
        progress_done(&p, OUTCOME_PASS, 1, "x");
        fputc(0, f);
        fflush(f);
        if (i == PROGRESS_LAST - 1)
            ck_assert_str_eq(text, "x  (32/100  1.9/min  36 min left)\n");
    }
    ck_assert_str_eq(text, "x  (33/100  60.0/min  67 s left)\n");
    clock_ns = -1;
    fclose(f);
}
END_TEST

START_TEST(a_terminal_has_one_line_with_a_bar)
{
    is_terminal = 1;
    ck_assert_str_eq(
        said(48, 5, 2, 0),
        "\r[###.....................] 5/48  30.0/min  86 s left  "
        "2 pass, 0 partial, 1 fail, 1 suspected, 1 infra  3 running  ");
    ck_assert_str_eq(
        said(4, 4, 2, 0),
        "\r[########################] 4/4  30.0/min  0 s left  "
        "1 pass, 0 partial, 1 fail, 1 suspected, 1 infra  3 running  ");
    ck_assert_str_eq(
        said(4, 4, 2, 1),
        "\r\033[K4 graded in 8 s: 1 pass, 0 partial, 1 fail, 1 suspected, "
        "1 infra\n");
}
END_TEST

START_TEST(before_the_first_is_done_nothing_is_known)
{
    static char text[256];
    struct progress p;
    FILE *const f = fmemopen(text, sizeof text, "w");
    is_terminal = 1;
    progress_begin(&p, f, 7);
    progress_show(&p);
    ck_assert_str_eq(text, "\r[........................] 0/7  0.0/min  ? left  "
                           "0 pass, 0 partial, 0 fail, 0 suspected, 0 infra  0 "
                           "running  ");
    is_terminal = 0;
    progress_begin(&p, f, 7);
    const long at = ftell(f);
    progress_show(&p);
    ck_assert_int_eq(ftell(f), at); // lines are for what is done
    fclose(f);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("text");
    TCase *const t = tcase_create("text");
    heap_watch(t);
    fds_watch(t);
    SUITE_LOOP(t, what_harms_a_page_is_left_out_and_its_neighbours_stay,
               unwelcome);
    SUITE_LOOP(t, only_utf_8_is_utf_8, bytes);
    tcase_add_test(t, text_is_cut_behind_its_last_letter_that_fits);
    tcase_add_test(t, only_what_is_longer_than_a_name_has_lines);
    tcase_add_test(t, a_login_is_written_as_it_is);
    SUITE_LOOP(t, no_cell_is_a_formula, cells);
    SUITE_LOOP(t, a_key_is_of_few_characters, keys);
    tcase_add_test(t, a_key_has_at_most_64_letters);
    SUITE_LOOP(t, a_number_is_whole_and_within_its_limits, numbers);
    tcase_add_test(t, a_set_has_what_was_put_into_it_and_nothing_else);
    tcase_add_test(t, a_files_words_are_names);
    SUITE_LOOP(t, progress_tells_the_rate_and_what_is_left, rates);
    tcase_add_test(t, a_slow_start_is_forgotten);
    tcase_add_test(t, a_terminal_has_one_line_with_a_bar);
    tcase_add_test(t, before_the_first_is_done_nothing_is_known);
    suite_add_tcase(s, t);
    return suite_run(s);
}
