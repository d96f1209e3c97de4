/*
 * mapped.h: a live segment's bytes, mapped as far as it has been written
 *
 * A segment may take FORMAT_CAPACITY bytes, but most take few. A process maps
 * its own segment and those of all peers, so each mapping covers only the
 * segment's first bytes, and doubles when needed. Pointers to records are kept,
 * so earlier mappings stay where they are.
 */
#ifndef COMMLAB_GRAPH_MAPPED_H
#define COMMLAB_GRAPH_MAPPED_H

#include <stdint.h>

enum { MAPPED_MAX = 16 };

struct mapped {
    char *bytes;          /* the latest mapping; NULL if there is none */
    uint64_t nbytes;      /* its length, from the start of the segment */
    void *at[MAPPED_MAX]; /* each is twice as long as the one before */
    int n;
};

/* Map the first bytes of the segment in fd, with mmap()'s protection. fd may be
 * closed afterwards. Returns 0, or -1 with errno. */
int mapped_init(struct mapped *m, int fd, int prot);

/* Extend m->bytes as far as `end`, at most FORMAT_CAPACITY. Returns 0, or
 * -1 with errno. */
int mapped_reach(struct mapped *m, uint64_t end);

void mapped_release(struct mapped *m);

#endif
