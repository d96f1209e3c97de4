/* What pages are made of, and tables that are read: to the byte. */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h>
#include <limits.h> /* LONG_MAX */
#include <sodium.h>
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* strstr */

#include "fds.h"
#include "grader/base/csv.h"
#include "grader/base/text.h"
#include "grader/export/page.h"
#include "heap.h"
#include "suite.h"

static char *page;
static size_t page_nbytes;

static void is_page(FILE *f, const char *text)
{
    fclose(f);
    ck_assert_str_eq(page, text);
    free(page);
}

/* The hash is that of the script between the tags. */
START_TEST(a_page_is_what_its_policy_says)
{
    static const char open[] = "<script>", policy[] = "script-src 'sha256-";
    unsigned char hash[crypto_hash_sha256_BYTES], said[sizeof hash];
    for (int i = PAGE_LIVE; i <= PAGE_PAIR; i++) {
        FILE *const f = open_memstream(&page, &page_nbytes);
        page_write(f, (enum page)i, "<T>", i ? 0 : 7, json_object());
        fclose(f);
        ck_assert_ptr_nonnull(
            strstr(page, "<title>&lt;T&gt;</title>\n<style>"));
        ck_assert_int_eq(
            strstr(page, "<meta http-equiv=\"refresh\" content=\"7\">\n") !=
                NULL,
            i == 0);
        const char *const begin = strstr(page, open) + strlen(open);
        const char *const end = strstr(begin, "</script>\n</body>\n</html>\n");
        ck_assert(end != NULL && strstr(begin, "<script>") == NULL);
        crypto_hash_sha256(hash, (const unsigned char *)begin,
                           (size_t)(end - begin));
        const char *const at = strstr(page, policy) + strlen(policy);
        ck_assert_int_eq(sodium_base642bin(said, sizeof said, at, 44, NULL,
                                           NULL, NULL,
                                           sodium_base64_VARIANT_ORIGINAL),
                         0);
        ck_assert_mem_eq(said, hash, sizeof hash);
        free(page);
    }
}
END_TEST

/* No text ends the data's element, or begins another one or a comment. */
START_TEST(data_is_only_data)
{
    static const char evil[] = "</script><script>alert(1)</script><!-- <b> & "
                               "\" ' \\ \n \u2028 \U0001F600 \x1b \xff";
    static const char begin[] = "id=\"data\">\n";
    json_t *const data = json_pack("{s:o}", "x", page_text(evil));
    FILE *const f = open_memstream(&page, &page_nbytes);
    page_write(f, PAGE_LIVE, evil, 0, json_incref(data));
    fclose(f);
    ck_assert_ptr_null(strstr(page, "<script>alert"));
    const char *const at = strstr(page, begin) + strlen(begin);
    const size_t n = strcspn(at, "\n");
    ck_assert_ptr_null(memchr(at, '<', n));
    json_t *const read = json_loadb(at, n, 0, NULL);
    ck_assert(json_equal(read, data));
    json_decref(read);
    json_decref(data);
    free(page);
}
END_TEST

START_TEST(students_are_counted_by_their_points)
{
    static struct row rows[] = {{.has_score = 1, .final = 10},
                                {.has_score = 1, .final = 9.5},
                                {.has_score = 1, .final = 9.4},
                                {.has_score = 1, .final = 0},
                                {.has_score = 1, .final = -1},
                                {.has_score = 1, .final = 12},
                                {.final = 5}};
    struct export class = {.row = rows, .nrows = 7, .max_score = 10};
    json_t *j = page_scores(&class);
    page = json_dumps(j, JSON_COMPACT);
    ck_assert_str_eq(page, "[2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,3]");
    json_decref(j);
    free(page);
    class.max_score = 0; // a lab without points
    class.nrows = 2;
    j = page_scores(&class);
    page = json_dumps(j, JSON_COMPACT);
    ck_assert_str_eq(page, "[2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]");
    json_decref(j);
    free(page);
}
END_TEST

/* ---- reading tables ------------------------------------------------------ */

static const struct {
    const char *text, *rows; // fields in [], rows ended by their line
} csvs[] = {
    {"a,b\nc,d\n", "[a][b]1 [c][d]2 "},
    {"a,b", "[a][b]1 "},
    {"a,\n,b\n", "[a][]1 [][b]2 "},
    {"\xEF\xBB\xBF"
     "a\r\nb\rc\n",
     "[a]1 [b]2 [c]3 "},
    {"\n\r\n\na\n", "[a]4 "},
    {"\"a,\nb\",c\nd\n", "[a,\nb][c]1 [d]3 "},
    {"\"a\"\"b\"\n\"\"\n", "[a\"b]1 []2 "},
    {"\"\"\"\"\n", "[\"]1 "},
    {" a b\t,\t \n", "[a b][]1 "},
    {"", ""},
    {"\xEF\xBB\xBF", ""},
    {"a\n\"b", "2: a quote is not closed"},
    {"a\n\"b\"c", "2: text after a closing quote"},
    {"a\n\"b\nc\" ", "3: text after a closing quote"},
};

START_TEST(csv_is_read_as_it_was_meant)
{
    char *got;
    size_t n;
    char why[64] = "";
    struct csv c;
    FILE *const f = open_memstream(&got, &n);
    const int failed =
        csv_parse(&c, csvs[_i].text, strlen(csvs[_i].text), why, sizeof why);
    for (int i = 0; i < c.nrows && !failed; i++) {
        for (int k = 0; k < c.row[i].nfields; k++)
            fprintf(f, "[%s]", csv_field(&c.row[i], k));
        fprintf(f, "%d ", c.row[i].line);
        ck_assert_str_eq(csv_field(&c.row[i], c.row[i].nfields), "");
        ck_assert_str_eq(csv_field(&c.row[i], -1), "");
    }
    fclose(f);
    ck_assert_str_eq(*why ? why : got, csvs[_i].rows);
    csv_release(&c);
    free(got);
}
END_TEST

START_TEST(a_column_has_its_name_in_any_case)
{
    char why[64];
    struct csv c;
    ck_assert(csv_parse(&c, "a, Name\nx,y\n", 12, why, sizeof why) == 0);
    ck_assert_int_eq(csv_column(&c, "A"), 0);
    ck_assert_int_eq(csv_column(&c, "name"), 1);
    ck_assert_int_eq(csv_column(&c, "x"), -1);
    csv_release(&c);
    ck_assert(csv_parse(&c, "a\0b", 3, why, sizeof why) == -1);
    ck_assert_str_eq(why, "1: a NUL byte");
    ck_assert_int_eq(csv_column(&c, "a"), -1);
    csv_release(&c);
}
END_TEST

START_TEST(text_is_made_harmless)
{
    static const struct {
        const char *text;
        size_t most;
        const char *clean;
    } texts[] = {
        {"ab\ncd", TEXT_MESSAGE, "ab\ncd"},
        {"ab\ncd", TEXT_NAME, "abcd"},
        {"abc", 3, "abc"},
        {"abcd", 3, "abc\u2026"},
        {"\x1f \x7f~\xc2\x80\xc2\x9f\u00a0", 9, " ~\u00a0"},
        {"\u200d\u200e\u200f\u2010", 9, "\u200d\u2010"},
        {"\u2027\u2028\u202e\u202f", 9, "\u2027\u202f"},
        {"\u2065\u2066\u2069\u206a", 9, "\u2065\u206a"},
        {"\ufefe\ufeff\uff00\ufffd\ufffe\uffff", 9, "\ufefe\uff00\ufffd"},
        {"\U00010000\U0010fffd\U0010ffff", 9, "\U00010000\U0010fffd"},
        {"\xc1\xbf", 9, "\ufffd\ufffd"},           // too long for 0x7f
        {"\xc2\x80x\xdf\xbf", 9, "x\u07ff"},       // two bytes: from 0x80
        {"\xe0\x9f\xbf", 9, "\ufffd\ufffd\ufffd"}, // for 0x7ff
        {"\xf0\x8f\xbf\xbd", 9, "\ufffd\ufffd\ufffd\ufffd"}, // for 0xfffd
        {"\xed\x9f\xbf\xed\xa0\x80", 9, "\ud7ff\ufffd\ufffd\ufffd"},
        {"\xed\xbf\xbf\xee\x80\x80", 9, "\ufffd\ufffd\ufffd\ue000"},
        {"\xf4\x90\x80\x80", 9, "\ufffd\ufffd\ufffd\ufffd"},
        {"\xf8", 9, "\ufffd"},
        {"\xe2\x82", 9, "\ufffd\ufffd"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *const clean = text_clean(texts[i].text, texts[i].most);
        ck_assert_str_eq(clean, texts[i].clean);
        free(clean);
    }
}
END_TEST

START_TEST(a_cell_is_no_formula)
{
    static const struct {
        const char *text, *cell;
    } cells[] = {{"", "\"\""},          {"a\"b", "\"a\"\"b\""},
                 {"=1", "\"'=1\""},     {"+1", "\"+1\""},
                 {"-1e3", "\"-1e3\""},  {"-a", "\"'-a\""},
                 {"@a", "\"'@a\""},     {"+inf", "\"'+inf\""},
                 {"+0x1", "\"'+0x1\""}, {"\ta", "\"'\ta\""}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        FILE *const f = open_memstream(&page, &page_nbytes);
        text_csv(f, cells[i].text);
        is_page(f, cells[i].cell);
    }
    FILE *const f = open_memstream(&page, &page_nbytes);
    text_xml(f, "a&<>\"'");
    is_page(f, "a&amp;&lt;&gt;&quot;&#39;");
}
END_TEST

START_TEST(keys_and_numbers_are_told_from_others)
{
    static const char key[] = "0123456789abcdef0123456789ABCDEF"
                              "0123456789abcdef0123456789._@+-Z";
    char longer[80];
    int n = 0;
    snprintf(longer, sizeof longer, "%sx", key);
    ck_assert(text_is_key(key) && text_is_key("a") && text_is_key("_-."));
    ck_assert(!text_is_key(longer) && !text_is_key(""));
    ck_assert(!text_is_key(".a") && !text_is_key("-a") && !text_is_key("a b"));
    ck_assert(text_number("-2", -2, 3, &n) == 0 && n == -2);
    ck_assert(text_number("3", -2, 3, &n) == 0 && n == 3);
    ck_assert(text_number("4", -2, 3, &n) == -1 && n == 3);
    ck_assert(text_number("-3", -2, 3, &n) == -1);
    ck_assert(text_number("", -2, 3, &n) == -1);
    ck_assert(text_number("1x", -2, 3, &n) == -1);
    ck_assert(text_number("99999999999999999999", 0, LONG_MAX, &n) == -1);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("html");
    TCase *const t = tcase_create("html");
    heap_watch(t);
    fds_watch(t);
    tcase_add_test(t, a_page_is_what_its_policy_says);
    tcase_add_test(t, data_is_only_data);
    tcase_add_test(t, students_are_counted_by_their_points);
    tcase_add_loop_test(t, csv_is_read_as_it_was_meant, 0,
                        sizeof csvs / sizeof *csvs);
    tcase_add_test(t, a_column_has_its_name_in_any_case);
    tcase_add_test(t, text_is_made_harmless);
    tcase_add_test(t, a_cell_is_no_formula);
    tcase_add_test(t, keys_and_numbers_are_told_from_others);
    suite_add_tcase(s, t);
    return suite_run(s);
}
