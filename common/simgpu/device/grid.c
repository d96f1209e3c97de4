#include "device/grid.h"

#include <errno.h>  /* errno */
#include <stdlib.h> /* calloc */

#include "core/fault.h"
#include "core/flag.h" /* flag_nap */
#include "core/limit.h"
#include "core/proc.h"
#include "core/report.h"
#include "core/thread.h"
#include "device/access.h"
#include "device/cores.h"
#include "device/runner.h"
#include "device/sync.h"
#include "simgpu/kernel.h"

enum { MAX_RESIDENT_THREADS = MAX_SMS * 2048, LONG = 1000 };

static __thread struct runner *me;
static int nkernels; /* that run in this process */

/* ---- turns --------------------------------------------------------------- */

static void wait_turn(struct runner *r)
{
    struct grid *const g = r->grid;
    pthread_mutex_lock(&g->lock);
    while (g->turn != r->index)
        pthread_cond_wait(&g->turned, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

static void give_turn(struct grid *g, int to)
{
    pthread_mutex_lock(&g->lock);
    g->turn = to;
    pthread_cond_broadcast(&g->turned);
    pthread_mutex_unlock(&g->lock);
}

/* The next runner that has not ended; r itself if there is no other. */
static int next_of(const struct runner *r)
{
    const struct grid *const g = r->grid;
    int i = r->index;
    do
        i = (i + 1) % g->nrunners;
    while (g->runner[i]->ended && i != r->index);
    return i;
}

struct runner *grid_runner(void)
{
    return me;
}

void grid_pass_turn(struct runner *r)
{
    give_turn(r->grid, next_of(r));
    wait_turn(r);
}

static void run_blocks(struct grid *g)
{
    while (g->next < g->n && !access_slice_is_full()) {
        me->block = g->next++;
        if (g->cluster_size > 1)
            cluster_enter(me);
        g->run_one(me->block);
        if (g->cluster_size > 1)
            cluster_leave(me);
    }
}

/* The calling thread runs device code of the grid from now on. */
static void enter_device(const struct launch *l)
{
    simgpu_grid_dim = (struct simgpu_uint3){l->grid[0], l->grid[1], l->grid[2]};
    simgpu_block_dim =
        (struct simgpu_uint3){l->block[0], l->block[1], l->block[2]};
    simgpu_outside = 0;
}

void grid_run_alone(struct runner *r)
{
    struct runner *const before = me;
    const int was_outside = simgpu_outside;
    me = r;
    enter_device(r->grid->launch);
    run_blocks(r->grid);
    simgpu_outside = was_outside;
    me = before;
}

static void *runner_main(void *arg)
{
    struct runner *const r = arg;
    struct grid *const g = r->grid;
    me = r;
    wait_turn(r);
    thread_add_signal_stack();
    fault_kernel_enter(g->launch->kernel->name, g->launch->device,
                       g->launch->site);
    access_adopt(g->log);
    sync_adopt(g->sync);
    enter_device(g->launch);
    run_blocks(g);
    g->forget();
    access_adopt(NULL);
    fault_kernel_leave();
    r->ended = 1;
    g->nlive--;
    g->progress++;
    give_turn(g, next_of(r));
    return NULL;
}

/* ---- more blocks --------------------------------------------------------- */

static int may_start(const struct grid *g, unsigned naps)
{
    const struct launch *const l = g->launch;
    const uint64_t nthreads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (g->next >= g->n || g->nrunners == MAX_RUNNERS ||
        (uint64_t)(g->nlive + 1) * nthreads > MAX_RESIDENT_THREADS)
        return 0;
    if (g->cluster_size > 1 && !l->cooperative)
        return cluster_wants_runner(g);
    return l->cooperative || naps > LONG || g->nrunners > 1 ||
           (simgpu_proc()->nranks == 1 &&
            __atomic_load_n(&nkernels, __ATOMIC_SEQ_CST) == 1);
}

static void start_runner(struct grid *g)
{
    struct runner *const r = calloc(1, sizeof *r);
    char hint[LIMIT_HINT];
    pthread_attr_t attr;
    if (!r)
        simgpu_report_fault(NULL, "out of host memory for a kernel's blocks");
    *r = (struct runner){.grid = g, .index = g->nrunners};
    g->runner[g->nrunners++] = r;
    g->nlive++;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 1 << 20);
    errno = pthread_create(&r->thread, &attr, runner_main, r);
    if (errno != 0)
        simgpu_report_fault(
            NULL, "cannot start a thread for block %llu of %s: %m%s",
            (unsigned long long)g->next, g->launch->kernel->name,
            simgpu_limit_hint(errno, hint, sizeof hint));
    pthread_attr_destroy(&attr);
    give_turn(g, r->index);
    wait_turn(me);
}

int grid_stalled(unsigned naps)
{
    struct grid *const g = me->grid;
    const uint64_t before = g->progress;
    if (may_start(g, naps)) {
        start_runner(g);
        return 1;
    }
    if (g->nlive == 1)
        return 0;
    grid_pass_turn(me);
    // Only the worker sleeps, in its turn: it is the thread that the watchdog
    // knows. Other runners look again, as another kernel may have set a flag.
    return me->index != 0 || g->progress != before;
}

void grid_progress(void)
{
    me->grid->progress++;
}

const struct launch *grid_launch(void)
{
    return me->grid->launch;
}

uint64_t grid_left(void)
{
    return me->grid->n - me->grid->next;
}

void grid_stop(void)
{
    me->grid->next = me->grid->n;
}

void grid_run(const struct launch *l, struct children *children,
              void (*run_one)(uint64_t block), void (*forget)(void))
{
    struct grid g = {.launch = l,
                     .children = children,
                     .run_one = run_one,
                     .forget = forget,
                     .n = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2],
                     .log = access_shared(),
                     .sync = sync_shared(),
                     .nrunners = 1,
                     .nlive = 1,
                     .cluster_size =
                         l->cluster[0] * l->cluster[1] * l->cluster[2],
                     .lock = PTHREAD_MUTEX_INITIALIZER,
                     .turned = PTHREAD_COND_INITIALIZER};
    struct runner first = {.grid = &g}, *const before = me;
    g.runner[0] = &first;
    me = &first;
    __atomic_add_fetch(&nkernels, 1, __ATOMIC_SEQ_CST);
    if (!cores_run(&g))
        run_blocks(&g);
    while (g.nlive > 1) { // the others' last blocks
        const uint64_t progress = g.progress;
        grid_pass_turn(me);
        if (g.nlive > 1 && g.progress == progress)
            flag_nap(NULL, 0, 0);
    }
    for (int i = 1; i < g.nrunners; i++) {
        pthread_join(g.runner[i]->thread, NULL);
        free(g.runner[i]);
    }
    __atomic_sub_fetch(&nkernels, 1, __ATOMIC_SEQ_CST);
    me = before;
}

/* ---- barriers ------------------------------------------------------------ */

void simgpu_sync_grid(void)
{
    struct grid *const g = me->grid;
    const struct launch *const l = g->launch;
    const uint64_t all =
        g->n * ((uint64_t)l->block[0] * l->block[1] * l->block[2]);
    const uint64_t mine = g->generation;
    sync_commit();
    if (++g->arrived == all) {
        g->arrived = 0;
        g->generation++;
        g->progress++;
    }
    while (g->generation == mine)
        simgpu_yield();
}
