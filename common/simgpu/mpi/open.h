/*
 * open.h: MPI's requests that no wait or test has found complete
 *
 * A request is open from the call that begins it until a call finds it
 * complete; a persistent one is always. While MPI uses its buffers, they are
 * lent (core/stream/lent.h), and what is sent must not change (sent.h).
 *
 * MPICH has one handle for all sends that are complete at once. A wait for it
 * may be for any of them, so the first wait gives back the buffers of all.
 */
#ifndef SIMGPU_MPI_OPEN_H
#define SIMGPU_MPI_OPEN_H

#include "mpi/call.h"

struct open_request {          /* a message, or a collective */
    struct open_request *next; /* one that began before, with the same handle */
    MPI_Comm comm;
    MPI_Datatype type; /* a message's */
    void *buf;
    size_t nbytes;
    int persistent, dest, tag;
    int receives;     /* a receive: to be recorded when it is complete */
    int writes;       /* a collective that writes buf */
    const char *call; /* the call that began it, and its line */
    uint32_t site;
    uint64_t lent[2];  /* its buffers: core/stream/lent.h */
    struct sent *sent; /* what the first of them had */
};

/* A request has begun. Its buffers must have been lent. */
void open_remember(MPI_Request request, struct open_request what);

/* Copy what is known about a request. Returns 0 if it is unknown. */
int open_look_up(MPI_Request request, struct open_request *out);

/* The message *what, which the call c has begun, uses its buffer. */
void open_lend(const struct mpi_call *c, struct open_request *what);

/* The same for a persistent request that c starts. */
void open_start(const struct mpi_call *c, MPI_Request request);

/* The call c is about to wait for the requests, or to test them. Ends the run
 * if one of them writes a local variable of a function that has returned: MPI
 * would overwrite those of other functions. */
void open_expect(const struct mpi_call *c, int count,
                 const MPI_Request request[]);

/* MPI doesn't use the request's buffers any more, which the call c has found
 * out. c is NULL if no call has, and the program may know it all the same. */
void open_give_back(MPI_Request request, const struct mpi_call *c);

/* The same, and forget the request. */
void open_close(MPI_Request request, const struct mpi_call *c);

/* The program ends MPI: report the requests that are open. */
void open_end(void);

#endif
