/*
 * meter.h: counting what student code asks of NCCL
 *
 * The linker sends the program's calls of NCCL through here (meter.wrap), on
 * real GPUs and on simgpu alike. A round is an outermost group with a message
 * in it, or a message outside of any group: messages of one round travel at the
 * same time.
 */
#ifndef COMMLAB_LAB_METER_H
#define COMMLAB_LAB_METER_H

#include <stdint.h>

struct meter {
    uint64_t sent_bytes; /* by ncclSend to other ranks */
    uint64_t messages;   /* calls of ncclSend */
    uint64_t rounds;
    uint64_t collectives; /* calls of NCCL's own collectives */
};

/* This process's counts; reset by assigning zeros. Calls come from one thread. */
extern struct meter meter;

#endif
