/*
 * settle.h: waiting until nothing can continue
 *
 * What a rank has issued before a planted fault ends it must not depend on how
 * far its streams have come: it is completed first. But an operation may need a
 * peer that never comes, so the wait also ends when no process of the job
 * moves.
 */
#ifndef SIMGPU_CORE_STREAM_SETTLE_H
#define SIMGPU_CORE_STREAM_SETTLE_H

#include "core/stream/fence.h"

/* Wait until the fences have passed, or no process of the job is active. */
void settle(const struct fence *f, int n, const char *call, uint32_t site);

#endif
