/*
 * next.h: the functions that functions of this library replace
 */
#ifndef SIMGPU_MPI_NEXT_H
#define SIMGPU_MPI_NEXT_H

/*
 * The function of this name in the library (its soname) that this one stands in
 * for, or NULL. A library that was loaded before this one, as mpi4py loads
 * MPICH before CUDA, does not come next in the search order.
 */
void *next_function(const char *name, const char *library);

#endif
