#include "device/sharing/copies.h"

#include <stdlib.h> /* realloc */
#include <string.h> /* memcpy */

#include "core/report.h"
#include "device/access.h"
#include "device/access_live.h"
#include "device/aligned.h"
#include "device/block.h"
#include "simgpu/kernel.h"

struct copy {
    char *to;
    const void *pc;
    int nbytes, group;
    char value[SIMGPU_COPY_MOST];
};

/* What a thread of the block still has to write, in the order of its calls. */
struct copies {
    unsigned block; /* that the worker ran: what another one left is dropped */
    int group;      /* the thread's current one: those before are committed */
    unsigned n, most;
    struct copy *copy;
};

static __thread struct copies *of_thread; /* MAX_THREADS of them, or NULL */

static struct copies *mine(void)
{
    const struct block *const b = block_live;
    const struct simgpu_uint3 at = *b->thread_idx;
    const unsigned *const n = b->launch->block;
    if (!of_thread)
        of_thread = calloc(MAX_THREADS, sizeof *of_thread);
    if (!of_thread)
        simgpu_report_fault(NULL, "out of host memory for a kernel's copies");
    struct copies *const c =
        &of_thread[at.x + n[0] * (at.y + (size_t)n[1] * at.z)];
    if (c->block != b->nblocks)
        c->n = 0, c->group = 0;
    c->block = b->nblocks;
    return c;
}

void simgpu_copy_later(void *to, const void *value, size_t nbytes)
{
    const void *const pc = __builtin_return_address(0);
    struct copies *const c = mine();
    if (access_live && !aligned_is(to, nbytes))
        aligned_fail(access_live, to, nbytes, TOUCH_WRITE, pc);
    if (c->n == c->most) {
        c->most = c->most ? 2 * c->most : 16;
        c->copy = realloc(c->copy, c->most * sizeof *c->copy);
        if (!c->copy)
            simgpu_report_fault(NULL,
                                "out of host memory for a kernel's copies");
    }
    struct copy *const one = &c->copy[c->n++];
    *one = (struct copy){
        .to = to, .pc = pc, .nbytes = (int)nbytes, .group = c->group};
    memcpy(one->value, value, nbytes);
}

void simgpu_copies_commit(void)
{
    mine()->group++;
}

void simgpu_copies_wait(int but)
{
    struct copies *const c = mine();
    unsigned done = 0;
    for (; done < c->n && c->copy[done].group + but < c->group; done++) {
        const struct copy *const one = &c->copy[done];
        access_touch(one->to, (size_t)one->nbytes, ACCESS_WRITE, one->pc);
        memcpy(one->to, one->value, (size_t)one->nbytes);
    }
    c->n -= done;
    if (done)
        memmove(c->copy, c->copy + done, c->n * sizeof *c->copy);
}

void copies_forget(void)
{
    for (unsigned i = 0; of_thread && i < MAX_THREADS; i++)
        free(of_thread[i].copy);
    free(of_thread);
    of_thread = NULL;
}
