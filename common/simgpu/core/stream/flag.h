/*
 * flag.h: words of memory that order operations while they run
 *
 * A stream that waits for a value (cuStreamWaitValue32), or a kernel that polls
 * a flag, is ordered after the stream or kernel, of any process, that wrote the
 * word. Memory does not record its writers, so each heap has a *shadow*: behind
 * the heap's bytes, its memfd contains an entry for every aligned 4-byte word,
 * which all processes that map the heap share.
 *
 *     memfd:  [ bytes of the heap | entries, HEAP_SHADOW bytes for each byte
 *             | histories of words that are written often, HEAP_COMMON bytes ]
 *
 * An entry counts the word's writes, which waiters sleep on, and names the
 * parts of operations that made the latest ones. A counter may have advanced
 * further before a thread that waits for "at least 3" reads it. That thread is
 * ordered after the write that made it 3, not after the latest write; otherwise
 * the graph would depend on timing. Memory outside heaps has no entries, so its
 * writers are unknown. Waiters read a word at least once a millisecond, which
 * also catches writes that bypass this file (copies, the host's own stores).
 *
 * Words have 4 or 8 bytes and are aligned to their size. Smaller ones can only
 * be read, and have no writers.
 */
#ifndef SIMGPU_CORE_STREAM_FLAG_H
#define SIMGPU_CORE_STREAM_FLAG_H

#include "core/wait.h"
#include "graph/record/record.h"

struct flag_source {         /* part.index 0: unknown */
    struct graph_point part; /* ends with the write; recorded already */
    uint32_t flight_ps : 30; /* from that end to the write's arrival */
    uint32_t is_aside : 1;   /* a part aside (graph_aside()) */
    uint32_t commutes : 1;   /* does not follow the write before it */
};

/* Write a word. */
void simgpu_flag_write(void *p, unsigned nbytes, uint64_t value,
                       struct flag_source by);

/* Note that a word will be written by other means, to an unknown value. */
void flag_announce(void *p, struct flag_source by);

/* Returns the value of a word after an operation that finds `old` there. */
typedef uint64_t flag_change(uint64_t old, const void *operand);

/* Change a word atomically. Returns its old value, and its writer in *was. */
uint64_t flag_update(void *p, unsigned nbytes, flag_change *change,
                     const void *operand, struct flag_source by,
                     struct flag_source *was);

/*
 * The same, but only if *was wrote the word last: then returns 1, and the old
 * value in *old. Otherwise returns 0 and sets *was to the last writer. It is
 * for a write that must follow that writer.
 */
int flag_update_after(void *p, unsigned nbytes, flag_change *change,
                      const void *operand, struct flag_source by,
                      struct flag_source *was, uint64_t *old);

/* Read a word. *by is set to its writer. */
uint64_t simgpu_flag_read(const void *p, unsigned nbytes,
                          struct flag_source *by);

/* Read a word that a condition is waited for. If it holds, *by is the write
 * that made it hold, as far back as writes are recorded. */
typedef int flag_condition(uint64_t value, uint64_t target);
uint64_t simgpu_flag_check(const void *p, unsigned nbytes, flag_condition *met,
                           uint64_t target, struct flag_source *by);

/*
 * For writers that add to a word in any order: find the one that made the
 * condition hold (met NULL: the latest), and those before it as far back as
 * they commute, sorted by rank. Returns their number, at most FLAG_WRITERS.
 */
enum { FLAG_WRITERS = 64 };
unsigned flag_writers(const void *p, unsigned nbytes, flag_condition *met,
                      uint64_t target, struct flag_source writer[FLAG_WRITERS]);

/* Sleep until the word may differ from `value`, at most a millisecond. If p is
 * NULL, just sleep. */
void flag_nap(const void *p, unsigned nbytes, uint64_t value);

/* Sleep until met(arg) is true. It is called whenever the
 * word may have changed. */
void simgpu_flag_wait(const void *p, int (*met)(void *arg), void *arg,
                      const struct wait_note *note);

#endif
