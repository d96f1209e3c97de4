/*
 * verb_course.c: grade course
 */
#define _GNU_SOURCE
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "grader/export/class.h"
#include "grader/export/course.h"
#include "grader/verbs/verbs.h"

struct options {
    const char *key, *out, *weights, *assignments, *timezone;
    int format, best, pool, drop, points;
    double late_percent;
};

#define AT(member) offsetof(struct options, member)
static const char *const formats[] = {"csv", "canvas", "moodle", NULL};
static const char *const attempts[] = {"latest", "best", NULL};
static int (*const writers[])(const struct course *c) = {
    course_csv, course_canvas, course_moodle};
static const struct verb_option known[] = {
    VERB_OPTION(VERB_WORD, "format", "FORMAT", AT(format),
                "csv (default), canvas or moodle", .words = formats),
    VERB_OPTION(VERB_TEXT, "out", "FILE", AT(out), "- is standard output",
                .required = 1, .letter = 'o'),
    VERB_OPTION(VERB_TEXT, "weights", "LAB=W,...", AT(weights),
                "lab1=1,lab2=2.5: one for each lab (default: all the same);\n"
                "a lab that weighs 0 is shown and does not count"),
    VERB_OPTION(VERB_NUMBER, "points", "N", AT(points),
                "of the whole course (default 100)", .least = 1,
                .most = 1000000),
    VERB_OPTION(VERB_NUMBER, "drop-lowest", "N", AT(drop),
                "leave out each student's N labs with the lowest shares",
                .most = COURSE_LABS),
    VERB_OPTION(VERB_PERCENT, "late-percent", "P", AT(late_percent),
                "taken off a lab's score for each day late (default 0)"),
    VERB_OPTION(VERB_NUMBER, "late-pool", "N", AT(pool),
                "days late, over all labs, that cost nothing",
                .most = COURSE_POOL),
    VERB_OPTION(VERB_WORD, "attempt", "WHICH", AT(best),
                "latest (default) or best", .words = attempts),
    VERB_OPTION(VERB_TEXT, "assignments", "LAB=N,...", AT(assignments),
                "Canvas' numbers, also course=N of the total"),
    VERB_OPTION(VERB_TEXT, "timezone", "ZONE", AT(timezone),
                "of the course (default: the batches'): Europe/Berlin"),
    VERB_OPTION(VERB_TEXT, "key", "FILE", AT(key),
                "the ledgers' key, if it is elsewhere"),
    {.name = NULL}};
static const struct verb course_verb = {
    .name = "course",
    .intro = "Write one gradebook over all labs of these ledgers.",
    .options = known,
    .operand = "LEDGER",
    .many = 1,
    .outro =
        "A lab that a student was excused from does not count. Nothing handed "
        "in is a\nzero. While a lab is suspected, infra or pending (a batch "
        "was "
        "interrupted),\nthere is no total.\n"
        "Exit status: 0 done, 1 a ledger was tampered with, 2 usage, 3 this "
        "machine's\nfault."};

/* ---- ledgers ------------------------------------------------------------- */

struct found {
    struct course *c;
    struct ledger *ledger;
    int full;
};

/* Note a lab that the ledger has a batch of. */
static int note_lab(const struct ledger_entry *e, void *arg)
{
    struct found *const f = arg;
    struct course *const c = f->c;
    for (int i = 0; i < c->nparts; i++)
        if (c->part[i].ledger == f->ledger &&
            strcmp(c->part_lab[i], e->lab) == 0)
            return 0;
    f->full = c->nparts == COURSE_LABS;
    if (f->full)
        return 1;
    snprintf(c->part_lab[c->nparts], sizeof *c->part_lab, "%s", e->lab);
    c->part[c->nparts++] = (struct export){.ledger = f->ledger};
    return 0;
}

/* Load a part, and add its lab to the course. */
static int load(struct course *c, int i, const struct options *o, char *err,
                size_t err_nbytes)
{
    struct export *const e = &c->part[i];
    e->timezone = o->timezone;
    e->late_percent = o->late_percent;
    if (class_load(e, c->part_lab[i], o->best, err, err_nbytes) != 0)
        return -1;
    export_warn(e, "course");
    int k = 0;
    while (k < c->nlabs && strcmp(c->lab[k].name, e->lab) != 0)
        k++;
    struct course_lab *const l = &c->lab[k];
    if (k == c->nlabs) {
        *l = (struct course_lab){.weight = 1};
        snprintf(l->name, sizeof l->name, "%s", e->lab);
        c->nlabs++;
    }
    if (e->max_score >= l->max_score) {
        snprintf(l->title, sizeof l->title, "%s", e->title);
        l->max_score = e->max_score;
    }
    return 0;
}

static int take_ledger(struct course *c, const struct options *o,
                       const char *path, struct ledger **opened)
{
    char err[512];
    const int first = c->nparts;
    struct ledger *const l = *opened =
        ledger_open(path, o->key, LEDGER_READ, err, sizeof err);
    if (!l)
        return verb_wrong("course", "%s", err);
    if (ledger_verify(l, NULL, NULL) != 0) {
        verb_wrong("course",
                   "%s was tampered with (grade verify says where); nothing is "
                   "exported",
                   path);
        return EXIT_NOT_FULL;
    }
    struct found f = {.c = c, .ledger = l};
    ledger_each(l, "batch", NULL, note_lab, &f);
    if (f.full)
        return verb_wrong("course", "more than %d labs", COURSE_LABS);
    if (c->nparts == first)
        return verb_wrong("course", "%s has no batch", path);
    for (int i = first; i < c->nparts; i++)
        if (load(c, i, o, err, sizeof err) != 0)
            return verb_wrong("course", "%s: %s", path, err);
    return EXIT_FULL;
}

/* ---- LAB=VALUE,... ------------------------------------------------------- */

/* True if the name is the lab's full one, or its short form. */
static int is_lab(const char *full, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(full, name, n) == 0 && (!full[n] || full[n] == '-');
}

static struct course_lab *find_lab(struct course *c, const char *name)
{
    for (int i = 0; i < c->nlabs; i++)
        if (is_lab(c->lab[i].name, name))
            return &c->lab[i];
    return NULL;
}

static int take_weight(struct course *c, const char *lab, char *value)
{
    char *end;
    struct course_lab *const l = find_lab(c, lab);
    const double weight = strtod(value, &end);
    if (!l)
        return verb_wrong("course", "--weights: the ledgers have no %s", lab);
    if (end == value || *end || !(weight >= 0 && weight < 1e6))
        return verb_wrong("course", "--weights: %s is no weight for %s", value,
                          lab);
    l->weight = weight;
    return EXIT_FULL;
}

static int take_assignment(struct course *c, const char *lab, char *value)
{
    struct course_lab *const l = find_lab(c, lab);
    if (!l && strcmp(lab, "course") != 0)
        return verb_wrong("course", "--assignments: the ledgers have no %s",
                          lab);
    *(l ? &l->assignment : &c->assignment) = value;
    return EXIT_FULL;
}

/* Call `take` for each pair. `text` is changed, and has to stay. */
static int take_pairs(struct course *c, const char *option, char *text,
                      int (*take)(struct course *c, const char *lab,
                                  char *value))
{
    int status = EXIT_FULL;
    for (char *at = text, *pair; status == EXIT_FULL && at && *at;) {
        pair = strsep(&at, ",");
        char *const value = strchr(pair, '=');
        if (!value || value == pair || !value[1])
            return verb_wrong("course", "--%s is LAB=VALUE,..., not %s", option,
                              pair);
        *value = 0;
        status = take(c, pair, value + 1);
    }
    return status;
}

static int take_weights(struct course *c, char *text)
{
    for (int i = 0; i < c->nlabs && text; i++)
        c->lab[i].weight = -1;
    int status = take_pairs(c, "weights", text, take_weight);
    for (int i = 0; i < c->nlabs && status == EXIT_FULL; i++)
        if (c->lab[i].weight < 0)
            status = verb_wrong("course", "--weights: how much does %s weigh?",
                                c->lab[i].name);
    return status;
}

/* ---- the command --------------------------------------------------------- */

static int write_course(struct course *c, const struct options *o)
{
    char *const weights = o->weights ? strdup(o->weights) : NULL,
                *const numbers = o->assignments ? strdup(o->assignments) : NULL;
    int status = take_weights(c, weights);
    if (status == EXIT_FULL)
        status = take_pairs(c, "assignments", numbers, take_assignment);
    if (status == EXIT_FULL && writers[o->format](c) != 0)
        status = EXIT_INFRA;
    free(weights);
    free(numbers);
    return status;
}

int verb_course(int argc, char **argv)
{
    struct options o = {.points = 100};
    int status;
    const int operand = verb_parse(&course_verb, argc, argv, &o, &status);
    if (operand < 0)
        return status;
    struct course *const c = calloc(1, sizeof *c);
    struct ledger **const opened =
        calloc((size_t)(argc - operand), sizeof *opened);
    if (!c || !opened)
        abort();
    c->out = o.out;
    c->pool = o.pool;
    c->drop = o.drop;
    c->points = o.points;
    c->late_percent = o.late_percent;
    status = EXIT_FULL;
    for (int i = operand; i < argc && status == EXIT_FULL; i++)
        status = take_ledger(c, &o, argv[i], &opened[i - operand]);
    if (status == EXIT_FULL)
        status = write_course(c, &o);
    for (int i = 0; i < c->nparts; i++)
        class_release(&c->part[i]);
    for (int i = operand; i < argc; i++)
        ledger_close(opened[i - operand]);
    free(opened);
    free(c);
    return status;
}
