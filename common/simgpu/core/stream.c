#define _GNU_SOURCE
#include <pthread.h> /* pthread_create */
#include <stdlib.h>  /* calloc */
#include <time.h>    /* nanosleep */

#include "core/dataless.h"
#include "core/host.h"
#include "core/page.h"
#include "core/schedule.h"
#include "core/start.h"
#include "core/stream_state.h"

/*
 * All streams of the process. They are never freed: a mark may outlive its
 * stream. The lock also makes enqueueing one at a time, which the legacy
 * stream's rules need: they look at all streams of a device.
 */
static struct stream *streams;
static struct stream *legacy[PROC_MAX_DEVICES];
static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
static uint32_t nqueues;

const char *stream_kind_name(enum stream_kind kind)
{
    static const char *const name[] = {
        [STREAM_LEGACY] = "default stream",
        [STREAM_BLOCKING] = "stream",
        [STREAM_NONBLOCKING] = "non-blocking stream",
    };
    return name[kind];
}

void stream_ring(struct stream *s)
{
    atomic_fetch_add(&s->bell, 1);
    if (atomic_load(&s->resting))
        proc_wake(&s->bell);
}

/* ---- the worker -------------------------------------------------------------- */

static void op_release(struct op *op)
{
    free(op->deps);
    if (op->release)
        op->release(op);
    else
        free(op);
}

static int demanded(const struct stream *s, const struct op *op)
{
    return atomic_load(&s->demanded) >= op->seq;
}

/* Sleep until the bell has rung since `seen`, at most timeout_ns (0: forever).
 * Returns 0 when it has. */
static int rest(struct stream *s, uint32_t seen, uint64_t timeout_ns)
{
    atomic_store(&s->resting, 1);
    const int err = proc_wait_for(
        &s->bell, seen, timeout_ns ? timeout_ns : UINT64_C(1) << 60, NULL);
    atomic_store(&s->resting, 0);
    return err;
}

enum { SLICE_NS = 200000 }; /* how often a late op looks who is hungry */

static void delay(struct stream *s, const struct op *op)
{
    const uint64_t ns = schedule_delay_ns(proc()->rank, s->queue, op->seq);
    if (ns)
        nanosleep(&(struct timespec){0, (long)ns}, NULL);
    if (!schedule_is_late())
        return;
    const int slices = SCHEDULE_LATE_NS / SLICE_NS;
    for (int i = 0; i < slices;) {
        const uint32_t seen = atomic_load(&s->bell);
        if (demanded(s, op) || page_anyone_hungry())
            return;
        i += rest(s, seen, SLICE_NS) != 0;
    }
}

static void run(struct stream *s, struct op *op)
{
    delay(s, op);
    wait_at(op->node.index);
    for (int i = 0; i < op->ndeps; i++)
        mark_wait(op->deps[i], "an operation's dependence", op->node.site);
    if (op->run)
        op->run(op);
    pthread_mutex_lock(&s->lock);
    s->head = op->next;
    if (!s->head) {
        s->tail = &s->head;
        page_active(-1);
    }
    pthread_mutex_unlock(&s->lock);
    atomic_store(&s->completed, op->seq);
    atomic_store(&s->done, (uint32_t)op->seq);
    if (atomic_load(&s->waiters))
        proc_wake(&s->done);
    proc_progress();
    op_release(op);
}

static void *work(void *arg)
{
    struct stream *const s = arg;
    proc_become_worker();
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
    pthread_t thread;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 1 << 20);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attr, work, s) != 0)
        proc_fault(NULL, "cannot start the worker of a stream: %m");
    pthread_attr_destroy(&attr);
    s->started = 1;
}

/* ---- enqueueing -------------------------------------------------------------- */

/* The legacy default stream's rules: it follows all blocking streams of its
 * device, and they follow it. `all` is held. */
static void follow_legacy_rules(struct stream *s, struct op *op)
{
    if (s->kind == STREAM_NONBLOCKING)
        return;
    if (s->kind == STREAM_BLOCKING) {
        if (legacy[s->device])
            op_after(op, stream_tail(legacy[s->device]));
        return;
    }
    for (struct stream *other = streams; other; other = other->next)
        if (other->device == s->device && other->kind == STREAM_BLOCKING)
            op_after(op, stream_tail(other));
}

static void record(struct stream *s, struct op *op)
{
    enum { FEW = 16 };
    struct graph_ref few[FEW];
    struct graph_ref *const deps =
        op->ndeps <= FEW ? few : malloc(op->ndeps * sizeof *deps);
    if (!deps)
        proc_fault(NULL, "out of host memory for an operation");
    for (int i = 0; i < op->ndeps; i++)
        deps[i] = (struct graph_ref){proc()->rank, op->deps[i].node};
    op->node.ndeps = host_ndeps(op->ndeps);
    op->node.thread = proc_thread();
    op->node.queue = s->queue;
    op->node.place = proc_place(s->device);
    if (op->node.host_ps == 0)
        op->node.host_ps = proc()->costs->launch_host_ps;
    op->node.rank = proc()->rank;
    op->node.index =
        graph_add(proc()->graph, &op->node, deps, op->moves, op->accesses);
    if (deps != few)
        free(deps);
}

struct mark stream_enqueue(struct stream *s, struct op *op)
{
    if (dataless_op(op) && op->node.match == 0)
        op->run = NULL; // what meets other ranks looks at their memory, too
    pthread_mutex_lock(&all);
    follow_legacy_rules(s, op);
    record(s, op);
    op->stream = s;
    op->moves = NULL;
    op->accesses = NULL;
    pthread_mutex_lock(&s->lock);
    op->seq = atomic_fetch_add(&s->issued, 1) + 1;
    s->last_node = op->node.index;
    const struct mark m = {s, op->seq, op->node.index};
    if (!s->head)
        page_active(+1); // a stream with work is active until it is empty
    *s->tail = op;
    s->tail = &op->next;
    pthread_mutex_unlock(&s->lock);
    if (!s->started)
        start_worker(s);
    pthread_mutex_unlock(&all);
    stream_ring(s);
    return m;
}

/* ---- streams ----------------------------------------------------------------- */

static struct stream *create(int device, enum stream_kind kind, int priority)
{
    struct stream *const s = calloc(1, sizeof *s);
    if (!s)
        proc_fault(NULL, "out of host memory for a stream");
    s->device = device;
    s->kind = kind;
    s->priority = priority;
    s->queue = ++nqueues;
    s->live = 1;
    s->tail = &s->head;
    pthread_mutex_init(&s->lock, NULL);
    s->next = streams;
    streams = s;
    graph_note_queue(proc()->graph, s->queue, proc_place(device),
                     stream_kind_name(kind));
    return s;
}

struct stream *stream_new(int device, enum stream_kind kind, int priority)
{
    proc();
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

void streams_reset(int device)
{
    pthread_mutex_lock(&all);
    for (struct stream *s = streams; s; s = s->next)
        if (s->device == device && s->has_handle && s->live) {
            s->live = 0;
            stream_ring(s);
        }
    pthread_mutex_unlock(&all);
}

static _Thread_local struct stream *own[PROC_MAX_DEVICES]; /* per thread */

struct stream *stream_of(void *handle)
{
    const uintptr_t number = (uintptr_t)handle;
    const int device = device_current();
    proc();
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

int stream_device(const struct stream *s)
{
    return s->device;
}

enum stream_kind stream_kind_of(const struct stream *s)
{
    return s->kind;
}

int stream_priority(const struct stream *s)
{
    return s->priority;
}

uint32_t stream_queue(const struct stream *s)
{
    return s->queue;
}

struct mark stream_tail(struct stream *s)
{
    pthread_mutex_lock(&s->lock);
    const uint64_t seq = atomic_load(&s->issued);
    const struct mark m = {seq ? s : NULL, seq, s->last_node};
    pthread_mutex_unlock(&s->lock);
    return m;
}

/* ---- the host ---------------------------------------------------------------- */

/*
 * Nothing is left of a stream: the program has destroyed it, and this thread has
 * waited for its last op. Streams are never freed, so without this a loop that
 * makes a stream a round would wait for more of them each time.
 */
static int is_over(struct stream *s)
{
    pthread_mutex_lock(&s->lock);
    const int over = !s->live && s->joined == atomic_load(&s->issued) &&
                     s->joined_by == proc_thread();
    pthread_mutex_unlock(&s->lock);
    return over;
}

int device_marks(int device, int blocking_only, struct mark *out, int cap)
{
    int n = 0;
    pthread_mutex_lock(&all);
    for (struct stream *s = streams; s; s = s->next) {
        if (s->device != device || is_over(s) ||
            (blocking_only && s->kind == STREAM_NONBLOCKING))
            continue;
        const struct mark tail = stream_tail(s);
        if (tail.stream && n == cap)
            proc_fault(NULL,
                       "a synchronisation waits for more than %d streams of "
                       "device %d.\nDestroy streams that are no longer needed.",
                       cap, device);
        if (tail.stream)
            out[n++] = tail;
    }
    pthread_mutex_unlock(&all);
    return n;
}

void streams_drain(void)
{
    pthread_mutex_lock(&all);
    struct stream *const newest = streams; // the list only grows
    pthread_mutex_unlock(&all);
    for (struct stream *s = newest; s; s = s->next)
        mark_demand(stream_tail(s));
    for (struct stream *s = newest; s; s = s->next)
        mark_wait(stream_tail(s), "the end of the program", 0);
}
