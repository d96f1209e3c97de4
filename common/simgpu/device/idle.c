#include "device/idle.h"

#include <stdio.h> /* snprintf */

#include "core/control.h"
#include "core/heap/heap.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/flag.h"

static __thread struct idle { /* this worker's */
    int begun;
    struct wait_note note; /* describes the wait; set once `begun` */
    const struct launch *launch;
    struct poll poll;
    unsigned thread;
    struct simgpu_uint3 block;
    uint64_t nblocks_left;
} idle;

static void describe(const void *arg, char *out, size_t nbytes)
{
    const struct idle *const w = arg;
    struct flag_source by;
    char what[512], wait[640] = "and others wait at different barriers";
    char left[96] = "";
    if (w->poll.p) {
        const uint64_t value = simgpu_flag_read(w->poll.p, w->poll.nbytes, &by);
        snprintf(wait, sizeof wait,
                 "waits on the flag at %s, which is %llu: %s",
                 simgpu_pointer_text(w->poll.p).text, (unsigned long long)value,
                 simgpu_heap_describe(w->poll.p, what, sizeof what));
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

static void begin(const struct launch *l, const struct poll *p, unsigned thread,
                  uint64_t nblocks_left)
{
    idle.launch = l;
    idle.poll = p ? *p : (struct poll){0};
    idle.thread = thread;
    idle.block = simgpu_block_idx;
    idle.nblocks_left = nblocks_left;
    idle.note = (struct wait_note){.call = "a kernel",
                                   .site = p ? simgpu_site(p->pc) : 0,
                                   .describe = describe,
                                   .arg = &idle};
    idle.begun = 1;
    control_flag_waits(+1);
    wait_begin(&idle.note);
}

void idle_nap(const struct launch *l, const struct poll *p, unsigned thread,
              uint64_t nblocks_left)
{
    if (!idle.begun)
        begin(l, p, thread, nblocks_left);
    flag_nap(p ? p->p : NULL, p ? p->nbytes : 4, p ? p->value : 0);
}

void idle_over(void)
{
    if (!idle.begun)
        return;
    idle.begun = 0;
    wait_end();
    control_flag_waits(-1);
}
