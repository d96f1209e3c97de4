#define _GNU_SOURCE
#include "grader/batch/batch.h"

#include <errno.h>    /* errno */
#include <fcntl.h>    /* open */
#include <jansson.h>  /* json_load_file */
#include <sodium.h>   /* crypto_generichash */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* strcmp */
#include <sys/file.h> /* flock */
#include <time.h>     /* clock_gettime */
#include <unistd.h>   /* write */

#include "grader/base/folder.h"
#include "grader/batch/batch_entry.h"
#include "grader/batch/run_command.h"
#include "grader/job/place.h"
#include "grader/ledger/grading.h"
#include "grader/ledger/pack.h"

enum { MEMBERS = 4096 }; /* bytes of the names of a group */

void batch_path(const struct batch *b, const struct task *t, const char *suffix,
                char out[PATH_MAX])
{
    if (snprintf(out, PATH_MAX, "%s/%s.%s", b->spool, t->name, suffix) >=
        PATH_MAX)
        abort(); // the spool's path was checked to be short
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- tasks --------------------------------------------------------------- */

static uint64_t seed_of(const struct batch *b, const struct submission *s)
{
    unsigned char hash[16];
    uint64_t seed;
    char text[300];
    const int n = snprintf(text, sizeof text, "%s\n%s\n%d", s->student->key,
                           b->lab, s->attempt);
    crypto_generichash(hash, sizeof hash, (const unsigned char *)text,
                       (size_t)n, b->seed, sizeof b->seed);
    memcpy(&seed, hash, sizeof seed);
    return seed;
}

struct graded { /* the ledger's last word on one attempt */
    char digest[LEDGER_DIGEST];
    double score;
    int found, outcome;
};

static int note_graded(const struct ledger_entry *e, void *arg)
{
    void *const *const a = arg;
    const struct batch *const b = a[0];
    struct graded *const graded = a[1];
    for (int i = 0; i < b->submissions->n; i++) {
        const struct submission *const s = &b->submissions->s[i];
        if (s->attempt != e->attempt || strcmp(s->student->key, e->student))
            continue;
        struct grading r;
        if (grading_parse(&r, e->body) == 0) {
            graded[i].found = 1;
            graded[i].outcome = r.outcome;
            graded[i].score = r.score;
            snprintf(graded[i].digest, sizeof graded[i].digest, "%s",
                     e->digest);
        }
        grading_release(&r);
    }
    return 0;
}

/* True if submission i is the student's latest. */
static int is_latest(const struct submissions *s, int i)
{
    return i + 1 == s->n || s->s[i + 1].student != s->s[i].student;
}

static int is_best(const struct submissions *s, const struct graded *graded,
                   int i)
{
    for (int k = 0; k < s->n; k++)
        if (s->s[k].student == s->s[i].student && graded[k].found &&
            (graded[k].score > graded[i].score ||
             (graded[k].score == graded[i].score && k < i)))
            return 0;
    return graded[i].found;
}

static int is_wanted(const struct batch *b, const struct graded *graded, int i,
                     const char *digest)
{
    const struct graded *const g = &graded[i];
    const int done = g->found && g->outcome != OUTCOME_INFRA &&
                     strcmp(g->digest, digest) == 0;
    switch (b->o->only) {
    case ONLY_FAILED: return g->found && g->outcome != OUTCOME_PASS;
    case ONLY_LATEST: return !done && is_latest(b->submissions, i);
    case ONLY_BEST: return is_best(b->submissions, graded, i);
    case ONLY_NEW: break;
    }
    return !done;
}

static int make_tasks(struct batch *b)
{
    const int n = b->submissions->n;
    struct graded *const graded = calloc((size_t)n + 1, sizeof *graded);
    void *arg[] = {b, graded};
    b->task = calloc((size_t)n + 1, sizeof *b->task);
    if (!graded || !b->task)
        abort();
    ledger_each(b->ledger, "grading", b->lab, note_graded, arg);
    int err = 0;
    for (int i = 0; i < n && !err; i++) {
        struct task *const t = &b->task[b->ntasks];
        const struct submission *const s = &b->submissions->s[i];
        size_t nbytes;
        *t = (struct task){.submission = s, .seed = seed_of(b, s)};
        snprintf(t->name, sizeof t->name, "%s@%d", s->student->key, s->attempt);
        void *const data = submission_read(s->path, b->plan, &nbytes);
        if (!data)
            err = batch_fail(b, "%s: %s", s->path, strerror(errno));
        else
            ledger_digest(data, nbytes, t->digest);
        free(data);
        t->fresh = !graded[i].found || strcmp(graded[i].digest, t->digest) != 0;
        if (!err && is_wanted(b, graded, i, t->digest))
            b->ntasks++;
    }
    free(graded);
    return err;
}

struct task *batch_next(struct batch *b)
{
    const uint64_t now = now_ms();
    for (int i = 0; i < b->ntasks && !b->stopping; i++)
        if (b->task[i].state == TASK_WAITING && b->task[i].not_before_ms <= now)
            return &b->task[i];
    return NULL;
}

int batch_left(const struct batch *b)
{
    int left = 0;
    for (int i = 0; i < b->ntasks; i++)
        left += b->task[i].state != TASK_DONE;
    return left;
}

/* ---- the spool ----------------------------------------------------------- */

/* "A,B": who handed in together with the student, or "". */
static void members_of(const struct batch *b, const struct student *s,
                       char out[MEMBERS])
{
    size_t at = 0;
    out[0] = 0;
    for (int i = 0; i < b->roster->n; i++) {
        const struct student *const other = &b->roster->student[i];
        if (other == s || !roster_together(other, s) ||
            at + strlen(other->key) + 2 > MEMBERS)
            continue;
        at += (size_t)snprintf(out + at, MEMBERS - at, "%s%s", at ? "," : "",
                               other->key);
    }
}

int batch_stage(struct batch *b, struct task *t)
{
    char members[MEMBERS];
    char path[PATH_MAX];
    size_t nbytes;
    void *const data = submission_read(t->submission->path, b->plan, &nbytes);
    if (!data)
        return batch_fail(b, "%s: %s", t->submission->path, strerror(errno));
    const int kept = ledger_keep(b->ledger, data, nbytes, t->digest);
    batch_path(b, t, "sub", path);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int written = fd >= 0 && write(fd, data, nbytes) == (ssize_t)nbytes;
    const int why = errno;
    if (fd >= 0)
        close(fd);
    free(data);
    batch_path(b, t, "work", path);
    folder_remove(path); // left over from a killed run
    members_of(b, t->submission->student, members);
    if (run_command_keep_members(b->spool, t->name, members) != 0)
        return batch_fail(b, "%s: %s", b->spool, strerror(errno));
    if (kept != 0)
        return batch_fail(b, "%s", ledger_error(b->ledger));
    return written ? 0 : batch_fail(b, "%s: %s", b->spool, strerror(why));
}

/* Remove everything that belongs to a task. */
static void unstage(const struct batch *b, const struct task *t)
{
    static const char *const files[] = {"sub", "json", "json.new", "err",
                                        "members"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        batch_path(b, t, files[i], path);
        unlink(path);
    }
    batch_path(b, t, "work", path);
    folder_remove(path);
}

/* The result in the spool, if it belongs to this task; else NULL. */
static json_t *read_result(const struct batch *b, const struct task *t)
{
    char path[PATH_MAX], seed[32];
    batch_path(b, t, "json", path);
    json_t *const j = json_load_file(path, 0, NULL);
    const char *const of = json_string_value(json_object_get(j, "seed"));
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)t->seed);
    if (of && strcmp(of, seed) == 0)
        return j;
    json_decref(j);
    return NULL;
}

static int append_grading(struct batch *b, const struct task *t, json_t *result)
{
    const struct submission *const s = t->submission;
    const int64_t said = roster_submitted(s->student, s->attempt);
    const int64_t submitted = said != ROSTER_NEVER ? said : s->modified;
    pack_pictures(result);
    json_t *const j = json_pack(
        "{s:O, s:I, s:i, s:i, s:I, s:O}", "result", result, "submitted",
        (json_int_t)submitted, "days_late",
        roster_days_late(s->student, roster_forgive(submitted, b->plan->grace)),
        "try", t->tries, "graded", (json_int_t)time(NULL), "versions",
        b->versions);
    char members[MEMBERS];
    members_of(b, s->student, members);
    if (*members)
        json_object_set_new(j, "members", json_string(members));
    char *const body = json_dumps(j, JSON_SORT_KEYS | JSON_COMPACT);
    const struct ledger_entry e = {.kind = "grading",
                                   .student = s->student->key,
                                   .lab = b->lab,
                                   .attempt = s->attempt,
                                   .digest = t->digest,
                                   .body = body};
    const int64_t id = ledger_append(b->ledger, &e);
    json_decref(j);
    free(body);
    return id < 0 ? batch_fail(b, "%s", ledger_error(b->ledger)) : 0;
}

static void show_done(struct batch *b, const struct task *t, const json_t *j,
                      enum outcome outcome)
{
    char line[256];
    const double score = json_number_value(json_object_get(j, "score"));
    snprintf(line, sizeof line, "%-20s %-9s %g/%g", t->name,
             outcome_word(outcome, score), score,
             json_number_value(json_object_get(j, "max_score")));
    progress_done(&b->progress, outcome, score, line);
}

/* Each grading reads the plan, and is recorded with the digest of the batch's
 * plan. */
static int check_plan(struct batch *b)
{
    char digest[33];
    const char *const begun =
        json_string_value(json_object_get(b->versions, "plan"));
    grading_plan_digest(b->kit, b->lab, digest);
    if (begun && strcmp(begun, digest) == 0)
        return 0;
    return batch_fail(b,
                      "the plan of %s was edited while the batch ran: the same "
                      "command grades the rest by the new one, and grade "
                      "regrade those before",
                      b->lab);
}

int batch_take(struct batch *b, struct task *t, const char *why)
{
    json_t *j = read_result(b, t);
    if (!j && !why)
        return 0;
    if (check_plan(b) != 0) {
        unstage(b, t);
        json_decref(j);
        return -1;
    }
    if (!j)
        j = grading_infra(b->lab, t->seed, why);
    const enum outcome outcome =
        outcome_find(json_string_value(json_object_get(j, "outcome")));
    const int err = append_grading(b, t, j);
    t->state = TASK_DONE;
    if (outcome == OUTCOME_INFRA && t->tries <= b->o->retries) {
        t->state = TASK_WAITING;
        t->not_before_ms = now_ms() + (500u << t->tries);
    }
    if (!err && t->state == TASK_DONE)
        show_done(b, t, j, outcome);
    json_decref(j);
    if (!err)
        unstage(b, t);
    return err;
}

/* ---- opening ------------------------------------------------------------- */

static int find_kit(struct batch *b)
{
    const struct request q = {.lab = b->o->lab};
    struct place p;
    char err[512];
    const int found = place_find(&p, &q, err, sizeof err);
    if (found == 0) {
        b->plan = p.plan;
        p.plan = NULL;
        snprintf(b->lab, sizeof b->lab, "%s", p.lab);
        snprintf(b->kit, sizeof b->kit, "%s", p.kit);
        b->versions = grading_versions(p.kit, p.lab);
    }
    place_release(&p);
    const ssize_t n = readlink("/proc/self/exe", b->self, sizeof b->self - 1);
    b->self[n > 0 ? n : 0] = 0;
    return found == 0 ? 0 : batch_fail(b, "%s", err);
}

static int open_spool(struct batch *b)
{
    const char *const given = b->o->spool;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s", given ? given : b->o->ledger,
             given ? "" : ".spool");
    if (folder_make(path) != 0 || !realpath(path, b->spool))
        return batch_fail(b, "%s: %s", path, strerror(errno));
    if (strlen(b->spool) > PATH_MAX - 200)
        return batch_fail(b, "%.900s...: a path too long", path);
    // The lock is held until this process ends, for any reason. It is on the
    // folder itself.
    b->lock = open(b->spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (b->lock < 0 || flock(b->lock, LOCK_EX | LOCK_NB) != 0)
        return batch_fail(b, "%s: another batch is at work here", b->spool);
    snprintf(b->objects, sizeof b->objects, "%.*s/objects", PATH_MAX - 200,
             b->spool);
    return 0;
}

/* The entry comes before any grading: it has the seed, and what is pending. */
static int make_batch(struct batch *b)
{
    struct batch_last last;
    batch_last_read(b, &last);
    const int bad = batch_find_seed(b, &last) != 0 || make_tasks(b) != 0 ||
                    batch_record(b, &last) != 0;
    batch_last_release(&last);
    return bad ? -1 : 0;
}

int batch_open(struct batch *b, const struct batch_options *o)
{
    *b = (struct batch){.o = o, .lock = -1};
    if (find_kit(b) != 0 || open_spool(b) != 0)
        return -1;
    b->ledger =
        ledger_open(o->ledger, o->key, LEDGER_WRITE, b->err, sizeof b->err);
    if (!b->ledger || batch_find_timezone(b) != 0)
        return -1;
    b->roster = roster_load(o->roster, b->lab, b->err, sizeof b->err);
    if (!b->roster)
        return -1;
    b->submissions = submissions_find(o->submissions, b->roster, b->plan,
                                      b->err, sizeof b->err);
    if (!b->submissions)
        return -1;
    if (make_batch(b) != 0)
        return -1;
    progress_begin(&b->progress, stderr, b->ntasks);
    // left over from a batch that was killed
    for (int i = 0; i < b->ntasks; i++)
        if (batch_take(b, &b->task[i], NULL) != 0)
            return -1;
    return 0;
}

void batch_release(struct batch *b)
{
    ledger_close(b->ledger);
    submissions_free(b->submissions);
    roster_free(b->roster);
    plan_free(b->plan);
    json_decref(b->versions);
    free(b->task);
    if (b->lock >= 0) {
        if (*b->objects)
            folder_remove(b->objects);
        rmdir(b->spool); // succeeds only if it is empty
        close(b->lock);
    }
}
