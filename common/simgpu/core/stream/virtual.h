/*
 * virtual.h: mapping memory at reserved addresses (heap/address.h)
 *
 * Errors are errno's values; no state has changed then.
 */
#ifndef SIMGPU_CORE_STREAM_VIRTUAL_H
#define SIMGPU_CORE_STREAM_VIRTUAL_H

#include <stdint.h>

/* Map the first bytes of a device's allocation at `memory`. No device reaches
 * them there yet. EINVAL: the addresses are not reserved, or taken. */
int simgpu_virtual_map(void *p, uint64_t nbytes, const void *memory);

/* Unmap whole pieces, after all work of the devices that reach them. EINVAL:
 * there are none, or not only whole ones. */
int simgpu_virtual_unmap(void *p, uint64_t nbytes, const char *call,
                         uint32_t site);

#endif
