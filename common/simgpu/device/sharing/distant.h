/*
 * distant.h: races between the blocks of a cluster
 *
 * In programs that are checked, accesses to the shared memory of a cluster's
 * blocks are noted by word (words.h). Between its blocks only cluster.sync()
 * and the grid's barrier count as order. A kernel that uses an atomic
 * operation, a volatile access or a cuda::barrier may order its blocks by that,
 * so nothing is reported of it from then on. Two writes of one word are not
 * reported, since they may be of one value.
 */
#ifndef SIMGPU_DEVICE_SHARING_DISTANT_H
#define SIMGPU_DEVICE_SHARING_DISTANT_H

#include "device/access_log.h"

/* True if the blocks of this launch's clusters are checked. */
int distant_applies(const struct launch *l);

/* A block of such a launch touches memory outside the heaps. */
void distant_touch(const struct launch *l, const char *p, size_t nbytes,
                   enum touch_kind kind, const void *pc);

/* A block of any launch synchronises by other means than a barrier. */
void distant_excuse(void);

#endif
