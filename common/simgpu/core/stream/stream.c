#define _GNU_SOURCE
#include "core/stream/stream.h"

#include <errno.h>   /* errno */
#include <pthread.h> /* pthread_create */
#include <stdlib.h>  /* calloc */
#include <time.h>    /* nanosleep */

#include "base/steady.h"
#include "core/called.h"
#include "core/device.h"
#include "core/heap/fault.h"
#include "core/host.h"
#include "core/issuer.h"
#include "core/limit.h"
#include "core/part.h"
#include "core/peer.h"
#include "core/plant.h"
#include "core/report.h"
#include "core/schedule.h"
#include "core/stream/flip.h"
#include "core/stream/lent.h"
#include "core/stream/settle.h"
#include "core/stream/stream_state.h"
#include "core/stream/unwaited.h"
#include "core/thread.h"
#include "core/witness.h"
#include "graph/hazard/overwrite.h"

/*
 * All streams of the process. They are never freed, because a fence may outlive
 * its stream. The lock also serialises enqueueing, as the legacy stream's rules
 * require: they examine all streams of a device.
 */
static struct stream *streams;
static struct stream *legacy[PROC_MAX_DEVICES];
static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
static uint32_t nqueues;
static _Thread_local struct stream *own[PROC_MAX_DEVICES]; /* per thread */
static _Thread_local uint64_t replay_ps;                   /* stream_replay() */

/*
 * A kernel in a graph starts in 5/9 of the time of a kernel launched alone: 0.5
 * instead of 0.9 us beyond a kernel's own 2.9 us, according to NVIDIA's
 * technical blog, "Getting Started with CUDA Graphs" (2019).
 */
enum { GRAPH_START = 5, ALONE_START = 9 };

/* ---- the worker ---------------------------------------------------------- */

static int demanded(const struct stream *s, const struct op *op)
{
    return atomic_load(&s->demanded) >= op->seq;
}

/* Sleep until the bell rings after `seen`, at most timeout_ns (0: forever).
 * Returns 0 if it has rung. */
static int rest(struct stream *s, uint32_t seen, uint64_t timeout_ns)
{
    atomic_store(&s->resting, 1);
    const int err = simgpu_wait_for(
        &s->bell, seen, timeout_ns ? timeout_ns : UINT64_C(1) << 60, NULL);
    atomic_store(&s->resting, 0);
    return err;
}

/*
 * A late op checks for flag waits during its wait, after 1, 3, 7, 15 and 31 of
 * 63 parts. What a program does without a synchronisation must not depend on
 * other load: if the thread that enqueued the op has not had that much time on
 * a core by then, and wants it, the op waits longer, up to a second. It doesn't
 * if a thread polls the op: a polling thread wants its core as long as it
 * waits, and gives it up each time.
 */
enum {
    SLICES = 6,
    FIRST_NS = SCHEDULE_LATE_NS / ((1 << SLICES) - 1),
    MORE_SEC = 1
};

static int is_late_enough(const struct stream *s, const struct op *op,
                          uint64_t begun_ns)
{
    return atomic_load(&s->polled) >= op->seq ||
           !issuer_lacks_core(op->issuer, begun_ns, SCHEDULE_LATE_NS);
}

static void delay_late(struct stream *s, const struct op *op)
{
    const uint64_t begun_ns = issuer_computed_ns(op->issuer);
    const double end = steady_sec() + MORE_SEC;
    for (int i = 0; i < SLICES || steady_sec() < end;) {
        const uint32_t seen = atomic_load(&s->bell);
        if (demanded(s, op) || peer_any_flag_waits())
            return;
        if (i >= SLICES && is_late_enough(s, op, begun_ns))
            return;
        i += rest(s, seen, i < SLICES ? FIRST_NS << i : SCHEDULE_LATE_NS) != 0;
    }
}

static void delay(struct stream *s, const struct op *op)
{
    const uint64_t ns =
        schedule_delay_ns(simgpu_proc()->rank, s->queue, op->seq);
    if (ns)
        nanosleep(&(struct timespec){0, (long)ns}, NULL);
    if (schedule_is_late())
        delay_late(s, op);
}

/* If op has failed, its device fails, too. op also fails if it follows a failed
 * op of the same device. */
static void note_failure(struct stream *s, const struct op *op)
{
    int failed = op->failed;
    if (failed)
        device_fail(s->device, failed);
    for (int i = 0; i < op->ndeps && !failed; i++)
        failed = fence_failed(op->deps[i], s->device);
    if (failed && op->seq < atomic_load(&s->failed))
        atomic_store(&s->failed, op->seq);
}

static void run(struct stream *s, struct op *op)
{
    delay(s, op);
    wait_running(op->node.index);
    for (int i = 0; i < op->ndeps; i++)
        fence_wait(op->deps[i], "an operation's dependence", op->node.site);
    if (op->overwrites)
        witness_begin(op->node.index);
    if (op->run)
        op->run(op);
    if (op->flip)
        flip_bit(op);
    note_failure(s, op);
    pthread_mutex_lock(&s->lock);
    s->head = op->next;
    const int was_last = !s->head;
    if (was_last)
        s->tail = &s->head;
    pthread_mutex_unlock(&s->lock);
    if (was_last)
        fault_rest();
    fence_signal(s, op->seq);
    control_progress();
    if (was_last)
        control_active(-1); // after it has woken the threads that wait
    op_free(op);
}

static void *work(void *arg)
{
    struct stream *const s = arg;
    thread_become_worker();
    for (;;) {
        const uint32_t seen = atomic_load(&s->bell);
        pthread_mutex_lock(&s->lock);
        struct op *const op = s->head;
        pthread_mutex_unlock(&s->lock);
        if (op) {
            run(s, op);
        } else if (!s->live &&
                   atomic_load(&s->issued) == atomic_load(&s->completed)) {
            return NULL;
        } else {
            rest(s, seen, 0);
        }
    }
}

static void start_worker(struct stream *s)
{
    char hint[LIMIT_HINT];
    pthread_t thread;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 1 << 20);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    errno = pthread_create(&thread, &attr, work, s);
    if (errno != 0)
        simgpu_report_fault(NULL, "cannot start the worker of a stream: %m%s",
                            simgpu_limit_hint(errno, hint, sizeof hint));
    pthread_attr_destroy(&attr);
    s->started = 1;
}

/* ---- enqueueing ---------------------------------------------------------- */

/* The legacy default stream's rules: it follows all blocking streams of its
 * device, and they follow it. The caller must hold `all`. */
static void follow_legacy_rules(struct stream *s, struct op *op)
{
    if (s->kind == STREAM_NONBLOCKING)
        return;
    if (s->kind == STREAM_BLOCKING) {
        if (legacy[s->device])
            simgpu_op_after(op, simgpu_stream_tail(legacy[s->device]));
        return;
    }
    for (struct stream *other = streams; other; other = other->next)
        if (other->device == s->device && other->kind == STREAM_BLOCKING)
            simgpu_op_after(op, simgpu_stream_tail(other));
}

static void record(struct stream *s, struct op *op)
{
    struct graph_ref few[OP_FEW], *const deps = op_refs(op, few);
    op->node.ndeps = host_ndeps(op->ndeps);
    op->node.thread = thread_number();
    op->node.queue = s->queue;
    op->node.place = simgpu_proc_place(s->device);
    if (op->node.host_ps == 0)
        op->node.host_ps =
            replay_ps ? replay_ps : simgpu_proc()->costs->launch_host_ps;
    if (replay_ps && op->node.kind == GRAPH_KERNEL)
        op->node.latency_ps = op->node.latency_ps * GRAPH_START / ALONE_START;
    op->node.index = graph_add(simgpu_proc()->graph, &op->node, deps, op->moves,
                               op->accesses);
    issuer_issued(op->node.index);
    op->issuer = issuer_tid();
    op->lent_moment = lent_moment();
    if (op->lent_moment)
        lent_compare(&op->node, op->name, op->lent_moment, op->accesses,
                     op->node.naccesses);
    if (deps != few)
        free(deps);
    op->overwrites =
        witness_is_there() &&
        overwrite_find(&op->node, op->accesses, op->node.naccesses, NULL) > 0;
}

/* Complete what this process has issued, as far as it can be: the same under
 * every schedule. */
static void settle_all(const char *call, uint32_t site)
{
    int n = 0;
    pthread_mutex_lock(&all);
    for (const struct stream *s = streams; s; s = s->next)
        n++;
    struct fence *const tail =
        simgpu_need(malloc(((size_t)n + 1) * sizeof *tail), "%d streams", n);
    n = 0;
    for (struct stream *s = streams; s; s = s->next)
        tail[n++] = simgpu_stream_tail(s);
    pthread_mutex_unlock(&all);
    settle(tail, n, call, site);
    free(tail);
}

void simgpu_stream_ahead(int device, int n, const char *call, uint32_t site)
{
    const struct plant *p;
    while ((p = plant_ahead((uint64_t)n, call, site))) {
        settle_all(call, site);
        if (p->kind == GRAPH_KILL)
            plant_kill(p);
        device_lose(device);
    }
}

struct fence simgpu_stream_enqueue(struct stream *s, struct op *op)
{
    // a kernel without data says what it would touch, and is not run already
    if (op->run && op_is_dataless(op) && op->node.match == 0 && !op->always)
        // collectives also check their peers' memory
        op->run = NULL;
    if (!op->announced)
        simgpu_stream_ahead(s->device, 1, op->name, op->node.site);
    op->flip = plant_count(op->name, op->node.site);
    flip_choose(op, op->accesses, op->node.naccesses);
    if (simgpu_device_lost(s->device))
        op->run = NULL;
    part_issues(op->node.site);
    simgpu_called(op->node.kind == GRAPH_KERNEL ? CONTROL_LAUNCH : CONTROL_CALL,
                  op->name, op->node.site);
    pthread_mutex_lock(&all);
    follow_legacy_rules(s, op);
    record(s, op);
    op->stream = s;
    op->moves = NULL;
    op->accesses = NULL;
    pthread_mutex_lock(&s->lock);
    op->seq = atomic_fetch_add(&s->issued, 1) + 1;
    op->before = s->last_node;
    s->last_node = op->node.index;
    const struct fence m = {s, op->seq, op->node.index};
    const int was_idle = !s->head;
    if (was_idle)
        control_active(+1); // a stream is active while it has work
    *s->tail = op;
    s->tail = &op->next;
    pthread_mutex_unlock(&s->lock);
    if (!s->started)
        start_worker(s);
    pthread_mutex_unlock(&all);
    if (was_idle)
        stream_ring(s);
    unwaited_issued(m);
    return m;
}

/* ---- streams ------------------------------------------------------------- */

static struct stream *create(int device, enum stream_kind kind, int priority)
{
    static const char *const name[] = {
        [STREAM_LEGACY] = "default stream",
        [STREAM_BLOCKING] = "stream",
        [STREAM_NONBLOCKING] = "non-blocking stream",
    };
    struct stream *const s = calloc(1, sizeof *s);
    if (!s)
        simgpu_report_fault(NULL, "out of host memory for a stream");
    s->device = device;
    s->kind = kind;
    s->name = name[kind];
    s->priority = priority;
    s->queue = ++nqueues;
    s->live = 1;
    s->tail = &s->head;
    atomic_init(&s->awaited, NOT_AWAITED);
    atomic_init(&s->failed, UINT64_MAX);
    pthread_mutex_init(&s->lock, NULL);
    s->next = streams;
    streams = s;
    graph_note_queue(simgpu_proc()->graph, s->queue, simgpu_proc_place(device),
                     s->name);
    return s;
}

struct stream *stream_new(int device, enum stream_kind kind, int priority)
{
    simgpu_proc();
    pthread_mutex_lock(&all);
    struct stream *const s = create(device, kind, priority);
    s->has_handle = 1;
    pthread_mutex_unlock(&all);
    return s;
}

void stream_release(struct stream *s)
{
    s->live = 0;
    stream_ring(s);
}

void stream_release_all(int device)
{
    pthread_mutex_lock(&all);
    for (struct stream *s = streams; s; s = s->next)
        if (s->device == device && s->has_handle && s->live) {
            s->live = 0;
            stream_ring(s);
        }
    pthread_mutex_unlock(&all);
}

struct stream *simgpu_stream_of(void *handle)
{
    const uintptr_t number = (uintptr_t)handle;
    const int device = simgpu_device_current();
    simgpu_proc();
    if (number > 2) {
        pthread_mutex_lock(&all);
        struct stream *s = streams;
        while (s && (s != handle || !s->live))
            s = s->next;
        pthread_mutex_unlock(&all);
        return s;
    }
    struct stream **const slot = number == 2 ? &own[device] : &legacy[device];
    if (!*slot) {
        pthread_mutex_lock(&all);
        if (!*slot)
            *slot = create(device,
                           number == 2 ? STREAM_BLOCKING : STREAM_LEGACY, 0);
        pthread_mutex_unlock(&all);
    }
    return *slot;
}

int simgpu_stream_device(const struct stream *s)
{
    return s->device;
}

void *simgpu_stream_capture(const struct stream *s)
{
    return s->capture;
}

void stream_set_capture(struct stream *s, void *capture)
{
    s->capture = capture;
}

void stream_replay(uint64_t host_ps)
{
    replay_ps = host_ps;
}

enum stream_kind stream_kind_of(const struct stream *s)
{
    return s->kind;
}

void stream_set_priority(struct stream *s, int priority)
{
    s->priority = priority;
}

int stream_priority(const struct stream *s)
{
    return s->priority;
}

uint32_t stream_queue(const struct stream *s)
{
    return s->queue;
}

struct fence simgpu_stream_tail(struct stream *s)
{
    pthread_mutex_lock(&s->lock);
    const uint64_t seq = atomic_load(&s->issued);
    const struct fence m = {seq ? s : NULL, seq, s->last_node};
    pthread_mutex_unlock(&s->lock);
    return m;
}

/* ---- the host's synchronisation ------------------------------------------ */

/*
 * True if the program has destroyed the stream, and this thread has waited for
 * its last op. Streams are never freed, so without this check a loop that
 * creates a stream in each iteration would have to wait for more of them each
 * time.
 */
static int is_over(struct stream *s)
{
    pthread_mutex_lock(&s->lock);
    const int over = !s->live && s->joined == atomic_load(&s->issued) &&
                     s->joined_by == thread_number();
    pthread_mutex_unlock(&s->lock);
    return over;
}

int stream_tails(int device, int blocking_only, struct fence *out, int cap)
{
    int n = 0;
    pthread_mutex_lock(&all);
    for (struct stream *s = streams; s; s = s->next) {
        if (s->device != device || is_over(s) ||
            (blocking_only && s->kind == STREAM_NONBLOCKING))
            continue;
        const struct fence tail = simgpu_stream_tail(s);
        if (tail.stream && n == cap)
            simgpu_report_fault(
                NULL,
                "a synchronisation waits for more than %d streams of "
                "device %d.\nDestroy streams that are no longer needed.",
                cap, device);
        if (tail.stream)
            out[n++] = tail;
    }
    pthread_mutex_unlock(&all);
    return n;
}

void stream_drain_all(void)
{
    pthread_mutex_lock(&all);
    struct stream *const newest = streams; // the list only grows
    pthread_mutex_unlock(&all);
    for (struct stream *s = newest; s; s = s->next)
        fence_demand(simgpu_stream_tail(s));
    for (struct stream *s = newest; s; s = s->next)
        fence_wait(simgpu_stream_tail(s), "the end of the program", 0);
}
