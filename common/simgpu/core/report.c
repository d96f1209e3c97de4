#define _GNU_SOURCE
#include "core/report.h"

#include <errno.h>  /* errno */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* fflush */
#include <string.h> /* strchrnul */
#include <unistd.h> /* write */

#include "base/mix.h"
#include "core/peer.h"
#include "core/site.h"
#include "core/wait.h" /* simgpu_wake */

enum { MAX_WARNINGS = 64 };

static void (*_Atomic last)(int status);

/* Hashes of the (site, format) pairs that have been printed. */
static _Atomic uint64_t warned[MAX_WARNINGS];

/* Print the text in one write, with the rank in front of each line. */
static void print(const char *text)
{
    char out[32768];
    size_t at = 0;
    const struct control *const own = control_own();
    while (*text && at < sizeof out - 64) {
        const char *const eol = strchrnul(text, '\n');
        at += (size_t)snprintf(out + at, sizeof out - at,
                               "simgpu: rank %u: %.*s\n", own ? own->rank : 0,
                               (int)(eol - text), text);
        text = *eol ? eol + 1 : eol;
    }
    if (at > sizeof out - 1)
        at = sizeof out - 1;
    const ssize_t written = write(STDERR_FILENO, out, at);
    (void)written; // a failed write can't be reported
}

/* Claim a fault for this job. Returns 1 for the first claim with this key. */
static int claim(const char *key)
{
    const uint64_t hash = mix_text(0, key);
    // on the page that all ranks agree on: the lowest known rank's
    struct control *board = control_own();
    for (struct peer *p = peer_first(); p; p = p->next)
        if (p->control->rank < board->rank)
            board = p->control;
    for (int i = 0; i < CONTROL_FAULT_KEYS; i++) {
        uint64_t seen = 0;
        if (atomic_compare_exchange_strong(&board->fault_key[i], &seen, hash))
            return 1;
        if (seen == hash)
            return 0;
    }
    return 0;
}

/*
 * Wait while another rank prints this fault and then tells all processes that
 * the job is over. It may first have to wait for a core; if this process ended
 * now, mpirun would kill that rank.
 */
static void await_report(void)
{
    const uint64_t most_ns = UINT64_C(20000) * REPORT_GRACE_US;
    simgpu_wait_for(&control_own()->lost, 0, most_ns, NULL);
    usleep(REPORT_GRACE_US); // it has more to do before it ends
}

/* Tell every known process that the job is over. */
static void end_job(void)
{
    for (struct peer *p = peer_first(); p; p = p->next) {
        if (p->control == control_own())
            continue;
        atomic_store(&p->control->lost, 1);
        simgpu_wake(&p->control->lost);
    }
}

void simgpu_report_last(void (*f)(int status))
{
    atomic_store(&last, f);
}

/* What has gone wrong earlier; "": nothing. */
static char earlier[600];

void simgpu_report_earlier(const char *text)
{
    static atomic_flag is_taken = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_taken))
        snprintf(earlier, sizeof earlier, "An earlier mistake: %s", text);
}

/* Write what the program and its kernels printed: it came before the report,
 * and _exit() would drop it. Another thread may keep the stream locked. */
static void flush_printed(void)
{
    if (ftrylockfile(stdout) != 0)
        return;
    fflush_unlocked(stdout);
    funlockfile(stdout);
}

void simgpu_report_fault(const char *key, const char *format, ...)
{
    char text[24576];
    const int saved = errno; // for %m
    va_list args;
    va_start(args, format);
    errno = saved;
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    flush_printed();
    if (!control_own() || !key || claim(key)) {
        print(text);
        print(earlier);
    } else {
        await_report();
    }
    if (control_own())
        end_job();
    void (*const f)(int status) = atomic_load(&last);
    if (f)
        f(PROC_EXIT_FAULT);
    _exit(PROC_EXIT_FAULT);
}

void simgpu_report_once(const char *key, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (claim(key))
        print(text);
}

struct pointer_text simgpu_pointer_text(const void *p)
{
    struct pointer_text t = {"NULL"};
    if (p)
        snprintf(t.text, sizeof t.text, "%p", p);
    return t;
}

void simgpu_report_error(const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print(text);
}

void *simgpu_need(void *p, const char *format, ...)
{
    char what[256];
    va_list args;
    if (p)
        return p;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    simgpu_report_fault(NULL, "out of host memory for %s", what);
}

void simgpu_report_warning(uint32_t site, const char *format, ...)
{
    char text[2048], where[256], line[2400];
    const uint64_t id = ((uintptr_t)format << 16 ^ site) | UINT64_C(1) << 63;
    for (int i = 0; i < MAX_WARNINGS; i++) {
        uint64_t free_slot = 0;
        if (atomic_compare_exchange_strong(&warned[i], &free_slot, id))
            break;
        if (free_slot == id)
            return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(line, sizeof line, "warning: %s: %s",
             simgpu_site_text(site, where, sizeof where), text);
    print(line);
}
