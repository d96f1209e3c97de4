/*
 * overwrite.h: bytes that an operation overwrites without having read them
 *
 * A copy between devices, a collective and a receive write their whole output,
 * regardless of what it held. So a process that the program does not control
 * (base/recorder.h) can spoil the output just before the operation runs, and
 * only actually performing the operation repairs it:
 *
 *     output     [ result that the host brought ]
 *     spoiled    [ result t####t the host bro### ]
 *     performed  [ result that the device brought ]
 *
 * Excluded are an output in place, which is also the input; rows whose gaps
 * keep their bytes; memory without contents; and outputs of only a few bytes,
 * which may be flags that something polls. Kernels are excluded, too: what they
 * write is known only after they have ended.
 */
#ifndef COMMLAB_GRAPH_OVERWRITE_H
#define COMMLAB_GRAPH_OVERWRITE_H

#include "graph/record/record.h"

/* operations that overwrite fewer bytes are left alone */
enum { OVERWRITE_LEAST = 65 };

/*
 * Write the ranges to out, which must hold two for each access, or only count
 * them if out is NULL. Returns their number. Sets a range's alloc, begin and
 * end.
 */
size_t overwrite_find(const struct graph_node *n, const struct graph_access *a,
                      size_t naccesses, struct graph_access *out);

#endif
