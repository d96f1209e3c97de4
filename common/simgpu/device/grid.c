#include "device/grid.h"

#include <cuda_runtime_api.h> /* cudaErrorLaunchFailure */
#include <errno.h>            /* errno */
#include <stdlib.h>           /* calloc */

#include "core/heap/fault.h"
#include "core/limit.h"
#include "core/proc.h"
#include "core/report.h"
#include "core/stream/flag.h" /* flag_nap */
#include "core/thread.h"
#include "core/wait.h"
#include "device/access.h"
#include "device/alone.h"
#include "device/blocks.h"
#include "device/cluster.h"
#include "device/cores.h"
#include "device/failure.h"
#include "device/poll.h"
#include "device/runner.h"
#include "device/sharing/behind.h"
#include "device/sharing/between.h"
#include "device/sharing/ordering.h"
#include "device/sharing/race.h"
#include "device/sync.h"
#include "simgpu/kernel.h"

enum { MAX_RESIDENT_THREADS = MAX_SMS * 2048, LONG = 1000 };

static void *runner_main(void *arg)
{
    struct runner *const r = arg;
    struct grid *const g = r->grid;
    runner_me = r;
    runner_wait_turn(r);
    thread_add_signal_stack();
    fault_kernel_enter(g->launch->kernel->name, g->launch->device,
                       g->launch->site);
    access_adopt(g->log);
    sync_adopt(g->sync);
    blocks_enter(g->launch);
    blocks_run(r);
    g->forget();
    access_adopt(NULL);
    fault_kernel_leave();
    r->ended = 1;
    g->nlive--;
    g->progress++;
    runner_give_turn(g, runner_next(r));
    return NULL;
}

/* ---- starting more blocks ------------------------------------------------ */

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
           (simgpu_proc()->nranks == 1 && alone_nkernels() == 1);
}

static void start_runner(struct grid *g)
{
    struct runner *const r = calloc(1, sizeof *r);
    between_stop();
    char hint[LIMIT_HINT];
    pthread_attr_t attr;
    if (!r)
        simgpu_report_fault(NULL, "out of host memory for a kernel's blocks");
    *r = (struct runner){
        .grid = g, .index = g->nrunners, .turned = PTHREAD_COND_INITIALIZER};
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
    runner_give_turn(g, r->index);
    runner_wait_turn(runner_me);
}

int grid_stalled(unsigned naps)
{
    struct grid *const g = runner_me->grid;
    const uint64_t before = g->progress;
    if (may_start(g, naps)) {
        start_runner(g);
        behind_block_continues();
        return 1;
    }
    if (g->nlive == 1)
        return 0;
    runner_pass_turn(runner_me);
    behind_block_continues();
    // Only the worker sleeps, in its turn: the watchdog watches that thread.
    // Other runners check again, since another kernel may have set a flag.
    return runner_me->index != 0 || g->progress != before;
}

void grid_progress(void)
{
    runner_me->grid->progress++;
}

const struct launch *grid_launch(void)
{
    return runner_me->grid->launch;
}

uint64_t grid_left(void)
{
    return runner_me->grid->n - runner_me->grid->next;
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
                     .pulse = wait_pulse(),
                     .nrunners = 1,
                     .nlive = 1,
                     .cluster_size =
                         l->cluster[0] * l->cluster[1] * l->cluster[2],
                     .lock = PTHREAD_MUTEX_INITIALIZER};
    struct runner first = {.grid = &g, .turned = PTHREAD_COND_INITIALIZER};
    struct runner *const before = runner_me;
    g.runner[0] = &first;
    runner_me = &first;
    if (!cores_run(&g))
        blocks_run(&first);
    // wait for the other runners' last blocks
    while (g.nlive > 1) {
        const uint64_t progress = g.progress;
        runner_pass_turn(runner_me);
        if (g.nlive > 1 && g.progress == progress)
            flag_nap(NULL, 0, 0);
    }
    for (int i = 1; i < g.nrunners; i++) {
        pthread_join(g.runner[i]->thread, NULL);
        free(g.runner[i]);
    }
    runner_me = before;
}

/* ---- barriers ------------------------------------------------------------ */

int simgpu_is_cooperative(void)
{
    return runner_me->grid->launch->cooperative;
}

void simgpu_sync_grid(void)
{
    struct grid *const g = runner_me->grid;
    const struct launch *const l = g->launch;
    if (!l->cooperative)
        failure_report(l, cudaErrorLaunchFailure, __builtin_return_address(0),
                       "waits for its whole grid",
                       "It was not launched as a cooperative kernel, and a GPU "
                       "traps.\nLaunch it with cudaLaunchCooperativeKernel().");
    const uint64_t all =
        g->n * ((uint64_t)l->block[0] * l->block[1] * l->block[2]);
    const uint64_t mine = g->generation;
    sync_commit();
    if (race_is_on())
        ordering_barrier();
    if (++g->arrived == all) {
        g->arrived = 0;
        g->generation++;
        g->progress++;
        behind_grid_meets();
    }
    poll_meeting(&g->generation, mine);
    behind_grid_met();
}
