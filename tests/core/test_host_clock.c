/*
 * test_host_clock.c: the C library's clocks as simnvcc links them, compared
 * with golden.txt
 *
 * The functions below them are this file's: the machine's time is what a test
 * says it is, and nothing sleeps.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>   /* EINTR */
#include <pthread.h> /* pthread_create */
#include <stdlib.h>  /* setenv */
#include <string.h>  /* strcmp */
#include <sys/syscall.h>
#include <sys/time.h> /* gettimeofday */
#include <time.h>     /* clock_gettime */

#include "core/host.h"
#include "core/stream/stream.h"
#include "core/thread.h"
#include "golden.h"
#include "ranks.h"
#include "suite.h"

enum { NS_PER_S = 1000000000 };
static const char golden[] = "tests/core/golden.txt#host_clock";

/* What simnvcc has a program call. */
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_timespec_get(struct timespec *t, int base);
int __wrap_gettimeofday(struct timeval *t, void *zone);
int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv(void);
int64_t __wrap__ZNSt6chrono3_V212system_clock3nowEv(void);
double __wrap_omp_get_wtime(void);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_usleep(useconds_t us);
unsigned __wrap_sleep(unsigned seconds);
int __wrap_clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
                           struct timespec *left);
int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                  const struct timespec *until);
int __wrap_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
                                  clockid_t id, const struct timespec *until);

/* ---- the machine --------------------------------------------------------- */

static _Thread_local int is_fake; /* of the calling thread */
static int64_t monotonic_ns = INT64_C(1000700000000);
static int64_t realtime_ns = INT64_C(2000000900000000);

static struct timespec of(int64_t ns)
{
    return (struct timespec){ns / NS_PER_S, ns % NS_PER_S};
}

static int64_t ns_of(const struct timespec *t)
{
    return (int64_t)t->tv_sec * NS_PER_S + t->tv_nsec;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    if (!is_fake)
        return (int)syscall(SYS_clock_gettime, id, t);
    *t = of(id == CLOCK_REALTIME             ? realtime_ns
            : id == CLOCK_PROCESS_CPUTIME_ID ? 77
                                             : monotonic_ns);
    return 0;
}

int timespec_get(struct timespec *t, int base)
{
    *t = of(realtime_ns);
    return base == TIME_UTC ? base : 0;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timeval *volatile const at = t; // declared to be one, and may not be
    (void)zone;
    if (at)
        *at = (struct timeval){realtime_ns / NS_PER_S, 5};
    return at ? 0 : -7;
}

static struct timespec rest; /* of a sleep */
static int result;           /* of a sleep */

static int sleep_for(const char *call, const struct timespec *t,
                     struct timespec *left)
{
    fprintf(stderr, "  the machine's %s for %lld ns\n", call,
            (long long)ns_of(t));
    if (left && result == EINTR)
        *left = rest;
    return result;
}

int nanosleep(const struct timespec *t, struct timespec *left)
{
    if (!is_fake)
        return (int)syscall(SYS_nanosleep, t, left);
    errno = result;
    return sleep_for("nanosleep", t, left) ? -1 : 0;
}

int usleep(useconds_t us)
{
    const struct timespec t = of((int64_t)us * 1000);
    return nanosleep(&t, NULL);
}

unsigned sleep(unsigned seconds)
{
    const struct timespec t = {seconds, 0};
    sleep_for("sleep", &t, NULL);
    return (unsigned)rest.tv_sec;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
                    struct timespec *left)
{
    fprintf(stderr, "  clock %d, flags %d\n", (int)id, flags);
    return sleep_for("clock_nanosleep", t, left);
}

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int pthread_cond_timedwait(pthread_cond_t *restrict c,
                           pthread_mutex_t *restrict m,
                           const struct timespec *restrict until)
{
    MUST(c == &cond && m == &mutex);
    return sleep_for("pthread_cond_timedwait", until, NULL);
}

int pthread_cond_clockwait(pthread_cond_t *restrict c,
                           pthread_mutex_t *restrict m, clockid_t id,
                           const struct timespec *restrict until)
{
    MUST(c == &cond && m == &mutex);
    fprintf(stderr, "  clock %d\n", (int)id);
    return sleep_for("pthread_cond_clockwait", until, NULL);
}

/* ---- what a program reads ------------------------------------------------ */

static const struct {
    const char *name;
    clockid_t id;
} clocks[] = {{"realtime", CLOCK_REALTIME},
              {"realtime, coarse", CLOCK_REALTIME_COARSE},
              {"monotonic", CLOCK_MONOTONIC},
              {"monotonic, coarse", CLOCK_MONOTONIC_COARSE},
              {"monotonic, raw", CLOCK_MONOTONIC_RAW},
              {"boot time", CLOCK_BOOTTIME},
              {"processor time", CLOCK_PROCESS_CPUTIME_ID}};

static void show(const char *what, int64_t ns)
{
    fprintf(stderr, "%s: %lld.%09lld s\n", what, (long long)(ns / NS_PER_S),
            (long long)(ns % NS_PER_S));
}

static void show_time(const char *what)
{
    struct timespec t;
    MUST(__wrap_clock_gettime(CLOCK_MONOTONIC, &t) == 0);
    show(what, ns_of(&t));
}

static void read_clocks(void)
{
    struct timespec t;
    struct timeval v;
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        MUST(__wrap_clock_gettime(clocks[i].id, &t) == 0);
        show(clocks[i].name, ns_of(&t));
    }
    fprintf(stderr, "timespec_get: %d,", __wrap_timespec_get(&t, TIME_UTC));
    show("", ns_of(&t));
    fprintf(stderr, "of no base: %d,", __wrap_timespec_get(&t, TIME_UTC + 1));
    show("", ns_of(&t));
    fprintf(stderr, "gettimeofday: %d,", __wrap_gettimeofday(&v, NULL));
    fprintf(stderr, " %lld.%06lld s\n", (long long)v.tv_sec,
            (long long)v.tv_usec);
    fprintf(stderr, "of nothing: %d\n", __wrap_gettimeofday(NULL, NULL));
    show("steady_clock", __wrap__ZNSt6chrono3_V212steady_clock3nowEv());
    show("system_clock", __wrap__ZNSt6chrono3_V212system_clock3nowEv());
    fprintf(stderr, "omp_get_wtime: %.7f s\n", __wrap_omp_get_wtime());
}

static void read_all(void)
{
    read_clocks();
    monotonic_ns += 5 * INT64_C(1000000000); // modelled time does not see it
    realtime_ns += 5 * INT64_C(1000000000);
    simgpu_host_busy("busy", 0, UINT64_C(3000000500000));
    read_clocks();
}

static void read_real(void)
{
    setenv("SIMGPU_CLOCK", "real", 1);
    read_clocks();
}

static void read_unknown(void)
{
    setenv("SIMGPU_CLOCK", "unreal", 1);
    read_clocks();
}

/* ---- sleeping ------------------------------------------------------------ */

static void sleep_each(void)
{
    struct timespec t = of(2000000003), left = of(9);
    show_time("before");
    fprintf(stderr, "%d\n", __wrap_nanosleep(&t, &left));
    MUST(ns_of(&left) == ns_of(&rest));
    show_time("nanosleep");
    fprintf(stderr, "%d\n", __wrap_nanosleep(&t, NULL));
    show_time("nanosleep");
    fprintf(stderr, "%d\n", __wrap_usleep(7));
    show_time("usleep");
    fprintf(stderr, "%u\n", __wrap_sleep(4));
    show_time("sleep");
    t = of(5000000000);
    left = of(8);
    fprintf(stderr, "%d\n",
            __wrap_clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &left));
    MUST(ns_of(&left) == ns_of(&rest));
    show_time("clock_nanosleep");
    left = of(9);
    t = of(INT64_C(2000030000000001));
    fprintf(stderr, "%d\n",
            __wrap_clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, &left));
    MUST(ns_of(&left) == 9 || getenv("SIMGPU_CLOCK"));
    show_time("until a time");
    t = of(5);
    fprintf(stderr, "%d\n",
            __wrap_clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
    show_time("until a time that was");
    fprintf(stderr, "%d\n",
            __wrap_clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, TIMER_ABSTIME, &t,
                                   &left));
    show_time("of processor time");
}

static void sleep_all(void)
{
    sleep_each();
}

static void sleep_really(void)
{
    setenv("SIMGPU_CLOCK", "real", 1);
    result = EINTR;
    rest = of(1000000001);
    sleep_each();
}

static void sleep_a_part(void)
{
    result = EINTR;
    rest = of(1000000001);
    sleep_each();
}

static void fail_to_sleep(void)
{
    struct timespec t = of(1000);
    result = EINVAL;
    show_time("before");
    fprintf(stderr, "%d\n", __wrap_nanosleep(&t, NULL));
    show_time("nanosleep");
    fprintf(stderr, "%d\n",
            __wrap_clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL));
    show_time("clock_nanosleep");
}

/* ---- deadlines ----------------------------------------------------------- */

static void wait_each(void)
{
    static const int64_t until[] = {INT64_C(2000010000000000),
                                    INT64_C(1003000000000), 4};
    show_time("before");
    for (int i = 0; i < 3; i++) {
        const struct timespec t = of(until[i]);
        fprintf(stderr, "%d\n",
                __wrap_pthread_cond_timedwait(&cond, &mutex, &t));
        show_time("timedwait");
    }
    const struct timespec real = of(INT64_C(2000020000000000)),
                          mono = of(INT64_C(1030000000000));
    fprintf(
        stderr, "%d\n",
        __wrap_pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, &real));
    show_time("clockwait");
    fprintf(
        stderr, "%d\n",
        __wrap_pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &mono));
    show_time("clockwait");
}

static void wait_in_vain(void)
{
    result = ETIMEDOUT;
    wait_each();
}

static void wait_and_wake(void)
{
    wait_each();
}

static void wait_really(void)
{
    setenv("SIMGPU_CLOCK", "real", 1);
    result = ETIMEDOUT;
    wait_each();
}

/* ---- polls and workers --------------------------------------------------- */

static _Atomic uint32_t has_read, gate;

static void reads_in_worker(struct op *op)
{
    (void)op;
    const struct timespec t = of(1000);
    is_fake = 1;
    show_time("in a worker");
    __wrap_nanosleep(&t, NULL);
    show_time("in a worker, again");
    is_fake = 0;
    set(&has_read);
    spin(&gate);
}

/* A polling thread's clock does not advance until the machine's is a minute
 * past the first poll. */
static void poll_once(void)
{
    has_read = gate = 0;
    struct op *const op =
        simgpu_op_new(sizeof *op, reads_in_worker, GRAPH_HOSTFN, "reads", 0);
    show_time("before");
    const struct fence f =
        simgpu_stream_enqueue(stream_new(0, STREAM_BLOCKING, 0), op);
    is_fake = 0;
    spin(&has_read);
    is_fake = 1;
    MUST(!simgpu_fence_poll(&f, 1, "poll", 0));
    static const int64_t later_ns[] = {0, 1, 59999999999, 1, 5, 20};
    for (int i = 0; i < 6; i++) {
        monotonic_ns += later_ns[i];
        show_time("polling");
    }
    is_fake = 0;
    set(&gate);
    simgpu_fence_join(&f, 1, "join", 0);
    is_fake = 1;
    show_time("joined");
    show_time("again");
}

static void poll(void)
{
    poll_once();
    poll_once();
}

static const struct program {
    const char *name;
    void (*body)(void);
} programs[] = {
    {"clocks", read_all},
    {"clocks, real", read_real},
    {"clocks, unknown", read_unknown},
    {"sleeps", sleep_all},
    {"sleeps, real", sleep_really},
    {"sleeps, a part", sleep_a_part},
    {"sleeps, fails", fail_to_sleep},
    {"waits", wait_and_wake},
    {"waits in vain", wait_in_vain},
    {"waits, real", wait_really},
    {"polls", poll},
};

static void runs(struct shared *s)
{
    is_fake = 1;
    programs[s->ping].body();
    is_fake = 0;
}

START_TEST(a_program_reads_modelled_time)
{
    char text[8192];
    struct shared *const s = shared_new();
    s->ping = (uint32_t)_i;
    const struct rank r = rank_start(0, 1, runs, s);
    const int status = rank_end(r, text, sizeof text);
    ck_assert_msg(status == 0, "%d: %s", status, text);
    golden_expect_part(golden, programs[_i].name, text);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("host_clock");
    TCase *const t = tcase_create("host_clock");
    SUITE_LOOP(t, a_program_reads_modelled_time, programs);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
