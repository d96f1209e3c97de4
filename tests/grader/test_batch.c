/*
 * Batches: which submissions become tasks, with which seed, and which batches
 * cannot be. Nothing is graded.
 */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h>    /* open */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* getenv */
#include <string.h>   /* strcmp */
#include <sys/stat.h> /* mkdir */
#include <time.h>     /* clock_gettime */
#include <unistd.h>   /* access */

#include "batches.h"
#include "fds.h"
#include "grader/verbs/verbs.h"
#include "suite.h"

#define OTHER "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

static struct batch *const b = &batches.batch;

/* ---- seeds --------------------------------------------------------------- */

/* BLAKE2b of "STUDENT\nLAB\nATTEMPT" with the batch's seed as its key. */
static const struct {
    const char *lab, *name;
    uint64_t seed;
} seeds[] = {
    {"lab1", "ada@1", UINT64_C(14070420082539625952)},
    {"lab1", "ada@2", UINT64_C(11722546251624933913)},
    {"lab1", "bob@1", UINT64_C(12809205223673838546)},
    {"lab2", "bob@1", UINT64_C(8143202609287268670)},
};

START_TEST(a_seed_follows_from_batch_student_lab_and_attempt)
{
    batches.options.lab = seeds[_i].lab;
    batches_open();
    ck_assert_int_eq(b->ntasks, 3);
    for (int i = 0; i < 3; i++)
        if (strcmp(b->task[i].name, seeds[_i].name) == 0)
            ck_assert_uint_eq(b->task[i].seed, seeds[_i].seed);
    batch_release(b);
}
END_TEST

/* The ledger's batches, and the last one's body, to be released. */
struct found {
    int n;
    json_t *last;
};

static int note_batch(const struct ledger_entry *e, void *arg)
{
    struct found *const all = arg;
    all->n++;
    json_decref(all->last);
    all->last = json_loads(e->body, 0, NULL);
    ck_assert_str_eq(e->student, "");
    ck_assert_str_eq(e->digest, "");
    ck_assert_int_eq(e->attempt, 0);
    return 0;
}

static const char *text_of(const json_t *j, const char *key)
{
    return json_string_value(json_object_get(j, key));
}

/* Open and release a batch; its seed in hexadecimal. */
static void once(char hex[65])
{
    batches_open();
    for (int i = 0; i < 32; i++)
        sprintf(hex + 2 * i, "%02x", b->seed[i]);
    batch_release(b);
}

/* A batch as these options want it: it has this seed and time zone, and is this
 * lab's n-th in the ledger. */
static void ck_batch(const char *seed, const char *zone, int n)
{
    char hex[65], err[256];
    struct found all = {.n = 0};
    once(hex);
    ck_assert_str_eq(getenv("TZ"), *zone ? zone : "UTC");
    struct ledger *const l =
        ledger_open(batches.ledger, NULL, LEDGER_READ, err, sizeof err);
    ledger_each(l, "batch", b->lab, note_batch, &all);
    ledger_close(l);
    if (seed)
        ck_assert_str_eq(hex, seed);
    ck_assert_str_eq(text_of(all.last, "seed"), hex);
    ck_assert_str_eq(text_of(all.last, "timezone"), zone);
    ck_assert_uint_eq(json_array_size(json_object_get(all.last, "roster")), 3);
    ck_assert_ptr_nonnull(
        text_of(json_object_get(all.last, "versions"), "plan"));
    ck_assert_int_eq(all.n, n);
    json_decref(all.last);
}

START_TEST(a_batch_is_another_when_seed_roster_or_zone_are)
{
    ck_batch(BATCHES_SEED, "", 1);
    ck_batch(BATCHES_SEED, "", 1);
    batches.options.seed = NULL; // the ledger's
    ck_batch(BATCHES_SEED, "", 1);
    batches.options.seed = OTHER;
    ck_batch(OTHER, "", 2);
    batches.options.seed = NULL;
    ck_batch(OTHER, "", 2);
    batches_sh("sed -i s/cyd/dan/ r.csv");
    ck_batch(OTHER, "", 3);
    batches.options.timezone = "Europe/Berlin";
    ck_batch(OTHER, "Europe/Berlin", 4);
    batches.options.timezone = NULL; // the ledger's
    ck_batch(OTHER, "Europe/Berlin", 4);
    batches.options.lab = "lab2"; // has the ledger's zone, but no seed yet
    ck_batch(NULL, "Europe/Berlin", 1);
    ck_batch(NULL, "Europe/Berlin", 1);
    batches.options.timezone = "UTC";
    ck_batch(NULL, "UTC", 2);
}
END_TEST

START_TEST(a_seed_that_is_not_given_is_random)
{
    char first[65], second[65];
    batches.options.seed = NULL;
    once(first);
    batches_sh("rm L.db");
    once(second);
    ck_assert_str_ne(first, second);
    ck_assert_str_ne(first + 32, second + 32);
}
END_TEST

/* ---- tasks --------------------------------------------------------------- */

static void append(const char *kind, const char *student, int attempt,
                   const char *bytes, const char *body)
{
    char digest[LEDGER_DIGEST], err[256];
    struct ledger *const l =
        ledger_open(batches.ledger, NULL, LEDGER_WRITE, err, sizeof err);
    ck_assert_int_eq(ledger_keep(l, bytes, strlen(bytes), digest), 0);
    const struct ledger_entry e = {.kind = kind,
                                   .student = student,
                                   .lab = BATCHES_LAB,
                                   .attempt = attempt,
                                   .digest = digest,
                                   .body = body};
    ck_assert_int_gt(ledger_append(l, &e), 0);
    ledger_close(l);
}

struct before { /* a grading that is in the ledger */
    const char *student;
    int attempt;
    const char *bytes, *outcome;
    double score;
};

static void plant(const struct before *g)
{
    char body[200];
    snprintf(body, sizeof body,
             "{\"result\": {\"outcome\": \"%s\", \"score\": %g}}", g->outcome,
             g->score);
    append("grading", g->student, g->attempt, g->bytes,
           strcmp(g->outcome, "none") == 0 ? "{}" : body);
}

static const struct {
    int only;
    struct before before[4];
    const char *tasks;
} wanted[] = {
    {ONLY_NEW, {{0}}, "ada@1 ada@2 bob@1 "},
    {ONLY_LATEST, {{0}}, "ada@2 bob@1 "},
    {ONLY_FAILED, {{0}}, ""},
    {ONLY_BEST, {{0}}, ""},
    {ONLY_NEW, {{"ada", 1, "a1", "pass", 5}}, "ada@2 bob@1 "},
    {ONLY_NEW, {{"ada", 2, "a2", "fail", 5}}, "ada@1 bob@1 "},
    {ONLY_NEW, {{"bob", 1, "b1", "suspected", 0}}, "ada@1 ada@2 "},
    // of other bytes, by the machine's fault, of no result, or of others
    {ONLY_NEW, {{"ada", 1, "a2", "pass", 5}}, "ada@1 ada@2 bob@1 "},
    {ONLY_NEW, {{"ada", 1, "a1", "infra", 5}}, "ada@1 ada@2 bob@1 "},
    {ONLY_NEW, {{"ada", 1, "a1", "none", 5}}, "ada@1 ada@2 bob@1 "},
    {ONLY_NEW, {{"cyd", 1, "a1", "pass", 5}}, "ada@1 ada@2 bob@1 "},
    {ONLY_NEW, {{"ada", 3, "a1", "pass", 5}}, "ada@1 ada@2 bob@1 "},
    // the last grading counts
    {ONLY_NEW,
     {{"ada", 1, "a1", "pass", 5}, {"ada", 1, "a1", "infra", 0}},
     "ada@1 ada@2 bob@1 "},
    {ONLY_NEW,
     {{"ada", 1, "old", "pass", 5}, {"ada", 1, "a1", "pass", 5}},
     "ada@2 bob@1 "},
    {ONLY_FAILED,
     {{"ada", 1, "a1", "fail", 5},
      {"ada", 2, "a2", "pass", 5},
      {"bob", 1, "other", "infra", 0}},
     "ada@1 bob@1 "},
    {ONLY_FAILED,
     {{"ada", 1, "a1", "fail", 5}, {"ada", 1, "a1", "pass", 5}},
     ""},
    {ONLY_LATEST, {{"ada", 1, "a1", "fail", 5}}, "ada@2 bob@1 "},
    {ONLY_LATEST, {{"ada", 2, "a2", "fail", 5}}, "bob@1 "},
    {ONLY_LATEST, {{"bob", 1, "b1", "fail", 5}}, "ada@2 "},
    {ONLY_BEST,
     {{"ada", 1, "a1", "fail", 5}, {"ada", 2, "a2", "fail", 7}},
     "ada@2 "},
    {ONLY_BEST,
     {{"ada", 1, "a1", "fail", 7}, {"ada", 2, "a2", "fail", 5}},
     "ada@1 "},
    {ONLY_BEST, // of two that are equal, the first
     {{"ada", 1, "a1", "fail", 5}, {"ada", 2, "a2", "fail", 5}},
     "ada@1 "},
    {ONLY_BEST, {{"ada", 2, "a2", "fail", 0}}, "ada@2 "},
    {ONLY_BEST,
     {{"bob", 1, "b1", "pass", 9}, {"ada", 1, "a1", "fail", 1}},
     "ada@1 bob@1 "},
};

START_TEST(only_what_is_wanted_is_graded)
{
    char names[100] = "", digest[LEDGER_DIGEST];
    for (int i = 0; i < 4 && wanted[_i].before[i].student; i++)
        plant(&wanted[_i].before[i]);
    batches.options.only = wanted[_i].only;
    batches_open();
    for (int i = 0; i < b->ntasks; i++) {
        const struct task *const t = &b->task[i];
        const char bytes[] = {t->name[0], t->name[4], 0};
        ledger_digest(bytes, 2, digest);
        ck_assert_str_eq(t->digest, digest);
        strcat(strcat(names, t->name), " ");
    }
    ck_assert_str_eq(names, wanted[_i].tasks);
    ck_assert_int_eq(b->progress.total, b->ntasks);
    ck_assert_ptr_eq(b->progress.out, stderr);
    batch_release(b);
}
END_TEST

/* Open a batch, end it before it grades anything, and check which students the
 * exports warn of, and what they print: a line for each (NULL: anything). */
static void ck_pending(const char *outcomes, const char *warning)
{
    static const char command[] =
        "cd %s && grade=%s/tests/grader/grade && $grade export --ledger L.db "
        "--lab lab1 --format csv -o - 2> err | sed 1d | cut -d, -f1,6 && sed "
        "-n 's/^grade export: .*yet: //p' err >&2 && $grade course -o - L.db "
        "2> err | sed 1d | cut -d, -f1,9- && sed -n 's/^grade course: .*yet: "
        "//p' err >&2";
    char twice[200];
    batches_open();
    batch_release(b);
    struct child c = child_run(30, command, batches.dir, child_build());
    snprintf(twice, sizeof twice, "%s%s", warning, warning);
    ck_assert_msg(strcmp(c.err, twice) == 0 &&
                      (!outcomes || strcmp(c.out, outcomes) == 0),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}

START_TEST(what_a_batch_has_not_graded_is_pending)
{
    ck_pending("\"ada\",pending\n\"bob\",pending\n\"cyd\",missing\n"
               "\"ada\",,\"lab1: waits, pending\"\n"
               "\"bob\",,\"lab1: waits, pending\"\n"
               "\"cyd\",0.00,\"lab1: nothing handed in\"\n",
               "ada bob\n");
    ck_batch(BATCHES_SEED, "", 1); // an entry only if something changed
    plant(&(struct before){"ada", 1, "a1", "pass", 5}); // 2 is pending still
    plant(&(struct before){"bob", 1, "b0", "pass", 5}); // other bytes
    ck_pending(NULL, "ada bob\n");
    plant(&(struct before){"ada", 2, "a2", "pass", 5});
    plant(&(struct before){"bob", 1, "b1", "pass", 5});
    ck_pending(NULL, "");
    batches_sh("printf b2 > in/bob");
    ck_pending(NULL, "bob\n");
    batches_sh("rm in/bob"); // handed in by mistake
    ck_pending(NULL, "");
    ck_batch(BATCHES_SEED, "", 3);
}
END_TEST

START_TEST(a_grading_of_another_lab_does_not_count)
{
    const struct before ada = {"ada", 1, "a1", "pass", 5};
    plant(&ada);
    batches.options.lab = "lab2";
    batches_open();
    ck_assert_int_eq(b->ntasks, 3);
    batch_release(b);
}
END_TEST

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

START_TEST(the_next_task_is_the_first_that_may_start)
{
    batches_open();
    ck_assert_ptr_eq(batch_next(b), &b->task[0]);
    ck_assert_int_eq(batch_left(b), 3);
    b->task[0].state = TASK_RUNNING;
    ck_assert_ptr_eq(batch_next(b), &b->task[1]);
    ck_assert_int_eq(batch_left(b), 3);
    b->task[1].not_before_ms = now_ms() + 1000000;
    ck_assert_ptr_eq(batch_next(b), &b->task[2]);
    b->task[1].not_before_ms = now_ms();
    ck_assert_ptr_eq(batch_next(b), &b->task[1]);
    b->task[1].state = b->task[2].state = TASK_DONE;
    ck_assert_ptr_null(batch_next(b));
    ck_assert_int_eq(batch_left(b), 1);
    b->task[0].state = TASK_WAITING;
    b->stopping = 1;
    ck_assert_ptr_null(batch_next(b));
    batch_release(b);
}
END_TEST

/* ---- opening ------------------------------------------------------------- */

/* A batch that is refused tells why, and leaves the other's files. */
START_TEST(a_spool_has_one_batch_at_a_time)
{
    struct batch second;
    close(STDIN_FILENO);
    batches_open();
    ck_assert_int_eq(b->lock, STDIN_FILENO);
    batches_says(b->objects, "DIR/L.db.spool/objects");
    batches_sh("mkdir -p L.db.spool/objects/x");
    ck_assert_int_eq(batch_open(&second, &batches.options), -1);
    batches_says(second.err, "DIR/L.db.spool: another batch is at work here");
    batch_release(&second);
    ck_assert_int_eq(batches_nfiles(batches.spool), 1);
    batch_release(b);
    ck_assert_int_eq(open("/dev/null", O_RDONLY), STDIN_FILENO);
    ck_assert_int_eq(access(batches.spool, F_OK), -1);
    batches_open();
    batches_sh("echo > L.db.spool/other");
    batch_release(b);
    ck_assert_int_eq(batches_nfiles(batches.spool), 1);
}
END_TEST

START_TEST(the_spool_may_be_elsewhere)
{
    char path[CHILD_FOLDER + 8], self[CHILD_FOLDER];
    snprintf(path, sizeof path, "%s/sp", batches.dir);
    batches.options.spool = path;
    batches_open();
    ck_assert_str_eq(b->spool, path);
    ck_assert_int_eq(access(batches.spool, F_OK), -1);
    ck_assert_int_eq(batches_nfiles(path), 0);
    ck_assert_str_eq(b->lab, BATCHES_LAB);
    self[readlink("/proc/self/exe", self, sizeof self - 1)] = 0;
    ck_assert_str_eq(b->self, self);
    batch_release(b);
    ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

/* Names in the spool need room. */
START_TEST(a_spool_has_a_short_path)
{
    enum { MOST = PATH_MAX - 200 };
    static char path[PATH_MAX], want[PATH_MAX + 32];
    batches.options.spool = path;
    for (int more = 0; more < 2; more++) {
        strcpy(path, batches.dir);
        for (int n; (n = MOST + more - (int)strlen(path)) > 0;) {
            const int last = n <= 200, part = last ? n - 1 : 99;
            sprintf(path + strlen(path), "/%0*d", part, 0);
            if (!last)
                mkdir(path, 0700);
        }
        ck_assert_int_eq(batch_open(b, &batches.options), -more);
        snprintf(want, sizeof want, "%.900s...: a path too long", path);
        ck_assert_str_eq(b->err, more ? want : "");
        batch_release(b);
    }
}
END_TEST

static const struct {
    const char *line;            /* before it */
    struct batch_options change; /* what is set of these */
    const char *says;            /* DIR is the folder */
} refused[] = {
    {"true", {.lab = "lab77"}, "there is no lab \"lab77\""},
    {"true",
     {.timezone = "Mars/Olympus"},
     "there is no time zone Mars/Olympus"},
    {"true", {.seed = "12"}, "a seed is 64 hexadecimal digits, not \"12\""},
    {"true",
     {.seed = BATCHES_SEED "0"},
     "a seed is 64 hexadecimal digits, not \"" BATCHES_SEED "0\""},
    {"rm r.csv", {0}, "DIR/r.csv: No such file or directory"},
    {"rm -r in", {0}, "DIR/in: No such file or directory"},
    {"mkdir in/cyd; ln -s / in/cyd.zip",
     {0},
     "DIR/in/cyd and DIR/in/cyd.zip are the same attempt: end later ones in "
     "@2, @3"},
    {"echo > L.db.spool", {0}, "DIR/L.db.spool: File exists"},
    {"echo not SQLite, but longer than a header is > L.db",
     {0},
     "ledger: file is not a database"},
    {"mkdir -p L.db.spool/ada@1.sub; ln -s nowhere in/cyd; rm in/cyd", {0}, ""},
};

START_TEST(a_batch_that_cannot_be_is_refused_with_the_reason)
{
    const struct batch_options *const o = &refused[_i].change;
    batches_sh("%s", refused[_i].line);
    batches.options.lab = o->lab ? o->lab : batches.options.lab;
    batches.options.seed = o->seed ? o->seed : batches.options.seed;
    batches.options.timezone = o->timezone;
    ck_assert_int_eq(batch_open(b, &batches.options),
                     -(refused[_i].says[0] != 0));
    batches_says(b->err, refused[_i].says);
    batch_release(b);
}
END_TEST

/* ---- the verb ------------------------------------------------------------ */

/* Slurm grades at once: ada's attempts so, bob's one so. */
#define GRADE(ada, bob)                                                        \
    "echo 7; while read name seed; do o=" ada "; [ $name != bob@1 ] || o=" bob \
    "; echo '{\"seed\": \"'$seed'\", \"outcome\": \"'$o'\", \"score\": 1, "    \
    "\"max_score\": 2}' > $spool/$name.json; done < $spool/slurm.list"

static const struct {
    const char *sbatch, *retries;
    int status;
    const char *out, *err; /* err: its last line */
} statuses[] = {
    {GRADE("pass", "suspected"), "0", 0, "",
     "3 graded in 0 s: 2 pass, 0 partial, 0 fail, 1 suspected, 0 infra\n"},
    {GRADE("fail", "infra"), "0", 3, "",
     "3 graded in 0 s: 0 pass, 2 partial, 0 fail, 0 suspected, 1 infra\n"},
    {"exit 1", "0", 3, "",
     "grade batch: sbatch failed (its words are above)\n"},
    {GRADE("pass", "infra") "; kill -INT $(cat pid)", "1", 1,
     "interrupted: 1 left; the same command goes on\n",
     "2 graded in 0 s: 2 pass, 0 partial, 0 fail, 0 suspected, 0 infra\n"},
};

/* Standard output or error, from now on in a file of the folder; to be given
 * back to end_file(). */
static int begin_file(int fd, const char *name)
{
    char path[CHILD_FOLDER + 16];
    snprintf(path, sizeof path, "%s/%s", batches.dir, name);
    fflush(NULL);
    const int kept = dup(fd), f = open(path, O_WRONLY | O_CREAT, 0600);
    dup2(f, fd);
    close(f);
    return kept;
}

static void end_file(int fd, int kept)
{
    fflush(NULL);
    dup2(kept, fd);
    close(kept);
}

START_TEST(how_a_batch_ends_is_its_status)
{
    char path[2 * CHILD_FOLDER];
    const char *const argv[] = {"batch",
                                "--roster",
                                batches.roster,
                                "--submissions",
                                batches.in,
                                "--ledger",
                                batches.ledger,
                                "--lab",
                                "lab1",
                                "--executor",
                                "slurm",
                                "--retries",
                                statuses[_i].retries,
                                NULL};
    snprintf(path, sizeof path, "%s/bin:%s", batches.dir, getenv("PATH"));
    setenv("PATH", path, 1);
    batches_answer("sbatch", statuses[_i].sbatch);
    batches_answer("scancel", "");
    batches_sh("echo %d > pid", (int)getpid());
    optind = 1;
    const int out = begin_file(STDOUT_FILENO, "out"),
              err = begin_file(STDERR_FILENO, "err");
    const int status = verb_batch(13, (char **)argv);
    end_file(STDOUT_FILENO, out);
    end_file(STDERR_FILENO, err);
    ck_assert_int_eq(status, statuses[_i].status);
    struct child c = child_run(20,
                               "cd %s && cat out && tail -n 1 err | sed "
                               "'s/ in [0-9]* s/ in 0 s/' >&2",
                               batches.dir);
    ck_assert_str_eq(c.out, statuses[_i].out);
    ck_assert_str_eq(c.err, statuses[_i].err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("batch");
    TCase *const t = tcase_create("batch");
    fds_watch(t);
    tcase_add_checked_fixture(t, batches_setup, batches_teardown);
    SUITE_LOOP(t, a_seed_follows_from_batch_student_lab_and_attempt, seeds);
    tcase_add_test(t, a_batch_is_another_when_seed_roster_or_zone_are);
    tcase_add_test(t, a_seed_that_is_not_given_is_random);
    SUITE_LOOP(t, only_what_is_wanted_is_graded, wanted);
    tcase_add_test(t, what_a_batch_has_not_graded_is_pending);
    tcase_add_test(t, a_grading_of_another_lab_does_not_count);
    tcase_add_test(t, the_next_task_is_the_first_that_may_start);
    tcase_add_test(t, a_spool_has_one_batch_at_a_time);
    tcase_add_test(t, the_spool_may_be_elsewhere);
    tcase_add_test(t, a_spool_has_a_short_path);
    SUITE_LOOP(t, a_batch_that_cannot_be_is_refused_with_the_reason, refused);
    SUITE_LOOP(t, how_a_batch_ends_is_its_status, statuses);
    suite_add_tcase(s, t);
    return suite_run(s);
}
