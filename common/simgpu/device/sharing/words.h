/*
 * words.h: who has touched the words of a cluster's shared memory
 *
 * The barriers of a cluster split its run into epochs. Only they order the
 * accesses of its blocks, so two accesses of two blocks in one epoch, one of
 * them a write, are a race in any order in which the blocks happen to run.
 * Accesses of one block are not compared.
 */
#ifndef SIMGPU_DEVICE_SHARING_WORDS_H
#define SIMGPU_DEVICE_SHARING_WORDS_H

#include <stddef.h>
#include <stdint.h>

struct words; /* one for each cluster; NULL: none yet */

struct word_mark { /* an access */
    uint64_t epoch;
    uint64_t block; /* its number in the grid */
    uint16_t thread;
    uint16_t writes;
    const void *pc; /* NULL: there was no access */
};

/* Note an access to nbytes at p. Returns 1 if it races with an earlier one,
 * which *with is set to. */
int words_touch(struct words **w, const char *p, size_t nbytes,
                const struct word_mark *m, struct word_mark *with);

void words_free(struct words *w);

#endif
