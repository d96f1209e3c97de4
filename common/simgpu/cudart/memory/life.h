/*
 * life.h: the lifetimes of allocations, in stream order
 */
#ifndef SIMGPU_CUDART_MEMORY_LIFE_H
#define SIMGPU_CUDART_MEMORY_LIFE_H

#include "cudart/api.h"

struct heap_block;

/* All bytes of an allocation. */
struct graph_access life_whole(const struct heap_block *b, enum graph_touch how,
                               uint32_t site);

/* Touch the whole allocation at p in this way. */
void life_mark(struct stream *s, void *p, enum graph_touch how,
               const char *call, uint32_t site);

/*
 * Begin or end a graph's use of p's allocation. Unlike a lifetime, such a use
 * may begin again. It is therefore recorded as a write of the whole allocation,
 * with which every other use must be ordered.
 */
void life_use(struct stream *s, void *p, const char *call, uint32_t site);

/* End the allocation b: free p. */
void life_end(struct stream *s, void *p, const struct heap_block *b,
              const char *call, uint32_t site);

#endif
