#define _GNU_SOURCE
#include "grader/sandbox/limits.h"

#include <pthread.h>      /* pthread_setattr_default_np */
#include <signal.h>       /* signal */
#include <stdint.h>       /* UINT64_C */
#include <stdio.h>        /* snprintf */
#include <sys/resource.h> /* setrlimit */

#define GIB (UINT64_C(1) << 30)

enum { STACK_NBYTES = 8 << 20, STACK_LEAST = 1 << 20 };

static const struct limit {
    enum __rlimit_resource resource;
    rlim_t want;      /* what a grading raises it to, if it may */
    rlim_t least;     /* what a grading needs */
    rlim_t unit;      /* bytes in one unit of ulimit; 1 for counts */
    char option;      /* the letter that ulimit takes */
    const char *what; /* "allows 24 open files" */
} limits[] = {
    {RLIMIT_NOFILE, 4096, 512, 1, 'n', "open files"},
    {RLIMIT_AS, RLIM_INFINITY, 64 * GIB, 1024, 'v', "KiB of addresses"},
    {RLIMIT_DATA, RLIM_INFINITY, 64 * GIB, 1024, 'd', "KiB of data"},
    {RLIMIT_FSIZE, RLIM_INFINITY, 128 * GIB, 1024, 'f',
     "KiB in a file, as which a device's memory counts"},
    {RLIMIT_STACK, STACK_NBYTES, STACK_LEAST, 1024, 's', "KiB of stack"},
    {RLIMIT_CPU, RLIM_INFINITY, 600, 1, 't', "seconds of CPU time"},
    {RLIMIT_NPROC, RLIM_INFINITY, 512, 1, 'u', "processes and threads"},
};
enum { NLIMITS = sizeof limits / sizeof *limits };

/* Raise one limit: root may raise both of its values, a user only the soft one,
 * up to the hard one. */
static void raise_one(const struct limit *l)
{
    struct rlimit now;
    if (getrlimit(l->resource, &now) != 0 || now.rlim_cur >= l->want)
        return;
    const struct rlimit both = {l->want, now.rlim_max > l->want ? now.rlim_max
                                                                : l->want};
    const struct rlimit soft = {now.rlim_max < l->want ? now.rlim_max : l->want,
                                now.rlim_max};
    if (setrlimit(l->resource, &both) != 0)
        setrlimit(l->resource, &soft);
}

void limits_raise(void)
{
    pthread_attr_t attr;
    for (int i = 0; i < NLIMITS; i++)
        raise_one(&limits[i]);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); // ignored, waitpid() would find no child
    // the size of new threads' stacks was taken from the limit at the start
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_NBYTES);
    pthread_setattr_default_np(&attr);
    pthread_attr_destroy(&attr);
}

struct main_call {
    int (*main_of)(int argc, char **argv);
    int argc, status;
    char **argv;
};

static void *call(void *arg)
{
    struct main_call *const c = arg;
    c->status = c->main_of(c->argc, c->argv);
    return NULL;
}

int limits_run(int (*main_of)(int argc, char **argv), int argc, char **argv)
{
    struct main_call c = {main_of, argc, -1, argv};
    struct rlimit now;
    pthread_t thread;
    if (getrlimit(RLIMIT_STACK, &now) == 0 && now.rlim_cur < STACK_LEAST &&
        pthread_create(&thread, NULL, call, &c) == 0)
        pthread_join(thread, NULL);
    else
        call(&c);
    return c.status;
}

int limits_check(char *why, size_t nbytes)
{
    struct rlimit now;
    for (const struct limit *l = limits; l < limits + NLIMITS; l++) {
        if (getrlimit(l->resource, &now) != 0 || now.rlim_cur >= l->least)
            continue;
        snprintf(why, nbytes,
                 "ulimit -%c allows %llu %s, and a grading needs %llu: raise "
                 "it where this is started (ulimit -%c, a scheduler's options, "
                 "/etc/security/limits.conf)",
                 l->option, (unsigned long long)(now.rlim_cur / l->unit),
                 l->what, (unsigned long long)(l->least / l->unit), l->option);
        return -1;
    }
    return 0;
}
