/*
 * clock.h: time, as the program may ask for it
 *
 * For now the wall clock of the machine that simgpu runs on: it orders events,
 * and says nothing about how fast a GPU would be.
 */
#ifndef SIMGPU_CORE_CLOCK_H
#define SIMGPU_CORE_CLOCK_H

#include <stdint.h>

#include "core/names.h"

/* Now, in picoseconds since some moment; never goes back. */
uint64_t clock_host_ps(void);

#endif
