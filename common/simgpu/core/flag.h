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
 * An entry counts writes, which those who wait for the word sleep on, and names
 * the parts of operations that made the latest ones. A counter may have gone on
 * before somebody who waits for "at least 3" has looked: what he follows is the
 * write that made it so, not the latest, or the graph would depend on who was
 * faster. Memory that is not in a heap has no entry: there a write names nobody,
 * and a wait looks at the word once a millisecond, as it does for writes that
 * don't come through here (copies, the host's own stores).
 *
 * Words are of 4 or 8 bytes, aligned to their size.
 */
#ifndef SIMGPU_CORE_FLAG_H
#define SIMGPU_CORE_FLAG_H

#include "core/proc.h"

enum { FLAG_SHADOW = 32 };

/* Where in an entry there is room for the heap's own use: 4 bytes. */
enum { FLAG_TAG = 112 };

struct flag_source {         /* who wrote a word; part.index 0: nobody knows */
    struct graph_point part; /* that ends with the write; in the graph by now */
    uint32_t flight_ps;      /* until the write is there, after that end */
};

/* Write a word. */
void flag_write(void *p, unsigned nbytes, uint64_t value,
                struct flag_source by);

/* A word is about to be written by other means, whatever its value will be. */
void flag_announce(void *p, struct flag_source by);

/* What a word becomes when `operand` is applied to it. */
typedef uint64_t flag_change(uint64_t old, const void *operand);

/* Change a word, all at once; returns what it was, and in *was who wrote that. */
uint64_t flag_update(void *p, unsigned nbytes, flag_change *change,
                     const void *operand, struct flag_source by,
                     struct flag_source *was);

/* Read a word, and in *by who wrote what was read. */
uint64_t flag_read(const void *p, unsigned nbytes, struct flag_source *by);

/* Read a word of which a condition is waited for. If it holds, *by is who made it
 * hold, as far back as is known. */
typedef int flag_condition(uint64_t value, uint64_t target);
uint64_t flag_check(const void *p, unsigned nbytes, flag_condition *met,
                    uint64_t target, struct flag_source *by);

/* Sleep until the word may have been written since it was `value`, a millisecond
 * at most. p NULL: just sleep. */
void flag_nap(const void *p, unsigned nbytes, uint64_t value);

/* Sleep until met(arg), which is asked again whenever the word may have been
 * written. */
void flag_wait(const void *p, int (*met)(void *arg), void *arg,
               const struct wait_note *note);

#endif
