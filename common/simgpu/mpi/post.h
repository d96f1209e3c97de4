/*
 * post.h: finding ranks that call an MPI collective differently
 *
 * MPI doesn't compare the ranks' arguments. A wrong root delivers garbage or
 * hangs; at best an error says that a message was too long. Here each rank
 * posts its call on its control page before making it, and compares it with the
 * other ranks' posts: the later of two ranks finds both. A rank that runs far
 * ahead may overwrite a post; a difference is then missed, but none is
 * invented.
 */
#ifndef SIMGPU_MPI_POST_H
#define SIMGPU_MPI_POST_H

#include "mpi/call.h"

/* Post this rank's part in collective `key` (0 if unknown) of c. Ends the run
 * if another rank's part differs in call, root, size, type or operation. */
void post_compare(const struct mpi_call *c, uint64_t key, int root,
                  size_t nbytes);

#endif
