/*
 * verb_export.c: grade export
 */
#define _GNU_SOURCE
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "grader/base/folder.h"
#include "grader/export/class.h"
#include "grader/verbs/verbs.h"

static const struct {
    const char *name;
    int (*write)(const struct export *e);
    int is_folder;
    const char *help;
} formats[] = {
    {"csv", export_csv, 0, "everything, a column for each case"},
    {"canvas", export_canvas, 0, "Canvas gradebook (--assignment NUMBER)"},
    {"moodle", export_moodle, 0, "Moodle grade import"},
    {"leaderboard", export_leaderboard, 0, "places, under other names"},
    {"junit", export_junit, 0, "JUnit XML, a suite for each student"},
    {"gradescope", export_gradescope, 1, "KEY/results.json"},
    {"classroom", export_classroom, 1, "KEY.txt for GitHub Classroom"},
    {"autolab", export_autolab, 1, "KEY.txt for Autolab"},
    {"html", export_html, 1, "a site: class summary, page for each student"},
    {"moss", export_moss, 1, "the submissions' files, and MOSS' list"},
};
enum { NFORMATS = sizeof formats / sizeof *formats };

struct options {
    const char *ledger, *key, *lab, *format, *out, *assignment, *timezone;
    int best;
    double late_percent;
};

#define AT(member) offsetof(struct options, member)
static const char *const attempts[] = {"latest", "best", NULL};
static const struct verb_option known[] = {
    VERB_OPTION(VERB_TEXT, "ledger", "FILE", AT(ledger),
                "what grade batch has written", .required = 1),
    VERB_OPTION(VERB_TEXT, "lab", "LAB", AT(lab), "lab1, or its full name",
                .required = 1),
    VERB_OPTION(VERB_TEXT, "format", "FORMAT", AT(format), "see below",
                .required = 1),
    VERB_OPTION(VERB_TEXT, "out", "OUT", AT(out),
                "a file (- is standard output), or a folder", .required = 1,
                .letter = 'o'),
    VERB_OPTION(VERB_WORD, "attempt", "WHICH", AT(best),
                "latest (default) or best", .words = attempts),
    VERB_OPTION(VERB_PERCENT, "late-percent", "P", AT(late_percent),
                "taken off the score for each day late (default 0)"),
    VERB_OPTION(VERB_TEXT, "assignment", "NUMBER", AT(assignment),
                "Canvas' number of the assignment"),
    VERB_OPTION(VERB_TEXT, "timezone", "ZONE", AT(timezone),
                "of the times in it (default: the batch's): Europe/Berlin"),
    VERB_OPTION(VERB_TEXT, "key", "FILE", AT(key),
                "the ledger's key, if it is elsewhere"),
    {.name = NULL}};

/* The formats as lines of the help, which the caller frees. */
static char *formats_text(void)
{
    char *text = NULL;
    size_t nbytes;
    FILE *const f = open_memstream(&text, &nbytes);
    for (int i = 0; i < NFORMATS; i++)
        fprintf(f, "  %-12s %-7s %s\n", formats[i].name,
                formats[i].is_folder ? "folder" : "file", formats[i].help);
    fprintf(f, "\nInfra, suspected (until grade clear), pending, excused and "
               "missing have no\nscore; they are never a zero.");
    fclose(f);
    return text;
}

static int find_format(const char *name)
{
    for (int i = 0; i < NFORMATS; i++)
        if (strcmp(formats[i].name, name) == 0)
            return i;
    return -1;
}

/* Print what a reader of the export should know and the format may not say. */
static void warn(const struct export *e)
{
    int suspected = 0;
    export_warn(e, "export");
    for (int i = 0; i < e->nrows; i++)
        suspected += strcmp(export_outcome(&e->row[i]), "suspected") == 0;
    if (e->nplans > 1)
        fprintf(stderr,
                "grade export: these grades mix %d versions of the plan: "
                "grade regrade makes them one\n",
                e->nplans);
    if (suspected)
        fprintf(stderr,
                "grade export: %d suspected, without a score: look at them, "
                "then grade clear or grade override\n",
                suspected);
}

static int write_export(const struct options *o, int format)
{
    struct export export = {.out = o->out,
                            .assignment = o->assignment,
                            .timezone = o->timezone,
                            .late_percent = o->late_percent};
    struct export *const e = &export;
    char lab[64], err[512];
    snprintf(lab, sizeof lab, "%s", o->lab);
    e->ledger = ledger_open(o->ledger, o->key, LEDGER_READ, err, sizeof err);
    if (!e->ledger)
        return verb_wrong("export", "%s", err);
    int status = EXIT_USAGE;
    if (ledger_verify(e->ledger, NULL, NULL) != 0) {
        verb_wrong("export",
                   "%s was tampered with (grade verify says where); "
                   "nothing is exported",
                   o->ledger);
        status = EXIT_NOT_FULL;
    } else if (class_load(e, lab, o->best, err, sizeof err) != 0)
        verb_wrong("export", "%s", err);
    else if (formats[format].is_folder && folder_make(e->out) != 0)
        verb_wrong("export", "%s cannot be made: %m", e->out);
    else {
        status = formats[format].write(e) == 0 ? EXIT_FULL : EXIT_INFRA;
        warn(e);
    }
    class_release(e);
    ledger_close(e->ledger);
    return status;
}

int verb_export(int argc, char **argv)
{
    struct options o = {.best = 0};
    char *const text = formats_text();
    const struct verb verb = {.name = "export",
                              .intro = "Write grades as other systems want "
                                       "them.",
                              .options = known,
                              .outro = text};
    int status;
    const int parsed = verb_parse(&verb, argc, argv, &o, &status);
    free(text);
    if (parsed < 0)
        return status;
    const int format = find_format(o.format);
    return format >= 0 ? write_export(&o, format)
                       : verb_wrong("export",
                                    "there is no format %s (--help "
                                    "lists them)",
                                    o.format);
}
