#include "core/stream/lent.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdio.h>   /* snprintf */

#include "core/proc.h"
#include "core/site.h"
#include "core/thread.h"

enum { MAX_LENT = 1024 }; /* the latest ones */

static struct lent {
    uint64_t begun, ended; /* moments; ended 0: not yet */
    struct graph_access is;
    const char *call, *until;
    uint32_t thread; /* began it */
    int told;
} entries[MAX_LENT];
static uint64_t nlent, now; /* both only grow */
static _Atomic int open_ones;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

uint64_t simgpu_lent_begin(const struct graph_access *a, const char *call,
                           const char *until)
{
    const uint32_t thread = thread_number();
    pthread_mutex_lock(&lock);
    struct lent *const e = &entries[nlent % MAX_LENT];
    if (nlent >= MAX_LENT && !e->ended)
        open_ones--; // the oldest is forgotten
    *e = (struct lent){.begun = ++now,
                       .is = *a,
                       .call = call,
                       .until = until,
                       .thread = thread};
    const uint64_t number = ++nlent;
    open_ones++;
    pthread_mutex_unlock(&lock);
    return number;
}

void simgpu_lent_end(uint64_t number)
{
    pthread_mutex_lock(&lock);
    if (number && number + MAX_LENT > nlent) {
        struct lent *const e = &entries[(number - 1) % MAX_LENT];
        open_ones -= !e->ended;
        e->ended = e->ended ? e->ended : ++now;
    }
    pthread_mutex_unlock(&lock);
}

int lent_is_new(uint64_t number)
{
    int is = 0;
    pthread_mutex_lock(&lock);
    if (number && number + MAX_LENT > nlent) {
        struct lent *const e = &entries[(number - 1) % MAX_LENT];
        is = !e->told;
        e->told = 1;
    }
    pthread_mutex_unlock(&lock);
    return is;
}

uint64_t lent_moment(void)
{
    if (!open_ones)
        return 0;
    pthread_mutex_lock(&lock);
    const uint64_t moment = ++now;
    pthread_mutex_unlock(&lock);
    return moment;
}

void simgpu_lent_excuse(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_LENT && open_ones; i++)
        if (entries[i].begun && !entries[i].ended) {
            entries[i].ended = ++now;
            open_ones--;
        }
    pthread_mutex_unlock(&lock);
}

static void tell_free(const struct lent *e, const char *call, uint32_t site)
{
    char by[256], at[256], text[1024];
    snprintf(text, sizeof text,
             "lifetime: %s at %s frees memory that %s at %s may %s until %s",
             call, simgpu_site_text(site, by, sizeof by), e->call,
             simgpu_site_text(e->is.site, at, sizeof at),
             (e->is.write & GRAPH_TOUCH) == GRAPH_READ ? "read" : "write",
             e->until);
    graph_note_fault(simgpu_proc()->graph, 0, site, 0, text);
}

void simgpu_lent_free(uint64_t alloc, const char *call, uint32_t site)
{
    if (!open_ones)
        return;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_LENT && entries[i].begun; i++)
        if (!entries[i].ended && !entries[i].told &&
            entries[i].is.alloc == alloc) {
            entries[i].told = 1;
            tell_free(&entries[i], call, site);
        }
    pthread_mutex_unlock(&lock);
}

static int writes(const struct graph_access *a)
{
    const uint32_t how = a->write & GRAPH_TOUCH;
    return how == GRAPH_WRITE || how == GRAPH_ATOMIC;
}

/* True if the operation of this thread conflicts with the message. */
static int conflicts(const struct lent *e, uint32_t thread, uint64_t moment,
                     const struct graph_access *a)
{
    return e->begun && e->begun < moment && (!e->ended || moment < e->ended) &&
           e->thread == thread && !e->told && a->alloc == e->is.alloc &&
           a->begin < e->is.end && e->is.begin < a->end &&
           !(a->write & GRAPH_ROUGH) &&
           (a->write & GRAPH_TOUCH) <= GRAPH_ATOMIC &&
           (writes(a) || writes(&e->is));
}

static void tell(const struct graph_node *n, const char *name,
                 const struct lent *e, const struct graph_access *a)
{
    char by[256], at[256], text[1024];
    snprintf(text, sizeof text,
             "race: %s at %s %s bytes that %s at %s %s until %s", name,
             simgpu_site_text(a->site ? a->site : n->site, by, sizeof by),
             writes(a) ? "writes" : "reads", e->call,
             simgpu_site_text(e->is.site, at, sizeof at),
             writes(&e->is) ? "may write" : "may read", e->until);
    graph_note_fault(simgpu_proc()->graph, n->index, n->site, 0, text);
}

void lent_compare(const struct graph_node *n, const char *name, uint64_t moment,
                  const struct graph_access *a, size_t naccesses)
{
    pthread_mutex_lock(&lock);
    for (size_t k = 0; k < naccesses; k++)
        for (int i = 0; i < MAX_LENT && entries[i].begun; i++)
            if (conflicts(&entries[i], n->thread, moment, &a[k])) {
                entries[i].told = 1;
                tell(n, name, &entries[i], &a[k]);
            }
    pthread_mutex_unlock(&lock);
}
