/*
 * heap.h: for cheats that search the memory of their process
 *
 * cheat.sh inserts this text into a submission, which cannot include headers of
 * the tests.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Where the heap begins: at a page whose first chunk is the allocator's own,
 * with a count of at most 7 for each size. */
static char *heap_begin(const char *inside)
{
    uintptr_t page = (uintptr_t)inside & ~(uintptr_t)4095;
    for (;; page -= 4096) {
        const size_t *const chunk = (size_t *)page;
        const uint16_t *const count = (uint16_t *)page + 8;
        int n = 0;
        while (n < 64 && count[n] <= 7)
            n++;
        if (chunk[0] == 0 && chunk[1] == 0x291 && n == 64)
            return (char *)page;
    }
}

/* The first place in the heap from `from` on (NULL: its beginning) that has
 * these bytes; NULL if there is none. */
static char *heap_find(const char *from, const void *what, size_t nbytes)
{
    char *const end = malloc(100000); // behind what is used
    char *found = NULL;
    for (char *p = from ? (char *)from : heap_begin(end); !found && p < end;
         p++)
        if (memcmp(p, what, nbytes) == 0)
            found = p;
    free(end);
    return found;
}
