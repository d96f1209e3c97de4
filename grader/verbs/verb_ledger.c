/*
 * verb_ledger.c: grade status, verify and replay
 */
#define _GNU_SOURCE
#include <inttypes.h> /* PRId64 */
#include <limits.h>   /* PATH_MAX */
#include <stdio.h>    /* printf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strcmp */

#include "base/temp.h"
#include "change.h"
#include "grade.h"
#include "grading.h"
#include "ledger.h"
#include "text.h"
#include "topo/topo.h"
#include "verb.h"

struct options {
    const char *ledger, *key, *lab, *student, *head;
};

#define AT(member) offsetof(struct options, member)
#define LEDGER_OPTIONS                                                         \
    VERB_OPTION(VERB_TEXT, "ledger", "FILE", AT(ledger),                       \
                "what grade batch has written", .required = 1),                \
        VERB_OPTION(VERB_TEXT, "key", "FILE", AT(key),                         \
                    "the ledger's key, if it is elsewhere")

static struct ledger *open_ledger(const char *verb, const struct options *o)
{
    char err[512];
    struct ledger *const l =
        ledger_open(o->ledger, o->key, LEDGER_READ, err, sizeof err);
    if (!l)
        verb_wrong(verb, "%s", err);
    return l;
}

/* ---- status -------------------------------------------------------------- */

struct changes { /* what people said of points, oldest first */
    struct ledger_entry *entry;
    size_t n;
};

struct status {
    const struct options *o;
    struct changes changes;
    int n, outcomes[OUTCOMES];
};

static int keep_change(const struct ledger_entry *e, void *arg)
{
    struct changes *const c = arg;
    c->entry = realloc(c->entry, (c->n + 1) * sizeof *c->entry);
    if (!c->entry)
        abort();
    c->entry[c->n++] = (struct ledger_entry){.id = e->id,
                                             .kind = strdup(e->kind),
                                             .student = strdup(e->student),
                                             .lab = strdup(e->lab),
                                             .attempt = e->attempt,
                                             .digest = strdup(e->digest),
                                             .body = strdup(e->body)};
    return 0;
}

static int by_id(const void *a, const void *b)
{
    const struct ledger_entry *const x = a, *const y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static void find_changes(struct changes *c, struct ledger *l)
{
    ledger_each(l, change_name[CHANGE_OVERRIDE], NULL, keep_change, c);
    ledger_each(l, change_name[CHANGE_CLEAR], NULL, keep_change, c);
    if (c->n > 0)
        qsort(c->entry, c->n, sizeof *c->entry, by_id);
}

static void changes_release(struct changes *c)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct ledger_entry *const e = &c->entry[i];
        const char *const texts[] = {e->kind, e->student, e->lab, e->digest,
                                     e->body};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            free((char *)texts[k]);
    }
    free(c->entry);
}

/* Is a change about what was graded then, for whomever of a group? */
static int is_about(const struct ledger_entry *change,
                    const struct ledger_entry *e)
{
    return strcmp(change->lab, e->lab) == 0 && change->attempt == e->attempt &&
           strcmp(change->digest, e->digest) == 0;
}

/* The first words of a text, for the caller to free. */
static char *one_line(const char *text, size_t most)
{
    char *const copy = strdup(text);
    if (!copy)
        abort();
    for (char *c = copy; (c = strchr(c, '\n')) != NULL;)
        *c = ' ';
    char *const clean = text_clean(copy, most);
    free(copy);
    return clean;
}

/* Change a grading as people did for a student; for the caller to free, a line
 * on the last change, or else the grading's own message. */
static char *apply_changes(const struct changes *c,
                           const struct ledger_entry *e, const char *student,
                           struct grading *g)
{
    enum { WIDTH = 60 };
    struct attempt a = {.number = e->attempt, .g = *g};
    struct row r = {.attempts = &a, .nattempts = 1, .notes = json_array()};
    snprintf(a.digest, sizeof a.digest, "%s", e->digest);
    for (size_t i = 0; i < c->n; i++)
        if (is_about(&c->entry[i], e) &&
            strcmp(c->entry[i].student, student) == 0)
            change_apply(&r, &c->entry[i]);
    *g = a.g;
    const size_t n = json_array_size(r.notes);
    char *const text = one_line(
        n ? json_string_value(json_array_get(r.notes, n - 1)) : g->message,
        WIDTH);
    json_decref(r.notes);
    return text;
}

/* A grading, as it counts for a student. */
static void show_for(struct status *s, const struct ledger_entry *e,
                     const char *student)
{
    struct grading g;
    if (s->o->student && strcmp(student, s->o->student) != 0)
        return;
    if (grading_parse(&g, e->body) == 0) {
        char *const message = apply_changes(&s->changes, e, student, &g);
        printf("%6" PRId64 "  %-20s %-20s @%-2d %-9s %6g/%-6g %s\n", e->id,
               student, e->lab, e->attempt, outcome_name[g.outcome], g.score,
               g.max_score, message);
        free(message);
        s->n++;
        s->outcomes[g.outcome]++;
    }
    grading_release(&g);
}

/* The first of the changes that is about this, and for the same student. */
static size_t first_like(const struct changes *c, const struct ledger_entry *e,
                         const char *student)
{
    size_t i = 0;
    while (i < c->n && !(is_about(&c->entry[i], e) &&
                         strcmp(c->entry[i].student, student) == 0))
        i++;
    return i;
}

/* The whole group has a grading, which is one student's in the ledger: others
 * are listed where people gave them points of their own. */
static int show(const struct ledger_entry *e, void *arg)
{
    struct status *const s = arg;
    const struct changes *const c = &s->changes;
    if (s->o->lab && strncmp(e->lab, s->o->lab, strlen(s->o->lab)) != 0)
        return 0;
    show_for(s, e, e->student);
    for (size_t i = 0; i < c->n; i++) {
        const char *const student = c->entry[i].student;
        if (strcmp(student, e->student) != 0 && first_like(c, e, student) == i)
            show_for(s, e, student);
    }
    return 0;
}

static const struct verb_option status_options[] = {
    LEDGER_OPTIONS,
    VERB_OPTION(VERB_TEXT, "lab", "LAB", AT(lab), "only of this lab"),
    VERB_OPTION(VERB_TEXT, "student", "KEY", AT(student),
                "only of this student"),
    {.name = NULL}};
static const struct verb status_verb = {
    .name = "status",
    .intro = "List gradings, oldest first, with the points that people\n"
             "gave since.",
    .options = status_options};

int verb_status(int argc, char **argv)
{
    struct options o = {.ledger = NULL};
    int status;
    if (verb_parse(&status_verb, argc, argv, &o, &status) < 0)
        return status;
    struct ledger *const l = open_ledger("status", &o);
    if (!l)
        return EXIT_USAGE;
    struct status s = {.o = &o};
    find_changes(&s.changes, l);
    ledger_each(l, "grading", NULL, show, &s);
    changes_release(&s.changes);
    printf("%d gradings: %d pass, %d fail, %d suspected, %d infra\n", s.n,
           s.outcomes[OUTCOME_PASS], s.outcomes[OUTCOME_FAIL],
           s.outcomes[OUTCOME_SUSPECTED], s.outcomes[OUTCOME_INFRA]);
    ledger_close(l);
    return EXIT_FULL;
}

/* ---- verify -------------------------------------------------------------- */

static const struct verb_option verify_options[] = {
    LEDGER_OPTIONS,
    VERB_OPTION(VERB_TEXT, "head", "HEX", AT(head),
                "a head that was printed before: is it still part of the\n"
                "ledger?"),
    {.name = NULL}};
static const struct verb verify_verb = {
    .name = "verify",
    .intro = "Check every entry. The head that is printed identifies the "
             "ledger's state:\nrecord it so that you can check it later.",
    .options = verify_options,
    .outro = "Exit status: 0 intact, 1 tampered with, 2 usage."};

int verb_verify(int argc, char **argv)
{
    struct options o = {.ledger = NULL};
    char head[LEDGER_DIGEST];
    int status;
    if (verb_parse(&verify_verb, argc, argv, &o, &status) < 0)
        return status;
    struct ledger *const l = open_ledger("verify", &o);
    if (!l)
        return EXIT_USAGE;
    int faults = ledger_verify(l, stdout, head);
    if (o.head && !ledger_has_head(l, o.head)) {
        printf("no entry has the head %s: this is another ledger, or an older "
               "one\n",
               o.head);
        faults++;
    }
    if (faults == 0)
        printf("whole; head %s\n", head);
    ledger_close(l);
    return faults ? EXIT_NOT_FULL : EXIT_FULL;
}

/* ---- replay -------------------------------------------------------------- */

struct wanted {
    int64_t id;
    char digest[LEDGER_DIGEST], student[TOPO_ME];
    struct grading g;
    int found;
};

static int find(const struct ledger_entry *e, void *arg)
{
    struct wanted *const w = arg;
    if (e->id != w->id)
        return 0;
    snprintf(w->digest, sizeof w->digest, "%s", e->digest);
    snprintf(w->student, sizeof w->student, "%s", e->student);
    w->found = grading_parse(&w->g, e->body) == 0;
    return 1;
}

/* Print each verdict that is another one now; returns how many. */
static int compare(const struct grading *before, const struct plan *plan,
                   const struct result *now)
{
    int differ = 0;
    if (before->outcome != now->outcome || before->score != now->score) {
        printf("was %s with %g points, is %s with %g: %s\n",
               outcome_name[before->outcome], before->score,
               outcome_name[now->outcome], now->score, now->message);
        differ++;
    }
    for (int i = 0; i < before->ncases && !now->message[0]; i++) {
        const struct grading_case *const c = &before->cases[i];
        const struct plan_case *const p = plan_find(plan, c->name);
        const struct case_result *const r =
            p ? &now->cases[p - plan->cases] : NULL;
        if (r && r->score == c->score && r->outcome == c->outcome)
            continue;
        printf("%s: was %s with %g points, is %s with %g: %s\n", c->name,
               outcome_name[c->outcome], c->score,
               r ? outcome_name[r->outcome] : "gone", r ? r->score : 0,
               r ? r->verdict.message : "");
        differ++;
    }
    return differ;
}

/* Grade the submission in a file as it was graded then, and compare. */
static int again(const struct wanted *w, const char *submission)
{
    const struct request q = {
        .lab = w->g.lab,
        .submission = submission,
        .backend = backend_find(w->g.backend) ? w->g.backend : NULL,
        .measured = w->g.measured,
        .isolation = w->g.isolation,
        .seed = strtoull(w->g.seed, NULL, 10)};
    struct place p;
    struct result r;
    char err[512];
    int status = EXIT_INFRA;
    setenv("COMMLAB_STUDENT", w->student, 1);
    if (place_find(&p, &q, err, sizeof err) != 0) {
        verb_wrong("replay", "%s", err);
    } else {
        grade_submission(&q, &p, &r);
        const int differ = compare(&w->g, p.plan, &r);
        if (!differ)
            printf("the same: %s, %g of %g points\n", outcome_name[r.outcome],
                   r.score, r.max_score);
        status = differ ? EXIT_NOT_FULL : EXIT_FULL;
        result_release(&r);
    }
    place_release(&p);
    return status;
}

/* The same, of bytes that the ledger kept. */
static int again_of(const struct wanted *w, const void *data, size_t nbytes)
{
    char path[PATH_MAX];
    const int fd = mkstemp(temp_path(path, sizeof path, "commlab-replay"));
    FILE *const f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f || fwrite(data, 1, nbytes, f) != nbytes || fclose(f) != 0) {
        verb_wrong("replay", "cannot write %s: %m", path);
        return EXIT_INFRA;
    }
    const int status = again(w, path);
    remove(path);
    return status;
}

static const struct verb_option replay_options[] = {LEDGER_OPTIONS,
                                                    {.name = NULL}};
static const struct verb replay_verb = {
    .name = "replay",
    .intro = "Run a grading again, with its submission, its seeds and its "
             "isolation, and\ncompare.",
    .options = replay_options,
    .operand = "ID",
    .outro = "Exit status: 0 the same verdicts, 1 other ones, 2 usage, 3 this "
             "machine's\nfault."};

int verb_replay(int argc, char **argv)
{
    struct options o = {.ledger = NULL};
    int status;
    const int operand = verb_parse(&replay_verb, argc, argv, &o, &status);
    if (operand < 0)
        return status;
    struct ledger *const l = open_ledger("replay", &o);
    if (!l)
        return EXIT_USAGE;
    struct wanted w = {.id = strtoll(argv[operand], NULL, 10)};
    size_t nbytes = 0;
    ledger_each(l, "grading", NULL, find, &w);
    void *const data = w.found ? ledger_kept(l, w.digest, &nbytes) : NULL;
    status = data ? again_of(&w, data, nbytes)
                  : verb_wrong("replay",
                               "no grading with a submission has the ID %s "
                               "(grade status lists them)",
                               argv[operand]);
    free(data);
    grading_release(&w.g);
    ledger_close(l);
    return status;
}
