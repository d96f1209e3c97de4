/*
 * test_late.c: how long the late schedule holds an operation back, and the
 * threads that simgpu starts, or cannot start
 *
 * Two clocks are the test's: a stream's worker sees a steady clock that moves
 * with each look, and the threads' CPU times are what a case says.
 */
#define _GNU_SOURCE
#include <check.h>
#include <dirent.h>  /* opendir */
#include <dlfcn.h>   /* dlsym */
#include <errno.h>   /* EAGAIN */
#include <pthread.h> /* pthread_create */
#include <stdlib.h>  /* setenv */

#include "core/control.h"
#include "core/issuer.h"
#include "core/schedule.h"
#include "core/stream/stream.h"
#include "core/stream/stream_state.h"
#include "core/thread.h"
#include "ranks.h"
#include "suite.h"
#include "timed_wait.h"

/* ---- the C library ------------------------------------------------------- */

enum { MOST = 64 };
static long waited_ns[MOST]; /* with a limit, by a stream's worker */
static _Atomic int nwaited;
static __thread int is_worker;

static int timed_wait(const struct timespec *limit, long *result)
{
    (void)result;
    if (is_worker && limit->tv_sec == 0 && nwaited < MOST)
        waited_ns[nwaited++] = limit->tv_nsec;
    return 0;
}

enum { TICK_NS = 125000000 };         /* of the worker's steady clock */
static const long *computed_ns;       /* at each look at a thread's CPU time, */
static _Atomic int ncomputed, nticks; /* the last again and again */

int clock_gettime(clockid_t clock, struct timespec *t)
{
    if (clock < 0 && computed_ns) {
        const int more = computed_ns[ncomputed + 1] != 0;
        *t = (struct timespec){0, computed_ns[ncomputed]};
        ncomputed += more;
        return 0;
    }
    if (is_worker && clock == CLOCK_MONOTONIC) {
        const int ticks = nticks++;
        *t = (struct timespec){ticks / 8, ticks % 8 * TICK_NS};
        return 0;
    }
    return (int)syscall(SYS_clock_gettime, clock, t);
}

static int nthreads = -1; /* until one cannot be started; -1: all can */

static struct started {
    size_t stack_nbytes;
    int detach_state;
} started[MOST];
static int nstarted, ndetached;

int pthread_detach(pthread_t thread)
{
    (void)thread;
    ndetached++;
    return 0;
}

int pthread_create(pthread_t *restrict thread,
                   const pthread_attr_t *restrict attr, void *(*body)(void *),
                   void *restrict arg)
{
    static int (*_Atomic real)(pthread_t *, const pthread_attr_t *,
                               void *(*)(void *), void *);
    if (nthreads == 0)
        return EAGAIN;
    nthreads -= nthreads > 0;
    if (attr && nstarted < MOST) {
        struct started *const s = &started[nstarted++];
        pthread_attr_getstacksize(attr, &s->stack_nbytes);
        pthread_attr_getdetachstate(attr, &s->detach_state);
    }
    if (!real)
        real = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                        void *))dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attr, body, arg);
}

/* ---- operations that are late -------------------------------------------- */

static void marks_worker(struct op *op)
{
    (void)op;
    is_worker = 1;
}

static struct fence enqueue(struct stream *s)
{
    struct op *const op =
        simgpu_op_new(sizeof *op, marks_worker, GRAPH_HOSTFN, "mark", 0);
    return simgpu_stream_enqueue(s, op);
}

/* This thread sleeps meanwhile, so it lacks no core. */
static void wait_for_late(struct shared *s)
{
    enum { PARTS = 6, ALL = (1 << PARTS) - 1 };
    (void)s;
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    const struct fence first = enqueue(a);
    simgpu_fence_join(&first, 1, "join", 0);
    const struct fence second = enqueue(a);
    while (!fence_passed(second))
        usleep(100000);
    int parts = 0;
    for (int i = 0; i < nwaited; i++) { // woken early, it waits again
        int is_part = waited_ns[i] == SCHEDULE_LATE_NS; // for a core
        for (int k = 0; k < PARTS; k++)
            if (waited_ns[i] == (SCHEDULE_LATE_NS / ALL) << k) {
                parts |= 1 << k;
                is_part = 1;
            }
        MUST(is_part && (i == 0 || waited_ns[i] >= waited_ns[i - 1]));
    }
    MUST(parts == ALL);
}

START_TEST(a_late_op_waits_in_growing_parts)
{
    setenv("SIMGPU_SCHEDULE", "late", 1);
    succeeds(wait_for_late);
}
END_TEST

static const struct hold {
    const char *name;
    int demanded, polled, flag_waits; /* before the operation is enqueued */
    long computed_ns[4]; /* by the thread that enqueues it, at each look */
    int nparts, nmore;   /* that it waits, and times for a core */
} holds[] = {
    {"one that nothing asks for", 0, 0, 0, {7, 7}, 6, 7},
    {"one that is demanded", 1, 0, 0, {7, 7}, 0, 0},
    {"one while a flag is awaited", 0, 0, 1, {7, 7}, 0, 0},
    {"one that is polled", 0, 1, 0, {7, 7}, 6, 0},
    {"one whose thread had a core",
     0,
     0,
     0,
     {7, SCHEDULE_LATE_NS + 6, SCHEDULE_LATE_NS + 7},
     6,
     1},
};

/*
 * The thread that enqueues the operation computes until that is done, so it
 * wants a core all the time. It begins when the worker rests: one that was
 * about to would be woken, and not wait for as long as it wanted.
 */
static void hold_back(struct shared *s)
{
    const struct hold *const h = &holds[s->ping];
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    const struct fence first = enqueue(a), second = {a, 2, 0};
    simgpu_fence_join(&first, 1, "join", 0);
    while (!atomic_load(&a->resting))
        usleep(1000);
    computed_ns = h->computed_ns;
    if (h->demanded)
        fence_demand(second);
    if (h->polled)
        MUST(!simgpu_fence_poll(&second, 1, "poll", 0));
    control_flag_waits(h->flag_waits);
    MUST(issuer_last() == first.node);
    MUST(enqueue(a).node == issuer_last());
    while (!fence_passed(second))
        ;
    int nmore = 0;
    for (int i = 0; i < nwaited; i++)
        nmore += waited_ns[i] == SCHEDULE_LATE_NS;
    MUST(nmore == h->nmore && nwaited == h->nparts + h->nmore);
}

START_TEST(a_late_op_waits_until_it_is_asked_for)
{
    char text[1024];
    struct shared *const s = shared_new();
    s->ping = (uint32_t)_i;
    setenv("SIMGPU_SCHEDULE", "late", 1);
    const struct rank r = rank_start(0, 1, hold_back, s);
    const int status = rank_end(r, text, sizeof text);
    ck_assert_msg(status == 0, "%s: %s", holds[_i].name, text);
}
END_TEST

static struct stream *other; /* that is demanded, too */

static void awaits_demand(struct op *op)
{
    (void)op;
    while (atomic_load(&other->demanded) == 0)
        usleep(1000);
}

/* What waits for several operations demands all of them before it waits for
 * the first, which is that of the newest stream here. */
static void demand_all(struct shared *s)
{
    other = stream_new(0, STREAM_NONBLOCKING, 0);
    struct stream *const a = stream_new(0, STREAM_NONBLOCKING, 0);
    struct op *const op =
        simgpu_op_new(sizeof *op, awaits_demand, GRAPH_HOSTFN, "awaits", 0);
    const struct fence f[] = {simgpu_stream_enqueue(a, op), enqueue(other)};
    if (s->ping)
        stream_drain_all();
    else
        simgpu_fence_join(f, 2, "join", 0);
    MUST(fence_passed(f[0]) && fence_passed(f[1]));
}

START_TEST(all_ops_are_demanded_before_one_is_awaited)
{
    char text[1024];
    struct shared *const s = shared_new();
    setenv("SIMGPU_SCHEDULE", "late", 1);
    for (s->ping = 0; s->ping < 2; s->ping++) {
        const struct rank r = rank_start(0, 1, demand_all, s);
        const int status = rank_end(r, text, sizeof text);
        ck_assert_msg(status == 0, "%u: %s", s->ping, text);
    }
}
END_TEST

/* ---- threads ------------------------------------------------------------- */

/* The watchdog, and a worker with the first operation of each stream. */
static void start_threads(struct shared *s)
{
    (void)s;
    simgpu_proc();
    MUST(nstarted == 1 && ndetached == 1);
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    MUST(nstarted == 1);
    enqueue(a);
    enqueue(a);
    MUST(nstarted == 2 && ndetached == 1);
    MUST(started[1].detach_state == PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < 2; i++)
        MUST(started[i].stack_nbytes == (size_t)1 << 20);
    stream_drain_all();
}

static int nthreads_now(void)
{
    int n = 0;
    DIR *const dir = opendir("/proc/self/task");
    for (const struct dirent *e; (e = readdir(dir));)
        n += e->d_name[0] != '.';
    closedir(dir);
    return n;
}

static void await_threads(int n)
{
    while (nthreads_now() != n)
        usleep(1000);
}

static _Atomic uint32_t gate;
static _Atomic int npassed;

static void passes_gate(struct op *op)
{
    (void)op;
    spin(&gate);
    npassed++;
}

/* A destroyed stream's worker ends after its last operation. */
static void end_threads(struct shared *s)
{
    (void)s;
    struct stream *const a = stream_new(0, STREAM_BLOCKING, 0);
    struct stream *const b = stream_new(0, STREAM_BLOCKING, 0);
    const int before = nthreads_now();
    struct fence last;
    for (int i = 0; i < 2; i++)
        last = simgpu_stream_enqueue(a, simgpu_op_new(sizeof(struct op),
                                                      passes_gate, GRAPH_HOSTFN,
                                                      "gate", 0));
    const struct fence f = enqueue(b);
    simgpu_fence_join(&f, 1, "join", 0);
    stream_release(a); // it has work
    stream_release_all(0);
    await_threads(before + 1);
    set(&gate);
    simgpu_fence_join(&last, 1, "join", 0);
    MUST(npassed == 2);
    await_threads(before);
    stream_release(stream_new(0, STREAM_BLOCKING, 0)); // it had no work
}

START_TEST(a_destroyed_stream_has_no_thread)
{
    succeeds(end_threads);
}
END_TEST

START_TEST(a_stream_has_one_thread_that_nothing_joins)
{
    succeeds(start_threads);
}
END_TEST

static void starts_worker(struct shared *s)
{
    (void)s;
    nthreads = 0;
    enqueue(stream_new(0, STREAM_BLOCKING, 0));
}

static void starts(struct shared *s)
{
    (void)s;
}

START_TEST(a_thread_that_cannot_be_started_is_named)
{
    faults(starts_worker, "simgpu: rank 0: cannot start the worker of a "
                          "stream: Resource temporarily unavailable");
    nthreads = 0;
    faults(starts, "simgpu: rank 0: cannot start the watchdog thread: "
                   "Resource temporarily unavailable");
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("late");
    TCase *const t = tcase_create("late");
    tcase_add_test(t, a_late_op_waits_in_growing_parts);
    SUITE_LOOP(t, a_late_op_waits_until_it_is_asked_for, holds);
    tcase_add_test(t, all_ops_are_demanded_before_one_is_awaited);
    tcase_add_test(t, a_stream_has_one_thread_that_nothing_joins);
    tcase_add_test(t, a_destroyed_stream_has_no_thread);
    tcase_add_test(t, a_thread_that_cannot_be_started_is_named);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
