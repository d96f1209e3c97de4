/* Pieces of pages, and tables that are read: to the byte. */
#define _GNU_SOURCE
#include <check.h>
#include <limits.h> /* LONG_MAX */
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* strstr */

#include "csv.h"
#include "fds.h"
#include "heap.h"
#include "html.h"
#include "suite.h"
#include "text.h"

static char *page;
static size_t page_nbytes;

static void is_page(FILE *f, const char *text)
{
    fclose(f);
    ck_assert_str_eq(page, text);
    free(page);
}

START_TEST(points_have_cents_where_there_are_any)
{
    static const struct {
        double points;
        const char *text;
    } all[] = {{0, "0"},        {2, "2"},        {2.5, "2.50"},
               {2.344, "2.34"}, {2.346, "2.35"}, {1.999, "2"},
               {-.5, "-0.50"},  {-.004, "0"},    {-1.236, "-1.24"},
               {1.01, "1.01"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        FILE *const f = open_memstream(&page, &page_nbytes);
        html_points(f, all[i].points);
        is_page(f, all[i].text);
    }
}
END_TEST

START_TEST(a_page_begins_and_ends_as_its_policy_says)
{
    FILE *f = open_memstream(&page, &page_nbytes);
    html_begin(f, "<T>", "alert(1)", 7);
    html_end(f, "alert(1)");
    fclose(f);
    ck_assert(strstr(page,
                     "img-src 'self' data:; script-src "
                     "'sha256-"
                     "bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='\">\n"
                     "<meta http-equiv=\"refresh\" content=\"7\">\n"
                     "<title>&lt;T&gt;</title>\n<style>\n:root{") != NULL);
    ck_assert(strstr(page, "<main id=\"main\">\n</main>\n"
                           "<script>alert(1)</script>\n</body>\n</html>\n"));
    free(page);
    f = open_memstream(&page, &page_nbytes);
    html_begin(f, "T", NULL, 0);
    html_end(f, NULL);
    fclose(f);
    ck_assert(strstr(page, "img-src 'self' data:\">\n<title>T</title>"));
    ck_assert(strstr(page, "<main id=\"main\">\n</main>\n</body>\n"));
    free(page);
}
END_TEST

START_TEST(tables_and_figures_are_drawn)
{
    FILE *f = open_memstream(&page, &page_nbytes);
    html_table(f, "id=\"t\"", "C", "a|#b|c");
    html_outcome(f, "pass");
    is_page(f, "<table id=\"t\"><caption>C</caption><thead><tr>"
               "<th scope=\"col\">a</th><th scope=\"col\" class=\"n\">b</th>"
               "<th scope=\"col\">c</th></tr></thead><tbody>\n"
               "<span class=\"o pass\">pass</span>");
    f = open_memstream(&page, &page_nbytes);
    html_bar(f, (const int[]){0, 0, 0, 0});
    html_bar(f, (const int[]){1, 0, 2, 5});
    is_page(f,
            "<svg class=\"bar\" viewBox=\"0 0 100 10\" "
            "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"0 pass, 0 "
            "partial, 0 fail, 0 not written\"></svg><svg class=\"bar\" "
            "viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" "
            "aria-label=\"1 pass, 0 partial, 2 fail, 5 not written\"><rect "
            "class=\"p0\" x=\"0.000\" width=\"12.500\" height=\"10\"><title>1 "
            "pass</title></rect><rect class=\"p2\" x=\"12.500\" "
            "width=\"25.000\" height=\"10\"><title>2 fail</title></rect><rect "
            "class=\"p3\" x=\"37.500\" width=\"62.500\" height=\"10\"><title>5 "
            "not written</title></rect></svg>");
    f = open_memstream(&page, &page_nbytes);
    static struct row rows[] = {{.has_score = 1, .final = 10},
                                {.has_score = 1, .final = 9.5},
                                {.has_score = 1, .final = 9.4},
                                {.has_score = 1, .final = 0},
                                {.has_score = 1, .final = -1},
                                {.has_score = 1, .final = 12},
                                {.final = 5}};
    struct export class = {.row = rows, .nrows = 7, .max_score = 10};
    html_histogram(f, &class);
    is_page(
        f,
        "<svg class=\"scores\" viewBox=\"0 0 600 154\" width=\"600\" "
        "role=\"img\" aria-label=\"how many students have how many points\">\n"
        "<rect class=\"p0\" x=\"1.0\" y=\"54.0\" width=\"28.0\" "
        "height=\"80.0\"/><text x=\"15.0\" y=\"50.0\" "
        "text-anchor=\"middle\">2</text>\n"
        "<rect class=\"p0\" x=\"541.0\" y=\"94.0\" width=\"28.0\" "
        "height=\"40.0\"/><text x=\"555.0\" y=\"90.0\" "
        "text-anchor=\"middle\">1</text>\n"
        "<rect class=\"p0\" x=\"571.0\" y=\"14.0\" width=\"28.0\" "
        "height=\"120.0\"/><text x=\"585.0\" y=\"10.0\" "
        "text-anchor=\"middle\">3</text>\n"
        "<path class=\"axis\" d=\"M0 134H600\"/>\n"
        "<text x=\"0\" y=\"150\" text-anchor=\"start\">0</text>\n"
        "<text x=\"150\" y=\"150\" text-anchor=\"middle\">2.5</text>\n"
        "<text x=\"300\" y=\"150\" text-anchor=\"middle\">5</text>\n"
        "<text x=\"450\" y=\"150\" text-anchor=\"middle\">7.5</text>\n"
        "<text x=\"600\" y=\"150\" text-anchor=\"end\">10</text>\n"
        "</svg>\n");
    f = open_memstream(&page, &page_nbytes);
    class.max_score = 0; // a lab without points
    class.nrows = 2;
    html_histogram(f, &class);
    is_page(
        f,
        "<svg class=\"scores\" viewBox=\"0 0 600 154\" width=\"600\" "
        "role=\"img\" aria-label=\"how many students have how many points\">\n"
        "<rect class=\"p0\" x=\"1.0\" y=\"14.0\" width=\"28.0\" "
        "height=\"120.0\"/><text x=\"15.0\" y=\"10.0\" "
        "text-anchor=\"middle\">2</text>\n"
        "<path class=\"axis\" d=\"M0 134H600\"/>\n"
        "<text x=\"0\" y=\"150\" text-anchor=\"start\">0</text>\n"
        "<text x=\"150\" y=\"150\" text-anchor=\"middle\">0</text>\n"
        "<text x=\"300\" y=\"150\" text-anchor=\"middle\">0</text>\n"
        "<text x=\"450\" y=\"150\" text-anchor=\"middle\">0</text>\n"
        "<text x=\"600\" y=\"150\" text-anchor=\"end\">0</text>\n"
        "</svg>\n");
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
    tcase_add_test(t, points_have_cents_where_there_are_any);
    tcase_add_test(t, a_page_begins_and_ends_as_its_policy_says);
    tcase_add_test(t, tables_and_figures_are_drawn);
    tcase_add_loop_test(t, csv_is_read_as_it_was_meant, 0,
                        sizeof csvs / sizeof *csvs);
    tcase_add_test(t, a_column_has_its_name_in_any_case);
    tcase_add_test(t, text_is_made_harmless);
    tcase_add_test(t, a_cell_is_no_formula);
    tcase_add_test(t, keys_and_numbers_are_told_from_others);
    suite_add_tcase(s, t);
    return suite_run(s);
}
