/* Links of handouts have targets, in markdown and as pages; and the tools find
 * differences that check this, that handouts show what the kit prints
 * (page.sh), that the commands they mention work (tries.sh), and that
 * bandwidths are those of machines (speeds.sh). */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* mkdtemp */
#include <string.h> /* strstr */
#include <unistd.h> /* access */

#include "child.h"
#include "labtest.h"
#include "suite.h"

enum { TOOL_SEC = 900 };

/* Run the tool on a handout with this text in a folder of its own. */
static struct child on_text(const char *option, const char *text, char *dir)
{
    char path[64];
    strcpy(dir, "/tmp/commlab-handout-XXXXXX");
    ck_assert(mkdtemp(dir) != NULL);
    snprintf(path, sizeof path, "%s/page.md", dir);
    FILE *const f = fopen(path, "w");
    ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    return child_run(TOOL_SEC, "%s/common/kit/handouts.sh %s %s",
                     labtest_root(), option, path);
}

static void remove_dir(const char *dir)
{
    struct child c = child_run(30, "rm -r %s", dir);
    child_clear(&c);
}

struct row {
    const char *text, *says; /* says: NULL, the handout is true */
};

static const struct row rows[] = {
    {"Plain text.\n", NULL},
    {"```console\n$ echo a; echo b\na\nb\n```\n", NULL},
    {"```console\n$ echo a; echo b\na\n...\n```\n", NULL},
    {"```console\n$ echo a; echo b\n...\na\nb\n...\n```\n", NULL},
    {"```console\n$ true\n$ echo $((6 * 7))\n42\n```\n", NULL},
    {"```console\n$ ls $TMP\n```\n", NULL},
    {"```console\n$ echo a\nb\n```\n", "page.md:2: $ echo a"},
    {"```console\n$ echo a; echo b\na\n```\n", "page.md:2: $ echo a; echo b"},
    {"```console\n$ true\na\n```\n", "page.md:2: $ true"},
    {"```console\n$ echo a\n", "a block is not closed"},
    {"<!-- figure f/x.svg: true -->\n", "this command wrote no figure"},
    {"<!-- figure f/x.svg: echo > $OUT -->\n", "is out of date"},
    {"<!-- still f/x.png 90x60 # 0: true -->\n",
     "this command wrote no figure"},
    {"<!-- still f/x.png 90x60 # 0: echo > $OUT -->\n", "is out of date"},
};

START_TEST(a_handout_that_lies_is_found)
{
    char dir[64];
    struct child c = on_text("--check", rows[_i].text, dir);
    if (rows[_i].says)
        ck_assert_msg(c.status == 1 && strstr(c.out, rows[_i].says), "%d: %s%s",
                      c.status, c.out, c.err);
    else
        ck_assert_msg(c.status == 0 && !*c.out, "%d: %s%s", c.status, c.out,
                      c.err);
    child_clear(&c);
    remove_dir(dir);
}
END_TEST

START_TEST(what_the_tool_writes_is_true)
{
    char dir[64];
    struct child c = on_text("",
                             "Text.\n```console\n$ echo a\nb\n```\n"
                             "<!-- figure f/x.svg: echo 7 > $OUT -->\n",
                             dir);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
    c = child_run(TOOL_SEC,
                  "%s/common/kit/handouts.sh --check %s/page.md && "
                  "grep -x a %s/page.md && grep -x 7 %s/f/x.svg",
                  labtest_root(), dir, dir, dir);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
    remove_dir(dir);
}
END_TEST

/* ---- what readers are asked to try --------------------------------------- */

static const struct {
    const char *text;
    int status;
    const char *says;
} tries[] = {
    {"Plain text, `--case`, `build/commgraph time`, `mpirun`.\n", 0,
     "0 commands of 1 pages work\n"},
    {"```console\n$ mpirun -n 2 build/lab1 --case no\n```\n", 0, "0 commands"},
    {"    build/lab1 --questions  # yours\n\nThen `build/commgraph "
     "time\nrun`.\n",
     0, "2 commands of 1 pages work\n"},
    {"a\n\n    mpirun -n 2 build/lab1 --case no\n", 1,
     "page.md:3: status 2 of: mpirun -n 2 build/lab1 --case no\n"},
    {"Try `build/commgraph time run\n--topo none`.\n", 1,
     "page.md:1: status 1 of: build/commgraph time run --topo none\n"},
};

START_TEST(a_command_that_does_not_work_is_found)
{
    char dir[64];
    struct child c = on_text("--check", tries[_i].text, dir);
    child_clear(&c);
    c = child_run(TOOL_SEC, "%s/tests/handouts/tries.sh %s - %s/page.md",
                  labtest_root(), child_build(), dir);
    ck_assert_msg(c.status == tries[_i].status && strstr(c.out, tries[_i].says),
                  "%d: %s%s", c.status, c.out, c.err);
    child_clear(&c);
    remove_dir(dir);
}
END_TEST

/* What a transcript and a figure show of one command is of one run; of two
 * commands, of two. */
static const struct {
    const char *figure;
    int nruns;
} shared[] = {{"sh $D/count -o $OUT", 1},
              {"sh $D/count -o $OUT --twice", 2},
              {"sh  $D/count -o $OUT", 2}};

START_TEST(a_transcript_and_its_figure_are_of_one_run)
{
    char dir[64], text[256];
    snprintf(text, sizeof text,
             "```console\n$ sh $D/count\n7\n```\n"
             "<!-- figure f/x.svg: %s -->\n",
             shared[_i].figure);
    struct child c = on_text("--check", text, dir);
    child_clear(&c); // there is no script yet
    c = child_run(TOOL_SEC,
                  "export D=%s; cd $D && echo 'echo 7; echo >> $D/runs; "
                  "[ $# = 0 ] || echo drawn > $2' > count && mkdir -p f && "
                  "echo drawn > f/x.svg && %s/common/kit/handouts.sh --check "
                  "$D/page.md && echo ok $(wc -l < runs); echo else > f/x.svg; "
                  "%s/common/kit/handouts.sh --check $D/page.md",
                  dir, labtest_root(), labtest_root());
    char says[16];
    snprintf(says, sizeof says, "ok %d\n", shared[_i].nruns);
    ck_assert_msg(strstr(c.out, says) && c.status == 1 &&
                      strstr(c.out, "x.svg is out of date"),
                  "%s%s", c.out, c.err);
    child_clear(&c);
    remove_dir(dir);
}
END_TEST

/* A still is of one page, with one size and address: of any other it is out of
 * date, and else it stays as it is. */
START_TEST(a_still_goes_with_its_page)
{
    if (access("/usr/bin/chromium", X_OK) != 0) {
        printf("skipped: a still (no chromium here: make deps)\n");
        return;
    }
    char dir[64];
    struct child c = on_text("",
                             "<!-- still f/x.png 90x60 #a 0: echo "
                             "'<p>one' > $OUT -->\n",
                             dir);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
    c = child_run(
        TOOL_SEC,
        "cd %s && cksum f/x.png > sum && head -c 4 f/x.png | grep -q "
        "PNG && h=%s/common/kit/handouts.sh && $h --check $PWD/page.md && "
        "$h $PWD/page.md && cksum f/x.png | cmp - sum || exit 1\n"
        "for e in s/one/two/ s/60/61/ s/#a/#b/; do sed -i.was $e "
        "page.md; $h --check $PWD/page.md && exit 2; mv page.md.was "
        "page.md; done; $h --check $PWD/page.md",
        dir, labtest_root());
    ck_assert_msg(c.status == 0, "%d %s%s", c.status, c.out, c.err);
    child_clear(&c);
    remove_dir(dir);
}
END_TEST

/* ---- links and pages ---------------------------------------------------- */

static struct child check_links(const char *files)
{
    return child_run(60, "cd %s && gawk -f tests/handouts/links.awk %s",
                     labtest_root(), files);
}

START_TEST(every_link_of_a_handout_leads_somewhere)
{
    struct child c = check_links("README.md handouts/*.md");
    ck_assert_msg(c.status == 0 && !*c.out, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* The names of files, functions and types, too. */
START_TEST(every_name_that_a_page_mentions_exists)
{
    struct child c = child_run(
        120, "cd %s && tests/handouts/names.sh README.md handouts/*.md",
        labtest_root());
    ck_assert_msg(c.status == 0 && !*c.out, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

static const struct name_row {
    const char *text, *says; /* says: NULL, all is well */
} name_rows[] = {
    {"`graph_add()` `struct call` `enum graph_kind` `replay.c`\n", NULL},
    {"`common/graph` `tests/MODULE/test_*.c` `solutions/LAB`\n", NULL},
    {"`grader/export_NAME.c` `a b` `x`\n\n    `no.c`\n", NULL},
    {"\n`graph_ad()`\n", "page.md:2: there is no graph_ad()"},
    {"`struct cal`\n", "there is no struct cal"},
    {"`enum graph_node`\n", "there is no enum graph_node"},
    {"`eplay.c`\n", "there is no eplay.c"},
    {"`common/grap`\n", "there is no common/grap"},
};

START_TEST(a_name_of_nothing_is_found)
{
    char dir[] = "/tmp/commlab-handout-XXXXXX", path[64];
    ck_assert(mkdtemp(dir) != NULL);
    snprintf(path, sizeof path, "%s/page.md", dir);
    FILE *const f = fopen(path, "w");
    ck_assert(f && fputs(name_rows[_i].text, f) >= 0 && fclose(f) == 0);
    struct child c =
        child_run(60, "%s/tests/handouts/names.sh %s", labtest_root(), path);
    const char *const says = name_rows[_i].says;
    ck_assert_msg(c.status == !!says &&
                      (says ? !!strstr(c.out, says) : !*c.out),
                  "%d: %s%s", c.status, c.out, c.err);
    child_clear(&c);
    remove_dir(dir);
}
END_TEST

static const struct link_row {
    const char *file, *text, *says; /* says: NULL, all is well */
} link_rows[] = {
    {"a.md", "# A b-c, D!\n[x](#a-b-c-d) [y](http://z) `[z](z)`\n", NULL},
    {"a.md", "```\n[x](x)\n```\n[a](a.md) [a](a.md#h)\n## H\n", NULL},
    {"a.md", "[x](b.md)\n", "a.md:1: there is no b.md"},
    {"a.md", "# A\n\n[x](#b)\n", "a.md:3: no heading is #b"},
    {"a.md", "![x](figures/no.svg)\n", "there is no figures/no.svg"},
    {"a.html", "<p id=\"x\"><a href=\"#x\">x</a></p>\n", NULL},
    {"a.html", "<pre><code>\n| a |\n</code></pre>\n<code>**</code>\n", NULL},
    {"a.html", "<a href=\"b.html\">b</a>\n", "there is no b.html"},
    {"a.html", "<a href=\"#x\">x</a>\n", "no heading is #x"},
    {"a.html", "<img src=\"no.svg\" />\n", "there is no no.svg"},
    {"a.html", "<p>\n| a | b |\n</p>\n", "a.html:2: markdown is left over"},
    {"a.html", "<!-- figure -->\n", "markdown is left over"},
};

START_TEST(a_link_to_nowhere_is_found)
{
    const struct link_row *const r = &link_rows[_i];
    char dir[] = "/tmp/commlab-handout-XXXXXX", path[64];
    ck_assert(mkdtemp(dir) != NULL);
    snprintf(path, sizeof path, "%s/%s", dir, r->file);
    FILE *const f = fopen(path, "w");
    ck_assert(f && fputs(r->text, f) >= 0 && fclose(f) == 0);
    struct child c = check_links(path);
    ck_assert_msg(c.status == !!r->says &&
                      (r->says ? !!strstr(c.out, r->says) : !*c.out),
                  "%d: %s%s", c.status, c.out, c.err);
    child_clear(&c);
    remove_dir(dir);
}
END_TEST

/* ---- bandwidths ---------------------------------------------------------- */

static struct child check_speeds(const char *file)
{
    return child_run(60, "cd %s && tests/handouts/speeds.sh %s %s",
                     labtest_root(), child_build(), file);
}

START_TEST(the_table_of_bandwidths_is_what_machines_achieve)
{
    struct child c = check_speeds("handouts/nodes.md");
    ck_assert_msg(c.status == 0 && !*c.out, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

static const char *const wrong_speeds[] = {
    "| NVLink | 450 | 379.9 | 1.3 | `dgx-h100`: GPU to GPU |\n",
    "| NVLink | 450 | 379.8 | 1.4 | `dgx-h100`: GPU to GPU |\n",
    "| NVLink | 300 | 379.8 | 1.3 | `dgx-h100`: GPU to GPU |\n",
    "| NVLink | 900 | 379.8 | 1.3 | `dgx-h100`: GPU to GPU |\n",
    "| NVLink | 450 | 379.8 | 1.3 | `dgx-h101`: GPU to GPU |\n",
    "| NDR, 200 Gbit/s | 50 | 48.5 | 4.0 | `2x:dgx-h100@ndr`: node to node |\n",
    "no table\n",
};

START_TEST(a_wrong_bandwidth_is_found)
{
    char dir[] = "/tmp/commlab-handout-XXXXXX", path[64];
    ck_assert(mkdtemp(dir) != NULL);
    snprintf(path, sizeof path, "%s/page.md", dir);
    FILE *const f = fopen(path, "w");
    ck_assert(f && fputs(wrong_speeds[_i], f) >= 0 && fclose(f) == 0);
    struct child c = check_speeds(path);
    ck_assert_msg(c.status == 1 && *c.out, "%d: %s%s", c.status, c.out, c.err);
    child_clear(&c);
    remove_dir(dir);
}
END_TEST

START_TEST(every_page_is_whole)
{
    struct child c = child_run(10, "command -v pandoc");
    const int found = c.status == 0;
    child_clear(&c);
    if (!found) {
        printf("skipped: the handouts' pages (pandoc isn't installed)\n");
        return;
    }
    char dir[] = "/tmp/commlab-handout-XXXXXX", html[64];
    ck_assert(mkdtemp(dir) != NULL);
    c = child_run(TOOL_SEC,
                  "cd %s/common/kit && ./pages.sh --html %s 2>&1 && "
                  "./slides.sh %s 2>&1",
                  labtest_root(), dir, dir);
    ck_assert_msg(c.status == 0 && strstr(c.out, "/index.html"), "%s", c.out);
    child_clear(&c);
    snprintf(html, sizeof html, "%s/*.html", dir);
    c = check_links(html);
    ck_assert_msg(c.status == 0 && !*c.out, "%s%s", c.out, c.err);
    child_clear(&c);
    // Each deck has its slides.
    c = child_run(30,
                  "cd %s/handouts/slides && for f in *.md; do "
                  "[ $(grep -c '^## ' $f) = $(grep -c '<h2' "
                  "%s/slides-${f%%.md}.html) ] || echo $f; done",
                  labtest_root(), dir);
    ck_assert_msg(c.status == 0 && !*c.out, "%s%s", c.out, c.err);
    child_clear(&c);
    // A title, a way back, itself marked in the bar; and no handout forgotten.
    c = child_run(30,
                  "cd %s/handouts && for f in *.md; do p=%s/${f%%.md}.html; "
                  "grep -q '<title>..*</title>' $p && "
                  "grep -q 'href=\"index.html\"' $p && "
                  "grep -q 'aria-current=\"page\"' $p || echo $f; done",
                  labtest_root(), dir);
    ck_assert_msg(c.status == 0 && !*c.out, "%s%s", c.out, c.err);
    child_clear(&c);
    remove_dir(dir);
}
END_TEST

START_TEST(without_pandoc_what_to_install_is_said)
{
    char dir[] = "/tmp/commlab-handout-XXXXXX";
    ck_assert(mkdtemp(dir) != NULL);
    for (int optional = 0; optional < 2; optional++) {
        struct child c = child_run(
            30,
            "ln -sf $(command -v dirname) %s; PATH=%s $(command -v bash) "
            "%s/common/kit/pages.sh %s",
            dir, dir, labtest_root(), optional ? "--optional" : "");
        ck_assert_msg(c.status == !optional &&
                          strstr(c.out, "apt-get install pandoc\n"),
                      "%d: %s%s", c.status, c.out, c.err);
        child_clear(&c);
    }
    remove_dir(dir);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("handouts");
    TCase *const t = tcase_create("handouts");
    tcase_set_timeout(t, 1000);
    tcase_add_loop_test(t, a_command_that_does_not_work_is_found, 0,
                        sizeof tries / sizeof *tries);
    tcase_add_loop_test(t, a_handout_that_lies_is_found, 0,
                        sizeof rows / sizeof *rows);
    tcase_add_test(t, what_the_tool_writes_is_true);
    tcase_add_loop_test(t, a_transcript_and_its_figure_are_of_one_run, 0, 3);
    tcase_add_test(t, a_still_goes_with_its_page);
    tcase_add_test(t, every_link_of_a_handout_leads_somewhere);
    tcase_add_test(t, every_name_that_a_page_mentions_exists);
    tcase_add_loop_test(t, a_name_of_nothing_is_found, 0,
                        sizeof name_rows / sizeof *name_rows);
    tcase_add_loop_test(t, a_link_to_nowhere_is_found, 0,
                        sizeof link_rows / sizeof *link_rows);
    tcase_add_test(t, the_table_of_bandwidths_is_what_machines_achieve);
    tcase_add_loop_test(t, a_wrong_bandwidth_is_found, 0,
                        sizeof wrong_speeds / sizeof *wrong_speeds);
    tcase_add_test(t, every_page_is_whole);
    tcase_add_test(t, without_pandoc_what_to_install_is_said);
    suite_add_tcase(s, t);
    return suite_run(s);
}
