/*
 * newcomer.h: ranks that have made no call yet
 *
 * A rank that has called neither CUDA, NCCL nor MPI is unknown to the others:
 * it may be reading its input. As long as there is one, a job of which all
 * known ranks wait does not hang.
 */
#ifndef SIMGPU_CORE_WATCH_NEWCOMER_H
#define SIMGPU_CORE_WATCH_NEWCOMER_H

/* True if mpirun has started a rank that lives and has made no call. False if
 * another launcher started this process. */
int newcomer_any(void);

/* MPICH's process that starts this host's ranks; 0 if there is none above this
 * process. */
int newcomer_launcher(void);

/* True if this process is one of several ranks that have no other parent. */
int newcomer_is_rank(void);

/* The name of a process's program. Returns -1 if the process has ended. */
int newcomer_name(int pid, char name[32]);

/* True if is(child, depth) is for a child of the process's first thread. */
int newcomer_any_child(int pid, int (*is)(int child, int depth), int depth);

#endif
