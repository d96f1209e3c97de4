/*
 * scarce.h: memory that runs out, and memory that just suffices
 *
 * The allocations of a test program (malloc, calloc, realloc, and what the C
 * library makes of them) can be made to fail, one at a time: an error has to be
 * reported wherever it happens, and nothing may crash.
 */
#ifndef COMMLAB_TESTS_SCARCE_H
#define COMMLAB_TESTS_SCARCE_H

#include <stddef.h> /* size_t */

/*
 * Call run() with all the memory it wants, but no byte more: it dies where it
 * touches what lies beyond an allocation or has been freed. It must return 0,
 * and free all that it allocates; what is kept from one run for the next was
 * kept by an earlier one.
 */
void scarce_just(int (*run)(void));

/*
 * The same, and then call run() with its first allocation failing, then with
 * its second, and so on until it needs no more. run() returns 0 if it did its
 * work, -1 if it reported an error; the test fails if it did its work without
 * the memory for it, or did not though it had all. Of many allocations it is
 * not each that fails: every one of the first `dense`, then fewer and fewer.
 */
void scarce_each(int (*run)(void), long dense);

/* From now on each allocation of the calling thread fails. */
void scarce_none(void);

/*
 * For a whole program: from now on allocations of nbytes or more are fenced as
 * by scarce_just(), and all are counted. (Each costs pages, so fencing the many
 * small ones is slow.) scarce_left(), called when the program ends, returns how
 * many of them it has not freed, less what the C library keeps for itself.
 */
void scarce_from_now(size_t nbytes);
long scarce_left(void);

/* How many allocations of this process nothing has freed yet. */
long scarce_held(void);

#endif
