/*
 * map.h: a hash map from 64-bit keys to 64-bit values
 *
 * Zero-initialised is empty. Not thread-safe: callers hold a lock.
 */
#ifndef SIMGPU_MPI_MAP_H
#define SIMGPU_MPI_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map {
    struct map_entry *entry;
    size_t cap, used; /* cap: a power of two */
};

/* The value of key, 0 if it is new. Valid until the next call. */
uint64_t *map_slot(struct map *m, uint64_t key);

/* Forget everything. */
void map_clear(struct map *m);

#endif
