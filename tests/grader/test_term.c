/*
 * From a ledger to the class: term.json has batches, gradings and changes, and
 * term.txt what becomes of them: the rows, the site, the live page.
 */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h>
#include <math.h>        /* NAN */
#include <sodium.h>      /* crypto_generichash */
#include <stdio.h>       /* snprintf */
#include <stdlib.h>      /* free */
#include <string.h>      /* strstr */
#include <sys/stat.h>    /* chmod */
#include <sys/utsname.h> /* uname */

#include "child.h"
#include "fds.h"
#include "golden.h"
#include "grader/export/change.h"
#include "grader/export/class.h"
#include "grader/export/live.h"
#include "grader/intake/submission.h"
#include "suite.h"

#define GOLDEN "tests/grader/term.txt"
#define LAB    "lab1-collectives"
static char dir[CHILD_FOLDER], ledger[CHILD_FOLDER + 16], err[512];
static struct ledger *l;
static json_t *digests; /* what was handed in, by "student@attempt" */

static const char *text(const json_t *j, const char *key, const char *none)
{
    const json_t *const value = json_object_get(j, key);
    return value ? json_string_value(value) : none;
}

static int whole(const json_t *j, const char *key)
{
    return (int)json_integer_value(json_object_get(j, key));
}

static void write_file(const char *path, const char *bytes)
{
    FILE *const f = fopen(path, "w");
    ck_assert_msg(f != NULL, "%s", path);
    fputs(bytes, f);
    fclose(f);
}

/* ---- the ledger ---------------------------------------------------------- */

/* The entry's body is consumed. */
static void append(struct ledger_entry e, const json_t *j, json_t *body)
{
    char *const bytes = json_dumps(body, 0);
    e.lab = text(j, "lab", LAB);
    e.body = bytes;
    ck_assert_msg(ledger_append(l, &e) > 0, "%s", ledger_error(l));
    free(bytes);
    json_decref(body);
}

static void add_batch(const json_t *j)
{
    const char *const csv = text(j, "batch", "");
    struct roster *const r =
        roster_parse(csv, strlen(csv), LAB, err, sizeof err);
    ck_assert_msg(r != NULL, "%s", err);
    append((struct ledger_entry){.kind = "batch", .student = "", .digest = ""},
           j,
           json_pack("{s:o, s:s}", "roster", roster_json(r), "timezone",
                     text(j, "timezone", "")));
    roster_free(r);
}

static void keep_files(json_t *files, char digest[LEDGER_DIGEST])
{
    struct plan plan = {.nfiles = 0};
    char folder[CHILD_FOLDER], path[CHILD_FOLDER + 32];
    const char *name;
    json_t *bytes;
    size_t n;
    child_folder(folder, "handed-in");
    json_object_foreach(files, name, bytes)
    {
        plan.file[plan.nfiles++] = (char *)name;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        write_file(path, json_string_value(bytes));
    }
    void *const tar = submission_read(folder, &plan, &n);
    ck_assert_ptr_nonnull(tar);
    ck_assert_int_eq(ledger_keep(l, tar, n, digest), 0);
    free(tar);
    child_remove(folder);
}

static json_t *case_of(const json_t *a)
{
    json_t *const at[9] = {
        json_array_get(a, 0), json_array_get(a, 1), json_array_get(a, 2),
        json_array_get(a, 3), json_array_get(a, 4), json_array_get(a, 5),
        json_array_get(a, 6), json_array_get(a, 7), json_array_get(a, 8)};
    json_t *const j = json_pack(
        "{s:O, s:O, s:O, s:O, s:O, s:b, s:O, s:O, s:O, s:i, s:s}", "name",
        at[0], "part", at[1], "outcome", at[2], "score", at[3], "max_score",
        at[4], "hidden", json_integer_value(at[5]) != 0, "message", at[6],
        "time_us", at[7], "reference_us", at[8], "ranks", 4, "rerun",
        "mpirun it");
    ck_assert_ptr_nonnull(j);
    return j;
}

static json_t *result_of(const json_t *j)
{
    json_t *const tests = json_array(), *test;
    size_t i;
    json_array_foreach(json_object_get(j, "tests"), i, test)
        json_array_append_new(tests, case_of(test));
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:O, s:f, s:s, s:s, s:s, s:b, s:o, "
        "s:O*, s:O*, s:O*}",
        "lab", LAB, "title", "Rings & trees", "outcome", text(j, "outcome", ""),
        "message", text(j, "message", ""), "notes", "a note", "seed", "77",
        "score", json_object_get(j, "score"), "max_score", 12.0, "backend",
        "sim", "timeline", text(j, "timeline", ""), "view", text(j, "view", ""),
        "measured", 1, "tests", tests, "prediction",
        json_object_get(j, "prediction"), "in_words",
        json_object_get(j, "in_words"), "worklog",
        json_object_get(j, "worklog"));
}

static void add_grading(const json_t *j)
{
    char digest[LEDGER_DIGEST], name[64];
    int64_t when;
    const char *const student = text(j, "grading", "");
    const int attempt = whole(j, "attempt");
    ck_assert_int_eq(roster_time(text(j, "at", ""), &when), 0);
    keep_files(json_object_get(j, "files"), digest);
    snprintf(name, sizeof name, "%s@%d", student, attempt);
    json_object_set_new(digests, name, json_string(digest));
    append((struct ledger_entry){.kind = "grading",
                                 .student = student,
                                 .attempt = attempt,
                                 .digest = digest},
           j,
           json_pack("{s:o, s:I, s:i, s:{s:s}, s:{s:i}}", "result",
                     result_of(j), "submitted", (json_int_t)when, "days_late",
                     whole(j, "late"), "versions", "plan",
                     text(j, "plan", "one"), "isolation", "level", 2));
}

static void add_change(const json_t *j)
{
    const json_t *const score = json_object_get(j, "score");
    struct change c = {.kind =
                           (enum change_kind)change_find(text(j, "change", "")),
                       .by = "Dr. X",
                       .reason = text(j, "reason", "a recount"),
                       .case_name = text(j, "case", NULL),
                       .score = score ? json_number_value(score) : NAN,
                       .undo = json_is_true(json_object_get(j, "undo"))};
    char name[64];
    const char *const student = text(j, "student", "");
    const int attempt = whole(j, "attempt");
    if (c.kind == CHANGE_EXTEND)
        ck_assert_int_eq(roster_time(text(j, "deadline", ""), &c.deadline), 0);
    snprintf(name, sizeof name, "%s@%d", student, attempt);
    const char *const of = text(j, "of", name);
    char *const body = change_body(&c);
    append((struct ledger_entry){.kind = change_name[c.kind],
                                 .student = student,
                                 .attempt = attempt,
                                 .digest = text(digests, of, "")},
           j, json_loads(body, 0, NULL));
    free(body);
}

/* Of a later version, say: what nobody can read is nobody's. */
static void add_junk(const json_t *j)
{
    append((struct ledger_entry){.kind = text(j, "junk", ""),
                                 .student = text(j, "student", ""),
                                 .attempt = whole(j, "attempt"),
                                 .digest = ""},
           j, json_array());
}

static void make_ledger(void)
{
    static const char key[] = "pseudonyms are the same each day";
    json_error_t why;
    size_t i;
    json_t *const all = json_load_file("tests/grader/term.json", 0, &why), *j;
    ck_assert_msg(all != NULL, "%d: %s", why.line, why.text);
    child_folder(dir, "term");
    snprintf(ledger, sizeof ledger, "%s/L.db.key", dir);
    write_file(ledger, key);
    ck_assert_int_eq(chmod(ledger, 0600), 0);
    *strrchr(ledger, '.') = 0;
    l = ledger_open(ledger, NULL, LEDGER_WRITE, err, sizeof err);
    ck_assert_msg(l != NULL, "%s", err);
    digests = json_object();
    json_array_foreach(all, i, j)
    {
        if (json_object_get(j, "batch"))
            add_batch(j);
        else if (json_object_get(j, "grading"))
            add_grading(j);
        else if (json_object_get(j, "change"))
            add_change(j);
        else
            add_junk(j);
    }
    json_decref(all);
}

static void remove_ledger(void)
{
    json_decref(digests);
    ledger_close(l);
    child_remove(dir);
}

/* ---- rows ---------------------------------------------------------------- */

static void show_case(FILE *f, const struct grading_case *c)
{
    fprintf(f, "    %s %s part %d, %d ranks%s: %g of %g, %g us of %g: %s|%s\n",
            c->name, outcome_name[c->outcome], c->part, c->ranks,
            c->hidden ? ", hidden" : "", c->score, c->max_score, c->time_us,
            c->reference_us, c->message, c->rerun);
}

static void show_attempt(FILE *f, const struct row *r, const struct attempt *a)
{
    char when[32];
    const struct grading *const g = &a->g;
    export_when(a->submitted, when);
    fprintf(f, "  %d of %s%s%s%s: %s %g of %g, %d late, final %g%s, %s\n",
            a->number, a->student, a == r->counts ? ", counts" : "",
            a == r->before ? ", before" : "", a->changed ? ", changed" : "",
            outcome_name[g->outcome], g->score, g->max_score, a->days_late,
            a->final, a->has_score ? "" : " (no score)", when);
    fprintf(f, "    %s|%s|%s|%s|%s|%s|%s, %d, %d, %d\n", g->lab, g->title,
            g->message, g->notes, g->seed, g->backend, g->plan, g->isolation,
            g->measured, g->days_late);
    for (int i = 0; i < g->ncases; i++)
        show_case(f, &g->cases[i]);
}

static void show_row(FILE *f, const struct row *r)
{
    char when[32];
    export_when(r->deadline, when);
    fprintf(f, "%s%s until %s: %s, attempt %d, %d late, %sfinal %g",
            r->student->key, r->excused ? " excused" : "", when,
            export_outcome(r), r->attempt, r->days_late,
            r->has_score ? "" : "no score, ", r->final);
    fprintf(f, r->given ? ", given %g\n" : "\n", r->given_score);
    if (r->counts)
        ck_assert_str_eq(r->digest, r->counts->digest);
}

/* What the row is made of. */
static void show_parts(FILE *f, const struct row *r)
{
    size_t i;
    json_t *note;
    for (int k = 0; k < r->nattempts; k++)
        show_attempt(f, r, &r->attempts[k]);
    json_array_foreach(r->notes, i, note)
        fprintf(f, "  - %s\n", json_string_value(note));
}

/* What was printed has to be that part of the golden file. */
static void is_part(FILE *f, char **printed, const char *part)
{
    fclose(f);
    golden_expect_part(GOLDEN, part, *printed);
    free(*printed);
}

static const struct {
    const char *name, *lab, *timezone;
    int best;
    double late_percent;
} ways[] = {{"latest", "lab1", NULL, 0, 10},
            {"best", LAB, "America/New_York", 1, 10}};

START_TEST(a_class_is_what_its_ledger_says)
{
    struct export e = {.ledger = l,
                       .timezone = ways[_i].timezone,
                       .late_percent = ways[_i].late_percent};
    char lab[64], *printed;
    size_t n;
    FILE *const f = open_memstream(&printed, &n);
    strcpy(lab, ways[_i].lab);
    ck_assert_msg(class_load(&e, lab, ways[_i].best, err, sizeof err) == 0,
                  "%s", err);
    fprintf(f, "%s, %s, %d students, of %g, %d plans\n", e.lab, e.title,
            e.nrows, e.max_score, e.nplans);
    for (int i = 0; i < e.nrows; i++) {
        show_row(f, &e.row[i]);
        if (!ways[_i].best)
            show_parts(f, &e.row[i]);
    }
    class_release(&e);
    is_part(f, &printed, ways[_i].name);
}
END_TEST

START_TEST(a_class_without_a_batch_or_a_zone_is_none)
{
    struct export e = {.ledger = l};
    char lab[64] = "lab2";
    ck_assert_int_eq(class_load(&e, lab, 0, err, sizeof err), -1);
    ck_assert_str_eq(err, "the ledger has no batch of lab2");
    class_release(&e);
    e = (struct export){.ledger = l, .timezone = "Mars/Olympus"};
    strcpy(lab, "lab1");
    ck_assert_int_eq(class_load(&e, lab, 0, err, sizeof err), -1);
    ck_assert_str_eq(err, "there is no time zone Mars/Olympus");
    class_release(&e);
}
END_TEST

static const struct {
    struct change c;
    const char *body;
} bodies[] = {
    {{.kind = CHANGE_EXTEND,
      .by = "X",
      .reason = "ill",
      .score = NAN,
      .deadline = 5},
     "{\"by\":\"X\",\"deadline\":5,\"reason\":\"ill\"}"},
    {{.kind = CHANGE_OVERRIDE,
      .by = "X",
      .reason = "r",
      .case_name = "ring",
      .score = 2.5,
      .deadline = 5},
     "{\"by\":\"X\",\"case\":\"ring\",\"reason\":\"r\",\"score\":2.5}"},
    {{.kind = CHANGE_EXCUSE, .by = "X", .reason = "", .score = NAN, .undo = 1},
     "{\"by\":\"X\",\"reason\":\"\",\"undo\":true}"},
};

START_TEST(a_change_is_kept_with_what_it_has)
{
    char *const body = change_body(&bodies[_i].c);
    ck_assert_str_eq(body, bodies[_i].body);
    free(body);
    ck_assert_int_eq(change_find("grading"), -1);
}
END_TEST

/* ---- what graded --------------------------------------------------------- */

/* The digest is one of names and bytes; what isn't there has a name only. */
START_TEST(a_plans_digest_is_of_its_three_files)
{
    static const char parts[] = "grader/plans/x.yaml\0visible"
                                "grader/plans/hidden/x.yaml\0hid"
                                "grader/plans/times/x.yaml";
    unsigned char hash[16];
    char hex[33], want[33], path[CHILD_FOLDER + 64];
    struct child c = child_run(20, "mkdir -p %s/grader/plans/hidden", dir);
    child_clear(&c);
    snprintf(path, sizeof path, "%s/grader/plans/x.yaml", dir);
    write_file(path, "visible");
    snprintf(path, sizeof path, "%s/grader/plans/hidden/x.yaml", dir);
    write_file(path, "hid");
    crypto_generichash(hash, sizeof hash, (const unsigned char *)parts,
                       sizeof parts, NULL, 0);
    sodium_bin2hex(want, sizeof want, hash, sizeof hash);
    grading_plan_digest(dir, "x", hex);
    ck_assert_str_eq(hex, want);
}
END_TEST

START_TEST(versions_say_what_graded)
{
    struct utsname u;
    char plan[33];
    ck_assert_int_eq(uname(&u), 0);
    json_t *const v = grading_versions(dir, "x");
    struct child c =
        child_run(20, "printf %%s $(cat %s/../common/VERSION)", child_build());
    ck_assert_str_eq(text(v, "version", ""), c.out);
    child_clear(&c);
    c = child_run(20, "%s/grade --version", child_build());
    ck_assert_ptr_nonnull(strstr(c.out, text(v, "version", "?")));
    child_clear(&c);
    c = child_run(20, "printf %%s $(gcc -dumpfullversion)");
    ck_assert_str_eq(text(v, "gcc", ""), c.out);
    child_clear(&c);
    c = child_run(20, "printf %%s $(pkg-config --modversion mpich)");
    ck_assert_str_eq(text(v, "mpich", ""), c.out);
    child_clear(&c);
    grading_plan_digest(dir, "x", plan);
    ck_assert_str_eq(text(v, "plan", ""), plan);
    ck_assert_str_eq(text(v, "kernel", ""), u.release);
    ck_assert_str_eq(text(v, "node", ""), u.nodename);
    c = child_run(20, "cd %s && mkdir build && echo 1 > build/grade", dir);
    child_clear(&c);
    json_t *const other = grading_versions(dir, "x");
    ck_assert_uint_eq(strlen(text(v, "kit", "")), 32);
    ck_assert_str_ne(text(v, "kit", ""), text(other, "kit", ""));
    json_decref(other);
    json_decref(v);
}
END_TEST

START_TEST(a_failed_machine_leaves_a_result_without_points)
{
    json_t *const j = grading_infra("lab1", UINT64_MAX, "no disk");
    char *const bytes = json_dumps(j, JSON_COMPACT);
    ck_assert_str_eq(bytes,
                     "{\"lab\":\"lab1\",\"outcome\":\"infra\",\"message\":"
                     "\"no disk\",\"seed\":\"18446744073709551615\","
                     "\"score\":0.0,\"max_score\":0.0,\"tests\":[]}");
    free(bytes);
    json_decref(j);
}
END_TEST

/* ---- pages --------------------------------------------------------------- */

/* A page's data, with a line for each object, which the caller frees. */
static char *data_of(const char *page)
{
    static const char begin[] = "id=\"data\">\n";
    char *text = NULL;
    size_t n;
    FILE *const f = open_memstream(&text, &n);
    const char *p = strstr(page, begin);
    ck_assert_ptr_nonnull(p);
    for (p += strlen(begin); *p && *p != '\n'; p++) {
        fputc(*p, f);
        if (p[0] == ',' && p[-1] == '}')
            fputc('\n', f);
    }
    fputc('\n', f);
    fclose(f);
    return text;
}

START_TEST(the_live_page_shows_how_far_it_is)
{
    char path[CHILD_FOLDER + 64];
    size_t n;
    snprintf(path, sizeof path, "%s.spool", ledger);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    for (int i = 0; i < 4; i++) { // three at work, and a file of another kind
        snprintf(path, sizeof path, "%s.spool/%d.%s", ledger, i,
                 i < 3 ? "sub" : "other");
        write_file(path, "");
    }
    char *const page = live_page(ledger, NULL, "lab1", &n, err, sizeof err);
    ck_assert_msg(page != NULL, "%s", err);
    ck_assert_uint_eq(strlen(page), n);
    ck_assert_ptr_nonnull(strstr(page, "http-equiv=\"refresh\" content=\"5\""));
    char *const data = data_of(page);
    golden_expect_part(GOLDEN, "live", data);
    free(data);
    free(page);
    ck_assert(live_page(ledger, NULL, "lab2", &n, err, sizeof err) == NULL);
    ck_assert_str_eq(err, "the ledger has no batch of lab2");
    ck_assert(live_page(dir, NULL, "lab1", &n, err, sizeof err) == NULL);
}
END_TEST

/* Of a page its data, with a line for each object; not the lab's own files. */
#define SHOW                                                                   \
    "case $f in *.html) sed -n '/id=\"data\"/{n;s/},/},\\n/g;p}' $f;; "        \
    "*) cat $f;; esac"

static const struct {
    const char *lab, *format, *options, *files;
} sites[] = {
    {"lab1", "html", "--late-percent 10", "index.html students/[abgkno]*"},
    {"lab1", "html", "--attempt best", "students/kim*"},
    {"lab1", "moss", "", "[a-z]*/[ap]*.* moss.txt"},
    {"lab0", "moss", "", "moss.txt"},
    {"lab10", "moss", "", ""},
};

/* What an export says, which files it writes, and what is in some. */
START_TEST(an_export_is_what_the_class_is)
{
    char part[64];
    struct child c = child_run(
        60,
        "cd %s && %s/tests/grader/grade export --ledger L.db --lab %s --format "
        "%s -o site "
        "%s 2>&1; find site -type f | LC_ALL=C sort && cd site && for f in "
        "%s; do case $f in *.view.html | base/*) ;; *) echo \"-- $f\"; " SHOW
        ";; esac; done",
        dir, child_build(), sites[_i].lab, sites[_i].format, sites[_i].options,
        sites[_i].files);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    snprintf(part, sizeof part, "%s %s %s", sites[_i].lab, sites[_i].format,
             sites[_i].options);
    golden_expect_part(GOLDEN, part, c.out);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("term");
    TCase *const t = tcase_create("term");
    fds_watch(t);
    tcase_add_checked_fixture(t, make_ledger, remove_ledger);
    tcase_add_loop_test(t, a_class_is_what_its_ledger_says, 0,
                        sizeof ways / sizeof *ways);
    tcase_add_test(t, a_class_without_a_batch_or_a_zone_is_none);
    tcase_add_loop_test(t, a_change_is_kept_with_what_it_has, 0,
                        sizeof bodies / sizeof *bodies);
    tcase_add_test(t, a_plans_digest_is_of_its_three_files);
    tcase_add_test(t, versions_say_what_graded);
    tcase_add_test(t, a_failed_machine_leaves_a_result_without_points);
    tcase_add_test(t, the_live_page_shows_how_far_it_is);
    tcase_add_loop_test(t, an_export_is_what_the_class_is, 0,
                        sizeof sites / sizeof *sites);
    suite_add_tcase(s, t);
    return suite_run(s);
}
