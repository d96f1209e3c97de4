/*
 * map.h: a hash map from 64-bit keys to 64-bit values
 *
 * Every key has a value, which is 0 until it is set. A key with value 0 is the
 * same as an absent one, and the map drops it when it grows: to remove a key,
 * set its value to 0.
 *
 * Open addressing over a power of two, at most half full. Not thread-safe.
 */
#ifndef COMMLAB_BASE_MAP_H
#define COMMLAB_BASE_MAP_H

#include <stdint.h>

struct map {
    struct map_entry {
        uint64_t key, value;
    } * entry;         /* key 0: free */
    uint32_t nentries; /* a power of two, or 0 */
    uint32_t count;    /* entries with a key, including those with value 0 */
    uint64_t zero;     /* value of key 0, which can't be in an entry */
};

/* Free the entries and leave an empty map. A zeroed struct is an
 * empty map, too. */
void map_release(struct map *m);

/*
 * The address of the value of `key`, valid until the next map_at(). NULL if
 * memory runs out, which can happen only for an absent key.
 */
uint64_t *map_at(struct map *m, uint64_t key);

/* The value of `key`. */
uint64_t map_get(const struct map *m, uint64_t key);

#endif
