/*
 * room.h: growing lists
 */
#ifndef GRADER_ROOM_H
#define GRADER_ROOM_H

#include <stddef.h>

/*
 * Make space for one more entry in *list (NULL at first), which has n entries
 * of `size` bytes and a capacity of *cap. Returns 0, or -1 if memory runs out.
 */
int room_make(void **list, size_t n, size_t *cap, size_t size);

#endif
