/*
 * schedule.h: when a ready operation may start (SIMGPU_SCHEDULE, stream.h)
 */
#ifndef SIMGPU_CORE_SCHEDULE_H
#define SIMGPU_CORE_SCHEDULE_H

#include <stdint.h>

enum { SCHEDULE_LATE_NS = 2000000 }; /* how long `late` waits for a demand */

/* Does an op wait for somebody to ask for it? */
int schedule_is_late(void);

/* Delay of an op in nanoseconds, from (seed, rank, queue, seq) alone. */
uint64_t schedule_delay_ns(uint32_t rank, uint32_t queue, uint64_t seq);

#endif
