/*
 * keeper.h: SIMGPU_SURVIVE=1, with which ranks outlive one that dies
 *
 * MPICH's launcher ends a job when a rank ends without MPI_Finalize. Its option
 * -disable-auto-cleanup doesn't help: the launcher then sends the other ranks
 * SIGUSR1, and its own connection to them breaks. So the launcher must not
 * learn of the death: each rank gets a parent, its keeper, that the launcher
 * takes for the rank.
 *
 *     mpirun -- keeper -- rank 0      exits with 0
 *            -- keeper -- rank 1      exits with 0
 *            -- keeper -- rank 2      is killed: rank 0 and 1 learn of it from
 *                                     their watchdogs
 *
 * Keepers end when the last rank has ended, each with the status of its rank. A
 * rank that a signal ended counts as 0 if another one ended with 0.
 */
#ifndef SIMGPU_CORE_WATCH_KEEPER_H
#define SIMGPU_CORE_WATCH_KEEPER_H

/* True if this process has a keeper, so it outlives other ranks. */
int keeper_is_there(void);

#endif
