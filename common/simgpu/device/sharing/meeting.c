#include "device/sharing/meeting.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

#include "core/proc.h"
#include "core/site.h"
#include "device/block.h" /* WARP */
#include "device/sharing/finding.h"
#include "device/sharing/ordering.h"
#include "simgpu/kernel.h"

enum { KNOWN = 16 };

static __thread struct {
    const struct launch *launch;
    struct { /* the thread that was the first at the current barrier */
        uint32_t epoch;
        uint16_t thread;
        const void *pc;
    } first;
    struct { /* calls that are known to be one, or that were reported */
        const void *a, *b;
    } known[KNOWN];
    unsigned nknown;
    struct lane { /* by thread: its latest call of a warp's function */
        const void *pc;
        uint32_t ncalls;
        uint32_t passed; /* 0, or the mask of `passer`, which this lane waits
                            for, and which has passed the same call alone */
        uint16_t passer;
    } lane[MAX_THREADS];
} my;

void meeting_begin(const struct launch *l)
{
    my.launch = l;
    my.first.epoch = 0;
    memset(my.lane, 0, sizeof my.lane);
}

/* ---- the block's barrier ------------------------------------------------- */

/* Write "file:line" of a call. Returns 0 if it has none, or is not in the
 * program. */
static int line_of(const void *pc, char *out, size_t nbytes)
{
    simgpu_site_text(simgpu_site(pc), out, nbytes);
    return strchr(out, ':') != NULL && !strstr(out, "+0x");
}

static void report_barriers(const void *pc)
{
    const struct simgpu_uint3 b = simgpu_block_idx;
    const struct ordering_stamp now = ordering_now();
    char text[640], launch[128], where[2][128], thread[2][48];
    if (!line_of(my.first.pc, where[0], sizeof where[0]) ||
        !line_of(pc, where[1], sizeof where[1]) ||
        strcmp(where[0], where[1]) == 0 ||
        !finding_is_new(simgpu_site(my.first.pc), simgpu_site(pc)))
        return;
    snprintf(
        text, sizeof text,
        "divergent barrier in kernel %s, launched at %s, block (%u,%u,%u)\n"
        "  thread %s waits at %s\n  thread %s waits at %s\n"
        "  All threads of a block have to call the same __syncthreads(). What "
        "two of them\n  do is undefined on a GPU: move the barrier out of the "
        "condition.",
        my.launch->kernel->name,
        simgpu_site_text(my.launch->site, launch, sizeof launch), b.x, b.y, b.z,
        finding_thread(my.first.thread, thread[0], sizeof thread[0]), where[0],
        finding_thread(now.thread, thread[1], sizeof thread[1]), where[1]);
    finding_note(my.launch, simgpu_site(pc), text);
}

static int is_known(const void *a, const void *b)
{
    for (int i = 0; i < KNOWN; i++)
        if (my.known[i].a == a && my.known[i].b == b)
            return 1;
    return 0;
}

void meeting_barrier(const void *pc)
{
    const struct ordering_stamp now = ordering_now();
    if (my.first.epoch != now.epoch) {
        my.first.epoch = now.epoch;
        my.first.thread = now.thread;
        my.first.pc = pc;
        return;
    }
    if (pc == my.first.pc || is_known(my.first.pc, pc))
        return;
    report_barriers(pc);
    my.known[my.nknown % KNOWN].a = my.first.pc;
    my.known[my.nknown++ % KNOWN].b = pc;
}

/* ---- barriers of a warp -------------------------------------------------- */

void meeting_wait(unsigned thread, const void *pc)
{
    struct lane *const l = &my.lane[thread];
    l->pc = pc;
    l->ncalls++;
    l->passed = 0;
}

static void report_masks(unsigned a, uint32_t mask_a, unsigned b,
                         uint32_t mask_b)
{
    const struct simgpu_uint3 block = simgpu_block_idx;
    const unsigned thread[2] = {a < b ? a : b, a < b ? b : a};
    const uint32_t mask[2] = {a < b ? mask_a : mask_b, a < b ? mask_b : mask_a};
    char text[640], launch[128], where[2][128], name[2][48];
    uint32_t site[2];
    for (int i = 0; i < 2; i++) {
        site[i] = simgpu_site(my.lane[thread[i]].pc);
        simgpu_site_text(site[i], where[i], sizeof where[i]);
        finding_thread(thread[i], name[i], sizeof name[i]);
    }
    if (!finding_is_new(site[0], site[1]))
        return;
    snprintf(
        text, sizeof text,
        "masks differ in kernel %s, launched at %s, block (%u,%u,%u)\n"
        "  thread %s has the mask 0x%08x at %s\n"
        "  thread %s has the mask 0x%08x at %s\n"
        "  All lanes that a mask names have to make the same call with the "
        "same "
        "mask. What\n  they get is undefined on a GPU: compute the mask before "
        "the lanes part.",
        my.launch->kernel->name,
        simgpu_site_text(my.launch->site, launch, sizeof launch), block.x,
        block.y, block.z, name[0], mask[0], where[0], name[1], mask[1],
        where[1]);
    finding_note(my.launch, site[1], text);
}

/* A lane passes a call for which others wait with masks that name it. */
static void leave_behind(const struct meeting *m, unsigned lane)
{
    const struct lane *const me = &my.lane[m->warp * WARP + lane];
    for (uint32_t left = m->here & ~m->released; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        struct lane *const other = &my.lane[m->warp * WARP + i];
        if (other->pc == me->pc && other->ncalls == me->ncalls &&
            (m->mask[i] >> lane & 1) && !(m->mask[lane] >> i & 1) &&
            !other->passed) {
            other->passed = m->mask[lane];
            other->passer = (uint16_t)(m->warp * WARP + lane);
        }
    }
}

/* Compare the masks of a lane that continues and of those that it names. */
static void compare(const struct meeting *m, unsigned lane)
{
    const unsigned first = m->warp * WARP;
    const uint32_t mine = m->mask[lane] & m->alive;
    for (uint32_t left = mine & m->here; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const int is_mutual = m->mask[i] >> lane & 1;
        if ((m->mask[i] & m->alive) != mine && (is_mutual || m->is_stuck)) {
            report_masks(first + lane, m->mask[lane], first + i, m->mask[i]);
            return;
        }
    }
}

void meeting_pass(const struct meeting *m)
{
    for (uint32_t left = m->released; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        struct lane *const me = &my.lane[m->warp * WARP + lane];
        compare(m, lane);
        if (me->passed && !(m->alive >> me->passer % WARP & 1))
            report_masks(m->warp * WARP + lane, m->mask[lane], me->passer,
                         me->passed);
        leave_behind(m, lane);
    }
}
