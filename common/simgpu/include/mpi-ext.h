/*
 * mpi-ext.h: Open MPI's header of extensions, as far as programs use it to ask
 * whether MPI takes device pointers. On simgpu it does; MPICH has no such file.
 */
#ifndef SIMGPU_MPI_EXT_H
#define SIMGPU_MPI_EXT_H

#include <mpi.h>

#define MPIX_CUDA_AWARE_SUPPORT 1

#ifdef __cplusplus
extern "C" {
#endif

int MPIX_Query_cuda_support(void); /* 1 */

#ifdef __cplusplus
}
#endif

#endif
