/*
 * overwrite.h: bytes that an operation overwrites without having read them
 *
 * A copy between devices, a collective and a receive write all of their output,
 * whatever was there. So what was there can be spoiled just before the
 * operation runs, by a process that the program does not control
 * (base/recorder.h), and only an operation that is performed mends it:
 *
 *     output     [ result that the host brought ]
 *     spoiled    [ result t####t the host bro### ]
 *     performed  [ result that the device brought ]
 *
 * Not of them: an output in place, which is the input as well; rows whose gaps
 * keep their bytes; memory without contents; and outputs of a few bytes in all,
 * which may be flags that something polls. Kernels are not either: what they
 * write is known when they have ended.
 */
#ifndef COMMLAB_GRAPH_OVERWRITE_H
#define COMMLAB_GRAPH_OVERWRITE_H

#include "graph/record.h"

enum { OVERWRITE_LEAST = 65 }; /* bytes of an operation; fewer are left alone */

/*
 * Write the ranges to out, which has room for two for each access; NULL: only
 * count them. Returns their number. A range's alloc, begin and end are set.
 */
size_t overwrite_find(const struct graph_node *n, const struct graph_access *a,
                      size_t naccesses, struct graph_access *out);

#endif
