/*
 * local.c: a batch on this machine, several submissions at a time
 *
 * Each submission has its own `grade run`, so one that brings down its grader
 * doesn't affect the others. After the first interrupt nothing new is started;
 * the second ends what is running (which is then graded the next time).
 */
#define _GNU_SOURCE
#include <fcntl.h>  /* open */
#include <signal.h> /* SIGINT */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strerror */
#include <unistd.h> /* close */
#include <uv.h>

#include "grader/batch/batch.h"
#include "grader/batch/run_command.h"

enum { MOST_SEC = 3 * 3600, TICK_MS = 500 };

struct slot { /* place for one running submission */
    struct local *local;
    uv_process_t process;
    struct task *task; /* NULL if it is free */
    uint64_t deadline_ms;
};

struct local {
    struct batch *batch;
    uv_loop_t loop;
    uv_timer_t tick;
    uv_signal_t interrupt[2];
    struct slot *slot;
    int njobs, failed;
};

static int running(const struct local *l)
{
    int n = 0;
    for (int i = 0; i < l->njobs; i++)
        n += l->slot[i].task != NULL;
    return n;
}

static void fill(struct local *l);

static void on_closed(uv_handle_t *handle)
{
    struct slot *const s = handle->data;
    s->task = NULL;
    s->local->batch->progress.running = running(s->local);
    fill(s->local);
}

static void on_ended(uv_process_t *process, int64_t status, int signal)
{
    struct slot *const s = process->data;
    char why[128];
    if (signal)
        snprintf(why, sizeof why, "grade run was ended by signal %d (%s)",
                 signal, strsignal(signal));
    else
        snprintf(why, sizeof why, "grade run left no result, and status %d",
                 (int)status);
    // The batch's second interrupt ended it: treat it as never started.
    if (s->local->batch->stopping > 1 && signal)
        s->task->state = TASK_WAITING;
    else if (batch_take(s->local->batch, s->task, why) != 0)
        s->local->failed = s->local->batch->stopping = 1;
    uv_close((uv_handle_t *)process, on_closed);
}

/* Start `grade run` for a task. Returns 0, or libuv's error. */
static int start(struct local *l, struct slot *s, struct task *t)
{
    const struct batch *const b = l->batch;
    struct run_command c = {.self = b->self,
                            .spool = b->spool,
                            .lab = b->lab,
                            .objects = b->objects,
                            .isolation = b->o->isolation};
    char err[PATH_MAX];
    run_command_make(&c, t->name, t->seed);
    batch_path(b, t, "err", err);
    const int fd = open(err, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    uv_stdio_container_t io[3] = {
        {.flags = UV_IGNORE},
        {.flags = UV_IGNORE},
        {.flags = fd >= 0 ? UV_INHERIT_FD : UV_IGNORE, .data.fd = fd}};
    const uv_process_options_t options = {
        .exit_cb = on_ended,
        .file = b->self,
        .args = c.v,
        .stdio = io,
        .stdio_count = 3,
        // an interrupt is for the batch, not for this process
        .flags = UV_PROCESS_DETACHED,
    };
    s->task = t;
    s->process.data = s;
    s->deadline_ms = uv_now(&l->loop) + MOST_SEC * 1000ULL;
    t->state = TASK_RUNNING;
    t->tries++;
    const int failed = uv_spawn(&l->loop, &s->process, &options);
    if (fd >= 0)
        close(fd);
    return failed;
}

/* Start tasks in free slots; end the loop when none is left. */
static void fill(struct local *l)
{
    for (int i = 0; i < l->njobs && !l->failed; i++) {
        struct slot *const s = &l->slot[i];
        struct task *const t = s->task ? NULL : batch_next(l->batch);
        if (!t)
            continue;
        if (batch_stage(l->batch, t) != 0) {
            l->failed = 1;
            break;
        }
        const int err = start(l, s, t);
        if (err != 0) { // no process or memory: infra, tried again later
            l->failed = batch_take(l->batch, t, uv_strerror(err)) != 0;
            uv_close((uv_handle_t *)&s->process, on_closed);
        }
    }
    l->batch->progress.running = running(l);
    if (running(l) == 0 &&
        (l->failed || l->batch->stopping || batch_left(l->batch) == 0))
        uv_stop(&l->loop);
}

static void on_tick(uv_timer_t *tick)
{
    struct local *const l = tick->data;
    for (int i = 0; i < l->njobs; i++)
        if (l->slot[i].task && uv_now(&l->loop) > l->slot[i].deadline_ms)
            uv_process_kill(&l->slot[i].process, SIGKILL);
    progress_show(&l->batch->progress);
    fill(l);
}

static void on_interrupt(uv_signal_t *handle, int signal)
{
    struct local *const l = handle->data;
    (void)signal;
    fprintf(stderr, l->batch->stopping++
                        ? "\nending what runs\n"
                        : "\nfinishing what runs (again to end it now)\n");
    for (int i = 0; i < l->njobs && l->batch->stopping > 1; i++)
        if (l->slot[i].task)
            uv_process_kill(&l->slot[i].process, SIGKILL);
    fill(l);
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

int executor_local(struct batch *b)
{
    struct local l = {.batch = b, .njobs = b->o->jobs};
    static const int signals[] = {SIGINT, SIGTERM};
    l.slot = calloc((size_t)l.njobs, sizeof *l.slot);
    if (!l.slot || uv_loop_init(&l.loop) != 0)
        abort();
    for (int i = 0; i < l.njobs; i++)
        l.slot[i].local = &l;
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&l.loop, &l.interrupt[i]);
        l.interrupt[i].data = &l;
        uv_signal_start(&l.interrupt[i], on_interrupt, signals[i]);
    }
    uv_timer_init(&l.loop, &l.tick);
    l.tick.data = &l;
    uv_timer_start(&l.tick, on_tick, 0, TICK_MS);
    uv_run(&l.loop, UV_RUN_DEFAULT);
    uv_walk(&l.loop, close_handle, NULL);
    uv_run(&l.loop, UV_RUN_DEFAULT);
    uv_loop_close(&l.loop);
    free(l.slot);
    return l.failed ? -1 : 0;
}
