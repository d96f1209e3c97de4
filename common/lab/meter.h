/*
 * meter.h: counts student code's calls of NCCL, and its device memory
 *
 * The linker routes the program's calls through here (meter.wrap), on real GPUs
 * and on simgpu. A round is an outermost group with a message in it, or a
 * message outside of any group: messages of one round travel at the same time.
 * What a rank sends to itself is not a message.
 *
 * Student code shares the process, and could change these variables. A judge
 * uses them where there is no execution graph (judge/counts.h); labs' commands
 * print them.
 */
#ifndef COMMLAB_LAB_METER_H
#define COMMLAB_LAB_METER_H

#include <stddef.h> /* size_t */
#include <stdint.h>

enum { METER_PEERS = 64 };

struct meter {
    uint64_t sent_bytes;           /* by ncclSend to other ranks */
    uint64_t messages;             /* calls of ncclSend to other ranks */
    uint64_t rounds;               /* sends, receives or both */
    uint64_t collectives;          /* calls of NCCL's own collectives */
    uint64_t comms;                /* communicators created */
    uint64_t coll_bytes;           /* that this rank's part of its all-reduces,
                            all-gathers and reduce-scatters takes at least */
    uint64_t sent_to[METER_PEERS]; /* bytes, by rank in the communicator */
};

/* This process's counts; assign zeros to reset them. Only one thread calls. */
extern struct meter meter;

/* Device memory that this process holds from the allocators of the runtime,
 * the driver and NCCL, managed memory included: now, and the peak since
 * meter_memory_begin(). */
struct meter_memory {
    uint64_t live, peak;
};
void meter_memory_begin(void);
struct meter_memory meter_memory(void);

/* Count an allocation, or its end: for the wrappers of allocators alone. */
void meter_took(void *at, size_t nbytes);
void meter_gave(const void *at);

/* The number of groups that the thread has open, and the return address of the
 * call that opened the outermost. */
int meter_open_groups(void);
const void *meter_group_opened(void);

/* The first call since meter_forget_failure() that returned an error. */
struct meter_failure {
    const char *call;    /* NULL: none */
    const void *address; /* of its return */
    char error[200];     /* with NCCL's reason */
};
const struct meter_failure *meter_failed(void);
void meter_forget_failure(void);

/* The call that made this thread's device current, by its return address; NULL:
 * none has. */
const void *meter_set_device(void);

/* A wrapper's call has failed; reason: more about it, "" if nothing is known.
 * For meter*.c. */
void meter_note(const char *call, const char *error, const char *reason,
                const void *address);

#endif
