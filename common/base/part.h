/*
 * part.h: what the labs' runner tells a profiler, by nvtxMarkA()
 *
 * The labs' runner can only call what real GPUs have, not simgpu's own
 * functions. simgpu acts on these marks (simgpu/core/part.h); a profiler shows
 * them.
 */
#ifndef COMMLAB_BASE_PART_H
#define COMMLAB_BASE_PART_H

#define PART_BEGINS "commlab: a measured part begins"
#define PART_ENDS   "commlab: a measured part ends"

/* Formats of printf() and scanf(): the bytes of an allocation that are meant to
 * be used, without its red zones. */
#define PART_BUFFER "commlab: a buffer at %p has %zu bytes"

#endif
