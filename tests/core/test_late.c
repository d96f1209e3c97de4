/*
 * test_late.c: how long the late schedule holds an operation back, and threads
 * that cannot be started
 */
#define _GNU_SOURCE
#include <check.h>
#include <dlfcn.h>       /* dlsym */
#include <errno.h>       /* EAGAIN */
#include <linux/futex.h> /* FUTEX_WAIT */
#include <pthread.h>     /* pthread_create */
#include <stdarg.h>      /* va_list */
#include <stdlib.h>      /* setenv */
#include <sys/syscall.h> /* SYS_futex */
#include <time.h>        /* struct timespec */

#include "core/schedule.h"
#include "core/stream.h"
#include "core/thread.h"
#include "ranks.h"
#include "suite.h"

/* ---- the C library ------------------------------------------------------- */

enum { MOST = 64 };
static long waited_ns[MOST]; /* with a limit, by a stream's worker */
static _Atomic int nwaited;
static __thread int is_worker;

long syscall(long number, ...)
{
    static long (*_Atomic real)(long, ...);
    long a[6];
    va_list args;
    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    const struct timespec *const t = (const struct timespec *)a[3];
    if (is_worker && number == SYS_futex && a[1] == FUTEX_WAIT && t &&
        t->tv_sec == 0 && nwaited < MOST)
        waited_ns[nwaited++] = t->tv_nsec;
    if (!real)
        real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static int nthreads = -1; /* until one cannot be started; -1: all can */

int pthread_create(pthread_t *restrict thread,
                   const pthread_attr_t *restrict attr, void *(*body)(void *),
                   void *restrict arg)
{
    static int (*_Atomic real)(pthread_t *, const pthread_attr_t *,
                               void *(*)(void *), void *);
    if (nthreads == 0)
        return EAGAIN;
    nthreads -= nthreads > 0;
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

/* ---- threads that cannot be started -------------------------------------- */

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
    tcase_add_test(t, a_thread_that_cannot_be_started_is_named);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
