/*
 * dataless.h: device memory that has addresses but no contents
 *
 * SIMGPU_DATALESS=BYTES makes device allocations of that size or more dataless
 * ("1M" is 1 MiB; "on": all; "off": none, the default). Operations that touch
 * them are recorded, and have the same modelled time as with contents, but are
 * not performed: a sweep up to 8 x 1 GiB takes no memory and hardly any time.
 * All ranks of a job must have the same setting. It is not for runs whose
 * results matter; code that checks results tests the variable first.
 *
 * Dataless memory never yields values. An operation that reads it and writes
 * memory with contents, such as a copy to the host, ends the run with a
 * message. Pinned and managed memory belong to the host and always have
 * contents.
 *
 * A kernel that is passed a pointer to dataless memory is not run. Its cost
 * cannot be observed, so the program must declare it (declared.h).
 */
#ifndef SIMGPU_CORE_HEAP_DATALESS_H
#define SIMGPU_CORE_HEAP_DATALESS_H

#include <stdint.h>

#include "graph/record/record.h" /* GRAPH_NO_CONTENTS */

/*
 * The smallest size of a dataless allocation, UINT64_MAX if there are none.
 * Reads SIMGPU_DATALESS on the first call; an invalid value ends the run.
 */
uint64_t dataless_limit(void);

/* A bit in the allocation's number marks it as dataless, and therefore also in
 * its id in the graph and for peers that import it. */
#define DATALESS_BLOCK ((uint32_t)GRAPH_NO_CONTENTS)
static inline int dataless(uint64_t id)
{
    return (id & DATALESS_BLOCK) != 0;
}

/* End the run: `call` at `site` needs the contents of dataless memory. */
_Noreturn void simgpu_dataless_fault(const char *call, uint32_t site,
                                     const char *what);

#endif
