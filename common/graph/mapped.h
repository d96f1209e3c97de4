/*
 * mapped.h: a live segment's bytes, mapped as far as it has been written
 *
 * A segment may take FORMAT_CAPACITY bytes, and most take a few of them. A
 * process maps its own and those of all peers, so each mapping covers the
 * segment's first bytes only, and doubles. Pointers to records are kept:
 * earlier mappings stay where they are.
 */
#ifndef COMMLAB_GRAPH_MAPPED_H
#define COMMLAB_GRAPH_MAPPED_H

#include <stdint.h>

enum { MAPPED_MAX = 16 };

struct mapped {
    char *bytes;          /* of the latest; NULL: none */
    uint64_t nbytes;      /* of the latest, from the segment's begin */
    void *at[MAPPED_MAX]; /* each twice as long as the one before */
    int n;
};

/* Map the first bytes of the segment in fd, with mmap()'s protection. The fd
 * may be closed then. Returns 0, or -1 with errno. */
int mapped_init(struct mapped *m, int fd, int prot);

/* Let m->bytes reach as far as `end`, at most FORMAT_CAPACITY. Returns 0, or -1
 * with errno. */
int mapped_reach(struct mapped *m, uint64_t end);

void mapped_release(struct mapped *m);

#endif
