/*
 * host.h: initialisation and finalisation, and the symmetric heap
 */
#ifndef SIMGPU_NVSHMEM_HOST_H
#define SIMGPU_NVSHMEM_HOST_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All PEs call these. Starts MPI unless the program has. */
void nvshmem_init(void);
int nvshmem_init_thread(int requested, int *provided);
void nvshmem_query_thread(int *provided);
int nvshmemx_init_status(void);
void nvshmem_finalize(void);
void nvshmem_global_exit(int status) __attribute__((noreturn));

int nvshmem_my_pe(void);
int nvshmem_n_pes(void);
void nvshmem_info_get_version(int *major, int *minor);
void nvshmem_info_get_name(char *name); /* has NVSHMEM_MAX_NAME_LEN bytes */
void nvshmemx_vendor_get_version_info(int *major, int *minor, int *patch);

/*
 * All PEs call these with the same size. Each gets its own part of the
 * allocation, on the device that is current at the first call. A size of 0
 * returns NULL.
 */
void *nvshmem_malloc(size_t size);
void *nvshmem_calloc(size_t count, size_t size);
void *nvshmem_align(size_t alignment, size_t size);
void nvshmem_free(void *ptr);

/* The address of PE pe's copy of ptr for loads and stores; NULL if
 * they cannot reach it. */
void *nvshmem_ptr(const void *ptr, int pe);

/* The address of ptr's bytes on all PEs of the team, for multimem instructions;
 * NULL if their switch does not multicast. */
void *nvshmemx_mc_ptr(nvshmem_team_t team, const void *ptr);

#ifdef __cplusplus
}
#endif
#endif
