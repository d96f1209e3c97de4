/*
 * flag.h: words of memory at which operations meet while they run
 *
 * A stream that waits for a value (cuStreamWaitValue32), and a kernel that
 * waits for a flag, are ordered after whoever wrote the word: a stream, a
 * kernel, of this process or another. Memory doesn't say who that was, so each
 * heap has a *shadow*: behind its bytes, its memfd holds an entry for every
 * aligned word of 4 bytes, and all processes that map the heap see it.
 *
 *     memfd:  [ bytes of the heap | entries, FLAG_SHADOW bytes for each byte ]
 *
 * An entry names the part of the operation (graph_point) that wrote the word's
 * value and counts writes; who waits for the word sleeps on that count. Memory
 * that is not in a heap has no entry: there a write names nobody, and a wait
 * looks at the word once a millisecond, as it does for writes that don't come
 * through here (copies, the host's own stores).
 *
 * Words are of 4 or 8 bytes, aligned to their size.
 */
#ifndef SIMGPU_CORE_FLAG_H
#define SIMGPU_CORE_FLAG_H

#include "core/proc.h"

enum { FLAG_SHADOW = 8 };

/* Write a word. `by` names the part of an operation that ends with this write,
 * which the graph holds by now; index 0 for a write that orders nothing. */
void flag_write(void *p, unsigned nbytes, uint64_t value,
                struct graph_point by);

/* What a word becomes when `operand` is applied to it. */
typedef uint64_t flag_change(uint64_t old, const void *operand);

/* Change a word, all at once; returns what it was, and in *was who wrote that. */
uint64_t flag_update(void *p, unsigned nbytes, flag_change *change,
                     const void *operand, struct graph_point by,
                     struct graph_point *was);

/* Read a word, and in *by who wrote what was read: index 0 if that is unknown. */
uint64_t flag_read(const void *p, unsigned nbytes, struct graph_point *by);

/* Sleep until met(arg), which is asked again whenever the word may have been
 * written. */
void flag_wait(const void *p, int (*met)(void *arg), void *arg,
               const struct wait_note *note);

#endif
