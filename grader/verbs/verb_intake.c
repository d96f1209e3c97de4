/*
 * verb_intake.c: grade intake
 *
 * Turns a learning system's download into the folder that `grade batch` takes:
 * OUT/KEY, or OUT/KEY@N, for each student, with the files as they were handed
 * in. Nothing in it is run or compiled; links are left out. OUT/submitted.csv
 * has the times that the system knows.
 */
#define _GNU_SOURCE
#include <limits.h>   /* PATH_MAX */
#include <stdio.h>    /* printf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strcmp */
#include <strings.h>  /* strcasecmp */
#include <sys/stat.h> /* mkdir */
#include <unistd.h>   /* close */

#include "base/temp.h"
#include "grader/base/folder.h"
#include "grader/base/text.h"
#include "grader/export/export.h"
#include "grader/intake/copy.h"
#include "grader/intake/download.h"
#include "grader/intake/findings.h"
#include "grader/intake/match.h"
#include "grader/intake/submission.h"
#include "grader/job/place.h"
#include "grader/verbs/verbs.h"

struct options {
    const char *roster, *lab, *out, *pattern, *timezone;
    int format, attempt;
};

#define AT(member) offsetof(struct options, member)
static const struct verb_option known[] = {
    VERB_OPTION(VERB_TEXT, "roster", "FILE", AT(roster),
                "as for grade batch; id is Canvas' number, github the account",
                .required = 1),
    VERB_OPTION(VERB_TEXT, "lab", "LAB", AT(lab), "lab1, or its full name",
                .required = 1),
    VERB_OPTION(VERB_TEXT, "out", "DIR", AT(out),
                "a folder for grade batch --submissions", .required = 1,
                .letter = 'o'),
    VERB_OPTION(VERB_WORD, "format", "NAME", AT(format),
                "auto (default), canvas, moodle, gradescope, classroom, or\n"
                "pattern",
                .words = download_format_name),
    VERB_OPTION(VERB_TEXT, "pattern", "PATTERN", AT(pattern),
                "how names tell whose a file is, e.g. '{name}-{id}_{file}'"),
    VERB_OPTION(VERB_NUMBER, "attempt", "N", AT(attempt),
                "what this download has is each student's attempt N; those\n"
                "who handed in the same as before have none",
                .least = 1, .most = 9999),
    VERB_OPTION(VERB_TEXT, "timezone", "ZONE", AT(timezone),
                "of times without one (default UTC): Europe/Berlin"),
    {.name = NULL}};
static const struct verb intake_verb = {
    .name = "intake",
    .intro = "Sort a download of submissions, a folder or an archive, by the "
             "roster's students.",
    .options = known,
    .operand = "DOWNLOAD",
    .outro =
        "A pattern has {student} {id} {sis_id} {github} {email} {group} {name} "
        "{attempt}\n{any} {file} and *: {any} is text without _, {file} the "
        "name to hand in.\n\nExit status: 0 all students have a submission and "
        "all names a student, 1 not so,\n2 usage, 3 this machine's fault."};

/* ---- copying ------------------------------------------------------------- */

/* The system numbers uploads with the same name: p2p-1.c, "p2p (2).c". Remove
 * the number if that gives the name of the work log or of a file of the
 * plan. */
static void unnumbered(const char *name, const struct plan *p, char out[256])
{
    snprintf(out, 256, "%.200s", name);
    for (char *c = out; *c; c++)
        *c = *c == '/' || *c == '\\' ? '_' : *c;
    const char *const dot = strrchr(name, '.');
    const char *end = dot;
    while (end && end > name && strchr("0123456789()- ", end[-1]))
        end--;
    const char *names[SUBMISSION_MAX_NAMES];
    const int nnames = submission_names(p, names);
    for (int i = 0; i < nnames && end && end > name; i++) {
        const size_t n = (size_t)(end - name);
        if (strlen(names[i]) == n + strlen(dot) &&
            strncasecmp(names[i], name, n) == 0 &&
            strcasecmp(names[i] + n, dot) == 0)
            snprintf(out, 256, "%.*s%s", (int)n, name, dot);
    }
}

struct intake {
    const struct options *o;
    const struct plan *plan;
    const struct roster *roster;
    struct download *d;
    int nstudents, nmissing, nunknown, nsame;
};

static int attempt_of(const struct intake *in, const struct item *it)
{
    return in->o->attempt ? in->o->attempt : it->attempt;
}

static void folder_of(const struct intake *in, const struct student *s,
                      int attempt, char out[PATH_MAX])
{
    snprintf(out, PATH_MAX, "%s/%s", in->o->out, s->key);
    if (attempt > 1)
        snprintf(out + strlen(out), PATH_MAX - strlen(out), "@%d", attempt);
}

static void key_of(const struct intake *in, const struct item *it,
                   char out[PATH_MAX])
{
    folder_of(in, it->student, attempt_of(in, it), out);
}

static int take_item(struct intake *in, const struct item *it)
{
    char dir[PATH_MAX], name[256], to[2 * PATH_MAX];
    struct stat st;
    key_of(in, it, dir);
    mkdir(dir, 0700); // the student's first item makes it
    if (lstat(it->path, &st) == 0 && S_ISDIR(st.st_mode))
        return copy_tree(it->path, dir);
    // "{student}.{file}" leaves only the extension of an archive's name
    const char *const file =
        it->file && strchr(it->file, '.') ? it->file : NULL;
    unnumbered(file ? file : it->name, in->plan, name);
    snprintf(to, sizeof to, "%s/%s", dir, name);
    if (access(to, F_OK) == 0) // a second upload with this name: keep both
        snprintf(to, sizeof to, "%s/2-%s", dir, name);
    return copy_tree(it->path, to);
}

/* ---- what is new --------------------------------------------------------- */

/* True if both folders have the same of the plan's files. */
static int has_same(const struct intake *in, const char *a, const char *b)
{
    size_t n[2];
    void *const data[2] = {submission_read(a, in->plan, &n[0]),
                           submission_read(b, in->plan, &n[1])};
    const int same = data[0] && data[1] && n[0] == n[1] &&
                     memcmp(data[0], data[1], n[0]) == 0;
    free(data[0]);
    free(data[1]);
    return same;
}

/* The folder of the last attempt before this one, of the student or of the
 * student's group. Returns 0 if there is none. */
static int find_before(const struct intake *in, const struct item *it,
                       char out[PATH_MAX])
{
    for (int n = attempt_of(in, it) - 1; n >= 1; n--)
        for (int i = 0; i < in->roster->n; i++) {
            const struct student *const s = &in->roster->student[i];
            folder_of(in, s, n, out);
            if (roster_together(s, it->student) && access(out, F_OK) == 0)
                return 1;
        }
    return 0;
}

/* The number of the first item of item i's submission; with `late`, of those
 * that the system marks as late. */
static int first_of(const struct intake *in, int i, int late)
{
    const struct item *const it = &in->d->item[i];
    for (int k = 0; k < i; k++) {
        const struct item *const other = &in->d->item[k];
        if (other->student == it->student && other->late >= late &&
            attempt_of(in, other) == attempt_of(in, it))
            return k;
    }
    return i;
}

/* A system's download has the latest of every student, so most of what it has
 * of a second attempt may be the first. Remove that. */
static void drop_same(struct intake *in)
{
    char dir[PATH_MAX], before[PATH_MAX];
    for (int i = 0; i < in->d->n && in->o->attempt > 1; i++) {
        struct item *const it = &in->d->item[i];
        const int first = first_of(in, i, 0);
        if (!it->student)
            continue;
        if (first < i) {
            it->same = in->d->item[first].same;
            continue;
        }
        key_of(in, it, dir);
        it->same = find_before(in, it, before) && has_same(in, dir, before);
        in->nsame += it->same;
        if (it->same)
            folder_remove(dir);
    }
}

/* Note when the system says that they were handed in. */
static void put_times(const struct intake *in, FILE *times)
{
    for (int i = 0; i < in->d->n; i++) {
        const struct item *const it = &in->d->item[i];
        char when[32];
        if (!it->student || it->same || it->submitted == ROSTER_NEVER ||
            first_of(in, i, 0) < i)
            continue;
        export_when(it->submitted, when);
        fprintf(times, "%s,%d,%s\n", it->student->key, attempt_of(in, it),
                when);
    }
}

/* ---- reports ------------------------------------------------------------- */

static int has_item(const struct intake *in, const struct student *s)
{
    for (int i = 0; i < in->d->n; i++)
        if (in->d->item[i].student && !in->d->item[i].same &&
            roster_together(in->d->item[i].student, s))
            return 1;
    return 0;
}

static void show_students(struct intake *in)
{
    for (int i = 0; i < in->roster->n; i++) {
        const struct student *const s = &in->roster->student[i];
        if (has_item(in, s) || in->o->attempt > 1)
            continue; // not everybody hands in twice
        if (in->nmissing++ == 0)
            printf("nothing was handed in by\n");
        printf("  %s%s%s\n", s->key, s->name[0] ? ", " : "", s->name);
    }
    for (int i = 0; i < in->d->n; i++) {
        const struct item *const it = &in->d->item[i];
        if (it->student)
            continue;
        char *const clean = text_clean(it->name, TEXT_NAME);
        if (in->nunknown++ == 0)
            printf("these match no student:\n");
        printf("  %s%s\n", clean,
               it->ambiguous ? " (more than one fits: give the roster more "
                               "columns)"
                             : "");
        free(clean);
    }
}

static void show_late(const struct intake *in)
{
    for (int i = 0; i < in->d->n; i++)
        if (in->d->item[i].late && !in->d->item[i].same &&
            first_of(in, i, 1) == i)
            printf("  %s: the download marks it late without a time: put the "
                   "time of submission into the roster's column submitted\n",
                   in->d->item[i].student->key);
}

static int show(struct intake *in)
{
    char dir[PATH_MAX], last[PATH_MAX] = "";
    for (int i = 0; i < in->roster->n; i++)
        in->nstudents += has_item(in, &in->roster->student[i]);
    printf("%s: %d of %d students have handed in",
           download_format_name[in->d->format], in->nstudents, in->roster->n);
    if (in->o->attempt > 1)
        printf(" attempt %d", in->o->attempt);
    if (in->nsame)
        printf("; what %d had handed in before is left out", in->nsame);
    printf("\n");
    for (int i = 0; i < in->d->n; i++) {
        if (!in->d->item[i].student || in->d->item[i].same)
            continue;
        key_of(in, &in->d->item[i], dir);
        if (strcmp(dir, last) != 0)
            findings_print(in->plan, dir, strrchr(dir, '/') + 1);
        strcpy(last, dir);
    }
    show_late(in);
    show_students(in);
    return in->nmissing || in->nunknown ? EXIT_NOT_FULL : EXIT_FULL;
}

/* ---- the command --------------------------------------------------------- */

/* True if no student's folder exists already, so that nothing is
 * mixed or lost. */
static int is_free(const struct intake *in)
{
    char dir[PATH_MAX];
    for (int i = 0; i < in->d->n; i++) {
        if (!in->d->item[i].student)
            continue;
        key_of(in, &in->d->item[i], dir);
        if (access(dir, F_OK) == 0) {
            verb_wrong("intake",
                       "%s is there already: choose another --out, or say "
                       "which --attempt this is",
                       dir);
            return 0;
        }
    }
    return 1;
}

static int take_all(struct intake *in)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/submitted.csv", in->o->out);
    const int is_new = access(path, F_OK) != 0;
    FILE *const times = fopen(path, "ae");
    if (!times)
        return verb_wrong("intake", "%s: %m", path);
    if (is_new)
        fprintf(times, "student,attempt,submitted\n");
    int err = 0;
    for (int i = 0; i < in->d->n && !err; i++)
        err = in->d->item[i].student ? take_item(in, &in->d->item[i]) : 0;
    if (!err) {
        drop_same(in);
        put_times(in, times);
    }
    if (fclose(times) != 0 || err)
        return verb_wrong("intake", "cannot write %s: %m", in->o->out),
               EXIT_INFRA;
    return show(in);
}

static int of_folder(const struct options *o, const char *dir,
                     const struct plan *plan, const struct roster *r)
{
    char err[512];
    struct intake in = {.o = o, .plan = plan, .roster = r};
    const enum download_format format =
        o->pattern ? DOWNLOAD_PATTERN : (enum download_format)o->format;
    in.d = download_list(dir, r, format, o->pattern, err, sizeof err);
    if (!in.d)
        return verb_wrong("intake", "%s", err);
    const int status = folder_make(o->out) != 0
                           ? verb_wrong("intake", "%s: %m", o->out)
                       : is_free(&in) ? take_all(&in)
                                      : EXIT_USAGE;
    download_free(in.d);
    return status;
}

static int of_download(const struct options *o, const char *download,
                       const struct plan *plan, const struct roster *r)
{
    char dir[PATH_MAX], err[PATH_MAX];
    struct stat st;
    if (stat(download, &st) != 0)
        return verb_wrong("intake", "%s: %m", download);
    if (S_ISDIR(st.st_mode))
        return of_folder(o, download, plan, r);
    if (!mkdtemp(temp_path(dir, sizeof dir, "commlab-intake")))
        return verb_wrong("intake", "%s: %m", dir), EXIT_INFRA;
    const int status = copy_unpack(download, dir, err, sizeof err) == 0
                           ? of_folder(o, dir, plan, r)
                           : verb_wrong("intake", "%s", err);
    folder_remove(dir);
    return status;
}

int verb_intake(int argc, char **argv)
{
    struct options o = {.attempt = 0};
    struct place p;
    char err[512];
    int status;
    const int operand = verb_parse(&intake_verb, argc, argv, &o, &status);
    if (operand < 0)
        return status;
    if (roster_timezone(o.timezone) != 0)
        return verb_wrong("intake", "there is no time zone %s", o.timezone);
    if (o.format == DOWNLOAD_PATTERN && !o.pattern)
        return verb_wrong("intake", "--pattern is missing");
    if (o.pattern && match_wrong(o.pattern))
        return verb_wrong("intake",
                          "a pattern has no %.20s (--help lists what it has)",
                          match_wrong(o.pattern));
    const struct request q = {.lab = o.lab};
    if (place_find(&p, &q, err, sizeof err) != 0) {
        status = verb_wrong("intake", "%s", err);
    } else {
        struct roster *const r = roster_load(o.roster, p.lab, err, sizeof err);
        const struct student *const odd = r ? roster_not_utf8(r) : NULL;
        if (odd)
            verb_wrong("intake", ROSTER_NOT_UTF8, o.roster, odd->key);
        status = r ? of_download(&o, argv[operand], p.plan, r)
                   : verb_wrong("intake", "%s", err);
        roster_free(r);
    }
    place_release(&p);
    return status;
}
