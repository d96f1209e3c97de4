/*
 * named.c: the named barriers of a block
 *
 * Like __syncthreads(), for the `count` threads that call with one number. The
 * threads of a block are fibers of one worker, which has one set of barriers;
 * a block leaves each as it found it.
 */
#include "device/sync.h" /* sync_commit */
#include "simgpu/kernel.h"

enum { NAMED = 16 };

static __thread struct {
    unsigned arrived, phase;
} named[NAMED];

void simgpu_barrier(unsigned id, unsigned count)
{
    const unsigned i = id % NAMED, phase = named[i].phase;
    sync_commit();
    if (++named[i].arrived == count) {
        named[i].arrived = 0;
        named[i].phase++;
        return;
    }
    while (named[i].phase == phase)
        run_yield();
}
