#include "grader/base/room.h"

#include <stdlib.h> /* realloc */

int room_make(void **list, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return 0;
    const size_t more = *cap ? 2 * *cap : 64;
    void *const longer = realloc(*list, more * size);
    if (!longer)
        return -1;
    *list = longer;
    *cap = more;
    return 0;
}
