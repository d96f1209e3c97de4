/*
 * reading.h: what it costs a program to read a clock
 */
#ifndef SIMGPU_CORE_CLOCK_READING_H
#define SIMGPU_CORE_CLOCK_READING_H

#include <stdint.h>

/*
 * Record that the calling thread reads a clock, which costs the time of a call.
 * Returns its modelled time in picoseconds.
 *
 * A program may read it each time it finds that its work has not ended, as
 * often as this machine lets it. Such a reading costs nothing while anything
 * happens in the job. Once nothing does (quiet.h), the clock of the thread that
 * is furthest behind advances, by a 64th of its progress so far with each
 * reading. A time limit of microseconds or minutes therefore expires after
 * hundreds of readings, at the same modelled time in every run. If the job
 * stays busy for a minute and the work still doesn't end, the clock advances
 * like this machine's.
 */
uint64_t simgpu_clock_read(const char *call, uint32_t site);

#endif
