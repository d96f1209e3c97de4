/*
 * slurm.c: a batch on a cluster
 *
 * A round is an array of jobs. Each job grades some students, one after the
 * other, with `grade work`, which leaves results in the spool, where this
 * process waits for them. A job that is gone without a result (it was
 * cancelled, its node died and it was not requeued, its time was up) is infra:
 * its students go to the next round.
 *
 *     slurm.list   the round's tasks, NAME SEED, per_job lines for each job
 *     slurm.job    its number; after a kill, the next batch cancels that array
 *     stop         tells jobs to end before their next student
 */
#define _GNU_SOURCE
#include <errno.h>  /* errno */
#include <signal.h> /* sigaction */
#include <stdio.h>  /* popen */
#include <stdlib.h> /* calloc */
#include <string.h> /* strstr */
#include <time.h>   /* nanosleep */
#include <unistd.h> /* unlink */

#include "grader/batch/batch.h"
#include "grader/batch/slurm_job.h"

enum { ASK_EVERY = 3 }; /* polls between two queries of slurmctld */

static volatile sig_atomic_t interrupts;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupts++;
}

struct job {        /* a job of the array */
    int alive;      /* in the queue, waiting or running */
    int missing;    /* how often in a row it was not */
    char state[32]; /* the last state from slurmctld; "" if none */
};

struct round {
    struct batch *batch;
    struct slurm_config config;
    struct task **task; /* in the list's order: job i starts at i * per_job */
    int n;
    char job[32];
    struct job *jobs;
    char list[PATH_MAX], job_path[PATH_MAX], stop[PATH_MAX], script[PATH_MAX];
};

static void spool_path(const struct batch *b, const char *name,
                       char out[PATH_MAX])
{
    if (snprintf(out, PATH_MAX, "%s/%s", b->spool, name) >= PATH_MAX)
        abort(); // the spool's path was checked to be short
}

/* Run a command and read its output. Returns its exit status, or -1. */
static int ask(const char *command, char *out, size_t nbytes)
{
    FILE *const f = popen(command, "re");
    if (!f)
        return -1;
    const size_t n = fread(out, 1, nbytes - 1, f);
    out[n] = 0;
    while (fgetc(f) != EOF)
        ;
    return pclose(f);
}

/* ---- submitting ---------------------------------------------------------- */

static int write_files(const struct round *r)
{
    const struct batch *const b = r->batch;
    FILE *const list = fopen(r->list, "we");
    for (int i = 0; list && i < r->n; i++)
        fprintf(list, "%s %llu\n", r->task[i]->name,
                (unsigned long long)r->task[i]->seed);
    FILE *const f = fopen(r->script, "we");
    if (f) {
        slurm_job_begin(f, &r->config);
        fprintf(f, "exec ");
        slurm_job_command(f, &r->config);
        slurm_job_quote(f, b->self);
        fprintf(f, " work --spool ");
        slurm_job_quote(f, b->spool);
        fprintf(f,
                " --lab %s --isolation %d --per-job %d --job "
                "\"$SLURM_ARRAY_TASK_ID\"\n",
                b->lab, b->o->isolation, r->config.per_job);
    }
    const int listed = list && fclose(list) == 0,
              scripted = f && fclose(f) == 0;
    return listed && scripted ? 0 : -1;
}

static int jobs_of(const struct round *r)
{
    return (r->n + r->config.per_job - 1) / r->config.per_job;
}

/* Run sbatch. Returns the job number, which is also kept in the spool. */
static int submit(struct round *r)
{
    char *command = NULL, out[256];
    size_t nbytes;
    FILE *const f = open_memstream(&command, &nbytes);
    fprintf(f,
            "sbatch --parsable --requeue --open-mode=append "
            "--array=0-%d%%%d --job-name=commlab",
            jobs_of(r) - 1, r->config.at_once);
    slurm_job_options(f, &r->config);
    fprintf(f, " --output=");
    slurm_job_quote(f, r->batch->spool);
    fprintf(f, "/slurm-%%A_%%a.log ");
    slurm_job_quote(f, r->script);
    fclose(f);
    const int status = ask(command, out, sizeof out);
    free(command);
    out[strcspn(out, ";\n")] = 0; // the output may be "123;cluster"
    if (status != 0 || out[strspn(out, "0123456789")] || !out[0]) {
        snprintf(r->batch->err, sizeof r->batch->err,
                 "sbatch failed (its words are above)");
        return -1;
    }
    snprintf(r->job, sizeof r->job, "%.31s", out);
    FILE *const kept = fopen(r->job_path, "we");
    if (kept)
        fprintf(kept, "%s\n", r->job);
    if (kept && fclose(kept) == 0)
        return 0;
    snprintf(r->batch->err, sizeof r->batch->err, "%.900s: %s", r->job_path,
             strerror(errno));
    return -1;
}

/* Collect all tasks that can be started now. */
static int gather(struct round *r)
{
    struct batch *const b = r->batch;
    r->n = 0;
    for (struct task *t; (t = batch_next(b)) != NULL;) {
        if (batch_stage(b, t) != 0)
            return -1;
        t->state = TASK_RUNNING;
        t->tries++;
        r->task[r->n++] = t;
    }
    return 0;
}

/* ---- waiting ------------------------------------------------------------- */

/* True for states in which a job of the array may still leave results. */
static int is_alive(const char *state)
{
    static const char *const ended[] = {
        "CANCELLED", "TIMEOUT",   "DEADLINE",      "NODE_FAIL", "FAILED",
        "COMPLETED", "BOOT_FAIL", "OUT_OF_MEMORY", "PREEMPTED"};
    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
        if (strcmp(state, ended[i]) == 0)
            return 0;
    return 1;
}

/* Find which jobs of the array are in the queue, and how the others ended,
 * which slurmctld knows for some minutes. Returns -1 if it doesn't answer. */
static int ask_queue(struct round *r, int njobs)
{
    char command[128], out[65536], state[32];
    snprintf(command, sizeof command,
             "squeue -h -r -t all -j %s -o '%%K %%T' 2>&1", r->job);
    const int status = ask(command, out, sizeof out);
    const int is_old = strstr(out, "Invalid job id") != NULL;
    if (status != 0 && !is_old)
        return -1;
    for (int i = 0; i < njobs; i++)
        r->jobs[i].alive = 0;
    for (char *rest, *line = strtok_r(out, "\n", &rest); line && !is_old;
         line = strtok_r(NULL, "\n", &rest)) {
        int i;
        if (sscanf(line, "%d %31s", &i, state) != 2 || i < 0 || i >= njobs)
            continue;
        r->jobs[i].alive = is_alive(state);
        strcpy(r->jobs[i].state, state);
    }
    for (int i = 0; i < njobs; i++)
        r->jobs[i].missing = r->jobs[i].alive ? 0 : r->jobs[i].missing + 1;
    return 0;
}

/* True if slurmctld still has the array. */
static int knows_array(const struct round *r)
{
    char command[128], out[65536];
    snprintf(command, sizeof command, "scontrol show job -o %s 2>/dev/null",
             r->job);
    return ask(command, out, sizeof out) == 0;
}

/*
 * Find how a job ended that has left the queue: slurmctld may still know, and
 * so may the accounting, if there is one. A job of an array that is cancelled
 * before it starts leaves no trace; jobs that have started are listed for some
 * minutes after their end.
 */
static void ask_end(const struct round *r, int i, char state[32])
{
    char command[256], out[65536];
    const int began = state[0] && strcmp(state, "PENDING") != 0;
    if (state[0] && !is_alive(state))
        return;
    snprintf(command, sizeof command, "scontrol show job -o %s_%d 2>/dev/null",
             r->job, i);
    const char *const found =
        ask(command, out, sizeof out) == 0 ? strstr(out, "JobState=") : NULL;
    if (found && sscanf(found, "JobState=%31[A-Z_]", state) == 1 &&
        !is_alive(state))
        return;
    snprintf(command, sizeof command,
             "sacct -n -P -X -j %s_%d -o State 2>/dev/null", r->job, i);
    if (ask(command, out, sizeof out) == 0 &&
        sscanf(out, "%31[A-Z_]", state) == 1) // such as "CANCELLED by 1000"
        return;
    strcpy(state, !began && knows_array(r) ? "CANCELLED" : "");
}

/* Say what happened to a job that left no result. */
static const char *ended_how(const struct job *j)
{
    static const struct {
        const char *state, *says;
    } ends[] = {
        {"CANCELLED", "its Slurm job was cancelled"},
        {"PREEMPTED", "its Slurm job had to make room for another"},
        {"TIMEOUT", "its Slurm job ran out of time (time and per_job in "
                    "slurm.yaml)"},
        {"DEADLINE", "its Slurm job ran out of time (its deadline)"},
        {"OUT_OF_MEMORY",
         "its Slurm job ran out of memory (memory in slurm.yaml)"},
        {"NODE_FAIL", "the node of its Slurm job failed"},
        {"BOOT_FAIL", "the node of its Slurm job did not start"},
        {"FAILED", "its Slurm job failed: is the kit there, and the setup "
                   "right? (grade doctor --executor slurm)"}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strcmp(j->state, ends[i].state) == 0)
            return ends[i].says;
    return "its Slurm job ended without a result";
}

/* A job that is missing from the queue twice is gone. The first time, its
 * results may still be on their way through the file system. */
static int take_gone(struct round *r)
{
    int err = 0;
    if (ask_queue(r, jobs_of(r)) != 0)
        return 0;
    for (int i = 0; i < r->n && !err; i++) {
        struct job *const j = &r->jobs[i / r->config.per_job];
        if (j->missing < 2 || r->task[i]->state != TASK_RUNNING)
            continue;
        ask_end(r, i / r->config.per_job, j->state);
        err = batch_take(r->batch, r->task[i], ended_how(j));
    }
    return err;
}

static int take_results(struct round *r)
{
    int err = 0, running = 0;
    for (int i = 0; i < r->n && !err; i++) {
        if (r->task[i]->state == TASK_RUNNING)
            err = batch_take(r->batch, r->task[i], NULL);
        running += r->task[i]->state == TASK_RUNNING;
    }
    r->batch->progress.running = running;
    progress_show(&r->batch->progress);
    return err ? -1 : running;
}

/* After an interrupt, cancel waiting jobs and let running ones end after their
 * present student. */
static void stop_round(struct round *r)
{
    char command[128], out[256];
    if (r->batch->stopping)
        return;
    r->batch->stopping = 1;
    fprintf(stderr, "\nfinishing what runs\n");
    FILE *const f = fopen(r->stop, "we");
    if (f)
        fclose(f);
    snprintf(command, sizeof command, "scancel --state=PENDING %s 2>&1",
             r->job);
    ask(command, out, sizeof out);
}

static int wait_round(struct round *r)
{
    const struct timespec pause = {1, 0};
    for (int i = 1;; i++) {
        if (interrupts)
            stop_round(r);
        const int running = take_results(r);
        if (running <= 0)
            return running;
        if (i % ASK_EVERY == 0 && take_gone(r) != 0)
            return -1;
        nanosleep(&pause, NULL);
    }
}

/* ---- rounds -------------------------------------------------------------- */

/* End the jobs of a batch that was killed, and take what they left. */
static int take_over(struct round *r)
{
    char command[128], out[65536] = "x";
    FILE *const f = fopen(r->job_path, "re");
    const int known = f && fscanf(f, "%31[0-9]", r->job) == 1;
    if (f)
        fclose(f);
    if (known) {
        const struct timespec pause = {0, 500000000};
        snprintf(command, sizeof command, "scancel %s 2>&1", r->job);
        ask(command, out, sizeof out);
        snprintf(command, sizeof command, "squeue -h -j %s 2>/dev/null",
                 r->job);
        while (ask(command, out, sizeof out) == 0 && out[0] && !interrupts)
            nanosleep(&pause, NULL);
    }
    unlink(r->job_path);
    for (int i = 0; i < r->batch->ntasks; i++)
        if (r->batch->task[i].state == TASK_WAITING &&
            batch_take(r->batch, &r->batch->task[i], NULL) != 0)
            return -1;
    return 0;
}

static int one_round(struct round *r)
{
    const struct timespec pause = {0, 200000000};
    if (gather(r) != 0)
        return -1;
    if (r->n == 0) { // all tasks wait for another try
        nanosleep(&pause, NULL);
        r->batch->stopping |= interrupts != 0;
        return 0;
    }
    free(r->jobs);
    r->jobs = calloc((size_t)jobs_of(r), sizeof *r->jobs);
    if (!r->jobs)
        abort();
    unlink(r->stop);
    if (write_files(r) != 0) {
        snprintf(r->batch->err, sizeof r->batch->err, "%.900s: %s", r->list,
                 strerror(errno));
        return -1;
    }
    return submit(r) == 0 ? wait_round(r) : -1;
}

int executor_slurm(struct batch *b)
{
    struct round r = {.batch = b};
    const struct sigaction action = {.sa_handler = on_interrupt};
    if (slurm_config_load(&r.config, b->o->config, b->o->gpu, b->err,
                          sizeof b->err) != 0)
        return -1;
    r.task = calloc((size_t)b->ntasks + 1, sizeof *r.task);
    if (!r.task)
        abort();
    spool_path(b, "slurm.list", r.list);
    spool_path(b, "slurm.job", r.job_path);
    spool_path(b, "slurm.sh", r.script);
    spool_path(b, "stop", r.stop);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    int err = take_over(&r);
    while (!err && !b->stopping && batch_left(b) > 0)
        err = one_round(&r);
    if (!err) {
        unlink(r.list);
        unlink(r.job_path);
        unlink(r.script);
        unlink(r.stop);
    }
    free(r.task);
    free(r.jobs);
    return err;
}
