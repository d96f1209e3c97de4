/*
 * address.h: reserved addresses, and the memory that is mapped there
 *
 * A program may reserve addresses, allocate memory without addresses, and map
 * the memory at the addresses, piece by piece (cuMemAddressReserve,
 * cuMemCreate, cuMemMap). All reservations of a process lie in a window of
 * their own (heap_space.h). The window is a heap without bytes: both of its
 * views show bytes of other heaps.
 *
 *     reserved   [ piece | piece | .......... ]
 *                    |        |
 *     heaps      [ . block . ]  [ . block . ]     of device 0, of device 1
 *
 * Adjacent pieces form one block, so that copies and kernels may go from one
 * to the next. In the graph a block has the allocation of its first piece:
 * memory that is mapped twice has the same name at both places.
 *
 * This is the table alone. stream/virtual.h finds the memory to map, and waits
 * for the streams that use what is unmapped.
 *
 * Errors are errno's values; no state has changed then.
 */
#ifndef SIMGPU_CORE_HEAP_ADDRESS_H
#define SIMGPU_CORE_HEAP_ADDRESS_H

#include <stdint.h>

struct heap_block;

enum { ADDRESS_GRANULARITY = 2 << 20 }; /* bytes; divides sizes and addresses */

/* Reserve addresses, the first a multiple of alignment, a power of two or 0.
 * ENOMEM: there are not that many left. */
int simgpu_address_reserve(uint64_t nbytes, uint64_t alignment, void **out);

/* True if the range lies in one reservation. */
int simgpu_address_is_reserved(const void *p, uint64_t nbytes);

/* Give back a whole reservation. EINVAL: the range is not a whole one, or
 * something is mapped there. */
int simgpu_address_free(const void *p, uint64_t nbytes);

/* Map the first bytes of a device's allocation. No device reaches them there
 * yet. EINVAL: the addresses are not reserved, or taken. */
int address_map(void *p, uint64_t nbytes, const struct heap_block *b);

/* The devices that can't reach any of the pieces in a range, a bit for each.
 * EINVAL: there are no pieces, or not only whole ones. */
int address_closed(const void *p, uint64_t nbytes, uint64_t *closed);

/* Unmap whole pieces, for the call at this site. EINVAL as above. */
int address_unmap(const void *p, uint64_t nbytes, uint32_t site);

/* Let a device reach whole pieces, or not. EINVAL as above. */
int simgpu_address_open(const void *p, uint64_t nbytes, int device,
                        int allowed);

/* Where the byte at p lies in its device's heap; NULL for unmapped addresses
 * and other memory. */
void *simgpu_address_memory(const void *p);

#endif
