/*
 * intern.h: interning of byte strings
 *
 * Each distinct value gets the next number, from 1. Values are copied. Not
 * thread-safe.
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
 * The number of a value; *is_new is 1 if this call added it. Returns 0 if
 * memory runs out.
 */
uint32_t intern_id(struct intern *t, const void *data, size_t nbytes,
                   int *is_new);

#endif
