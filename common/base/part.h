/*
 * part.h: what a program says by nvtxMarkA() of the parts that are measured
 *
 * The labs' runner can't call simgpu, only what real GPUs have. simgpu heeds
 * these marks (simgpu/core/part.h); a profiler shows them.
 */
#ifndef COMMLAB_BASE_PART_H
#define COMMLAB_BASE_PART_H

#define PART_BEGINS "commlab: a measured part begins"
#define PART_ENDS   "commlab: a measured part ends"

#endif
