/*
 * The class' pages in a browser: Debian's chromium, without a window. Without
 * it these tests are skipped, by name.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* atoi */
#include <string.h> /* strstr */
#include <unistd.h> /* access */

#include "child.h"
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
    ck_assert_msg(strstr((c).out, text) != NULL, "no %s in %.20000s", text,    \
                  (c).out)

START_TEST(the_class_is_searched_and_sorted)
{
    if (!has_browser())
        return;
    struct child c = browse("site/index.html");
    HAS(c, ">24 of 24 students<");
    ck_assert_int_eq(count(c.out, "<tr data-section"), STUDENTS);
    child_clear(&c);
    c = browse("site/index.html#section=A&outcome=fail&sort=5");
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
    for (int i = 0; i < 4; i++) {
        struct child c = child_run(10, "cat %s/%s", dir, pages[i]);
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

START_TEST(a_students_page_says_what_changed)
{
    struct child c = child_run(10, "cat %s/site/students/s05.html", dir);
    HAS(c, "Since attempt 1");
    HAS(c, "<b>tree</b>: 0 &rarr; 2.50 points");
    HAS(c, "the last chunk of the ring was not added (allreduce.c:41)");
    child_clear(&c);
    c = child_run(10, "cat %s/site/students/s05.diff.html", dir);
    HAS(c, "<span class=\"del\">-int attempt = 1;</span>");
    HAS(c, "<span class=\"add\">+int attempt = 2;</span>");
    child_clear(&c);
    c = child_run(10, "cat %s/site/index.html", dir);
    HAS(c, "element N of rank N is N.N, should be N: the last chunk");
    HAS(c, "students/s05.diff.html");
    HAS(c, "median of 16");
    child_clear(&c);
}
END_TEST

START_TEST(a_students_page_leads_to_a_view)
{
    struct child c = child_run(10, "cat %s/site/students/s05.html", dir);
    HAS(c, "<a href=\"s05.view.html\">");
    child_clear(&c);
    c = child_run(10, "cat %s/site/students/s05.view.html", dir);
    HAS(c, "<title>Collectives: s05</title>");
    HAS(c, "id=\"run\">{\"title\": \"ring\"}</script>");
    HAS(c, "default-src 'none'"); // it can fetch and send nothing
    child_clear(&c);
    c = child_run(10, "cat %s/site/students/s06.html; ls %s/site/students", dir,
                  dir);
    ck_assert(!strstr(c.out, "s06.view") && !strstr(c.out, "Look closer"));
    child_clear(&c);
}
END_TEST

START_TEST(the_live_page_names_nobody)
{
    struct child c = child_run(10, "cat %s/live/index.html", dir);
    HAS(c, ">20 of 24 students<");
    HAS(c, "http-equiv=\"refresh\"");
    ck_assert_int_eq(count(c.out, "anon-"), 16);
    ck_assert(!strstr(c.out, "s05") && !strstr(c.out, "Student "));
    HAS(c, "103.00 us");
    HAS(c, "<b>4</b>full marks");
    child_clear(&c);
    c = child_run(60,
                  "cd %s && for s in 03 02; do %s/tests/grader/grade excuse "
                  "--ledger L.db "
                  "--lab lab1 --student s$s --by X --reason ill; done && "
                  "%s/tests/grader/grade serve --ledger L.db --lab lab1 --out "
                  "live --once && "
                  "cat live/index.html",
                  dir, child_build(), child_build());
    HAS(c, ">21 of 24 students<"); // one of the two had handed nothing in
    HAS(c, "<b>3</b>full marks");
    HAS(c, "<b>2</b>excused");
    child_clear(&c);
}
END_TEST

START_TEST(a_late_student_sees_what_lateness_took)
{
    struct child c = child_run(10, "cat %s/site/students/s04.html", dir);
    HAS(c, "points before lateness, which takes 10 % a day.");
    child_clear(&c);
    c = child_run(10, "cat %s/site/students/s06.html", dir);
    ck_assert(strstr(c.out, "lateness") == NULL);
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
        "ask 'GET /x HTTP/1.0\\r\\n\\r\\n' | grep -c '>anon-'\n"
        "kill -INT $pid; wait $pid; echo status $?";
    char file[CHILD_FOLDER + 16];
    snprintf(file, sizeof file, "%s/s.sh", dir);
    FILE *const f = fopen(file, "w");
    fprintf(f, script, child_build(), child_build());
    fclose(f);
    struct child c = child_run(60, "cd %s && bash s.sh", dir);
    HAS(c, "HTTP/1.0 200 OK");
    HAS(c, ">20 of 24 students<");
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
        printf("skipped: the_class_is_searched_and_sorted (no chromium here: "
               "make deps)\n");
    tcase_add_test(t, the_class_is_searched_and_sorted);
    tcase_add_loop_test(t, pages_fit_a_phone, 0, 4);
    tcase_add_test(t, pages_can_be_read_without_eyes);
    tcase_add_test(t, a_students_page_says_what_changed);
    tcase_add_test(t, a_students_page_leads_to_a_view);
    tcase_add_test(t, the_live_page_names_nobody);
    tcase_add_test(t, a_late_student_sees_what_lateness_took);
    tcase_add_test(t, the_live_page_is_served_and_follows_the_ledger);
    suite_add_tcase(s, t);
    return suite_run(s);
}
