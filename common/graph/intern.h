/*
 * intern.h: byte strings to small numbers
 *
 * Numbers count from 1 in the order in which values came; the same value gets
 * the same number. Values are copied. Not thread-safe.
 */
#ifndef COMMLAB_GRAPH_INTERN_H
#define COMMLAB_GRAPH_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct intern {
    struct intern_value {
        void *data;
        size_t nbytes;
        uint64_t hash;
    } * value; /* number i is value[i - 1] */
    uint32_t count;
    uint32_t *slot; /* open addressing: 0 or a number; nslots a power of 2 */
    uint32_t nslots;
};

/* A zeroed struct is an empty table. */
void intern_release(struct intern *t);

/*
 * The number of a value. *is_new says whether it was added just now. 0 when
 * there is no memory.
 */
uint32_t intern_id(struct intern *t, const void *data, size_t nbytes,
                   int *is_new);

#endif
