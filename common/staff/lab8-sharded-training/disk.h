/*
 * disk.h: the files of checkpoints, in host memory
 *
 * A rank writes to its own copy of the disk; disk_share() makes all ranks'
 * files visible to all, as a file system would.
 */
#ifndef LAB8_DISK_H
#define LAB8_DISK_H

#include <mpi.h>
#include <stddef.h>

#include "base/ranks.h" /* LAB_MAX_RANKS */
#include "lab8.h"

enum { DISK_FILES = LAB_MAX_RANKS, DISK_FLOATS = 1 << 24 };

struct disk { /* checkpoint.disk */
    float *file[DISK_FILES];
    size_t count[DISK_FILES];
    size_t nread, nwritten; /* floats */
};

void disk_clear(struct disk *d);

/* Give all ranks of comm each rank's own file. Collective; blocks. */
void disk_share(struct checkpoint *c, int nranks, MPI_Comm comm);

#endif
