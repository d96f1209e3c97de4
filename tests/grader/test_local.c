/*
 * A batch on this machine: what `grade run` is asked, what becomes of its end,
 * and of an interrupt. The program is a shell script.
 */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h>   /* open */
#include <sqlite3.h> /* sqlite3_exec */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* free */
#include <string.h>  /* strstr */
#include <unistd.h>  /* dup2 */
#include <uv.h>      /* uv_now */

#include "batches.h"
#include "fds.h"
#include "suite.h"

static struct batch *const b = &batches.batch;

/* ---- the clock ----------------------------------------------------------- */

enum { DEADLINE_MS = 3 * 3600 * 1000, BEGIN_MS = 77 };
static int nlooks; /* at the clock */
static int is_late;

/* Instead of libuv's: a run that begins at BEGIN_MS has, if it is to be late,
 * all its time at the second look, and from the third one on a bit more. */
uint64_t uv_now(const uv_loop_t *loop)
{
    (void)loop;
    nlooks++;
    return BEGIN_MS + (is_late && nlooks > 1 ? DEADLINE_MS + (nlooks > 2) : 0);
}

/* ---- the program --------------------------------------------------------- */

/* Its arguments: $1 run ... $7 the seed, $9 where the result is to be. */
#define RESULT(outcome)                                                        \
    "echo '{\"seed\": \"'$7'\", \"outcome\": \"" outcome                       \
    "\", \"score\": 1, \"max_score\": 2}' > $9.new; mv $9.new $9\n"

static void setup(void)
{
    batches_setup();
    batches_answer("grade", RESULT("pass"));
    batches.options.retries = 0;
    batches.options.isolation = 2;
    nlooks = is_late = 0;
}

static void teardown(void)
{
    uv_library_shutdown(); // it keeps a pipe for signals
    batches_teardown();
}

static void open_batch(void)
{
    batches_open();
    snprintf(b->self, sizeof b->self, "%.4000s/bin/grade", batches.dir);
}

/* Run the batch; what it prints to standard error goes to the folder's err. */
static void run(int status)
{
    char path[CHILD_FOLDER + 16];
    snprintf(path, sizeof path, "%s/err", batches.dir);
    fflush(stderr);
    const int kept = dup(STDERR_FILENO),
              f = open(path, O_WRONLY | O_CREAT, 0600);
    dup2(f, STDERR_FILENO);
    close(f);
    const int got = executor_local(b);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    ck_assert_msg(got == status, "%d: %s", got, b->err);
    ck_assert_int_eq(b->progress.running, 0);
}

/* The message of the ledger's last grading, which is its n-th. */
static void ck_last(int n, const char *message)
{
    json_t *const j = batches_last_grading();
    const char *const said =
        batches_text(json_object_get(j, "result"), "message");
    ck_assert_int_eq(json_integer_value(json_object_get(j, "n")), n);
    ck_assert_str_eq(said ? said : "", message);
    json_decref(j);
}

/* ---- starting ------------------------------------------------------------ */

#define RUN(name, seed, student)                                               \
    "grade run --quiet --timeline --lab lab1-collectives --seed " seed         \
    " --json DIR/L.db.spool/" name ".json --work DIR/L.db.spool/" name         \
    ".work --isolation 2 --with-parent PID --student " student                 \
    " DIR/L.db.spool/" name ".sub --objects DIR/L.db.spool/objects\n"

START_TEST(each_submission_is_a_run_of_grade)
{
    open_batch();
    run(0);
    batches_sh("sed -i 's/--with-parent %d /--with-parent PID /' log",
               (int)getpid());
    batches_asked(RUN("ada@1", BATCHES_ADA_1, "ada")
                      RUN("ada@2", BATCHES_ADA_2, "ada")
                          RUN("bob@1", "12809205223673838546", "bob"));
    ck_assert_int_eq(b->progress.outcomes.of[OUTCOME_PASS], 3);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(b->task[i].tries, 1);
    ck_assert_int_eq(batches_nfiles(batches.spool), 0);
    ck_last(3, "");
    batch_release(b);
}
END_TEST

/* A terminal's interrupt is not for it, and only its errors are kept, in place
 * of those that a killed batch has left. */
START_TEST(a_run_is_alone_and_its_complaints_are_kept)
{
    batches_sh("rm in/ada@2 in/bob; mkdir L.db.spool; umask 077; %s",
               _i ? "printf longer > L.db.spool/ada@1.err" : "");
    batches_answer(
        "grade",
        "echo no; echo oops >&2; kill -0 -$$ || echo not its own group >&2\n"
        "read -r x && echo it has input >&2\n"
        "{ cat $spool/ada@1.err; stat -c %a $spool/ada@1.err; } > saw\n" RESULT(
            "pass"));
    open_batch();
    run(0);
    batches_sh("printf 'oops\\n600\\n' | cmp - saw");
    batch_release(b);
}
END_TEST

/* The first of two waits for the second. */
START_TEST(jobs_run_together)
{
    batches.options.jobs = 2;
    batches_answer("grade", "touch at.$7; until [ $(ls at.* | wc -l) -gt 1 ]; "
                            "do sleep 0.01; done\n" RESULT("pass"));
    open_batch();
    run(0);
    ck_assert_int_eq(b->progress.outcomes.of[OUTCOME_PASS], 3);
    ck_assert_int_eq(batch_left(b), 0);
    batch_release(b);
}
END_TEST

START_TEST(a_run_is_shown_while_it_runs)
{
    char *text = NULL;
    size_t n;
    open_batch();
    b->progress.out = open_memstream(&text, &n);
    b->progress.terminal = 1;
    run(0);
    fclose(b->progress.out);
    b->progress.out = stderr;
    const char *const bar = "\r[........................] 0/3";
    ck_assert_msg(strncmp(text, bar, strlen(bar)) == 0, "%s", text);
    ck_assert_msg(strstr(text, " 1 running") != NULL, "%s", text);
    free(text);
    batch_release(b);
}
END_TEST

/* ---- ends ---------------------------------------------------------------- */

static const struct {
    const char *script, *says;
} ends[] = {
    {"exit 3", "grade run left no result, and status 3"},
    {"true", "grade run left no result, and status 0"},
    {"kill -SEGV $$", "grade run was ended by signal 11 (Segmentation fault)"},
    {RESULT("pass") "kill -KILL $$", ""},
    {RESULT("fail") "exit 1", ""},
};

START_TEST(an_end_without_a_result_is_infra)
{
    batches_sh("rm in/ada@2 in/bob");
    batches_answer("grade", ends[_i].script);
    open_batch();
    run(0);
    ck_last(1, ends[_i].says);
    ck_assert_int_eq(b->progress.outcomes.of[OUTCOME_INFRA],
                     ends[_i].says[0] != 0);
    batch_release(b);
}
END_TEST

START_TEST(after_infra_it_runs_again)
{
    batches_sh("rm in/ada@2 in/bob");
    batches.options.retries = 1;
    batches_answer("grade", "[ $n = 2 ] || exit 1\n" RESULT("pass"));
    open_batch();
    run(0);
    ck_last(2, "");
    ck_assert_int_eq(b->task[0].tries, 2);
    batch_release(b);
}
END_TEST

/* At its deadline it still runs. */
START_TEST(a_run_that_takes_hours_is_ended)
{
    batches_sh("rm in/ada@2 in/bob");
    batches_answer("grade", "exec sleep 600");
    is_late = 1;
    open_batch();
    run(0);
    ck_assert_int_ge(nlooks, 3);
    ck_last(1, "grade run was ended by signal 9 (Killed)");
    batch_release(b);
}
END_TEST

START_TEST(a_program_that_cannot_be_started_is_infra)
{
    open_batch();
    strcpy(b->self, "/no/grade");
    run(0);
    ck_last(3, "no such file or directory");
    ck_assert_int_eq(b->progress.outcomes.of[OUTCOME_INFRA], 3);
    batch_release(b);
}
END_TEST

/* ---- what ends the batch ------------------------------------------------- */

START_TEST(a_submission_that_is_gone_ends_the_batch)
{
    open_batch();
    batches_sh("rm in/ada@2");
    run(-1);
    batches_says(b->err, "DIR/in/ada@2: No such file or directory");
    ck_assert_int_eq(b->progress.outcomes.of[OUTCOME_PASS], 1);
    ck_assert_int_eq(batch_left(b), 2);
    batch_release(b);
}
END_TEST

/* Whether it is a run's result that cannot be kept, or that there is none. */
START_TEST(a_ledger_that_cannot_be_written_ends_the_batch)
{
    batches_answer("grade", _i ? "exit 1" : RESULT("pass"));
    open_batch();
    if (_i == 2)
        strcpy(b->self, "/no/grade");
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(batches.ledger, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db,
                                  "CREATE TRIGGER full BEFORE INSERT ON entry "
                                  "BEGIN SELECT RAISE(ABORT, 'it is full'); "
                                  "END",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    run(-1);
    ck_assert_str_eq(b->err, "ledger: it is full");
    ck_assert_int_eq(b->progress.done, 0);
    ck_assert_int_eq(b->task[1].tries, 0);
    batch_release(b);
}
END_TEST

/* By one interrupt, what runs is finished; by a second one, it is ended as if
 * it had never begun. */
static const struct {
    const char *script;
    int stopping, left;
    const char *err;
} interrupts[] = {
    {"kill -INT $PPID\n" RESULT("pass"), 1, 2,
     "\nfinishing what runs (again to end it now)\n"},
    {"kill -TERM $PPID\n" RESULT("pass"), 1, 2,
     "\nfinishing what runs (again to end it now)\n"},
    {"kill -TERM $PPID\nexit 1\n", 1, 2,
     "\nfinishing what runs (again to end it now)\n"},
    {"kill -TERM $PPID; kill -INT $PPID; exec sleep 600\n", 2, 3,
     "\nfinishing what runs (again to end it now)\n\nending what runs\n"},
};

START_TEST(an_interrupt_ends_the_batch)
{
    batches_answer("grade", interrupts[_i].script);
    open_batch();
    run(0);
    ck_assert_int_eq(b->stopping, interrupts[_i].stopping);
    ck_assert_int_eq(batch_left(b), interrupts[_i].left);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(b->task[i].state, i < 3 - interrupts[_i].left
                                               ? TASK_DONE
                                               : TASK_WAITING);
    ck_assert_int_eq(b->progress.done, 3 - interrupts[_i].left);
    struct child c =
        child_run(10, "grep -v graded %s/err | grep -v '^[ab]'", batches.dir);
    ck_assert_str_eq(c.out, interrupts[_i].err);
    child_clear(&c);
    batch_release(b);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("local");
    TCase *const t = tcase_create("local");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, each_submission_is_a_run_of_grade);
    tcase_add_loop_test(t, a_run_is_alone_and_its_complaints_are_kept, 0, 2);
    tcase_add_test(t, jobs_run_together);
    tcase_add_test(t, a_run_is_shown_while_it_runs);
    SUITE_LOOP(t, an_end_without_a_result_is_infra, ends);
    tcase_add_test(t, after_infra_it_runs_again);
    tcase_add_test(t, a_run_that_takes_hours_is_ended);
    tcase_add_test(t, a_program_that_cannot_be_started_is_infra);
    tcase_add_test(t, a_submission_that_is_gone_ends_the_batch);
    tcase_add_loop_test(t, a_ledger_that_cannot_be_written_ends_the_batch, 0,
                        3);
    SUITE_LOOP(t, an_interrupt_ends_the_batch, interrupts);
    suite_add_tcase(s, t);
    return suite_run(s);
}
