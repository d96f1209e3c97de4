/*
 * verb_regrade.c: grade regrade
 *
 * After a change of the plan, grades again what the ledger keeps, with the
 * original seeds, and shows whose exported points change by how much, people's
 * changes applied to old and new. The new results
 * are kept next to the ledger, in LEDGER.regrade; with --yes they are appended
 * to it.
 */
#define _GNU_SOURCE
#include <errno.h>    /* errno */
#include <limits.h>   /* PATH_MAX */
#include <stdio.h>    /* printf */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* strcmp */
#include <sys/stat.h> /* umask */
#include <sys/wait.h> /* wait */
#include <time.h>     /* time */
#include <unistd.h>   /* fork */

#include "base/temp.h"
#include "grader/base/folder.h"
#include "grader/batch/run_command.h"
#include "grader/export/class.h"
#include "grader/job/place.h"
#include "grader/ledger/pack.h"
#include "grader/verbs/regrade_change.h"
#include "grader/verbs/regrade_moved.h"
#include "grader/verbs/verbs.h"

struct options {
    const char *ledger, *key, *lab, *student, *cases;
    int all, yes, jobs;
};

#define AT(member) offsetof(struct options, member)
static const struct verb_option known[] = {
    VERB_OPTION(VERB_TEXT, "ledger", "FILE", AT(ledger),
                "what grade batch has written", .required = 1),
    VERB_OPTION(VERB_TEXT, "lab", "LAB", AT(lab), "lab1, or its full name",
                .required = 1),
    VERB_OPTION(VERB_TEXT, "student", "KEY", AT(student),
                "only this student's"),
    VERB_OPTION(VERB_TEXT, "case", "NAME", AT(cases),
                "only this case, or these: A,B; the others stay as they were"),
    VERB_OPTION(VERB_FLAG, "all", NULL, AT(all),
                "earlier attempts too, not only the latest"),
    VERB_OPTION(VERB_FLAG, "yes", NULL, AT(yes),
                "append to the ledger what the preview showed"),
    VERB_OPTION(VERB_NUMBER, "jobs", "N", AT(jobs),
                "submissions at a time (default 1)", .letter = 'j', .least = 1,
                .most = 1024),
    VERB_OPTION(VERB_TEXT, "key", "FILE", AT(key),
                "the ledger's key, if it is elsewhere"),
    {.name = NULL}};
static const struct verb regrade_verb = {
    .name = "regrade",
    .intro = "Grade again what a ledger keeps, as the plan is now, and show "
             "whose points change.\nOverrides and cleared suspicions stay.",
    .options = known,
    .outro = "Exit status: 0 done, 1 some are infra and stay as they were, 2 "
             "usage, 3 this\nmachine's fault."};

struct regraded {
    const struct attempt *attempt;
    json_t *result; /* output of `grade run --json`; NULL if there was none */
    char *body;     /* the body of the entry that the ledger would get */
    pid_t pid;
};

struct regrade {
    const struct options *o;
    struct export *e;
    struct place place;
    char self[PATH_MAX], spool[PATH_MAX], kept[PATH_MAX];
    char plan[33]; /* digest of the plan */
    int why;       /* errno of a grading that could not be started */
    struct regraded *r;
    int n;
};

/* ---- one submission ------------------------------------------------------ */

static void name_of(const struct regraded *r, char out[128])
{
    snprintf(out, 128, "%s@%d", r->attempt->student, r->attempt->number);
}

/* Start `grade run` on the bytes that the ledger keeps. Returns -1 if it
 * can't be started. */
static int start(struct regrade *g, struct regraded *r)
{
    char name[128];
    size_t nbytes;
    struct run_command c = {.self = g->self,
                            .spool = g->spool,
                            .lab = g->place.lab,
                            .cases = g->o->cases,
                            .isolation = r->attempt->g.isolation};
    name_of(r, name);
    void *const data = ledger_kept(g->e->ledger, r->attempt->digest, &nbytes);
    char sub[2 * PATH_MAX];
    snprintf(sub, sizeof sub, "%s/%s.sub", g->spool, name);
    FILE *const f = data ? fopen(sub, "we") : NULL;
    const int failed =
        run_command_keep_members(g->spool, name, r->attempt->g.members) != 0 ||
        !f || fwrite(data, 1, nbytes, f) != nbytes || fclose(f) != 0;
    free(data);
    if (failed)
        return -1;
    run_command_make(&c, name, strtoull(r->attempt->g.seed, NULL, 10));
    fflush(stdout);
    r->pid = fork();
    if (r->pid == 0) {
        execv(g->self, c.v);
        _exit(127);
    }
    return r->pid > 0 ? 0 : -1;
}

static json_t *find_test(const json_t *result, const char *name)
{
    size_t i;
    json_t *t;
    json_array_foreach(
        json_object_get(result, "tests"), i,
        t) if (strcmp(json_string_value(json_object_get(t, "name")), name) ==
               0) return t;
    return NULL;
}

/* Compute points and outcome of a result from its cases. */
static void sum_up(json_t *result)
{
    enum outcome worst = OUTCOME_PASS;
    double score = 0, most = 0;
    size_t i;
    json_t *t;
    json_array_foreach(json_object_get(result, "tests"), i, t)
    {
        const enum outcome o =
            outcome_find(json_string_value(json_object_get(t, "outcome")));
        score += json_number_value(json_object_get(t, "score"));
        most += json_number_value(json_object_get(t, "max_score"));
        worst = o > worst ? o : worst;
    }
    json_object_set_new(result, "score", json_real(score));
    json_object_set_new(result, "max_score", json_real(most));
    json_object_set_new(result, "outcome", json_string(outcome_name[worst]));
}

/* If only some cases were graded: the old result with these cases replaced. */
static json_t *merge(const struct regraded *r, json_t *new)
{
    json_t *const old = json_object_get(r->attempt->g.json, "result");
    json_t *const all = json_deep_copy(old);
    json_t *const tests = json_object_get(all, "tests");
    size_t i;
    json_t *t;
    if (json_array_size(json_object_get(new, "tests")) == 0) {
        json_decref(all);
        return new; // it could not be judged
    }
    json_array_foreach(json_object_get(new, "tests"), i, t)
    {
        const char *const name = json_string_value(json_object_get(t, "name"));
        json_t *const was = find_test(all, name);
        if (was) {
            json_object_clear(was);
            json_object_update(was, t);
        } else {
            json_array_append(tests, t);
        }
    }
    json_decref(new);
    sum_up(all);
    return all;
}

static void take(struct regrade *g, struct regraded *r)
{
    char name[128], path[2 * PATH_MAX];
    name_of(r, name);
    snprintf(path, sizeof path, "%s/%s.json", g->spool, name);
    json_t *const j = json_load_file(path, 0, NULL);
    r->result = j && g->o->cases ? merge(r, j) : j;
    r->pid = 0;
}

/* ---- all submissions ----------------------------------------------------- */

/* True if the entry is already listed: a group's submission is graded once. */
static int has(const struct regrade *g, int64_t id)
{
    for (int i = 0; i < g->n; i++)
        if (g->r[i].attempt->id == id)
            return 1;
    return 0;
}

static void gather(struct regrade *g)
{
    int room = 0;
    for (int i = 0; i < g->e->nrows; i++)
        room += g->e->row[i].nattempts;
    g->r = calloc((size_t)room + 1, sizeof *g->r);
    if (!g->r)
        abort();
    for (int i = 0; i < g->e->nrows; i++) {
        const struct row *const row = &g->e->row[i];
        if (g->o->student && strcmp(g->o->student, row->student->key) != 0)
            continue;
        for (int k = 0; k < row->nattempts; k++)
            if (row->attempts[k].digest[0] && !has(g, row->attempts[k].id) &&
                (g->o->all || &row->attempts[k] == row->counts))
                g->r[g->n++].attempt = &row->attempts[k];
    }
}

/* Load results of a preview with the same plan and cases, by the
 * entry's number. */
static void load_kept(struct regrade *g)
{
    json_t *const j = json_load_file(g->kept, 0, NULL);
    const char *const plan = json_string_value(json_object_get(j, "plan")),
                      *const cases =
                          json_string_value(json_object_get(j, "cases"));
    for (int i = 0; i < g->n && plan && cases; i++) {
        char id[32];
        snprintf(id, sizeof id, "%lld", (long long)g->r[i].attempt->id);
        if (strcmp(plan, g->plan) == 0 &&
            strcmp(cases, g->o->cases ? g->o->cases : "") == 0)
            g->r[i].result =
                json_incref(json_object_get(json_object_get(j, "results"), id));
    }
    json_decref(j);
}

static int save_kept(const struct regrade *g)
{
    json_t *const results = json_object();
    for (int i = 0; i < g->n; i++) {
        char id[32];
        snprintf(id, sizeof id, "%lld", (long long)g->r[i].attempt->id);
        if (g->r[i].result)
            json_object_set(results, id, g->r[i].result);
    }
    json_t *const j =
        json_pack("{s:s, s:s, s:o}", "plan", g->plan, "cases",
                  g->o->cases ? g->o->cases : "", "results", results);
    const mode_t mask = umask(077);
    const int err = json_dump_file(j, g->kept, 0);
    umask(mask);
    json_decref(j);
    return err;
}

static int grade_all(struct regrade *g)
{
    int running = 0, err = 0;
    for (int next = 0; next < g->n || running > 0;) {
        if (next < g->n && running < g->o->jobs && !err) {
            struct regraded *const r = &g->r[next++];
            if (!r->result && (err = start(g, r)) != 0)
                g->why = errno;
            running += r->pid > 0;
            continue;
        }
        if (err && running == 0)
            break;
        const pid_t pid = running ? wait(NULL) : -1;
        for (int i = 0; i < g->n && pid > 0; i++)
            if (g->r[i].pid == pid) {
                take(g, &g->r[i]);
                running--;
            }
    }
    return err;
}

/* ---- results ------------------------------------------------------------- */

static const char *outcome(const json_t *result)
{
    const char *const o = json_string_value(json_object_get(result, "outcome"));
    return o ? o : outcome_name[OUTCOME_INFRA];
}

static int is_infra(const struct regraded *r)
{
    return outcome_find(outcome(r->result)) == OUTCOME_INFRA;
}

/* Print what an entry would change, for each student who has it. Returns 1 if
 * it would change something. */
static int show_one(const struct regrade *g, const struct export *after,
                    const struct regraded *r)
{
    int changes = 0;
    for (int i = 0; i < g->e->nrows; i++) {
        const struct row *const row = &g->e->row[i];
        const struct attempt *const was =
                                        class_attempt(row, r->attempt->number),
                                    *const is = class_attempt(
                                        &after->row[i], r->attempt->number);
        if (was && is && was->id == r->attempt->id)
            changes |= regrade_show_change(row, was, is);
    }
    return changes;
}

/* Print the results. Returns how many are infra. */
static int show(const struct regrade *g, const struct export *after)
{
    int ninfra = 0, nchange = 0;
    for (int i = 0; i < g->n; i++) {
        const struct regraded *const r = &g->r[i];
        char name[128];
        name_of(r, name);
        if (!is_infra(r)) {
            nchange += show_one(g, after, r);
            continue;
        }
        const char *const why =
            json_string_value(json_object_get(r->result, "message"));
        printf("%-20s stays as it was: infra: %s\n", name,
               why ? why : "grade run left no result");
        ninfra++;
    }
    printf("%d of %d submissions change%s\n", nchange, g->n,
           g->o->yes ? "" : "; --yes appends this to the ledger");
    return ninfra;
}

/* Warn of what the plan changed since these were graded. */
static void warn_moved(const struct regrade *g)
{
    struct regrade_moved m;
    regrade_moved_init(&m, g->place.plan);
    for (int i = 0; i < g->n; i++)
        if (!is_infra(&g->r[i]))
            regrade_moved_add(&m, &g->r[i].attempt->g, g->r[i].result);
    regrade_moved_warn(&m);
    regrade_moved_release(&m);
}

static struct ledger_entry entry_of(const struct regrade *g, struct regraded *r,
                                    json_t *versions)
{
    const struct grading *const old = &r->attempt->g;
    pack_pictures(r->result);
    json_t *const j =
        json_pack("{s:O, s:O*, s:O*, s:i, s:I, s:O, s:I}", "result", r->result,
                  "submitted", json_object_get(old->json, "submitted"),
                  "days_late", json_object_get(old->json, "days_late"), "try",
                  1, "graded", (json_int_t)time(NULL), "versions", versions,
                  "regraded", (json_int_t)r->attempt->id);
    if (j && old->members[0])
        json_object_set_new(j, "members", json_string(old->members));
    r->body = j ? json_dumps(j, JSON_SORT_KEYS | JSON_COMPACT) : NULL;
    json_decref(j);
    return (struct ledger_entry){.kind = "grading",
                                 .student = r->attempt->student,
                                 .lab = g->e->lab,
                                 .attempt = r->attempt->number,
                                 .digest = r->attempt->digest,
                                 .body = r->body};
}

/* The entries that the ledger would get, without infra. */
static struct ledger_entry *make_entries(const struct regrade *g, int *n)
{
    json_t *const versions = grading_versions(g->place.kit, g->place.lab);
    struct ledger_entry *const e = calloc((size_t)g->n + 1, sizeof *e);
    if (!e)
        abort();
    *n = 0;
    for (int i = 0; i < g->n; i++)
        if (!is_infra(&g->r[i])) {
            e[*n] = entry_of(g, &g->r[i], versions);
            *n += e[*n].body != NULL;
        }
    json_decref(versions);
    return e;
}

static int append_all(const struct regrade *g, const struct ledger_entry *e,
                      int n)
{
    int err = 0;
    for (int i = 0; i < n && !err; i++)
        err = ledger_append(g->e->ledger, &e[i]) < 0;
    return err;
}

/* Show the class as it would be with these entries, and append or keep them. */
static int finish(struct regrade *g)
{
    int n, status = EXIT_INFRA;
    char lab[64], err[512];
    struct ledger_entry *const more = make_entries(g, &n);
    struct export after = {.ledger = g->e->ledger, .more = more, .nmore = n};
    snprintf(lab, sizeof lab, "%s", g->e->lab);
    if (class_load(&after, lab, 0, err, sizeof err) != 0) {
        verb_wrong("regrade", "%s", err);
    } else {
        status = show(g, &after) ? EXIT_NOT_FULL : EXIT_FULL;
        fflush(stdout);
        warn_moved(g);
        if ((g->o->yes ? append_all(g, more, n) : save_kept(g)) != 0) {
            verb_wrong("regrade", "cannot write %s",
                       g->o->yes ? ledger_error(g->e->ledger) : g->kept);
            status = EXIT_INFRA;
        } else if (g->o->yes) {
            unlink(g->kept);
        }
    }
    class_release(&after);
    free(more);
    return status;
}

static int regrade(struct regrade *g)
{
    char why[512];
    const ssize_t n = readlink("/proc/self/exe", g->self, sizeof g->self - 1);
    g->self[n > 0 ? n : 0] = 0;
    snprintf(g->kept, sizeof g->kept, "%s.regrade", g->o->ledger);
    grading_plan_digest(g->place.kit, g->place.lab, g->plan);
    if (place_has_cases(&g->place, g->o->cases, why, sizeof why) != 0)
        return verb_wrong("regrade", "%s", why);
    gather(g);
    if (g->n == 0)
        return verb_wrong("regrade", "nothing of that was graded");
    load_kept(g);
    if (!mkdtemp(temp_path(g->spool, sizeof g->spool, "commlab-regrade"))) {
        verb_wrong("regrade", "%s: %m", g->spool);
        return EXIT_INFRA;
    }
    const int err = grade_all(g);
    if (err)
        verb_wrong("regrade", "cannot start grade run in %s: %s%s", g->spool,
                   strerror(g->why),
                   g->why == ENOSPC ? " (TMPDIR names another folder)" : "");
    folder_remove(g->spool);
    return err ? EXIT_INFRA : finish(g);
}

static int of_class(const struct options *o, struct export *e)
{
    struct regrade g = {.o = o, .e = e};
    const struct request q = {.lab = e->lab};
    char err[512];
    int status = EXIT_INFRA;
    if (place_find(&g.place, &q, err, sizeof err) != 0)
        verb_wrong("regrade", "%s", err);
    else
        status = regrade(&g);
    for (int i = 0; i < g.n; i++) {
        json_decref(g.r[i].result);
        free(g.r[i].body);
    }
    free(g.r);
    place_release(&g.place);
    return status;
}

int verb_regrade(int argc, char **argv)
{
    struct options o = {.jobs = 1};
    struct export e = {.nrows = 0};
    char lab[64], err[512];
    int status;
    if (verb_parse(&regrade_verb, argc, argv, &o, &status) < 0)
        return status;
    snprintf(lab, sizeof lab, "%s", o.lab);
    e.ledger = access(o.ledger, F_OK) == 0
                   ? ledger_open(o.ledger, o.key, LEDGER_WRITE, err, sizeof err)
                   : NULL;
    if (!e.ledger)
        return verb_wrong("regrade", "%s: %s", o.ledger,
                          access(o.ledger, F_OK) == 0 ? err : "is not there");
    status = class_load(&e, lab, 0, err, sizeof err) == 0
                 ? of_class(&o, &e)
                 : verb_wrong("regrade", "%s", err);
    class_release(&e);
    ledger_close(e.ledger);
    return status;
}
