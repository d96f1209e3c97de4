/*
 * backing.h: the file behind device memory
 *
 * simgpu's device memory is an anonymous file that the process has mapped and
 * keeps open. Another process that is given the file can write to it, as a
 * device's engine could. Memory of a real GPU is not such a file.
 */
#ifndef COMMLAB_LAB_BACKING_H
#define COMMLAB_LAB_BACKING_H

#include <stddef.h>
#include <stdint.h>

/* The descriptor of the file mapped at p, which still belongs to the process,
 * and the offset of p in it; -1 if there is none. */
int backing_of(const void *p, uint64_t *offset);

/* True if device memory of nbytes does not keep its contents
 * (SIMGPU_DATALESS). */
int backing_is_empty(size_t nbytes);

#endif
