/*
 * backing.h: the file behind device memory
 *
 * simgpu's device memory is a file without a name that the process has mapped
 * and keeps open. Another process that gets the file can write there, as a
 * device's engine could. A real GPU's memory is no such file.
 */
#ifndef COMMLAB_LAB_BACKING_H
#define COMMLAB_LAB_BACKING_H

#include <stddef.h>
#include <stdint.h>

/* The file that is mapped at p, which stays the process's, and where in it p
 * is; or -1. */
int backing_of(const void *p, uint64_t *offset);

/* True if device memory of nbytes keeps no contents (SIMGPU_DATALESS). */
int backing_is_empty(size_t nbytes);

#endif
