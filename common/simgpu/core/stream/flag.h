/*
 * flag.h: words of memory that order operations while they run
 *
 * A stream that waits for a value (cuStreamWaitValue32) and a kernel that polls
 * a flag are ordered after the stream or kernel, of any process, that wrote the
 * word. Memory does not record who wrote it, so each heap has a *shadow*:
 * behind the heap's bytes, its memfd holds an entry for every aligned 4-byte
 * word, which all processes that map the heap see.
 *
 *     memfd:  [ bytes of the heap | entries, HEAP_SHADOW bytes for each byte
 *             | histories of words that are written often, HEAP_COMMON bytes ]
 *
 * An entry counts writes, which waiters sleep on, and names the parts of
 * operations that made the latest ones. A counter may have advanced further
 * before a thread that waits for "at least 3" looks at it: that thread is
 * ordered after the write that made it 3, not after the latest, or the graph
 * would depend on timing. Memory outside heaps has no entry: its writers are
 * unknown, and a waiter looks at the word once a millisecond, which also
 * catches writes that bypass this file (copies, the host's own stores).
 *
 * Words have 4 or 8 bytes and are aligned to their size.
 */
#ifndef SIMGPU_CORE_FLAG_H
#define SIMGPU_CORE_FLAG_H

#include "core/wait.h"
#include "graph/record.h"

struct flag_source {         /* part.index 0: unknown */
    struct graph_point part; /* ended by the write; recorded by now */
    uint32_t flight_ps : 30; /* from that end until the write arrives */
    uint32_t is_aside : 1;   /* the part is one aside (graph_aside()) */
    uint32_t commutes : 1;   /* it does not follow the write before it */
};

/* Write a word. */
void simgpu_flag_write(void *p, unsigned nbytes, uint64_t value,
                       struct flag_source by);

/* A word is about to be written by other means, to an unknown value. */
void flag_announce(void *p, struct flag_source by);

/* The value of a word after an operation that found `old` there. */
typedef uint64_t flag_change(uint64_t old, const void *operand);

/* Change a word atomically. Returns its old value, and its writer in *was. */
uint64_t flag_update(void *p, unsigned nbytes, flag_change *change,
                     const void *operand, struct flag_source by,
                     struct flag_source *was);

/*
 * The same, if *was wrote the word last: 1, and its old value in *old.
 * Otherwise 0, and in *was who did: for a write that is to follow that one.
 */
int flag_update_after(void *p, unsigned nbytes, flag_change *change,
                      const void *operand, struct flag_source by,
                      struct flag_source *was, uint64_t *old);

/* Read a word, and its writer into *by. */
uint64_t simgpu_flag_read(const void *p, unsigned nbytes,
                          struct flag_source *by);

/* Read a word that a condition is awaited of. If it holds, *by is the write
 * that made it hold, as far back as is known. */
typedef int flag_condition(uint64_t value, uint64_t target);
uint64_t simgpu_flag_check(const void *p, unsigned nbytes, flag_condition *met,
                           uint64_t target, struct flag_source *by);

/*
 * Writers that add to a word in any order: the one that made the condition hold
 * (met NULL: the latest) and those before it, as far back as they commute, by
 * rank. Returns how many, at most FLAG_WRITERS.
 */
enum { FLAG_WRITERS = 64 };
unsigned flag_writers(const void *p, unsigned nbytes, flag_condition *met,
                      uint64_t target, struct flag_source writer[FLAG_WRITERS]);

/* Sleep until the word may have changed from `value`, at most a millisecond. p
 * NULL: just sleep. */
void flag_nap(const void *p, unsigned nbytes, uint64_t value);

/* Sleep until met(arg), which is called whenever the word may have changed. */
void simgpu_flag_wait(const void *p, int (*met)(void *arg), void *arg,
                      const struct wait_note *note);

#endif
