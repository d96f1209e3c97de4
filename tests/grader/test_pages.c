/*
 * The class' pages in a browser: Debian's chromium, without a window. Without
 * it these tests are skipped, by name.
 */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* atoi */
#include <string.h> /* strstr */
#include <unistd.h> /* access */

#include "child.h"
#include "grader/export/page.h"
#include "planted.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

enum { STUDENTS = 24 };

/* Sections A and B; every sixth is suspected, missing, or hands in twice. */
static void make_class(void)
{
    char csv[4096] = "student,name,section,deadline\n", key[16];
    child_folder(dir, "pages");
    for (int i = 0; i < STUDENTS; i++)
        sprintf(csv + strlen(csv), "s%02d,Student %c,%c,2026-03-01\n", i,
                'a' + i, "AB"[i % 2]);
    planted_roster(dir, csv);
    for (int i = 0; i < STUDENTS; i++) {
        struct planted_grading g = {
            .student = key,
            .attempt = 1,
            .outcome = {"pass", i % 6 == 1   ? "suspected"
                                : i % 6 == 3 ? "pass"
                                             : "fail"},
            .score = {5, i % 6 == 1   ? 0
                         : i % 6 == 3 ? 5
                                      : i % 5 * 0.9},
            .submitted = i % 6 == 4 ? "2026-03-03T12:00" : "2026-02-28T12:00",
            .message = "element 17 of rank 2 is 3.5, should be 4: the last "
                       "chunk of the ring was not added (allreduce.c:41)",
            .time_us = 100 + i,
            .view = i == 5 ? "{\"title\": \"ring\"}" : NULL};
        snprintf(key, sizeof key, "s%02d", i);
        if (i % 6 != 2)
            planted_grading(dir, &g);
        g.attempt = 2;
        g.score[1] = 2.5;
        if (i % 6 == 5)
            planted_grading(dir, &g);
    }
    struct child c = child_run(60,
                               "cd %s && %s/tests/grader/grade export --ledger "
                               "L.db --lab lab1 --format "
                               "html --late-percent 10 -o site && "
                               "%s/tests/grader/grade serve --ledger "
                               "L.db --lab lab1 --out live --once",
                               dir, child_build(), child_build());
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

static void remove_class(void)
{
    child_remove(dir);
}

static int has_browser(void)
{
    return access("/usr/bin/chromium", X_OK) == 0;
}

/* The page after its script ran, as HTML. */
static struct child browse(const char *page)
{
    struct child c = child_run(
        120,
        "cd %s && HOME=%s timeout 100 chromium --headless --no-sandbox "
        "--disable-gpu --disable-dev-shm-usage --user-data-dir=%s/profile "
        "--dump-dom 'file://%s/%s' 2> browser.log",
        dir, dir, dir, dir, page);
    ck_assert_msg(c.status == 0, "chromium: %d", c.status);
    return c;
}

/* How often a text is in another. */
static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, what)) != NULL; p++)
        n++;
    return n;
}

#define HAS(c, text)                                                           \
    ck_assert_msg(strstr((c).out, text) != NULL, "no %s in %.4000s", text,     \
                  (c).out)

START_TEST(the_class_is_searched_and_sorted)
{
    if (!has_browser())
        return;
    struct child c = browse("site/index.html");
    HAS(c, ">24 of 24 students<");
    ck_assert_int_eq(count(c.out, "<tr data-section"), STUDENTS);
    child_clear(&c);
    c = browse("site/index.html#section=A&outcome=partial&sort=5");
    HAS(c, " of 24 students<");
    const char *const shown = strstr(c.out, "role=\"status\">") + 14;
    const int n = atoi(shown);
    ck_assert_int_gt(n, 0);
    ck_assert_int_eq(count(c.out, "hidden=\"\""), STUDENTS - n);
    HAS(c, "aria-sort=\"ascending\"");
    double last = -2;
    for (const char *p = c.out; (p = strstr(p, "class=\"n\" data-v=\"")); p++) {
        const double v = atof(p + 18);
        ck_assert_msg(v >= last, "%g after %g", v, last);
        last = v;
    }
    child_clear(&c);
    c = browse("site/index.html#q=s07");
    HAS(c, ">1 of 24 students<");
    child_clear(&c);
}
END_TEST

/* In a frame as wide as a phone, which asks the page how wide it has become. */
START_TEST(pages_fit_a_phone)
{
    static const char *const pages[] = {
        "site/index.html", "site/students/s05.html",
        "site/students/s05.diff.html", "live/index.html"};
    if (!has_browser())
        return;
    struct child c = child_run(
        10,
        "cd %s && sed '/Content-Security-Policy/d' %s > inner.html && echo "
        "'<script>parent.postMessage(document.documentElement.scrollWidth - "
        "document.documentElement.clientWidth, \"*\")</script>' >> inner.html "
        "&& echo '<script>onmessage = e => "
        "document.title = \"wider by \" + e.data</script><iframe "
        "src=\"inner.html\" style=\"width:390px;height:800px;border:0\">"
        "</iframe>' > outer.html",
        dir, pages[_i]);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    c = browse("outer.html");
    ck_assert_msg(strstr(c.out, "<title>wider by 0<") != NULL, "%s: %.300s",
                  pages[_i], c.out);
    child_clear(&c);
}
END_TEST

/* Landmarks, headers with a scope, names of what can be operated. */
START_TEST(pages_can_be_read_without_eyes)
{
    static const char *const pages[] = {
        "site/index.html", "site/students/s05.html",
        "site/students/s05.diff.html", "live/index.html"};
    for (int i = 0; i < 4 && has_browser(); i++) {
        struct child c = browse(pages[i]);
        HAS(c, "<html lang=\"en\">");
        HAS(c, "<main id=\"main\">");
        HAS(c, "href=\"#main\"");
        HAS(c, "<h1>");
        ck_assert_int_eq(count(c.out, "<th>"), 0); // each has a scope
        ck_assert_int_eq(count(c.out, "<th "), count(c.out, "<th scope="));
        ck_assert_int_eq(count(c.out, "<table"), count(c.out, "<caption>"));
        ck_assert_int_eq(count(c.out, "<input") + count(c.out, "<select"),
                         count(c.out, "<label"));
        child_clear(&c);
    }
}
END_TEST

/* A page as it is in its file. */
static struct child show(const char *page)
{
    return child_run(10, "cat %s/%s", dir, page);
}

START_TEST(a_students_page_says_what_changed)
{
    struct child c = show("site/students/s05.html");
    HAS(c, "\"before\":{\"number\":1,");
    HAS(c, "\"cases\":[{\"name\":\"tree\",\"was\":{\"score\":0.0,\"outcome\":"
           "\"fail\"},\"now\":{\"score\":2.5,\"outcome\":\"partial\"}}]");
    HAS(c, "the last chunk of the ring was not added (allreduce.c:41)\"");
    child_clear(&c);
    c = show("site/students/s05.diff.html");
    HAS(c, "\"-int attempt = 1;\",\"+int attempt = 2;\"");
    child_clear(&c);
    c = show("site/index.html");
    HAS(c, "\"element N of rank N is N.N, should be N: the last chunk");
    HAS(c, "\"all\":{\"students\":16,");
    child_clear(&c);
}
END_TEST

START_TEST(a_student_reads_what_changed)
{
    if (!has_browser())
        return;
    struct child c = browse("site/students/s05.html");
    HAS(c, ">Since attempt 1<");
    HAS(c, "<b>tree</b>: 0 \u2192 2.50 points");
    HAS(c, "<td class=\"n\">2.50/5</td>");
    HAS(c, ">element 17 of rank 2 is 3.5, should be 4: the last");
    HAS(c, "<a href=\"s05.view.html\">Look closer</a>");
    HAS(c, "<a href=\"s05.diff.html\">What changed in the files</a>");
    child_clear(&c);
    c = browse("site/students/s05.diff.html");
    HAS(c, "<span class=\"del\">-int attempt = 1;</span>");
    HAS(c, "<span class=\"add\">+int attempt = 2;</span>");
    child_clear(&c);
    c = browse("site/students/s06.html");
    ck_assert(!strstr(c.out, ">Look closer<"));
    child_clear(&c);
    c = browse("site/students/s04.html");
    HAS(c, "points before lateness, which takes 10 % a day.</p>");
    child_clear(&c);
    c = browse("site/index.html");
    HAS(c, "<a href=\"students/s05.diff.html\">diff</a>");
    HAS(c, "median of 16</div>");
    child_clear(&c);
    c = browse("live/index.html");
    HAS(c, ">20 of 24 students<");
    HAS(c, "<b>4</b>full marks");
    HAS(c, "<td class=\"n\">103.00 us</td>");
    child_clear(&c);
}
END_TEST

START_TEST(a_students_page_leads_to_a_view)
{
    struct child c = show("site/students/s05.html");
    HAS(c, "\"view\":true");
    child_clear(&c);
    c = show("site/students/s05.view.html");
    HAS(c, "<title>Collectives: s05</title>");
    HAS(c, "id=\"run\">{\"title\": \"ring\"}</script>");
    HAS(c, "default-src 'none'"); // it can fetch and send nothing
    child_clear(&c);
    c = child_run(10, "cat %s/site/students/s06.html; ls %s/site/students", dir,
                  dir);
    HAS(c, "\"view\":false");
    ck_assert(!strstr(c.out, "s06.view"));
    child_clear(&c);
}
END_TEST

START_TEST(the_live_page_names_nobody)
{
    struct child c = show("live/index.html");
    HAS(c, "{\"students\":24,\"graded\":20,\"pass\":4,");
    HAS(c, "http-equiv=\"refresh\"");
    ck_assert_int_eq(count(c.out, "\"anon-"), 16);
    ck_assert(!strstr(c.out, "s05") && !strstr(c.out, "Student "));
    HAS(c, "\"time_us\":103.0}");
    child_clear(&c);
    c = child_run(60,
                  "cd %s && for s in 03 02; do %s/tests/grader/grade excuse "
                  "--ledger L.db "
                  "--lab lab1 --student s$s --by X --reason ill; done && "
                  "%s/tests/grader/grade serve --ledger L.db --lab lab1 --out "
                  "live --once && "
                  "cat live/index.html",
                  dir, child_build(), child_build());
    // one of the two had handed nothing in
    HAS(c, "{\"students\":24,\"graded\":21,\"pass\":3,");
    HAS(c, "\"excused\":2,");
    child_clear(&c);
}
END_TEST

START_TEST(a_late_student_sees_what_lateness_took)
{
    struct child c = show("site/students/s04.html");
    HAS(c, "\"late\":{\"score\":8.");
    HAS(c, "\"percent\":10.0}");
    child_clear(&c);
    c = show("site/students/s06.html");
    ck_assert_ptr_null(strstr(c.out, "\"late\":"));
    child_clear(&c);
}
END_TEST

/* ---- what the script draws ----------------------------------------------- */

/* The page of that data, in a browser. */
static struct child draw(enum page page, json_t *data)
{
    char path[CHILD_FOLDER + 16];
    snprintf(path, sizeof path, "%s/drawn.html", dir);
    FILE *const f = fopen(path, "w");
    page_write(f, page, "T", 0, data);
    fclose(f);
    return browse("drawn.html");
}

static json_t *live_of(json_t *scores, double max, json_t *places)
{
    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:f, s:o}",
                     "title", "T", "students", 1, "graded", 0, "pass", 0,
                     "fail", 0, "open", 0, "excused", 0, "running", 0, "scores",
                     scores, "max", max, "places", places);
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
    const size_t n = sizeof all / sizeof *all;
    json_t *const places = json_array();
    if (!has_browser()) {
        json_decref(places);
        return;
    }
    for (size_t i = 0; i < n; i++)
        json_array_append_new(places, json_pack("{s:i, s:s, s:f, s:n}", "place",
                                                (int)i, "name", "x", "score",
                                                all[i].points, "time_us"));
    struct child c = draw(PAGE_LIVE, live_of(json_pack("[i]", 1), 1, places));
    for (size_t i = 0; i < n; i++) {
        char row[200];
        snprintf(row, sizeof row,
                 "<td class=\"n\">%zu</td><th scope=\"row\" class=\"w\">x</th>"
                 "<td class=\"n\">%s</td><td class=\"n\"></td>",
                 i, all[i].text);
        HAS(c, row);
    }
    child_clear(&c);
}
END_TEST

#define BAR(label)                                                             \
    "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "  \
    "role=\"img\" aria-label=\"" label "\">"

START_TEST(figures_are_drawn)
{
    if (!has_browser())
        return;
    json_t *const counts = json_pack("[i,i,i,i]", 2, 0, 1, 3);
    struct child c = draw(PAGE_LIVE, live_of(counts, 10, json_array()));
    HAS(c, "<svg class=\"scores\" viewBox=\"0 0 600 154\" width=\"600\" "
           "role=\"img\" aria-label=\"how many students have how many points\">"
           "<rect class=\"p0\" x=\"1\" y=\"54\" width=\"148\" "
           "height=\"80\"></rect>"
           "<text x=\"75\" y=\"50\" text-anchor=\"middle\">2</text>"
           "<rect class=\"p0\" x=\"301\" y=\"94\" width=\"148\" "
           "height=\"40\"></rect>"
           "<text x=\"375\" y=\"90\" text-anchor=\"middle\">1</text>"
           "<rect class=\"p0\" x=\"451\" y=\"14\" width=\"148\" "
           "height=\"120\"></rect>"
           "<text x=\"525\" y=\"10\" text-anchor=\"middle\">3</text>"
           "<path class=\"axis\" d=\"M0 134H600\"></path>"
           "<text x=\"0\" y=\"150\" text-anchor=\"start\">0</text>"
           "<text x=\"150\" y=\"150\" text-anchor=\"middle\">2.5</text>"
           "<text x=\"300\" y=\"150\" text-anchor=\"middle\">5</text>"
           "<text x=\"450\" y=\"150\" text-anchor=\"middle\">7.5</text>"
           "<text x=\"600\" y=\"150\" text-anchor=\"end\">10</text></svg>");
    child_clear(&c);
    c = draw(
        PAGE_CLASS,
        json_pack("{s:s, s:s, s:i, s:i, s:{s:i,s:i,s:i}, s:[], s:[], s:[], "
                  "s:[], s:[{s:s,s:b,s:i,s:[i,i,i,i]}, "
                  "{s:s,s:b,s:i,s:[i,i,i,i]}], s:[]}",
                  "title", "T", "lab", "lab1-x", "plans", 1, "max", 10, "all",
                  "students", 0, "median", 0, "mean", 0, "outcomes", "scores",
                  "sections", "students", "cases", "name", "a", "hidden", 1,
                  "max", 1, "count", 0, 0, 0, 0, "name", "b", "hidden", 0,
                  "max", 4, "count", 1, 0, 2, 5, "reasons"));
    HAS(c, BAR("0 pass, 0 partial, 0 fail, 0 not written") "</svg>");
    HAS(c, "a <span class=\"dim\">hidden</span></th>");
    HAS(c,
        "<td class=\"n\">13 %</td><td>" BAR("1 pass, 0 partial, 2 fail, 5 not "
                                            "written") "<rect class=\"p0\" "
                                                       "x=\"0\" width=\"12.5\" "
                                                       "height=\"10\"><title>1 "
                                                       "pass</title></"
                                                       "rect><rect "
                                                       "class=\"p2\" "
                                                       "x=\"12.5\" "
                                                       "width=\"25\" "
                                                       "height=\"10\"><title>2 "
                                                       "fail</title></"
                                                       "rect><rect "
                                                       "class=\"p3\" "
                                                       "x=\"37.5\" "
                                                       "width=\"62.5\" "
                                                       "height=\"10\"><title>5 "
                                                       "not "
                                                       "written</title></"
                                                       "rect></svg>");
    child_clear(&c);
}
END_TEST

/* Names that would be code if any of them were read as HTML. */
START_TEST(text_is_shown_as_it_is)
{
    static const char evil[] = "</script><script>document.title=1</script><!--";
    if (!has_browser())
        return;
    struct child c =
        draw(PAGE_SIMILAR, json_pack("{s:[{s:[s,s], s:[i,i]}], s:[[s]]}",
                                     "pairs", "names", evil, "<b>", "percent",
                                     1, 2, "clusters", "<i onload=x> &amp;"));
    HAS(c, "<title>T</title>");
    HAS(c, ">&lt;/script&gt;&lt;script&gt;document.title=1&lt;/script&gt;&lt;"
           "!--, &lt;b&gt;</a>");
    HAS(c, "<li>&lt;i onload=x&gt; &amp;amp;</li>");
    child_clear(&c);
}
END_TEST

START_TEST(the_live_page_is_served_and_follows_the_ledger)
{
    static const char script[] =
        "%s/tests/grader/grade serve --ledger L.db --lab lab1 --port 0 > url & "
        "pid=$!\n"
        "until [ -s url ]; do sleep 0.05; done\n"
        "url=$(cat url); host=${url#http://}; host=${host%%/}\n"
        "ask() { exec 3<>/dev/tcp/${host%%:*}/${host#*:}; "
        "printf \"$1\" >&3; cat <&3; exec 3>&-; }\n"
        "ask 'GET / HTTP/1.0\\r\\n\\r\\n'; "
        "ask 'POST / HTTP/1.0\\r\\n\\r\\n'\n"
        "%s/tests/grader/grade excuse --ledger L.db --lab lab1 --student s03 "
        "--by X "
        "--reason y; sleep 3\n"
        "ask 'GET /x HTTP/1.0\\r\\n\\r\\n' | grep -o '\"anon-' | wc -l\n"
        "kill -INT $pid; wait $pid; echo status $?";
    char file[CHILD_FOLDER + 16];
    snprintf(file, sizeof file, "%s/s.sh", dir);
    FILE *const f = fopen(file, "w");
    fprintf(f, script, child_build(), child_build());
    fclose(f);
    struct child c = child_run(60, "cd %s && bash s.sh", dir);
    HAS(c, "HTTP/1.1 200 OK");
    HAS(c, "\"graded\":20,");
    HAS(c, "405 Method Not Allowed");
    HAS(c, "\n15\nstatus 0\n");
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("pages");
    TCase *const t = tcase_create("pages");
    tcase_set_timeout(t, 400);
    tcase_add_checked_fixture(t, make_class, remove_class);
    if (!has_browser())
        printf("skipped: what pages show (no chromium here: make deps)\n");
    tcase_add_test(t, the_class_is_searched_and_sorted);
    tcase_add_loop_test(t, pages_fit_a_phone, 0, 4);
    tcase_add_test(t, pages_can_be_read_without_eyes);
    tcase_add_test(t, a_students_page_says_what_changed);
    tcase_add_test(t, a_student_reads_what_changed);
    tcase_add_test(t, a_students_page_leads_to_a_view);
    tcase_add_test(t, the_live_page_names_nobody);
    tcase_add_test(t, a_late_student_sees_what_lateness_took);
    tcase_add_test(t, points_have_cents_where_there_are_any);
    tcase_add_test(t, figures_are_drawn);
    tcase_add_test(t, text_is_shown_as_it_is);
    tcase_add_test(t, the_live_page_is_served_and_follows_the_ledger);
    suite_add_tcase(s, t);
    return suite_run(s);
}
