/*
 * pool.h: functions about pools, for memory.c
 */
#ifndef SIMGPU_CUDART_MEMORY_POOL_H
#define SIMGPU_CUDART_MEMORY_POOL_H

/* True for memory of a pool, even an imported one. */
int pool_has(const void *p);

/* Note that the memory at p has been freed, so no pool counts it any more. */
void pool_freed(const void *p);

#endif
