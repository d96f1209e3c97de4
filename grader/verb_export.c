/*
 * verb_export.c: grade export
 */
#include <getopt.h> /* getopt_long */
#include <stdlib.h> /* strtod */
#include <string.h> /* strcmp */

#include "class.h"
#include "verb.h"

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

static int usage(FILE *out)
{
    fprintf(out, "usage: grade export --ledger FILE --lab LAB --format FORMAT "
                 "-o OUT [options]\n\n");
    for (int i = 0; i < NFORMATS; i++)
        fprintf(out, "  %-12s %-7s %s\n", formats[i].name,
                formats[i].is_folder ? "folder" : "file", formats[i].help);
    fprintf(out,
            "\n  -o, --out OUT         a file (- is standard output), or a "
            "folder\n"
            "  --attempt WHICH       latest (default) or best\n"
            "  --late-percent P      taken off the score for each day late "
            "(default 0)\n"
            "  --assignment NUMBER   Canvas' number of the assignment\n"
            "  --key FILE            the ledger's key, elsewhere\n\n"
            "Infra and missing have no score; they are never a zero.\n");
    return out == stdout ? EXIT_FULL : EXIT_USAGE;
}

struct options {
    const char *ledger, *key, *lab, *format;
    int best;
};

static const struct option known[] = {
    {"ledger", 1, NULL, 'l'},       {"key", 1, NULL, 'k'},
    {"lab", 1, NULL, 'L'},          {"format", 1, NULL, 'f'},
    {"out", 1, NULL, 'o'},          {"attempt", 1, NULL, 'a'},
    {"late-percent", 1, NULL, 'p'}, {"assignment", 1, NULL, 'n'},
    {"help", 0, NULL, 'h'},         {NULL, 0, NULL, 0}};

/* One option; -1 when it is wrong, 1 for --help. */
static int take(struct options *o, struct export *e, int k)
{
    char *end;
    switch (k) {
    case 'l': o->ledger = optarg; return 0;
    case 'k': o->key = optarg; return 0;
    case 'L': o->lab = optarg; return 0;
    case 'f': o->format = optarg; return 0;
    case 'o': e->out = optarg; return 0;
    case 'n': e->assignment = optarg; return 0;
    case 'a':
        o->best = strcmp(optarg, "best") == 0;
        return o->best || strcmp(optarg, "latest") == 0 ? 0 : -1;
    case 'p':
        e->late_percent = strtod(optarg, &end);
        return *end || !(e->late_percent >= 0 && e->late_percent <= 100) ? -1
                                                                         : 0;
    default: return k == 'h' ? 1 : -1;
    }
}

static int find_format(const char *name)
{
    for (int i = 0; name && i < NFORMATS; i++)
        if (strcmp(formats[i].name, name) == 0)
            return i;
    return -1;
}

static int write_export(const struct options *o, struct export *e, int format)
{
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
    else if (formats[format].is_folder && verb_make_folder(e->out) != 0)
        verb_wrong("export", "%s cannot be made", e->out);
    else
        status = formats[format].write(e) == 0 ? EXIT_FULL : EXIT_INFRA;
    class_release(e);
    ledger_close(e->ledger);
    return status;
}

int verb_export(int argc, char **argv)
{
    struct options o = {0};
    struct export e = {0};
    int taken = 0;
    for (int k;
         !taken && (k = getopt_long(argc, argv, "o:", known, NULL)) != -1;)
        taken = take(&o, &e, k);
    if (taken != 0)
        return usage(taken > 0 ? stdout : stderr);
    const int format = find_format(o.format);
    if (format < 0 || !o.ledger || !o.lab || !e.out || optind != argc) {
        verb_wrong("export", "needs --ledger, --lab, --format, -o");
        return usage(stderr);
    }
    return write_export(&o, &e, format);
}
