/*
 * team.h: teams, ordered subsets of the PEs
 */
#ifndef SIMGPU_NVSHMEM_TEAM_H
#define SIMGPU_NVSHMEM_TEAM_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -1 for NVSHMEM_TEAM_INVALID. */
int nvshmem_team_my_pe(nvshmem_team_t team);
int nvshmem_team_n_pes(nvshmem_team_t team);
/* A PE's number in another team; -1 if it is not in it. */
int nvshmem_team_translate_pe(nvshmem_team_t src_team, int src_pe,
                              nvshmem_team_t dest_team);
void nvshmem_team_get_config(nvshmem_team_t team,
                             nvshmem_team_config_t *config);

/*
 * All PEs of the parent call these, with the same numbers. A PE that is not in
 * the new team gets NVSHMEM_TEAM_INVALID. Returns 0, or another value for
 * numbers that no team can have.
 */
int nvshmem_team_split_strided(nvshmem_team_t parent_team, int PE_start,
                               int PE_stride, int PE_size,
                               const nvshmem_team_config_t *config,
                               long config_mask, nvshmem_team_t *new_team);
/* Split PEs, seen as a matrix with rows of xrange, into its
 * rows and its columns. */
int nvshmem_team_split_2d(nvshmem_team_t parent_team, int xrange,
                          const nvshmem_team_config_t *xaxis_config,
                          long xaxis_mask, nvshmem_team_t *xaxis_team,
                          const nvshmem_team_config_t *yaxis_config,
                          long yaxis_mask, nvshmem_team_t *yaxis_team);
void nvshmem_team_destroy(nvshmem_team_t team);

#ifdef __cplusplus
}
#endif
#endif
