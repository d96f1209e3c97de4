/*
 * verb_people.c: grade override, clear, excuse, extend and comment
 *
 * Each verb appends a change (change.h) to the ledger. Nothing is graded again,
 * and the next export includes the change. The effect is printed.
 */
#include <errno.h>  /* errno */
#include <math.h>   /* NAN */
#include <stdio.h>  /* printf */
#include <stdlib.h> /* strtod */
#include <string.h> /* strcmp */
#include <unistd.h> /* access */

#include "base/near.h"
#include "grader/export/change.h"
#include "grader/export/class.h"
#include "grader/verbs/verbs.h"

struct options {
    const char *ledger, *key, *lab, *student, *by, *reason, *case_name, *score,
        *until, *timezone;
    int attempt, undo, bonus, group;
};

#define AT(member) offsetof(struct options, member)
#define COMMON                                                                 \
    VERB_OPTION(VERB_TEXT, "ledger", "FILE", AT(ledger),                       \
                "what grade batch has written", .required = 1),                \
        VERB_OPTION(VERB_TEXT, "lab", "LAB", AT(lab),                          \
                    "lab1, or its full name", .required = 1),                  \
        VERB_OPTION(VERB_TEXT, "student", "KEY", AT(student), "whose grade",   \
                    .required = 1),                                            \
        VERB_OPTION(VERB_TEXT, "by", "NAME", AT(by),                           \
                    "who decides: shown to the student", .required = 1),       \
        VERB_OPTION(VERB_TEXT, "reason", "TEXT", AT(reason),                   \
                    "why: shown to the student", .required = 1),               \
        VERB_OPTION(VERB_FLAG, "group", NULL, AT(group),                       \
                    "likewise for all of the student's group"),                \
        VERB_OPTION(VERB_TEXT, "key", "FILE", AT(key),                         \
                    "the ledger's key, if it is elsewhere")
#define ATTEMPT                                                                \
    VERB_OPTION(VERB_NUMBER, "attempt", "N", AT(attempt),                      \
                "which one (default: the latest)", .least = 1, .most = 9999)
#define CASE                                                                   \
    VERB_OPTION(VERB_TEXT, "case", "NAME", AT(case_name),                      \
                "only this case (default: the whole attempt)")

static const struct verb_option override_options[] = {
    COMMON,
    VERB_OPTION(VERB_TEXT, "score", "POINTS", AT(score),
                "of the case, or of the whole attempt"),
    CASE,
    ATTEMPT,
    VERB_OPTION(VERB_FLAG, "undo", NULL, AT(undo),
                "take the last override of it back"),
    VERB_OPTION(VERB_FLAG, "bonus", NULL, AT(bonus),
                "the score may be above the most there is"),
    {.name = NULL}};
static const struct verb_option clear_options[] = {
    COMMON,
    CASE,
    ATTEMPT,
    VERB_OPTION(VERB_TEXT, "score", "POINTS", AT(score),
                "instead of those of the verdict beneath the suspicion;\n"
                "needed if the submission was not run"),
    VERB_OPTION(VERB_FLAG, "undo", NULL, AT(undo), "it is suspected after all"),
    {.name = NULL}};
static const struct verb_option excuse_options[] = {
    COMMON,
    VERB_OPTION(VERB_FLAG, "undo", NULL, AT(undo), "the score counts again"),
    {.name = NULL}};
static const struct verb_option extend_options[] = {
    COMMON,
    VERB_OPTION(VERB_TEXT, "until", "TIME", AT(until),
                "the new deadline: 2026-03-08T23:59+01:00, or 2026-03-08",
                .required = 1),
    VERB_OPTION(VERB_TEXT, "timezone", "ZONE", AT(timezone),
                "of a time without one (default: the batch's): Europe/Berlin"),
    {.name = NULL}};
static const struct verb_option comment_options[] = {COMMON, {.name = NULL}};

#define OUTRO                                                                  \
    "The change is appended to the ledger; exports have it from now on.\n"     \
    "Exit status: 0 done, 1 not possible, 2 usage, 3 this machine's fault."
static const struct verb verbs[CHANGES] = {
    {.name = "override",
     .intro = "Set the points of an attempt, or of one of its cases.",
     .options = override_options,
     .outro = OUTRO},
    {.name = "clear",
     .intro = "Say that a suspicion is unfounded: each suspected case has the "
              "verdict that it\nwould have had without, and the grade is "
              "exported.",
     .options = clear_options,
     .outro = OUTRO},
    {.name = "excuse",
     .intro = "Ask no score of a student in this lab.",
     .options = excuse_options,
     .outro = OUTRO},
    {.name = "extend",
     .intro = "Give a student a later deadline than the roster's. Nothing is "
              "graded again. The\nlast extension counts, unless the roster's "
              "deadline is later still.",
     .options = extend_options,
     .outro = OUTRO},
    {.name = "comment",
     .intro = "Tell a student something with the grade.",
     .options = comment_options,
     .outro = OUTRO}};

/* ---- checks -------------------------------------------------------------- */

static struct row *find_row(const struct export *e, const char *verb,
                            const char *key)
{
    struct near near = {NULL, 0};
    for (int i = 0; i < e->nrows; i++) {
        const char *const have = e->row[i].student->key;
        if (strcmp(have, key) == 0)
            return &e->row[i];
        near_try(&near, key, have, 2);
    }
    verb_wrong(verb, "the ledger's rosters have no student %s%s%s%s", key,
               near.name ? ": did you mean " : "", near.name ? near.name : "",
               near.name ? "?" : "");
    return NULL;
}

static const struct grading_case *find_case(const struct attempt *a,
                                            const char *name)
{
    for (int i = 0; i < a->g.ncases; i++)
        if (strcmp(a->g.cases[i].name, name) == 0)
            return &a->g.cases[i];
    return NULL;
}

/* The number of its suspected cases; of these, the verdicts of `unknown` were
 * not recorded. */
static int count_suspected(const struct attempt *a, const char *case_name,
                           int *unknown)
{
    int n = 0;
    *unknown = 0;
    for (int i = 0; i < a->g.ncases; i++)
        if (a->g.cases[i].outcome == OUTCOME_SUSPECTED &&
            (!case_name || strcmp(a->g.cases[i].name, case_name) == 0)) {
            *unknown += isnan(a->g.cases[i].beneath);
            n++;
        }
    return n ? n : a->g.ncases == 0 && change_is_suspected(&a->g);
}

/* Why a suspicion can't be cleared like this; NULL if it can. */
static const char *check_clear(const struct attempt *a, const struct change *c)
{
    int unknown;
    if (count_suspected(a, c->case_name, &unknown) == 0)
        return "nothing of it is suspected";
    if (a->g.ncases == 0 && isnan(c->score))
        return "the submission was not run: say how many points it has "
               "(--score)";
    if (unknown && isnan(c->score))
        return "this grading does not say what the verdict would have been: "
               "grade it again (grade regrade), or say how many points each "
               "suspected case has (--score)";
    return NULL;
}

static const char *no_case(const struct attempt *a, const char *name)
{
    static char why[256];
    struct near near = {NULL, 0};
    for (int i = 0; i < a->g.ncases; i++)
        near_try(&near, name, a->g.cases[i].name, 2);
    snprintf(why, sizeof why, "the attempt has no case \"%.64s\"%s%s%s", name,
             near.name ? ": did you mean " : "", near.name ? near.name : "",
             near.name ? "?" : "");
    return why;
}

/* Why the points can't be changed like this; NULL if they can. */
static const char *check(const struct options *o, const struct export *e,
                         const struct attempt *a, const struct change *c)
{
    const struct grading_case *const of =
        a && c->case_name ? find_case(a, c->case_name) : NULL;
    if (!a && (o->attempt || c->kind == CHANGE_CLEAR || c->case_name))
        return "no such attempt was graded (grade status lists them)";
    if (c->case_name && !of)
        return no_case(a, c->case_name);
    if (c->undo)
        return NULL;
    const char *const why = c->kind == CHANGE_CLEAR ? check_clear(a, c) : NULL;
    if (why)
        return why;
    const double most = of ? of->max_score : e->max_score;
    if (!o->bonus && e->max_score > 0 && c->score > most)
        return "that is more than there is (--bonus allows it)";
    return NULL;
}

static int parse(const struct options *o, enum change_kind kind,
                 struct change *c)
{
    const char *const verb = change_name[kind];
    char *end = NULL;
    *c = (struct change){.kind = kind,
                         .by = o->by,
                         .reason = o->reason,
                         .case_name = o->case_name,
                         .score = NAN,
                         .undo = o->undo};
    if (!o->reason[strspn(o->reason, " \t\r\n")])
        return verb_wrong(verb, "--reason is empty: the student reads it");
    if (kind == CHANGE_OVERRIDE && !o->score == !o->undo)
        return verb_wrong(verb, o->undo ? "--undo needs no --score"
                                        : "--score is missing");
    if (kind == CHANGE_CLEAR && o->score && o->undo)
        return verb_wrong(verb, "--undo needs no --score");
    if (o->score) {
        c->score = strtod(o->score, &end);
        if (end == o->score || *end || !(c->score >= 0 && c->score < 1e6))
            return verb_wrong(verb, "--score is a number of points, not %s",
                              o->score);
    }
    return EXIT_FULL;
}

/* Parse the date, after class_load(), which sets the zone. */
static int parse_until(const struct options *o, struct change *c)
{
    if (o->until && roster_deadline(o->until, &c->deadline) != 0)
        return verb_wrong(change_name[c->kind],
                          "--until is a time like "
                          "2026-03-08T23:59:00+01:00, not %s",
                          o->until);
    return EXIT_FULL;
}

/* Why a deadline can't be the student's; NULL if it can. */
static const char *check_until(const struct row *r, const struct change *c)
{
    static char why[256];
    char of_roster[64], until[64];
    const int64_t have = r->student->deadline;
    if (c->kind != CHANGE_EXTEND || have == ROSTER_NEVER || c->deadline >= have)
        return NULL;
    change_when(have, of_roster);
    change_when(c->deadline, until);
    snprintf(why, sizeof why,
             "the roster's deadline, %s, is later than %s: nothing is "
             "extended (--until the roster's takes an extension back)",
             of_roster, until);
    return why;
}

/* ---- the change ---------------------------------------------------------- */

static struct ledger_entry entry_of(const struct export *e, const struct row *r,
                                    const struct attempt *a,
                                    const struct change *c)
{
    const int of_attempt = a && c->kind <= CHANGE_CLEAR;
    return (struct ledger_entry){.kind = change_name[c->kind],
                                 .student = r->student->key,
                                 .lab = e->lab,
                                 .attempt = of_attempt ? a->number : 0,
                                 .digest = of_attempt ? a->digest : ""};
}

/* Why nothing can be taken back; NULL if something can. */
static const char *check_undo(const struct export *e, const struct row *r,
                              const struct attempt *a, const struct change *c)
{
    const struct ledger_entry like = entry_of(e, r, a, c);
    struct changes all;
    if (!c->undo || c->kind > CHANGE_CLEAR)
        return NULL;
    changes_load(&all, e->ledger, e->lab);
    const int last = changes_last(&all, &like, c->case_name);
    changes_release(&all);
    return last >= 0 ? NULL
           : c->kind == CHANGE_CLEAR
               ? "no suspicion of it was cleared: there is nothing to undo"
               : "nothing of it was overridden: there is nothing to undo";
}

static int append(struct export *e, const struct row *r,
                  const struct attempt *a, const struct change *c)
{
    char *const body = change_body(c);
    struct ledger_entry entry = entry_of(e, r, a, c);
    entry.body = body;
    const int64_t id = ledger_append(e->ledger, &entry);
    free(body);
    if (id < 0)
        verb_wrong(change_name[c->kind], "%s", ledger_error(e->ledger));
    return id < 0 ? EXIT_INFRA : EXIT_FULL;
}

/* Append the change for the student, or for all of the group. */
static int change(const struct options *o, struct export *e,
                  const struct change *c)
{
    const char *const verb = change_name[c->kind];
    const struct row *const of = find_row(e, verb, o->student);
    int status = of ? EXIT_FULL : EXIT_USAGE;
    for (int pass = 0; pass < 2 && status == EXIT_FULL; pass++)
        for (int i = 0; i < e->nrows && status == EXIT_FULL; i++) {
            struct row *const r = &e->row[i];
            if (r != of &&
                !(o->group && roster_together(r->student, of->student)))
                continue;
            const struct attempt *const a =
                o->attempt ? class_attempt(r, o->attempt) : r->counts;
            const char *why = check(o, e, a, c);
            why = why ? why : check_undo(e, r, a, c);
            if (c->kind > CHANGE_CLEAR)
                why = check_until(r, c);
            if (why) {
                verb_wrong(verb, "%s: %s", r->student->key, why);
                status = EXIT_NOT_FULL;
            } else if (pass == 1) { // all of them, or none
                status = append(e, r, a, c);
            }
        }
    return status;
}

static void show_row(const struct row *r)
{
    const size_t n = json_array_size(r->notes);
    printf("%s: %s, ", r->student->key, export_outcome(r));
    if (r->has_score)
        printf("%.2f points", r->final);
    else
        printf("no score");
    if (r->attempt)
        printf(", attempt %d, %d day%s late", r->attempt, r->days_late,
               r->days_late == 1 ? "" : "s");
    printf("; %s\n",
           n ? json_string_value(json_array_get(r->notes, n - 1)) : "");
}

static void show(const struct options *o, struct export *e, char lab[64])
{
    char err[512];
    const struct export fresh = {.ledger = e->ledger, .timezone = o->timezone};
    class_release(e);
    *e = fresh;
    if (class_load(e, lab, 0, err, sizeof err) != 0)
        return;
    const struct row *const of = find_row(e, "people", o->student);
    for (int i = 0; i < e->nrows && of; i++)
        if (&e->row[i] == of ||
            (o->group && roster_together(e->row[i].student, of->student)))
            show_row(&e->row[i]);
}

static int verb_people(enum change_kind kind, int argc, char **argv)
{
    struct options o = {.ledger = NULL};
    struct export e = {.timezone = NULL};
    struct change c;
    char lab[64], err[512];
    int status;
    if (verb_parse(&verbs[kind], argc, argv, &o, &status) < 0)
        return status;
    status = parse(&o, kind, &c);
    if (status != EXIT_FULL)
        return status;
    snprintf(lab, sizeof lab, "%s", o.lab);
    if (access(o.ledger, F_OK) != 0) // LEDGER_WRITE would create it
        return verb_wrong(change_name[kind], "%s: %s", o.ledger,
                          strerror(errno));
    e.timezone = o.timezone;
    e.ledger = ledger_open(o.ledger, o.key, LEDGER_WRITE, err, sizeof err);
    if (!e.ledger)
        return verb_wrong(change_name[kind], "%s", err);
    if (class_load(&e, lab, 0, err, sizeof err) != 0)
        status = verb_wrong(change_name[kind], "%s", err);
    else if ((status = parse_until(&o, &c)) == EXIT_FULL)
        status = change(&o, &e, &c);
    if (status == EXIT_FULL)
        show(&o, &e, lab);
    class_release(&e);
    ledger_close(e.ledger);
    return status;
}

int verb_override(int argc, char **argv)
{
    return verb_people(CHANGE_OVERRIDE, argc, argv);
}

int verb_clear(int argc, char **argv)
{
    return verb_people(CHANGE_CLEAR, argc, argv);
}

int verb_excuse(int argc, char **argv)
{
    return verb_people(CHANGE_EXCUSE, argc, argv);
}

int verb_extend(int argc, char **argv)
{
    return verb_people(CHANGE_EXTEND, argc, argv);
}

int verb_comment(int argc, char **argv)
{
    return verb_people(CHANGE_COMMENT, argc, argv);
}
