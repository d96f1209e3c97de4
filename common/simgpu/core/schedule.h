/*
 * schedule.h: when a ready operation may start (SIMGPU_SCHEDULE, stream.h)
 */
#ifndef SIMGPU_CORE_SCHEDULE_H
#define SIMGPU_CORE_SCHEDULE_H

#include <stdint.h>

/* Parse the text of SIMGPU_SCHEDULE. Returns -1 unless stream.h lists it. */
int schedule_set(const char *text);

enum { SCHEDULE_LATE_NS = 2000000 }; /* how long `late` waits for a demand */

/* True under the late schedule: an op waits until it is demanded. */
int schedule_is_late(void);

/* The delay of an op in nanoseconds, which depends on (seed,
 * rank, queue, seq) only. */
uint64_t schedule_delay_ns(uint32_t rank, uint32_t queue, uint64_t seq);

#endif
