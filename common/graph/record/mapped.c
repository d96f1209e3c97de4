#define _GNU_SOURCE
#include "graph/record/mapped.h"

#include <stddef.h>   /* NULL */
#include <sys/mman.h> /* mremap */

static const uint64_t FIRST = UINT64_C(64) << 20;

/* Add the mapping at `at`; fails if that is not a mapping. */
static int add(struct mapped *m, void *at, uint64_t nbytes)
{
    if (at == MAP_FAILED)
        return -1;
    m->bytes = m->at[m->n++] = at;
    m->nbytes = nbytes;
    return 0;
}

int mapped_init(struct mapped *m, int fd, int prot)
{
    *m = (struct mapped){0};
    return add(m, mmap(NULL, FIRST, prot, MAP_SHARED | MAP_NORESERVE, fd, 0),
               FIRST);
}

/* Given length 0, mremap() maps the same pages a second time. */
int mapped_reach(struct mapped *m, uint64_t end)
{
    while (m->nbytes < end) {
        const uint64_t nbytes = 2 * m->nbytes;
        if (add(m, mremap(m->bytes, 0, nbytes, MREMAP_MAYMOVE), nbytes) != 0)
            return -1;
    }
    return 0;
}

void mapped_release(struct mapped *m)
{
    for (int i = 0; i < m->n; i++)
        munmap(m->at[i], FIRST << i);
    *m = (struct mapped){0};
}
