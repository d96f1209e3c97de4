/*
 * called.h: a process's last call, on its control page
 *
 * A killed process can't report anything, but a process that maps its page can
 * still read what it called last.
 */
#ifndef SIMGPU_CORE_CALLED_H
#define SIMGPU_CORE_CALLED_H

#include <stddef.h>
#include <stdint.h>

#include "core/control.h"

/* Note that the program has called this function, or launched this kernel, at
 * this site. Site 0: the call is not the program's. */
void simgpu_called(enum control_call kind, const char *name, uint32_t site);

/* The number of calls that the calling thread has noted so far. */
uint64_t called_count(void);

/* "Its last call was cudaMemcpy at a.c:10.", for any process's page. Returns
 * out. */
const char *called_text(const struct control *page, char *out, size_t nbytes);

#endif
