/*
 * child.h: kernels that device code launches (dynamic parallelism)
 *
 * A child runs when its parent's grid has ended, in the order of the launches;
 * one launched into the tail stream after all others. CUDA promises no more: a
 * parent can't wait for a child, and is complete when its children are. What
 * they touch belongs to the operation of the first kernel.
 */
#ifndef SIMGPU_DEVICE_CHILD_H
#define SIMGPU_DEVICE_CHILD_H

#include "device/launch.h"

struct children {
    struct child *first[2], **end[2]; /* [1]: tail launches */
};

/* The running grid's thread launches *l, of which the list takes the
 * parameters; release() frees them. Returns 0 if there is no memory. */
int child_launch(const struct launch *l, int tail,
                 void (*release)(const struct launch *l));

/* Remove the next to run; NULL: there is none. */
struct child *child_take(struct children *c);
const struct launch *child_launched(const struct child *c);
void child_free(struct child *c);

#endif
