#include "device/idle.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* memcpy */
#include <time.h>   /* clock_gettime */

#include "core/control.h"
#include "core/heap/heap.h"
#include "core/heap/heap_space.h" /* space_slot */
#include "core/heap/host_memory.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/flag.h"
#include "device/sharing/arrays.h"
#include "device/sync.h"
#include "simgpu/kernel.h"

enum { OTHERS = 64, ROUNDS = 1024 };

/* After so much of the worker's time without any other progress, a loop counts
 * as a wait even if its variables move. */
static const uint64_t limit_ns = UINT64_C(10000000000);

static __thread struct idle { /* this worker's */
    int begun;
    uint64_t rounds, since_ns; /* calls of idle_moves(); since the first nap */
    char name[256];            /* what a word outside the heaps belongs to */
    struct wait_note note;     /* describes the wait; set once `begun` */
    const struct launch *launch;
    struct poll poll;
    unsigned thread;
    struct simgpu_uint3 block;
    uint64_t nblocks_left;
} idle;

static __thread struct { /* what a thread of this worker may spin on */
    const void *p, *pc;
    uint64_t value;
    struct simgpu_uint3 thread;
    unsigned ntries, nothers;
} spin;

unsigned idle_again(const volatile void *word, unsigned nbytes, const void *pc)
{
    const void *const p = (const void *)word;
    const struct simgpu_uint3 t = simgpu_thread_idx;
    const int is_thread =
        spin.thread.x == t.x && spin.thread.y == t.y && spin.thread.z == t.z;
    if (is_thread && spin.p == p && spin.pc == pc) {
        uint64_t value = 0; // not read at first: the access may be a wrong one
        if (p)
            memcpy(&value, p, nbytes < sizeof value ? nbytes : sizeof value);
        spin.ntries = spin.ntries && spin.value != value ? 0 : spin.ntries + 1;
        spin.value = value;
        spin.nothers = 0;
        return spin.ntries;
    }
    // a loop may read several words
    if (is_thread && spin.pc && ++spin.nothers < OTHERS)
        return 0;
    spin.p = p;
    spin.pc = pc;
    spin.thread = t;
    spin.ntries = spin.nothers = 0;
    return 0;
}

uint32_t idle_site(const void *pc)
{
    const void *const here = __builtin_frame_address(0);
    return space_is_stack(here) ? simgpu_site_below(pc, space_stack_top(here))
                                : simgpu_site(pc);
}

void idle_yield(const volatile void *p, unsigned nbytes, const void *pc)
{
    struct poll *const q = poll_current();
    sync_commit();
    *q = (struct poll){.p = (const void *)p,
                       .nbytes = nbytes < 8 ? nbytes : 8,
                       .pc = pc,
                       .site = idle_site(pc)};
    poll_yield();
    *q = (struct poll){0}; // the graph has no writers of such words
}

static uint64_t worked_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int idle_moves(void)
{
    if (idle.begun)
        return 0;
    if (++idle.rounds % ROUNDS)
        return 1;
    if (!idle.since_ns)
        idle.since_ns = worked_ns();
    return 0;
}

static void describe(const void *arg, char *out, size_t nbytes)
{
    const struct idle *const w = arg;
    struct flag_source by;
    char what[512], wait[640] = "and others wait at different barriers";
    char left[96] = "";
    if (w->poll.pc && !w->poll.p)
        snprintf(wait, sizeof wait,
                 "reads the same memory in a loop, and no thread that runs "
                 "changes it");
    if (w->poll.p) {
        const uint64_t value = simgpu_flag_read(w->poll.p, w->poll.nbytes, &by);
        snprintf(wait, sizeof wait,
                 "waits on the flag at %s, which is %llu: %s",
                 simgpu_pointer_text(w->poll.p).text, (unsigned long long)value,
                 *w->name ? w->name
                          : simgpu_heap_describe(w->poll.p, what, sizeof what));
    }
    if (w->poll.p && w->nblocks_left)
        snprintf(left, sizeof left,
                 "; %llu blocks of its grid have not started: more than run "
                 "at the same time",
                 (unsigned long long)w->nblocks_left);
    snprintf(out, nbytes, "kernel %s, block (%u,%u,%u), thread %u %s%s",
             w->launch->kernel->name, w->block.x, w->block.y, w->block.z,
             w->thread, wait, left);
}

/* "the __shared__ array flag", for a word outside the heaps. */
static void find_name(const struct launch *l, const struct poll *p)
{
    struct host_memory m;
    idle.name[0] = 0;
    if (!p || !p->p || space_slot(p->p) >= 0)
        return;
    const struct shared_array *const a =
        simgpu_is_shared(p->p) ? arrays_find(l, p->p) : NULL;
    if (a) {
        arrays_text(a, p->p, p->nbytes, idle.name, sizeof idle.name);
        return;
    }
    host_memory_find(p->p, l->frame, p->pc, &m);
    if (*m.name)
        snprintf(idle.name, sizeof idle.name, "the %s variable %s",
                 m.is_constant ? "__constant__" : "__device__", m.name);
}

static void begin(const struct launch *l, const struct poll *p, unsigned thread,
                  uint64_t nblocks_left)
{
    idle.launch = l;
    idle.poll = p ? *p : (struct poll){0};
    find_name(l, p);
    idle.thread = thread;
    idle.block = simgpu_block_idx;
    idle.nblocks_left = nblocks_left;
    idle.note = (struct wait_note){
        .call = "a kernel",
        .site = p ? p->site ? p->site : simgpu_site(p->pc) : 0,
        .describe = describe,
        .arg = &idle};
    idle.begun = 1;
    control_flag_waits(+1);
    wait_begin(&idle.note);
}

void idle_nap(const struct launch *l, const struct poll *p, unsigned thread,
              uint64_t nblocks_left)
{
    const int is_certain =
        !idle.since_ns || worked_ns() - idle.since_ns > limit_ns;
    if (!idle.begun && is_certain)
        begin(l, p, thread, nblocks_left);
    ++*wait_pulse();
    flag_nap(p ? p->p : NULL, p ? p->nbytes : 4, p ? p->value : 0);
}

void idle_over(void)
{
    idle.rounds = idle.since_ns = 0;
    if (!idle.begun)
        return;
    idle.begun = 0;
    wait_end();
    control_flag_waits(-1);
}
