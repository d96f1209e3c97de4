/*
 * host_clock.c: the C library's clocks, for programs that simnvcc links
 *
 * A program may time its GPU work with clock_gettime() or std::chrono around a
 * synchronisation. simnvcc links it with --wrap for the functions below, so
 * that the program's own calls reach modelled time, while those of every
 * library it uses (MPI, the C library, this one) still reach the machine's
 * clocks.
 *
 *     clock  =  the machine's, once, when a clock is first read
 *               + the modelled time of the calling thread
 *
 * All clocks are shifted alike: a deadline on any of them becomes a deadline on
 * the machine's clock by adding the difference between real and modelled time.
 * A sleep costs the time it asks for; computing on the host costs none.
 *
 * The function names are the linker's.
 */
#define _GNU_SOURCE
#include <errno.h>   /* ETIMEDOUT */
#include <pthread.h> /* pthread_cond_timedwait */
#include <stdatomic.h>
#include <stdint.h>   /* uint64_t */
#include <stdlib.h>   /* getenv */
#include <string.h>   /* strcmp */
#include <sys/time.h> /* gettimeofday */
#include <time.h>     /* clock_gettime */
#include <unistd.h>   /* usleep */

#include "core/clock/clock.h"
#include "core/clock/reading.h"
#include "core/host.h"
#include "core/proc.h"
#include "core/site.h"
#include "core/thread.h"

static const int64_t NS_PER_S = 1000000000;

/* The machine's clocks at the time when one is first read. */
static struct {
    pthread_once_t once;
    int is_real; /* SIMGPU_CLOCK=real */
    int64_t monotonic_ns, realtime_ns;
    _Atomic uint64_t latest_ns; /* modelled; the latest of all threads */
} origin = {.once = PTHREAD_ONCE_INIT};

static int64_t to_ns(const struct timespec *t)
{
    return (int64_t)t->tv_sec * NS_PER_S + t->tv_nsec;
}

static struct timespec from_ns(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

static void start(void)
{
    const char *const clock = getenv("SIMGPU_CLOCK");
    origin.is_real = clock && strcmp(clock, "real") == 0;
    // whole seconds, so that a difference in other units rounds alike in every
    // run
    origin.monotonic_ns =
        clock_machine_ns(CLOCK_MONOTONIC) / NS_PER_S * NS_PER_S;
    origin.realtime_ns = clock_machine_ns(CLOCK_REALTIME) / NS_PER_S * NS_PER_S;
}

/* True if this clock shows modelled time. Clocks of processor time don't. */
static int is_modelled(clockid_t id)
{
    pthread_once(&origin.once, start);
    switch (id) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME: return !origin.is_real;
    default: return 0;
    }
}

/*
 * The modelled time in nanoseconds. A stream's worker, which runs the program's
 * host functions, has no time of its own and gets the latest time that any
 * thread has read.
 */
static int64_t elapsed_ns(const char *call, uint32_t site)
{
    if (thread_or_worker() == UINT32_MAX)
        return (int64_t)atomic_load(&origin.latest_ns);
    const uint64_t ns = simgpu_clock_read(call, site) / 1000;
    uint64_t latest = atomic_load(&origin.latest_ns);
    while (latest < ns &&
           !atomic_compare_exchange_weak(&origin.latest_ns, &latest, ns))
        ;
    return (int64_t)ns;
}

static int64_t now_ns(clockid_t id, const char *call, uint32_t site)
{
    const int is_date = id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE;
    return (is_date ? origin.realtime_ns : origin.monotonic_ns) +
           elapsed_ns(call, site);
}

/* ---- clocks -------------------------------------------------------------- */

int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    if (!is_modelled(id))
        return clock_gettime(id, t);
    *t = from_ns(now_ns(id, "clock_gettime", CALLER_SITE()));
    return 0;
}

int __wrap_timespec_get(struct timespec *t, int base);
int __wrap_timespec_get(struct timespec *t, int base)
{
    if (base != TIME_UTC || !is_modelled(CLOCK_REALTIME))
        return timespec_get(t, base);
    *t = from_ns(now_ns(CLOCK_REALTIME, "timespec_get", CALLER_SITE()));
    return base;
}

int __wrap_gettimeofday(struct timeval *t, void *zone);
int __wrap_gettimeofday(struct timeval *t, void *zone)
{
    if (!is_modelled(CLOCK_REALTIME) || !t)
        return gettimeofday(t, zone);
    const int64_t ns = now_ns(CLOCK_REALTIME, "gettimeofday", CALLER_SITE());
    *t = (struct timeval){.tv_sec = ns / NS_PER_S,
                          .tv_usec = ns % NS_PER_S / 1000};
    return 0;
}

/* std::chrono::steady_clock::now(), a time point in nanoseconds */
int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv(void);
int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv(void)
{
    return is_modelled(CLOCK_MONOTONIC)
               ? now_ns(CLOCK_MONOTONIC, "steady_clock::now", CALLER_SITE())
               : clock_machine_ns(CLOCK_MONOTONIC);
}

/* std::chrono::system_clock::now() */
int64_t __wrap__ZNSt6chrono3_V212system_clock3nowEv(void);
int64_t __wrap__ZNSt6chrono3_V212system_clock3nowEv(void)
{
    return is_modelled(CLOCK_REALTIME)
               ? now_ns(CLOCK_REALTIME, "system_clock::now", CALLER_SITE())
               : clock_machine_ns(CLOCK_REALTIME);
}

double __wrap_omp_get_wtime(void);
double __wrap_omp_get_wtime(void)
{
    const int64_t ns =
        is_modelled(CLOCK_MONOTONIC)
            ? now_ns(CLOCK_MONOTONIC, "omp_get_wtime", CALLER_SITE())
            : clock_machine_ns(CLOCK_MONOTONIC);
    return (double)ns * 1e-9;
}

/* ---- sleeping ------------------------------------------------------------ */

/* Record that the thread sleeps for a modelled time. */
static void spend(const char *call, uint32_t site, int64_t ns)
{
    if (ns > 0 && thread_or_worker() != UINT32_MAX)
        simgpu_host_record(call, site, (uint64_t)ns * 1000, NULL, 0);
}

int __wrap_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
    struct timespec rest = {0, 0};
    const int err = nanosleep(t, &rest);
    if (is_modelled(CLOCK_MONOTONIC) && (err == 0 || errno == EINTR))
        spend("nanosleep", CALLER_SITE(), to_ns(t) - to_ns(&rest));
    if (left)
        *left = rest;
    return err;
}

int __wrap_usleep(useconds_t us);
int __wrap_usleep(useconds_t us)
{
    const int err = usleep(us);
    if (is_modelled(CLOCK_MONOTONIC))
        spend("usleep", CALLER_SITE(), (int64_t)us * 1000);
    return err;
}

unsigned __wrap_sleep(unsigned seconds);
unsigned __wrap_sleep(unsigned seconds)
{
    const unsigned left = sleep(seconds);
    if (is_modelled(CLOCK_MONOTONIC))
        spend("sleep", CALLER_SITE(), (int64_t)(seconds - left) * NS_PER_S);
    return left;
}

int __wrap_clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
                           struct timespec *left);
int __wrap_clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
                           struct timespec *left)
{
    struct timespec wait = *t, rest = {0, 0};
    if (!is_modelled(id))
        return clock_nanosleep(id, flags, t, left);
    const uint32_t site = CALLER_SITE();
    if (flags & TIMER_ABSTIME) {
        const int64_t ns = to_ns(t) - now_ns(id, "clock_nanosleep", site);
        wait = from_ns(ns > 0 ? ns : 0);
    }
    const int err = clock_nanosleep(id, flags & ~TIMER_ABSTIME, &wait, &rest);
    if (err == 0 || err == EINTR)
        spend("clock_nanosleep", site, to_ns(&wait) - to_ns(&rest));
    if (left && !(flags & TIMER_ABSTIME))
        *left = rest;
    return err;
}

/* ---- deadlines ----------------------------------------------------------- */

static int64_t distance(int64_t a, int64_t b)
{
    return a < b ? b - a : a - b;
}

/* The clock to which a condition variable's deadline is closer. */
static clockid_t clock_of(const struct timespec *until)
{
    const int64_t ns = to_ns(until);
    return distance(ns, origin.realtime_ns) < distance(ns, origin.monotonic_ns)
               ? CLOCK_REALTIME
               : CLOCK_MONOTONIC;
}

/* The time left until a deadline. *machine is the deadline
 * on the machine's clock. */
static int64_t translate(clockid_t id, const struct timespec *until,
                         struct timespec *machine, uint32_t site)
{
    const int64_t left =
        to_ns(until) - now_ns(id, "pthread_cond_timedwait", site);
    *machine = from_ns(clock_machine_ns(id) + (left > 0 ? left : 0));
    return left;
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                  const struct timespec *until);
int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                  const struct timespec *until)
{
    struct timespec machine;
    if (!is_modelled(CLOCK_MONOTONIC))
        return pthread_cond_timedwait(c, m, until);
    const int64_t left =
        translate(clock_of(until), until, &machine, CALLER_SITE());
    const int err = pthread_cond_timedwait(c, m, &machine);
    if (err == ETIMEDOUT)
        spend("pthread_cond_timedwait", CALLER_SITE(), left);
    return err;
}

int __wrap_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
                                  clockid_t id, const struct timespec *until);
int __wrap_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
                                  clockid_t id, const struct timespec *until)
{
    struct timespec machine;
    if (!is_modelled(id))
        return pthread_cond_clockwait(c, m, id, until);
    const int64_t left = translate(id, until, &machine, CALLER_SITE());
    const int err = pthread_cond_clockwait(c, m, id, &machine);
    if (err == ETIMEDOUT)
        spend("pthread_cond_clockwait", CALLER_SITE(), left);
    return err;
}
