#define _GNU_SOURCE
#include "nccl/unpolled.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* on_exit */

#include "core/report.h"
#include "core/site.h"
#include "core/stream/lent.h"
#include "core/watch/check.h"
#include "core/watch/watchdog.h"
#include "nccl/execute.h"

struct unpolled {
    struct unpolled *next, **link; /* all of the process */
    int n;                         /* calls */
    const char *first;             /* the first of them, and its line */
    uint32_t site;
    int nlent;
    uint64_t lent[]; /* their buffers */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct unpolled *all; /* protected by lock */

/* "ncclAllReduce at a.c:12 has", "2 calls, the first ncclSend at a.c:12, have"
 */
static void calls_text(const struct unpolled *u, char *out, size_t nbytes)
{
    char where[256];
    simgpu_site_text(u->site, where, sizeof where);
    if (u->n == 1)
        snprintf(out, nbytes, "%s at %s has", u->first, where);
    else
        snprintf(out, nbytes, "%d calls, the first %s at %s, have", u->n,
                 u->first, where);
}

/* Lines for the report of a hang. */
static void remark(char *out, size_t nbytes)
{
    char calls[400];
    size_t at = 0;
    pthread_mutex_lock(&lock);
    for (const struct unpolled *u = all; u && at < nbytes; u = u->next) {
        calls_text(u, calls, sizeof calls);
        at += (size_t)snprintf(
            out + at, nbytes - at,
            "    %s returned ncclInProgress, and nothing has called "
            "ncclCommGetAsyncError since:\n    it may not have begun\n",
            calls);
    }
    pthread_mutex_unlock(&lock);
}

static void at_exit(int status, void *unused)
{
    enum { MOST = 16 }; // notes
    char calls[400];
    int n = 0;
    (void)unused;
    if (status != 0)
        return;
    pthread_mutex_lock(&lock);
    for (const struct unpolled *u = all; u && n < MOST; u = u->next, n++) {
        calls_text(u, calls, sizeof calls);
        simgpu_check_note(
            u->site,
            "in progress: %s returned ncclInProgress, and nothing has called "
            "ncclCommGetAsyncError since, so nothing says that NCCL has done "
            "it. Call that in a loop until it is ncclSuccess, then wait for "
            "the stream",
            calls);
    }
    pthread_mutex_unlock(&lock);
}

static void start(void)
{
    simgpu_hang_remark(remark);
    on_exit(at_exit, NULL);
}

static struct unpolled *begin(int n, const char *first, uint32_t site)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const size_t most = (size_t)n * EXECUTE_ACCESSES;
    struct unpolled *const u = simgpu_need(
        calloc(1, sizeof *u + most * sizeof u->lent[0]), "%d calls", n);
    pthread_once(&once, start);
    u->n = n;
    u->first = first;
    u->site = site;
    pthread_mutex_lock(&lock);
    u->next = all;
    u->link = &all;
    if (all)
        all->link = &u->next;
    all = u;
    pthread_mutex_unlock(&lock);
    return u;
}

struct unpolled *unpolled_calls(const struct nccl_call *calls, int n)
{
    struct unpolled *const u = begin(n, calls[0].name, calls[0].site);
    struct graph_access access[EXECUTE_ACCESSES];
    for (int i = 0; i < n; i++) {
        const int naccesses = execute_accesses(&calls[i], access);
        for (int k = 0; k < naccesses; k++)
            u->lent[u->nlent++] = simgpu_lent_begin(
                &access[k], calls[i].name,
                "ncclCommGetAsyncError has returned ncclSuccess: call that in "
                "a loop first");
    }
    return u;
}

struct unpolled *unpolled_setup(const char *call, uint32_t site)
{
    return begin(1, call, site);
}

void unpolled_end(struct unpolled **work)
{
    struct unpolled *const u = *work;
    *work = NULL;
    if (!u)
        return;
    for (int i = 0; i < u->nlent; i++)
        simgpu_lent_end(u->lent[i]);
    pthread_mutex_lock(&lock);
    *u->link = u->next;
    if (u->next)
        u->next->link = u->link;
    pthread_mutex_unlock(&lock);
    free(u);
}
