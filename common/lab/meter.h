/*
 * meter.h: counts student code's calls of NCCL, and its device memory
 *
 * The linker routes the program's calls through here (meter.wrap), on real GPUs
 * and on simgpu. A round is an outermost group with a message in it, or a
 * message outside any group: the messages of one round travel concurrently.
 * Data that a rank sends to itself is not a message.
 *
 * Student code shares the process, and could change these variables. So a judge
 * uses them only where there is no execution graph (judge/graph/counts.h);
 * commands of labs print them.
 */
#ifndef COMMLAB_LAB_METER_H
#define COMMLAB_LAB_METER_H

#include <stddef.h> /* size_t */
#include <stdint.h>

enum { METER_PEERS = 64 };

struct meter {
    uint64_t sent_bytes;           /* by ncclSend to other ranks */
    uint64_t messages;             /* calls of ncclSend to other ranks */
    uint64_t rounds;               /* rounds with sends, receives or both */
    uint64_t collectives;          /* calls of NCCL's collectives */
    uint64_t comms;                /* communicators created */
    uint64_t aborted, destroyed;   /* communicators */
    uint64_t coll_bytes;           /* least that this rank must send for its
                                      part of all-reduces, all-gathers and
                                      reduce-scatters */
    uint64_t sent_to[METER_PEERS]; /* bytes, by rank in the communicator */
};

/* This process's counts; assign zeros to reset them. Used by one thread
 * only. */
extern struct meter meter;

/*
 * Device memory, managed memory included, that this process holds from the
 * allocators of the runtime, the driver and NCCL: now, and its peak since
 * meter_memory_begin().
 */
struct meter_memory {
    uint64_t live, peak;
};
void meter_memory_begin(void);
struct meter_memory meter_memory(void);

/* Count an allocation, or a free. Only the wrappers of allocators call
 * these. */
void meter_took(void *at, size_t nbytes);
void meter_gave(const void *at);

/* The number of groups that this thread has open, and the return address of the
 * call that opened the outermost. */
int meter_open_groups(void);
const void *meter_group_opened(void);

struct meter_failure {
    const char *call;    /* NULL if there is none */
    const void *address; /* its return address */
    char error[200];     /* the error's text, with NCCL's reason */
};
/* The first call that returned an error since meter_forget_failure(), and the
 * latest one. */
const struct meter_failure *meter_failed(void);
const struct meter_failure *meter_failed_last(void);
void meter_forget_failure(void);

/* The return address of the call that made this thread's device current; NULL
 * if there was none. */
const void *meter_set_device(void);

/* Note a failed call, for wrappers in meter*.c. reason says more about the
 * error, or is "". */
void meter_note(const char *call, const char *error, const char *reason,
                const void *address);

#endif
