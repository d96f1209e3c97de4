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
#include "grader/base/text.h"
#include "grader/export/change.h"
#include "grader/ledger/grading.h"
#include "grader/ledger/ledger.h"
#include "grader/run/grade.h"
#include "grader/verbs/verbs.h"
#include "topo/topo.h"

struct options {
    const char *ledger, *key, *lab, *student, *head, *out;
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

struct status {
    const struct options *o;
    struct changes changes;
    int n;
    struct outcome_counts outcomes;
};

/* True if a change is about what was graded in e, for any
 * student of the group. */
static int is_about(const struct ledger_entry *change,
                    const struct ledger_entry *e)
{
    return strcmp(change->lab, e->lab) == 0 && change->attempt == e->attempt &&
           strcmp(change->digest, e->digest) == 0;
}

/* The first words of a text, which the caller frees. */
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

/* Apply people's changes for a student to a grading. Returns a line about the
 * last change, or else the grading's own message. The caller frees it. */
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
            changes_apply(c, i, &r);
    *g = a.g;
    const size_t n = json_array_size(r.notes);
    char *const text = one_line(
        n ? json_string_value(json_array_get(r.notes, n - 1)) : g->message,
        WIDTH);
    json_decref(r.notes);
    return text;
}

/* Show a grading as it counts for a student. */
static void show_for(struct status *s, const struct ledger_entry *e,
                     const char *student)
{
    struct grading g;
    if (s->o->student && strcmp(student, s->o->student) != 0)
        return;
    if (grading_parse(&g, e->body) == 0) {
        char *const message = apply_changes(&s->changes, e, student, &g);
        printf("%6" PRId64 "  %-20s %-20s @%-2d %-9s %6g/%-6g %s\n", e->id,
               student, e->lab, e->attempt, outcome_word(g.outcome, g.score),
               g.score, g.max_score, message);
        free(message);
        s->n++;
        outcome_count(&s->outcomes, g.outcome, g.score);
    }
    grading_release(&g);
}

/* The first change about this entry for the same student. */
static size_t first_like(const struct changes *c, const struct ledger_entry *e,
                         const char *student)
{
    size_t i = 0;
    while (i < c->n && !(is_about(&c->entry[i], e) &&
                         strcmp(c->entry[i].student, student) == 0))
        i++;
    return i;
}

/* Show an entry. A group's grading is entered for one student; other members
 * are listed if people gave them points of their own. */
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
    char counts[96];
    int status;
    if (verb_parse(&status_verb, argc, argv, &o, &status) < 0)
        return status;
    struct ledger *const l = open_ledger("status", &o);
    if (!l)
        return EXIT_USAGE;
    struct status s = {.o = &o};
    changes_load(&s.changes, l, NULL);
    ledger_each(l, "grading", NULL, show, &s);
    changes_release(&s.changes);
    printf("%d gradings: %s\n", s.n,
           outcome_summary(&s.outcomes, counts, sizeof counts));
    ledger_close(l);
    return EXIT_FULL;
}

/* ---- verify -------------------------------------------------------------- */

static const struct verb_option verify_options[] = {
    LEDGER_OPTIONS,
    VERB_OPTION(VERB_TEXT, "head", "HEX", AT(head),
                "a head that was printed before: check that it is still part\n"
                "of the ledger"),
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

/* Print each verdict that has changed. Returns their number. */
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

/* Repeat the grading of the submission in a file, and compare the verdicts. */
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
        plan_draw_also(p.plan, w->g.members);
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

/* The same for bytes that the ledger kept. */
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

/* Write what was handed in to a new file. */
static int write_out(const char *path, const void *data, size_t nbytes)
{
    FILE *const f = fopen(path, "wxe");
    const int failed = !f || fwrite(data, 1, nbytes, f) != nbytes;
    if ((f && fclose(f) != 0) || failed)
        return verb_wrong("replay", "cannot write %s: %m", path);
    printf("%s has the submission: tar -tf, or unzip -l, lists its files\n",
           path);
    return EXIT_FULL;
}

static const struct verb_option replay_options[] = {
    LEDGER_OPTIONS,
    VERB_OPTION(VERB_TEXT, "out", "FILE", AT(out),
                "only write the submission to a new file: the archive that\n"
                "was handed in, or of a folder a tar",
                .letter = 'o'),
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
    status = data && o.out ? write_out(o.out, data, nbytes)
             : data        ? again_of(&w, data, nbytes)
                           : verb_wrong("replay",
                                        "no grading with a submission has the ID %s "
                                               "(grade status lists them)",
                                        argv[operand]);
    free(data);
    grading_release(&w.g);
    ledger_close(l);
    return status;
}
