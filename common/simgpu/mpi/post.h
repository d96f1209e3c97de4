/*
 * post.h: ranks that call an MPI collective differently
 *
 * MPI doesn't compare: a wrong root delivers garbage or hangs, at best an error
 * says that a message was too long. Here each rank posts its call on its
 * control page before it makes it, and compares it with the other ranks' posts:
 * the later of two ranks sees both. A rank that runs far ahead may overwrite a
 * post; then a difference is missed, never invented.
 */
#ifndef SIMGPU_MPI_POST_H
#define SIMGPU_MPI_POST_H

#include "mpi/call.h"

/* Post this rank's part in the collective `key` (0: unknown) of c, and end the
 * run if another rank's part differs in call, root, size, type or operation. */
void post_compare(const struct call *c, uint64_t key, int root, size_t nbytes);

#endif
