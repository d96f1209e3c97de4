/*
 * dataless.h: device memory that has addresses but no contents
 *
 * SIMGPU_DATALESS=BYTES makes device allocations of at least so many bytes
 * dataless ("1M" is 1 MiB; "on": all; "off": none, the default). What touches
 * them is recorded, and so has the same modelled time as with contents, but
 * nothing is done: a sweep up to 8 x 1 GiB takes no memory and hardly any time.
 * It is a setting of the job, the same for all ranks, and nothing for a run
 * whose results matter: whoever checks results looks at the variable first.
 *
 * Nothing may come out of dataless memory. An operation that reads it and writes
 * memory with contents (a copy to the host is one) ends the run with a message,
 * so that nobody takes what isn't there for a value. Pinned and managed memory
 * belong to the host and always have contents.
 *
 * A kernel that gets a pointer to dataless memory isn't run, so its cost can't
 * be observed: it has to be declared (core/declared.h).
 */
#ifndef SIMGPU_CORE_DATALESS_H
#define SIMGPU_CORE_DATALESS_H

#include "core/stream.h"

/*
 * Bytes from which on a device allocation is dataless, UINT64_MAX: none. Reads
 * SIMGPU_DATALESS on the first call; a value that is no size ends the run.
 */
uint64_t dataless_limit(void);

/* The number of an allocation says whether it is dataless: so does its id in
 * the graph, and a peer that imports it knows. */
#define DATALESS_BLOCK ((uint32_t)GRAPH_NO_CONTENTS)
static inline int dataless(uint64_t id)
{
    return (id & DATALESS_BLOCK) != 0;
}

/*
 * Is op only to be recorded, since it touches dataless memory? Ends the run if
 * it also writes memory with contents that would depend on it. Looks at
 * op->accesses.
 */
int dataless_op(const struct op *op);

/* End the run: `call` at `site` needs the contents of dataless memory. */
_Noreturn void dataless_fault(const char *call, uint32_t site,
                              const char *what);

#endif
