/*
 * placement.h: one buffer in each memory that a GPU can read. Given: nothing to
 * edit here.
 */
#ifndef LAB6_PLACEMENT_H
#define LAB6_PLACEMENT_H

#include "drawn.h"
#include "lab/lab.h"
#include "lab6.h"

struct placement { /* buffers of the same contents, and what reads them */
    int gpu, peer; /* the GPU that reads; one whose memory it can map */
    size_t nbytes;
    const void *at[MEMORIES];
    struct host_buffer host[MEMORIES];
    void *copy;     /* in the GPU's own memory */
    unsigned *sums; /* [memory][0: in place, 1: by a copy] */
    double ms[MEMORIES][2];
};

/* Make the buffers, of nbytes each (a multiple of 16). */
ncclResult_t placement_init(struct placement *p, struct lab_run *r, int gpu,
                            size_t nbytes);

/* Read each buffer nreads times in place, then a copy of it as often. */
ncclResult_t placement_measure(struct placement *p, int nreads);

/* Free the host's buffers; the runner frees the others. */
ncclResult_t placement_release(struct placement *p);

/*
 * lab6 --placement: time one read from each memory, in place and by a copy, and
 * print the bandwidths and from how many reads on a copy pays; optionally as
 * CSV, and as a picture. A lab_command.
 */
int placement_run(struct lab_run *r, int argc, char **argv);

#endif
