/*
 * arrays.h: the arrays in a block's shared memory
 *
 * Shared memory is the thread-local memory of the thread that runs the block.
 * The program's table of symbols says where its arrays are; simnvcc leaves
 * 256 unused bytes behind each (simnvcc/inline.c), so that an index past
 * an array's end doesn't reach the next one. What a launch has asked for of
 * dynamic shared memory is one array more.
 *
 *     thread-local memory:  | tile ... | gap | sum | gap | (other) | dynamic |
 */
#ifndef SIMGPU_DEVICE_SHARING_ARRAYS_H
#define SIMGPU_DEVICE_SHARING_ARRAYS_H

#include "device/access_log.h"

struct race_cells; /* race.c */

struct shared_array {
    const char *begin, *end;
    char name[64]; /* "": the dynamic array */
    struct race_cells *cells;
    struct shared_array *next;
};

/*
 * Check an access to the calling thread's thread-local memory. Returns the
 * array, or NULL for other memory there, of which [*begin, *end) need not be
 * checked again. Reports an access outside the arrays, and ends the run.
 */
struct shared_array *arrays_touch(const struct launch *l, const char *p,
                                  size_t nbytes, enum touch_kind kind,
                                  const void *pc, const char **begin,
                                  const char **end);

/* The array that contains p, or NULL. */
struct shared_array *arrays_find(const struct launch *l, const char *p);

/* "bytes 4 to 7 of the __shared__ array tile". Returns out. */
const char *arrays_text(const struct shared_array *a, const char *p,
                        size_t nbytes, char *out, size_t out_nbytes);

/* Free what the calling thread has, before it ends. */
void arrays_forget(void);

#endif
