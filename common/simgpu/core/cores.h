/*
 * cores.h: how many of the machine's cores a process may use for a kernel
 *
 * SIMGPU_CORES gives the number. Without it, the process uses those cores of
 * its rank's share that are idle at the moment.
 */
#ifndef SIMGPU_CORE_CORES_H
#define SIMGPU_CORE_CORES_H

enum { CORES_MOST = 64 };

/* Set the number from a text. Returns -1 unless it is a number
 * from 1 to CORES_MOST. */
int cores_set(const char *text);

/* The number of cores for the next kernel, at least 1. */
int cores_of_kernel(void);

#endif
