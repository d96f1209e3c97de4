/*
 * host_extent.h: where a buffer of the host ends
 *
 * Nothing keeps a list of the host's buffers, but three kinds have an end that
 * is certain:
 *
 *   - a block of glibc's malloc() has its size in front of it. The pointer has
 *     to be the block's first byte, and the blocks that follow have to be where
 *     the sizes say, up to the end of the heap or MAX_STEPS blocks on;
 *   - a variable of the program is in its table of symbols;
 *   - a local variable ends, at the latest, where its function's frame does.
 *     Writing further overwrites the return address.
 *
 * Any other buffer has no known end. A block may have a few more bytes than the
 * program asked for, and a frame has many: shorter overruns are not found.
 */
#ifndef SIMGPU_CORE_HEAP_HOST_EXTENT_H
#define SIMGPU_CORE_HEAP_HOST_EXTENT_H

#include <stddef.h>
#include <stdint.h>

/*
 * A call of the program, at this site, is about to read or write nbytes of
 * the host's memory from p on. If the buffer is certain to end before, a write
 * ends the run with a report, since it would destroy what lies behind, and a
 * read is recorded as a mistake (simgpu_check_note() does so).
 */
void host_extent_read(const char *call, uint32_t site, const void *p,
                      size_t nbytes);
void host_extent_write(const char *call, uint32_t site, const void *p,
                       size_t nbytes);

#endif
