/*
 * A batch on a cluster: what Slurm's programs are asked, and what follows from
 * their answers. The programs are shell scripts, and pauses take no time.
 */
#define _GNU_SOURCE
#include <check.h>
#include <signal.h> /* raise */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* setenv */
#include <string.h> /* strcmp */
#include <time.h>   /* clock_nanosleep */
#include <unistd.h> /* access */

#include "batches.h"
#include "fds.h"
#include "suite.h"

static struct batch *const b = &batches.batch;

/* ---- pauses -------------------------------------------------------------- */

static void (*on_pause)(int n); /* NULL: pauses are real */
static int npauses, paused_ms;

/* Instead of the C library's. */
int nanosleep(const struct timespec *t, struct timespec *left)
{
    if (!on_pause)
        return clock_nanosleep(CLOCK_MONOTONIC, 0, t, left);
    ck_assert_int_lt(npauses, 100);
    paused_ms += (int)(t->tv_sec * 1000 + t->tv_nsec / 1000000);
    on_pause(++npauses);
    return 0;
}

static void nothing(int n)
{
    (void)n;
}

/* ---- programs ------------------------------------------------------------ */

#define RESULT                                                                 \
    "{\"seed\": \"'$seed'\", \"outcome\": \"pass\", \"score\": 1, "            \
    "\"max_score\": 2}"
/* Grade the whole list at once. */
#define GRADE_ALL                                                              \
    "echo 7; while read name seed; do echo '" RESULT                           \
    "' > $spool/$name.json; done < $spool/slurm.list"

static void setup(void)
{
    char path[2 * CHILD_FOLDER];
    batches_setup();
    batches_sh("mkdir bin; printf 'per_job: 2\\nat_once: 5\\naccount: x y\\n' "
               "> slurm.yaml");
    snprintf(path, sizeof path, "%s/bin:%s", batches.dir, getenv("PATH"));
    setenv("PATH", path, 1);
    batches_answer("sbatch", GRADE_ALL);
    batches_answer("squeue", "exit 1");
    batches_answer("scontrol", "exit 1");
    batches_answer("sacct", "exit 1");
    batches_answer("scancel", "");
    snprintf(path, sizeof path, "%s/slurm.yaml", batches.dir);
    batches.options.config = strdup(path);
    batches.options.executor = BY_SLURM;
    batches.options.isolation = 1;
    batches.options.retries = 0;
    on_pause = nothing;
    npauses = paused_ms = 0;
}

static void teardown(void)
{
    on_pause = NULL;
    free((char *)batches.options.config);
    batches_teardown();
}

static void run(int status)
{
    const int got = executor_slurm(b);
    ck_assert_msg(got == status, "%d: %s", got, b->err);
}

/* ---- submitting ---------------------------------------------------------- */

#define SBATCH(last)                                                           \
    "sbatch --parsable --requeue --open-mode=append --array=0-" last           \
    "%5 --job-name=commlab --account=x y "                                     \
    "--output=DIR/L.db.spool/slurm-%A_%a.log DIR/L.db.spool/slurm.sh\n"

static void see(const char *name, const char *want)
{
    struct child c = child_run(10, "cat %s/%s", batches.dir, name);
    batches_says(c.out, want);
    child_clear(&c);
}

/* stop is an earlier round's; slurm.job, damaged, is taken for none. */
START_TEST(a_round_is_an_array_of_jobs)
{
    char want[2 * PATH_MAX];
    batches_open();
    batches_sh("echo > L.db.spool/stop; echo x5 > L.db.spool/slurm.job");
    batches_answer("sbatch", "mkdir saw; cp -r $spool/* saw; " GRADE_ALL);
    run(0);
    batches_asked(SBATCH("1"));
    see("saw/slurm.list", "ada@1 " BATCHES_ADA_1 "\nada@2 " BATCHES_ADA_2
                          "\nbob@1 12809205223673838546\n");
    snprintf(want, sizeof want,
             "#!/bin/bash -l\nexec '%s' work --spool 'DIR/L.db.spool' --lab "
             "lab1-collectives --isolation 1 --per-job 2 --job "
             "\"$SLURM_ARRAY_TASK_ID\"\n",
             b->self);
    see("saw/slurm.sh", want);
    batches_sh("cd saw; ! ls stop slurm.job; cmp ada@1.sub ../in/ada; cmp "
               "ada@2.sub ../in/ada@2; cmp bob@1.sub ../in/bob");
    ck_assert_int_eq(b->progress.outcomes.of[OUTCOME_PASS], 3);
    ck_assert_int_eq(b->progress.running, 0);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(b->task[i].tries, 1);
    ck_assert_int_eq(batches_nfiles(batches.spool), 0);
    ck_assert_int_eq(npauses, 0);
    batch_release(b);
}
END_TEST

START_TEST(as_many_jobs_as_it_takes)
{
    static const char *const last[] = {"2", "1", "0", "0"};
    char want[512];
    batches_sh("printf 'per_job: %d\\n' > slurm.yaml", _i + 1);
    batches_open();
    run(0);
    snprintf(want, sizeof want,
             "sbatch --parsable --requeue --open-mode=append --array=0-%s%%8 "
             "--job-name=commlab --output=DIR/L.db.spool/slurm-%%A_%%a.log "
             "DIR/L.db.spool/slurm.sh\n",
             last[_i]);
    batches_asked(want);
    batch_release(b);
}
END_TEST

static const struct {
    const char *says, *job; /* NULL: sbatch failed */
} replies[] = {
    {"echo 7", "7"},
    {"echo '7;cluster'", "7"},
    {"printf 1234567890123456789012345678901",
     "1234567890123456789012345678901"},
    {"echo", NULL},
    {"echo ';cluster'", NULL},
    {"echo x7", NULL},
    {"echo 7x", NULL},
    {"echo 7; exit 1", NULL},
};

static void keep_job(int n)
{
    if (n == 1)
        batches_sh("cp L.db.spool/slurm.job job");
    for (int i = 0; i < b->ntasks && n == 1; i++)
        b->task[i].state = TASK_DONE;
}

START_TEST(sbatch_prints_the_jobs_number)
{
    char want[64];
    batches_answer("sbatch", replies[_i].says);
    on_pause = keep_job;
    batches_open();
    run(replies[_i].job ? 0 : -1);
    ck_assert_str_eq(
        b->err, replies[_i].job ? "" : "sbatch failed (its words are above)");
    if (replies[_i].job) {
        snprintf(want, sizeof want, "%s\n", replies[_i].job);
        see("job", want);
    }
    batch_release(b);
}
END_TEST

static const struct {
    const char *line, *says, *asked;
} unwritten[] = {
    {"mkdir L.db.spool/slurm.list", "DIR/L.db.spool/slurm.list: Is a directory",
     ""},
    {"mkdir L.db.spool/slurm.sh", "DIR/L.db.spool/slurm.list: Is a directory",
     ""},
    {"rm in/bob", "DIR/in/bob: No such file or directory", ""},
    {"echo colour: red > slurm.yaml",
     "DIR/slurm.yaml:1: no such key (account, partition, qos, reservation, "
     "constraint, gpus, gres, nodes, cpus, memory, time, per_job, at_once, "
     "setup, container, partitions)",
     ""},
    {"mkdir L.db.spool/slurm.job", "DIR/L.db.spool/slurm.job: Is a directory",
     SBATCH("1")},
};

START_TEST(what_cannot_be_written_ends_the_batch)
{
    batches_open();
    batches_sh("%s", unwritten[_i].line);
    run(-1);
    batches_says(b->err, unwritten[_i].says);
    batches_asked(unwritten[_i].asked);
    batch_release(b);
}
END_TEST

/* ---- waiting ------------------------------------------------------------- */

#define SQUEUE "squeue -h -r -t all -j 7 -o %K %T\n"

/* The queue's answers, and in which pause it is known of a task that it is
 * gone (0: never); of two jobs, the first has ada's two attempts. */
static const struct {
    const char *squeue;
    int ada, bob;
} queues[] = {
    {"true", 6, 6}, // asked before the third pause, and the sixth
    {"echo slurm_load_jobs error: Invalid job id specified; exit 1", 6, 6},
    {"echo 0 RUNNING; [ $n -ge 4 ] || echo 1 RUNNING", 0, 15},
    {"echo 1 RUNNING; [ $n != 2 ] || echo 0 PENDING", 12, 0},
    {"echo 0 COMPLETING; echo 1 SUSPENDED", 0, 0},
    {"echo 1 COMPLETED; echo 0 FAILED", 6, 6},
    // no answer
    {"[ $n -gt 2 ] || { echo Unable to contact; exit 1; }", 12, 12},
    // of other jobs
    {"echo 2 RUNNING; echo -1 RUNNING; echo x RUNNING; echo 1", 6, 6},
};

static int gone_at[3];

static void note_gone(int n)
{
    for (int i = 0; i < 3; i++)
        if (b->task[i].state == TASK_DONE && !gone_at[i])
            gone_at[i] = n;
    for (int i = 0; i < 3 && n == 20; i++)
        b->task[i].state = TASK_DONE;
}

START_TEST(twice_not_in_the_queue_is_gone)
{
    const int last =
        queues[_i].ada > queues[_i].bob ? queues[_i].ada : queues[_i].bob;
    batches_answer("squeue", queues[_i].squeue);
    batches_answer("sbatch", "echo 7");
    memset(gone_at, 0, sizeof gone_at);
    on_pause = note_gone;
    batches_open();
    run(0);
    ck_assert_int_eq(gone_at[0], queues[_i].ada);
    ck_assert_int_eq(gone_at[1], queues[_i].ada);
    ck_assert_int_eq(gone_at[2], queues[_i].bob);
    ck_assert_int_eq(npauses, queues[_i].ada && queues[_i].bob ? last : 20);
    ck_assert_int_eq(paused_ms, 1000 * npauses);
    batch_release(b);
}
END_TEST

#define SQUEUE     "squeue -h -r -t all -j 7 -o %K %T\n"
#define SCONTROL   "scontrol show job -o 7_0\n"
#define SACCT      "sacct -n -P -X -j 7_0 -o State\n"
#define ARRAY      "scontrol show job -o 7\n"
#define ONLY_ARRAY "[ $4 = 7 ]"
#define NO_RESULT  "its Slurm job ended without a result"
#define CANCELLED  "its Slurm job was cancelled"
#define LATE       "its Slurm job ran out of time (time and per_job in slurm.yaml)"

static const struct {
    const char *squeue, *scontrol, *sacct; /* scripts; NULL: it knows nothing */
    const char *says, *asked;              /* after squeue */
} ends[] = {
    {"echo 0 CANCELLED", NULL, NULL, CANCELLED, ""},
    {"echo 0 PREEMPTED", NULL, NULL,
     "its Slurm job had to make room for another", ""},
    {"echo 0 TIMEOUT", NULL, NULL, LATE, ""},
    {"echo 0 DEADLINE", NULL, NULL,
     "its Slurm job ran out of time (its deadline)", ""},
    {"echo 0 OUT_OF_MEMORY", NULL, NULL,
     "its Slurm job ran out of memory (memory in slurm.yaml)", ""},
    {"echo 0 NODE_FAIL", NULL, NULL, "the node of its Slurm job failed", ""},
    {"echo 0 BOOT_FAIL", NULL, NULL, "the node of its Slurm job did not start",
     ""},
    {"echo 0 FAILED", NULL, NULL,
     "its Slurm job failed: is the kit there, and the setup right? (grade "
     "doctor --executor slurm)",
     ""},
    {"echo 0 COMPLETED", NULL, NULL, NO_RESULT, ""},
    {"true", "echo JobId=8 JobState=TIMEOUT Reason=None", NULL, LATE, SCONTROL},
    {"true", "echo JobState=TIMEOUT; exit 1", NULL, NO_RESULT,
     SCONTROL SACCT ARRAY},
    {"true", "echo JobState=RUNNING", "echo TIMEOUT", LATE, SCONTROL SACCT},
    {"true", "echo JobState=", "echo TIMEOUT", LATE, SCONTROL SACCT},
    {"true", "true", "echo CANCELLED by 1000", CANCELLED, SCONTROL SACCT},
    {"true", NULL, "echo TIMEOUT; exit 1", NO_RESULT, SCONTROL SACCT ARRAY},
    {"true", NULL, "echo", NO_RESULT, SCONTROL SACCT ARRAY},
    // only the array is known: a job that never began was cancelled
    {"true", ONLY_ARRAY, NULL, CANCELLED, SCONTROL SACCT ARRAY},
    {"[ $n != 1 ] || echo 0 PENDING", ONLY_ARRAY, NULL, CANCELLED,
     SQUEUE SCONTROL SACCT ARRAY},
    {"[ $n != 1 ] || echo 0 RUNNING", ONLY_ARRAY, NULL, NO_RESULT,
     SQUEUE SCONTROL SACCT},
};

START_TEST(how_a_job_ended_is_found_out)
{
    char want[2048];
    batches_sh("rm in/ada@2 in/bob");
    batches_answer("sbatch", "echo 7");
    batches_answer("squeue", ends[_i].squeue);
    batches_answer("scontrol",
                   ends[_i].scontrol ? ends[_i].scontrol : "exit 1");
    batches_answer("sacct", ends[_i].sacct ? ends[_i].sacct : "exit 1");
    batches_open();
    run(0);
    json_t *const j = batches_last_grading();
    ck_assert_str_eq(batches_text(json_object_get(j, "result"), "message"),
                     ends[_i].says);
    json_decref(j);
    snprintf(want, sizeof want, "%s%s%s", SBATCH("0"), SQUEUE SQUEUE,
             ends[_i].asked);
    batches_asked(want);
    batch_release(b);
}
END_TEST

/* ---- rounds -------------------------------------------------------------- */

static void wait_no_longer(int n)
{
    (void)n;
    for (int i = 0; i < 3; i++)
        b->task[i].not_before_ms = 0;
}

/* The second has only the submissions that were infra in the first. */
START_TEST(infra_is_in_the_next_round)
{
    batches.options.retries = 1;
    batches_answer("sbatch",
                   GRADE_ALL "; cp $spool/slurm.list list$n; [ $n = 2 ] || "
                             "sed -i s/pass/infra/ $spool/ada@2.json");
    on_pause = wait_no_longer;
    batches_open();
    run(0);
    batches_asked(SBATCH("1") SBATCH("0"));
    see("list2", "ada@2 " BATCHES_ADA_2 "\n");
    ck_assert_int_eq(b->task[1].tries, 2);
    ck_assert_int_eq(npauses, 1);
    ck_assert_int_eq(paused_ms, 200);
    ck_assert_int_eq(b->progress.outcomes.of[OUTCOME_PASS], 3);
    batch_release(b);
}
END_TEST

/* Its jobs are cancelled; results that they left before that are taken. */
START_TEST(a_batch_that_was_killed_is_taken_over)
{
    batches_open();
    batches_sh("echo 55 > L.db.spool/slurm.job");
    batches_answer("scancel", "seed=" BATCHES_ADA_1 "; echo '" RESULT
                              "' > $spool/ada@1.json");
    batches_answer("squeue", "[ $n = 3 ] || echo 0 RUNNING");
    run(0);
    batches_asked("scancel 55\nsqueue -h -j 55\nsqueue -h -j 55\nsqueue -h -j "
                  "55\n" SBATCH("0"));
    ck_assert_int_eq(paused_ms, 1000);
    ck_assert_int_eq(npauses, 2);
    ck_assert_int_eq(b->task[0].tries, 0);
    ck_assert_int_eq(b->progress.outcomes.of[OUTCOME_PASS], 3);
    batch_release(b);
}
END_TEST

/* ---- ends ---------------------------------------------------------------- */

static int comes; /* a result */

static void lose_ledger(int n)
{
    if (n == 2)
        batches_lose_ledger();
    if (n == 2 && comes)
        batches_sh("seed=" BATCHES_ADA_1 "; echo '" RESULT
                   "' > L.db.spool/ada@1.json");
}

/* As a result comes, or as a job is gone. */
START_TEST(what_the_ledger_does_not_take_ends_the_batch)
{
    comes = _i;
    batches_answer("sbatch", "echo 7");
    batches_answer("squeue", "true");
    on_pause = lose_ledger;
    batches_open();
    run(-1);
    ck_assert_str_eq(b->err, ledger_error(b->ledger));
    ck_assert_int_eq(npauses, _i ? 2 : 5);
    batches_asked(_i ? SBATCH("1")
                     : SBATCH("1") SQUEUE SQUEUE SCONTROL SACCT ARRAY);
    batches_sh("ls L.db.spool/slurm.list L.db.spool/slurm.job");
    batch_release(b);
}
END_TEST

/* Twice; then ada's job ends. */
static void interrupt(int n)
{
    if (n <= 2)
        raise(SIGINT);
    if (n == 3)
        batches_sh("ls L.db.spool/stop; while read name seed; do echo '" RESULT
                   "' > L.db.spool/$name.json; done < L.db.spool/slurm.list; "
                   "rm L.db.spool/bob@1.json");
}

/* What is said on standard error meanwhile is in DIR/err. */
static void run_quietly(void)
{
    char path[CHILD_FOLDER + 16];
    snprintf(path, sizeof path, "%s/err", batches.dir);
    const int kept = dup(STDERR_FILENO);
    ck_assert_ptr_nonnull(freopen(path, "w", stderr));
    run(0);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
}

START_TEST(an_interrupt_lets_end_what_runs)
{
    batches.options.retries = 1;
    batches_answer("sbatch", "echo 7");
    batches_answer("squeue", "echo 0 RUNNING; echo 1 CANCELLED");
    on_pause = interrupt;
    batches_open();
    run_quietly();
    batches_sh("grep -x 'finishing what runs' err");
    batches_asked(SBATCH("1") "scancel --state=PENDING 7\n" SQUEUE SQUEUE);
    ck_assert_int_eq(b->stopping, 1);
    ck_assert_int_eq(batch_left(b), 1);
    ck_assert_int_eq(b->task[2].state, TASK_WAITING);
    ck_assert_int_eq(b->progress.outcomes.of[OUTCOME_PASS], 2);
    ck_assert_int_eq(batches_nfiles(batches.spool), 0);
    batch_release(b);
}
END_TEST

static void terminate(int n)
{
    (void)n;
    raise(SIGTERM);
}

START_TEST(while_all_wait_an_interrupt_ends_it)
{
    batches.options.retries = 1;
    batches_answer("sbatch",
                   GRADE_ALL "; sed -i s/pass/infra/ $spool/ada@2.json");
    on_pause = terminate;
    batches_open();
    run(0);
    batches_asked(SBATCH("1"));
    ck_assert_int_eq(npauses, 1);
    ck_assert_int_eq(batch_left(b), 1);
    batch_release(b);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("slurm");
    TCase *const t = tcase_create("slurm");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_round_is_an_array_of_jobs);
    tcase_add_loop_test(t, as_many_jobs_as_it_takes, 0, 4);
    SUITE_LOOP(t, sbatch_prints_the_jobs_number, replies);
    SUITE_LOOP(t, what_cannot_be_written_ends_the_batch, unwritten);
    SUITE_LOOP(t, twice_not_in_the_queue_is_gone, queues);
    SUITE_LOOP(t, how_a_job_ended_is_found_out, ends);
    tcase_add_test(t, infra_is_in_the_next_round);
    tcase_add_test(t, a_batch_that_was_killed_is_taken_over);
    tcase_add_loop_test(t, what_the_ledger_does_not_take_ends_the_batch, 0, 2);
    tcase_add_test(t, an_interrupt_lets_end_what_runs);
    tcase_add_test(t, while_all_wait_an_interrupt_ends_it);
    suite_add_tcase(s, t);
    return suite_run(s);
}
