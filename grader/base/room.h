/*
 * room.h: lists that grow
 */
#ifndef GRADER_ROOM_H
#define GRADER_ROOM_H

#include <stddef.h>

/* Room for one more in *list (NULL at first), which has n entries of `size`
 * bytes and room for *cap. Returns 0, or -1 if memory runs out. */
int room_make(void **list, size_t n, size_t *cap, size_t size);

#endif
