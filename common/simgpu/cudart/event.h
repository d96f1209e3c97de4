/*
 * event.h: events
 *
 * Recording an event takes a snapshot of a stream: a fence. An event for other
 * processes also has a memfd, which they map, in which it counts its records
 * and which of them have passed. Another process waits until the records that
 * it found there have passed. The memfd also contains the records' nodes, so
 * that the graph has the dependence.
 */
#ifndef SIMGPU_CUDART_EVENT_H
#define SIMGPU_CUDART_EVENT_H

#include <stdatomic.h>

#include "cudart/api.h"
#include "cudart/graphs/captured.h"

enum { EVENT_RECORDS = 64 };

struct event_shared {          /* contents of the memfd */
    _Atomic uint32_t issued;   /* number of records, by all processes */
    _Atomic uint32_t recorded; /* number of these that are in a graph */
    _Atomic uint32_t bell;     /* futex: advances when a record passes */
    _Atomic uint64_t
        node[EVENT_RECORDS]; /* the latest nodes, by record number */
    _Atomic uint32_t
        passed[EVENT_RECORDS]; /* the record's number, once passed */
};

struct CUevent_st {
    unsigned flags;
    int device;     /* current when it was created */
    int live, refs; /* refs: the program, records in progress */
    struct fence fence;
    struct captured captured;    /* latest record was in a capture */
    uint32_t number;             /* number of that record, for a shared event */
    struct event_shared *shared; /* NULL unless cudaEventInterprocess */
    int fd, imported;
    struct CUevent_st *next;
};

/* The event with that handle, NULL if there is none; and a new one. */
struct CUevent_st *event_find(cudaEvent_t event);
struct CUevent_st *event_new(unsigned flags);
int event_is_live(cudaEvent_t event);

/* A record or a wait begins to use an event. For the record of a shared event,
 * returns its number among them. */
uint32_t event_ref(struct CUevent_st *e, int record);

/* The program, a record or a wait has finished with an event: the last of them
 * frees it. */
void event_unref(struct CUevent_st *e);

/* Map what the processes of a shared event share, from its file. */
cudaError_t event_share(struct CUevent_st *e, int fd);

#endif
