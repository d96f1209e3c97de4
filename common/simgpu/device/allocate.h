/*
 * allocate.h: malloc() and free() in device code
 *
 * Device code allocates from a heap of its device, whose size is a limit:
 * cudaLimitMallocHeapSize. Here it is the C library's, of which simgpu counts
 * the bytes: malloc() in a kernel returns NULL when they would exceed the
 * limit. simnvcc renames the calls of a whole file (simnvcc/announced.h), so
 * host code calls these functions, too; its memory is not counted.
 */
#ifndef SIMGPU_DEVICE_ALLOCATE_H
#define SIMGPU_DEVICE_ALLOCATE_H

#include <stddef.h>

enum { ALLOCATE_LIMIT = 8 << 20 }; /* unless the program sets another */

/* Set a device's limit, in bytes. */
void allocate_set_limit(int device, size_t nbytes);

#endif
