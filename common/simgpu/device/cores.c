#include "device/cores.h"

#include <pthread.h>   /* pthread_create */
#include <stdatomic.h> /* atomic_int */
#include <stdlib.h>    /* calloc */
#include <time.h>      /* nanosleep */

#include "core/cores.h"
#include "core/heap/fault.h"
#include "core/thread.h"
#include "device/access.h"
#include "device/blocks.h"
#include "device/sharing/race.h"

/* Waking a helper takes as long as running this many threads. */
enum { LEAST_THREADS = 16384 };

struct slice { /* a range of a grid's blocks */
    struct grid *grid;
    uint64_t begin, end;     /* its blocks */
    uint64_t next;           /* first block that has not run */
    void *log;               /* log of the helper's accesses */
    const struct slice *all; /* the first slice */
    atomic_int over;
};

/* A thread that runs one slice of any grid at a time, and waits in between. */
static struct helper {
    struct slice *slice; /* NULL: none */
    pthread_cond_t wake;
    struct helper *next; /* next free helper */
} * free_helpers;
static int nhelpers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t slice_over = PTHREAD_COND_INITIALIZER;

static __thread const struct slice *mine;

/* A signal handler calls this, too. */
static void wait_for_earlier(void)
{
    const struct timespec pause = {0, 1000000};
    for (const struct slice *s = mine ? mine->all : NULL; s < mine; s++)
        while (!atomic_load(&s->over))
            nanosleep(&pause, NULL);
}

/* ---- helpers ------------------------------------------------------------- */

static void run_slice(struct slice *s)
{
    struct grid g = *s->grid;
    struct runner r = {.grid = &g};
    g.runner[0] = &r;
    g.next = s->begin;
    g.n = s->end;
    mine = s;
    fault_kernel_enter(g.launch->kernel->name, g.launch->device,
                       g.launch->site);
    fault_set_order(wait_for_earlier);
    access_begin_slice(g.launch, g.log);
    blocks_run_alone(&r);
    s->log = access_end_slice();
    s->next = g.next;
    fault_set_order(NULL);
    fault_kernel_leave();
    mine = NULL;
}

static void *helper_main(void *arg)
{
    struct helper *const h = arg;
    thread_become_worker();
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!h->slice)
            pthread_cond_wait(&h->wake, &lock);
        struct slice *const s = h->slice;
        pthread_mutex_unlock(&lock);
        run_slice(s);
        pthread_mutex_lock(&lock);
        h->slice = NULL;
        // from here on the kernel's thread may read the log
        atomic_store(&s->over, 1);
        pthread_cond_broadcast(&slice_over);
    }
    return NULL;
}

static struct helper *new_helper(void)
{
    pthread_t thread;
    struct helper *const h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    pthread_cond_init(&h->wake, NULL);
    if (pthread_create(&thread, NULL, helper_main, h) != 0) {
        free(h);
        return NULL;
    }
    pthread_detach(thread);
    nhelpers++;
    return h;
}

/* Take up to `want` free helpers, to be given back. Returns their number. */
static int take_helpers(struct helper *h[], int want)
{
    int n = 0;
    pthread_mutex_lock(&lock);
    while (n < want) {
        struct helper *one = free_helpers;
        if (one)
            free_helpers = one->next;
        else if (nhelpers >= want || !(one = new_helper()))
            break;
        h[n++] = one;
    }
    pthread_mutex_unlock(&lock);
    return n;
}

static void give_back(struct helper *h)
{
    pthread_mutex_lock(&lock);
    h->next = free_helpers;
    free_helpers = h;
    pthread_mutex_unlock(&lock);
}

static void start(struct helper *h, struct slice *s)
{
    pthread_mutex_lock(&lock);
    h->slice = s;
    pthread_cond_signal(&h->wake);
    pthread_mutex_unlock(&lock);
}

static void wait_for(struct slice *s)
{
    pthread_mutex_lock(&lock);
    while (!atomic_load(&s->over))
        pthread_cond_wait(&slice_over, &lock);
    pthread_mutex_unlock(&lock);
}

/* ---- running a grid ------------------------------------------------------ */

/* The number of slices to cut a grid into. */
static int slices_for(const struct grid *g)
{
    const struct launch *const l = g->launch;
    const uint64_t per_block =
        (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (g->n < 2 || g->n * per_block < LEAST_THREADS || l->cooperative ||
        g->cluster_size > 1 ||
        !(kernel_promises(l->kernel) & SIMGPU_INDEPENDENT) || race_applies(l))
        return 1;
    const int cores = cores_of_kernel();
    return g->n < (uint64_t)cores ? (int)g->n : cores;
}

/* Run a slice's remaining blocks on the kernel's own thread. */
static void run_rest(struct grid *g, const struct slice *s)
{
    g->next = s->next;
    g->n = s->end;
    blocks_run_alone(g->runner[0]);
}

int cores_run(struct grid *g)
{
    struct helper *helper[CORES_MOST];
    struct slice slice[CORES_MOST];
    const int want = slices_for(g);
    const int n = want > 1 ? 1 + take_helpers(helper, want - 1) : 1;
    const uint64_t nblocks = g->n, share = nblocks / (uint64_t)n;
    if (n == 1)
        return 0;
    for (int i = 0; i < n; i++) {
        const uint64_t begin = (uint64_t)i * share;
        slice[i] = (struct slice){.grid = g,
                                  .begin = begin,
                                  .next = begin,
                                  .end = i + 1 < n ? begin + share : nblocks,
                                  .all = slice};
        atomic_init(&slice[i].over, 0);
    }
    for (int i = 1; i < n; i++)
        start(helper[i - 1], &slice[i]);
    run_rest(g, &slice[0]);
    atomic_store(&slice[0].over, 1);
    for (int i = 1; i < n; i++) {
        wait_for(&slice[i]);
        access_append(slice[i].log);
        give_back(helper[i - 1]);
        run_rest(g, &slice[i]);
    }
    return 1;
}
