/*
 * cores.h: how many of the machine's cores a process may use for a kernel
 *
 * SIMGPU_CORES says so; otherwise those of this rank's share that nothing else
 * uses at the moment.
 */
#ifndef SIMGPU_CORE_CORES_H
#define SIMGPU_CORE_CORES_H

enum { CORES_MOST = 64 };

/* The setting's text. -1: it is no number from 1 to CORES_MOST. */
int cores_set(const char *text);

/* At least 1. */
int cores_of_kernel(void);

#endif
