#include "device/sharing/behind.h"

#include "device/access_live.h"
#include "device/block.h"

__thread struct behind *behind_of;

void behind_block_continues(void)
{
    struct behind *const b = behind_of;
    if (!b)
        return;
    const uint32_t seen = block_live->seen;
    if (seen < b->nacquired && b->most < seen)
        b->most = seen;
    access_log_behind(access_live, seen < b->nacquired);
}

/* The running block follows the kernel's first n acquires. */
static void follow(uint32_t n)
{
    if (block_live->seen >= n)
        return;
    block_live->seen = n;
    behind_block_continues();
}

void behind_acquire(struct behind *b)
{
    struct access_log *const g = access_live;
    b->nacquired++;
    // from now on, all atomics call the runtime, and count as looks
    g->follows = 1;
    g->atomics.words[0] = g->atomics.words[1] = (struct simgpu_words){0};
    follow(b->nacquired);
}

void behind_block_begins(void)
{
    block_live->seen = behind_of ? behind_of->seen : 0;
    behind_block_continues();
}

void behind_look(void)
{
    if (behind_of)
        follow(behind_of->nacquired);
}

void behind_grid_meets(void)
{
    behind_of->met = behind_of->nacquired;
}

void behind_grid_met(void)
{
    follow(behind_of->met);
}

void behind_grid_ended(void)
{
    behind_of->seen = behind_of->nacquired;
    access_log_behind(access_live, 0);
}

void behind_date(uint32_t nparts)
{
    struct access_log *const g = access_live;
    g->behind_by = nparts;
}
