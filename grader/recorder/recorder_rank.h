/*
 * recorder_rank.h: the recorder's state for a rank, shared by its own files
 *
 *     recorder.c            connections, rounds, life cycle
 *     recorder_evidence.c   records of judge/record.h
 *     recorder_draw.c       values that a rank requests among those
 *     recorder_cases.c      which case the ranks are running
 *     recorder_pipe.c       takes a rank's execution graph from its pipe
 *     recorder_graph.c      records of graph/record/format.h
 *     recorder_device.c     notes about devices' memory (base/recorder.h)
 *     recorder_memory.c     where that memory lies
 *
 * Only the recorder's thread uses it.
 */
#ifndef GRADER_RECORDER_RANK_H
#define GRADER_RECORDER_RANK_H

#include <pthread.h> /* pthread_t */
#include <stdio.h>   /* FILE */

#include "base/recorder.h"
#include "grader/recorder/recorder.h"
#include "grader/recorder/recorder_graph.h"
#include "grader/recorder/recorder_memory.h"
#include "judge/chain.h"
#include "judge/record.h"

enum {
    RANK_NAMES = 4096,     /* most names in an iteration */
    RANK_CHUNK = 64 << 10, /* most bytes to read at once */
};

struct name { /* name of a record in the current iteration */
    uint32_t kind;
    char text[EVIDENCE_NAME];
};

struct rank {
    int connection[RECORDER_ROLES]; /* -1: not connected, or closed; for the
                                       graph, its pipe */
    int waits; /* connection on which it waits for the reply to the graph's
                  end; -1: none */
    int joined[RECORDER_ROLES];
    struct recorder_graph *graph;
    FILE *file; /* its evidence */
    uint64_t nbytes;

    struct record head; /* head of the arriving record */
    size_t nhead;       /* bytes of that head so far */
    uint64_t left;      /* bytes of payload and padding still to come */
    union {             /* first bytes of the payload */
        char bytes[sizeof(struct evidence_ask)];
        struct evidence_ask ask;
    } value;
    int fd;                    /* file sent along with the record; -1: none */
    struct recorder_note note; /* arriving note about its devices' memory */
    size_t nnote;
    int heap;          /* file sent along with the note; -1: none */
    uint64_t drawn;    /* bytes of values requested so far */
    struct name *name; /* names used in this iteration */
    size_t nnames;
    uint32_t iteration;
    struct chain chain; /* digest of this iteration's outputs */
    uint64_t before;    /* digest of the previous iteration's outputs */
    int ended;          /* the case's final status has arrived */
    int asks;           /* it waits for the next case */
    int done;           /* the final record has arrived */
};

struct recorder {
    const struct recorder_job *job;
    int listener, stop;
    int now;      /* case that the ranks are running; ncases: all done;
                     -1: none yet */
    int answered; /* a rank that waited was answered in this round */
    pthread_t thread;
    struct recorder_end end;
    struct recorder_memory *memory;
    struct rank rank[];
};

/* Close a connection if it is open. */
void rank_hang_up(struct rank *k, enum recorder_role role);

/* Take nothing more from this rank because of what it sent. Which of several
 * ranks is noticed first is a race, so the text names no rank. */
void __attribute__((format(printf, 3, 4)))
rank_forged(struct recorder *r, struct rank *k, const char *format, ...);

/* Record a fault of this machine, with errno. */
void rank_failed(struct recorder *r, const char *what);

/* True if data has arrived on a connection, or the rank has closed it. */
int rank_is_due(const struct rank *k, enum recorder_role role);

void rank_reply(int connection, const void *data, size_t nbytes);

#endif
