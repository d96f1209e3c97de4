/*
 * child.h: kernels that device code launches (dynamic parallelism)
 *
 * Children run after their parent's grid has ended, in the order of the
 * launches; those launched into the tail stream run after all others. CUDA
 * guarantees no more: a parent cannot wait for a child, and is complete when
 * its children are. What children touch is recorded on the first kernel's
 * operation.
 */
#ifndef SIMGPU_DEVICE_CHILD_H
#define SIMGPU_DEVICE_CHILD_H

#include "device/launch.h"

struct children {
    struct child *first[2], **end[2]; /* [1]: tail launches */
};

/* Add a launch by the running grid's thread. The list takes over the
 * parameters, which release() frees. Returns 0 if out of memory. */
int child_launch(const struct launch *l, int tail,
                 void (*release)(const struct launch *l));

/* Remove and return the next child to run, or NULL. */
struct child *child_take(struct children *c);
const struct launch *child_launched(const struct child *c);
void child_free(struct child *c);

#endif
