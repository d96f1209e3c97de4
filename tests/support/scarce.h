/*
 * scarce.h: memory that runs out, and memory that just suffices
 *
 * Allocations of a test program (malloc, calloc, realloc, and the C library's
 * calls of them) can be made to fail, one at a time. Wherever that happens, the
 * code must report an error and not crash.
 */
#ifndef COMMLAB_TESTS_SCARCE_H
#define COMMLAB_TESTS_SCARCE_H

#include <stddef.h> /* size_t */

/*
 * Call run() with all the memory that it asks for, but not a byte more: it
 * crashes if it touches memory beyond an allocation, or memory that was freed.
 * run() must return 0 and free all that it allocates; memory that it keeps
 * between runs must come from an earlier run.
 */
void scarce_just(int (*run)(void));

/*
 * The same, then call run() with its first allocation failing, then with its
 * second, and so on until all succeed. run() returns 0 if it did its work, -1
 * if it reported an error. The test fails if run() succeeds without memory that
 * it asked for, or fails although it got all. If there are many allocations,
 * not every one is made to fail: each of the first `dense`, then fewer and
 * fewer.
 */
void scarce_each(int (*run)(void), long dense);

/* Make each later allocation of the calling thread fail. */
void scarce_none(void);

/*
 * For a whole program: from now on, fence allocations of nbytes or more as in
 * scarce_just(), and count all. (Each fenced one takes pages, so fencing many
 * small ones is slow.) scarce_left(), called when the program ends, returns how
 * many have not been freed, without those that the C library keeps.
 */
void scarce_from_now(size_t nbytes);
long scarce_left(void);

/* The number of this process's allocations that have not been freed. */
long scarce_held(void);

#endif
