/*
 * wait.h: sleeping until something has been done, by any process
 *
 * Every wait in simgpu sleeps here, on a futex: there are more ranks than
 * cores, and a spinning thread would delay the rank that it waits for. A wait
 * carries a note of what it waits for, so that a hang can be explained.
 *
 * A thread is *active* unless it waits. A job in which no thread of any process
 * is active hangs (watchdog.h).
 */
#ifndef SIMGPU_CORE_WAIT_H
#define SIMGPU_CORE_WAIT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Describes a wait in one line, for a hang report. */
typedef void wait_describe(const void *arg, char *out, size_t nbytes);

struct wait_note {
    const char *call;        /* "cudaStreamSynchronize", "ncclAllReduce" */
    uint32_t site;           /* graph_site of the program's call */
    wait_describe *describe; /* may be NULL */
    const void *arg;
    uint32_t node; /* the operation of this process that has to end; 0: the one
                      that the thread runs, or unknown */
    uint32_t peer; /* 1 + the rank it waits for; 0: see node */
};

/* Sleep until *word != seen. The word may be shared between processes. A wait
 * without a note is missing from hang reports. */
void simgpu_wait(_Atomic uint32_t *word, uint32_t seen,
                 const struct wait_note *note);

/* The same, for at most timeout_ns: returns 0, or -1 with ETIMEDOUT. A wait
 * without a note leaves the thread active. */
int simgpu_wait_for(_Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns,
                    const struct wait_note *note);

/*
 * Sleep until met(arg) is true. met is called when the word has changed, and
 * every millisecond. Calling it is not progress, so a wait that never ends is
 * still a hang.
 */
void wait_until(_Atomic uint32_t *word, int (*met)(void *arg), void *arg,
                const struct wait_note *note);

/* Wake all threads that sleep on the word, or at most n of them, in every
 * process. Store to the word first. */
void simgpu_wake(_Atomic uint32_t *word);
void simgpu_wake_some(_Atomic uint32_t *word, int n);

/* Between begin and end the calling thread counts as waiting. This is for waits
 * in another library (MPI calls). */
void wait_begin(const struct wait_note *note);
void wait_end(void);

/*
 * The pulse of the calling thread's wait, for a thread that looks again and
 * again between begin and end, as a kernel's threads look at a flag. Each time
 * that it has looked in vain it adds 1, or a thread that runs in its place
 * does. If the pulse stops, the thread computes or has no core: see
 * wait_any_runs(). 0: the wait has none.
 */
_Atomic uint32_t *wait_pulse(void);

/*
 * A wait that is postponed here: on GPUs, a call of another library would
 * already have blocked the host thread. The function does the waiting, and is
 * called whenever the thread is about to call MPI.
 */
typedef void wait_owed(void);
void simgpu_wait_set_owed(wait_owed *f);
void wait_for_owed(void);

/* Note that the calling worker runs this operation from now on. */
void wait_running(uint32_t node);

/* ---- for the watchdog ---------------------------------------------------- */

struct wait_entry { /* a thread's wait */
    const struct wait_note *note;
    const _Atomic uint32_t *word; /* sleeps while *word == seen; or NULL */
    uint32_t seen;
    uint32_t thread; /* host thread's number; UINT32_MAX: a worker */
    uint32_t at;     /* the operation that the worker runs */
    _Atomic uint32_t pulse;
    uint32_t pulse_before, nrounds; /* calls of wait_any_runs() since it beat */
    struct wait_entry *next, **link;
};

/* Call fn for each wait of this process, newest first. fn
 * must not wait itself. */
void wait_each(void (*fn)(void *arg, const struct wait_entry *e), void *arg);

/*
 * True if a thread of this process has been woken and has not run since, or a
 * pulse has not beaten for `rounds` calls: a kernel's thread that finds its
 * flag set computes for as long as it likes before its wait ends. Only the
 * watchdog calls this.
 */
int wait_any_runs(uint32_t rounds);

#endif
