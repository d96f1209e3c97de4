/*
 * map.h: numbers to numbers
 *
 * Open addressing over a power of two, at most half full. Values begin as 0.
 */
#ifndef COMMLAB_GRAPH_MAP_H
#define COMMLAB_GRAPH_MAP_H

#include <stdint.h>

struct map {
    struct map_entry {
        uint64_t key;
        uint32_t value, used;
    } * entry;
    uint32_t count, nentries;
};

/* A zeroed struct is an empty map. */
void map_release(struct map *m);

/*
 * Where the value of `key` is kept, made if it isn't there; NULL when there is
 * no memory. Valid until the next map_at.
 */
uint32_t *map_at(struct map *m, uint64_t key);

/* The value of `key`, 0 if there is none. */
uint32_t map_get(const struct map *m, uint64_t key);

/* A well-mixed function of x (the finaliser of splitmix64). */
uint64_t map_mix(uint64_t x);

#endif
