/*
 * recorder_rank.h: what the recorder knows of a rank, for its own parts
 *
 *     recorder.c            connections, rounds, life
 *     recorder_take.c       what has come: to which of these it goes
 *     recorder_evidence.c   records of judge/record.h
 *     recorder_draw.c       values that a rank asks for among them
 *     recorder_cases.c      which case the ranks are at
 *     recorder_graph.c      records of graph/format.h
 *     recorder_device.c     notes about devices' memory (base/recorder.h)
 *     recorder_memory.c     where that memory lies
 *
 * All of it belongs to the recorder's thread.
 */
#ifndef GRADER_RECORDER_RANK_H
#define GRADER_RECORDER_RANK_H

#include <pthread.h> /* pthread_t */
#include <stdio.h>   /* FILE */

#include "base/recorder.h"
#include "judge/chain.h"
#include "judge/record.h"
#include "recorder.h"
#include "recorder_graph.h"
#include "recorder_memory.h"

enum { RANK_NAMES = 4096 }; /* names of an iteration, at most */

struct name { /* of a record of the current iteration */
    uint32_t kind;
    char text[EVIDENCE_NAME];
};

struct rank {
    int connection[RECORDER_ROLES]; /* -1: not joined, or over; of the graph,
                                       its pipe */
    int waits; /* where it waits for the reply to the graph's end, or -1 */
    int joined[RECORDER_ROLES];
    struct recorder_graph *graph;
    FILE *file; /* its evidence */
    uint64_t nbytes;

    struct record head; /* of the record that is arriving */
    size_t nhead;       /* bytes of it */
    uint64_t left;      /* bytes of payload and padding to come */
    union {             /* the payload's first bytes */
        char bytes[sizeof(struct evidence_ask)];
        struct evidence_ask ask;
    } value;
    int fd;                    /* that came with it, or -1 */
    struct recorder_note note; /* of its devices' memory, arriving */
    size_t nnote;
    int heap;          /* that came with it, or -1 */
    uint64_t drawn;    /* bytes that it has asked for */
    struct name *name; /* put in this iteration */
    size_t nnames;
    uint32_t iteration;
    struct chain chain; /* of its outputs */
    uint64_t before;    /* digest of those of the iteration before */
    int ended;          /* the case's final status is there */
    int asks;           /* for the next case */
    int done;           /* the final record is there */
};

struct recorder {
    const struct recorder_job *job;
    int listener, stop;
    int now;      /* case that the ranks are at, ncases: over; -1: none yet */
    int answered; /* in this round, a rank that waited */
    pthread_t thread;
    struct recorder_end end;
    struct recorder_memory *memory;
    struct rank rank[];
};

/* Close a connection, if it is open. */
void rank_hang_up(struct rank *k, enum recorder_role role);

/* Nothing more is taken from this rank, for what it has sent. Which of several
 * ranks is noticed first is a matter of luck, so the text names none. */
void __attribute__((format(printf, 3, 4)))
rank_forged(struct recorder *r, struct rank *k, const char *format, ...);

/* This machine's fault, with errno. */
void rank_failed(struct recorder *r, const char *what);

void rank_reply(int connection, const void *data, size_t nbytes);

#endif
