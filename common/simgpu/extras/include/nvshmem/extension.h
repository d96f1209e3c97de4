/*
 * extension.h: initialisation, and launches by all PEs together
 */
#ifndef SIMGPU_NVSHMEM_EXTENSION_H
#define SIMGPU_NVSHMEM_EXTENSION_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * flags is NVSHMEMX_INIT_WITH_MPI_COMM (attributes->mpi_comm is a MPI_Comm *)
 * or NVSHMEMX_INIT_WITH_UNIQUEID (set by nvshmemx_set_attr_uniqueid_args(),
 * with the id that one PE got from nvshmemx_get_uniqueid() and sent to all).
 * Returns 0.
 */
int nvshmemx_init_attr(unsigned int flags, nvshmemx_init_attr_t *attributes);
int nvshmemx_hostlib_init_attr(unsigned int flags, nvshmemx_init_attr_t *attr);
void nvshmemx_hostlib_finalize(void);
int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t *uniqueid);
int nvshmemx_set_attr_uniqueid_args(const int myrank, const int nranks,
                                    const nvshmemx_uniqueid_t *uniqueid,
                                    nvshmemx_init_attr_t *attr);
int nvshmemx_set_attr_mpi_comm_args(void *mpi_comm,
                                    nvshmemx_init_attr_t *nvshmem_attr);

/* Let put read from, and get write to, memory outside the symmetric
 * heap; does nothing here. */
int nvshmemx_buffer_register(void *addr, size_t length);
int nvshmemx_buffer_unregister(void *addr);
void nvshmemx_buffer_unregister_all(void);

/*
 * All PEs launch the kernel, so that the kernels can wait for each other. A
 * grid of 0 is the largest whose blocks run at the same time. Returns 0.
 */
int nvshmemx_collective_launch(const void *func, dim3 gridDims, dim3 blockDims,
                               void **args, size_t sharedMem,
                               cudaStream_t stream);
/* The same with attributes. The program's attributes override NVSHMEM's, which
 * makes the launch cooperative. */
typedef struct nvshmemx_collective_launch_attr {
    cudaLaunchConfig_t cuda_config;
} nvshmemx_collective_launch_attr_t;
int nvshmemx_collective_launch_attr(
    const nvshmemx_collective_launch_attr_t *attr, const void *func,
    void **args);
int nvshmemx_collective_launch_query_gridsize(const void *func, dim3 blockDims,
                                              void **args, size_t sharedMem,
                                              int *gridsize);

#ifdef __cplusplus
}
#endif
#endif
