#define _GNU_SOURCE
#include "nccl/open_group.h"

#include <pthread.h> /* pthread_key_t */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* on_exit */

#include "core/report.h"
#include "core/site.h"
#include "core/watch/leave.h"
#include "core/watch/watchdog.h"

struct open_group { /* a thread's outermost group */
    struct open_group *next;
    uint32_t site;
    int is_left;       /* its thread has ended */
    int n;             /* calls that it will launch */
    const char *first; /* the first of them */
    uint32_t first_site;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct open_group *all;                /* protected by lock */
static _Thread_local struct open_group *mine; /* NULL: none is open */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* for its destructor */

/* "2 calls, the first ncclSend at a.c:12" */
static void calls_text(const struct open_group *g, char *out, size_t nbytes)
{
    char where[256];
    simgpu_site_text(g->first_site, where, sizeof where);
    if (g->n == 1)
        snprintf(out, nbytes, "one call, %s at %s", g->first, where);
    else
        snprintf(out, nbytes, "%d calls, the first %s at %s", g->n, g->first,
                 where);
}

/* Lines for the report of a hang. */
static void remark(char *out, size_t nbytes)
{
    char start[256], calls[400];
    size_t at = 0;
    pthread_mutex_lock(&lock);
    for (const struct open_group *g = all; g && at < nbytes; g = g->next) {
        if (g->n == 0)
            continue;
        calls_text(g, calls, sizeof calls);
        at += (size_t)snprintf(
            out + at, nbytes - at,
            "    not launched, since the group of ncclGroupStart at %s has not "
            "ended: %s\n",
            simgpu_site_text(g->site, start, sizeof start), calls);
    }
    pthread_mutex_unlock(&lock);
}

/* The group in which the process ends, or one that an earlier thread has left
 * open; NULL if there is none. Another thread may still end its own. */
static const struct open_group *find_left(void)
{
    pthread_mutex_lock(&lock);
    const struct open_group *g = all;
    while (g && (g->n == 0 || (g != mine && !g->is_left)))
        g = g->next;
    pthread_mutex_unlock(&lock);
    return g;
}

static void at_exit(int status, void *unused)
{
    static const char text[] =
        "the program ends in the group that ncclGroupStart began at %s: there "
        "is no\nncclGroupEnd for it, so nothing of the group was launched: "
        "%s.\nA GPU doesn't launch it either, and ranks that count on it "
        "wait forever. Call ncclGroupEnd()\nonce for each ncclGroupStart(), "
        "before you wait for the results.";
    char start[256], calls[400];
    const struct open_group *const g = find_left();
    (void)unused;
    if (!g)
        return;
    simgpu_site_text(g->site, start, sizeof start);
    calls_text(g, calls, sizeof calls);
    simgpu_report_once("open group", text, start, calls);
    if (status == 0)
        simgpu_leave_failed(); // after what SIMGPU_CHECK=1 finds
}

static void leave(void *group)
{
    struct open_group *const g = group;
    pthread_mutex_lock(&lock);
    g->is_left = 1;
    pthread_mutex_unlock(&lock);
}

static void start(void)
{
    pthread_key_create(&key, leave);
    simgpu_hang_remark(remark);
    on_exit(at_exit, NULL);
}

void open_group_begin(uint32_t site)
{
    pthread_once(&once, start);
    if (mine)
        return;
    mine = simgpu_need(calloc(1, sizeof *mine), "a group");
    mine->site = site;
    pthread_setspecific(key, mine);
    pthread_mutex_lock(&lock);
    mine->next = all;
    all = mine;
    pthread_mutex_unlock(&lock);
}

void open_group_end(void)
{
    if (!mine)
        return;
    pthread_mutex_lock(&lock);
    struct open_group **at = &all;
    while (*at != mine)
        at = &(*at)->next;
    *at = mine->next;
    pthread_mutex_unlock(&lock);
    pthread_setspecific(key, NULL);
    free(mine);
    mine = NULL;
}

void open_group_holds(int n, const char *first, uint32_t site)
{
    if (!mine)
        return;
    pthread_mutex_lock(&lock);
    mine->n = n;
    mine->first = first;
    mine->first_site = site;
    pthread_mutex_unlock(&lock);
}

void open_group_report_dropped(const char *call, uint32_t site)
{
    char start[256], calls[400];
    if (!mine || mine->n == 0)
        return;
    calls_text(mine, calls, sizeof calls);
    simgpu_report_warning(
        site,
        "%s destroys a communicator of the group that ncclGroupStart began at "
        "%s, which has\nnot ended. What the group has on that communicator is "
        "dropped (the group holds %s). Call\nncclGroupEnd() first.",
        call, simgpu_site_text(mine->site, start, sizeof start), calls);
}
