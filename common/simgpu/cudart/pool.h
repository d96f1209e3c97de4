/*
 * pool.h: what memory.c tells of pools
 */
#ifndef SIMGPU_CUDART_POOL_H
#define SIMGPU_CUDART_POOL_H

/* True for memory of a pool, an imported one too. */
int pool_has(const void *p);

/* Memory at p has been freed: no pool counts it any more. */
void pool_freed(const void *p);

#endif
