/*
 * virtual.h: addresses that memory of devices is mapped to
 *
 * A program may reserve addresses, allocate memory without addresses, and map
 * that to those, piece by piece (cuMemAddressReserve, cuMemCreate, cuMemMap).
 * All reservations of a process lie in a window of their own (heap_space.h), a
 * heap without bytes: both of its views map those of other heaps.
 *
 *     reserved   [ piece | piece | .......... ]
 *                    |        |
 *     heaps      [ . block . ]  [ . block . ]     of device 0, of device 1
 *
 * Pieces next to each other are one block, so that copies and kernels may go
 * from one to the next. In the graph it is the allocation of its first piece:
 * memory that is mapped twice has the same name at both places.
 *
 * Errors are errno's values; no state has changed then.
 */
#ifndef SIMGPU_CORE_VIRTUAL_H
#define SIMGPU_CORE_VIRTUAL_H

#include <stdint.h>

enum { VIRTUAL_GRANULARITY = 2 << 20 }; /* of sizes and addresses, in bytes */

/* Reserve addresses, the first a multiple of alignment, a power of two or 0.
 * ENOMEM: there are not that many left. */
int simgpu_virtual_reserve(uint64_t nbytes, uint64_t alignment, void **out);

/* True if the range lies in one reservation. */
int simgpu_virtual_is_reserved(const void *p, uint64_t nbytes);

/* Give back a whole reservation. EINVAL: it is none, or something is mapped. */
int simgpu_virtual_free(const void *p, uint64_t nbytes);

/* Map the first bytes of a device's allocation at `memory`. No device reaches
 * them there yet. EINVAL: the addresses are not reserved, or taken. */
int simgpu_virtual_map(void *p, uint64_t nbytes, const void *memory);

/* Unmap whole pieces, after all work of the devices that reach them. EINVAL:
 * there are none, or not only whole ones. */
int simgpu_virtual_unmap(void *p, uint64_t nbytes, const char *call,
                         uint32_t site);

/* Let a device reach whole pieces, or not. EINVAL as above. */
int simgpu_virtual_open(const void *p, uint64_t nbytes, int device,
                        int allowed);

/* Where the byte at p lies in its device's heap; NULL for unmapped addresses
 * and other memory. */
void *simgpu_virtual_memory(const void *p);

#endif
