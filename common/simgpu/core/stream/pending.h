/*
 * pending.h: pinned host memory that enqueued copies have yet to use
 *
 * cudaMemcpyAsync() returns before a copy from or to pinned memory is done.
 * Until the host has waited for the copy, it must not write the source, nor
 * touch the target. Nothing in ordinary host code tells simgpu of an access, so
 * the pages are protected in the meantime: those of a source against writes,
 * those of a target against both.
 *
 *     pinned memory    [ ....... | target of a copy | ....... ]
 *     pages            [    |    :xxxx|xxxx|xxxx:xxx|    |    ]
 *                           steps ^    traps    ^ steps
 *
 * The first access to the bytes of a copy traps and is recorded in the graph,
 * as the access of the host thread at that line (host_touch()). Whether it is a
 * race is decided there, by the same rules as for any other access. Accesses to
 * other bytes of these pages are executed one instruction at a time.
 *
 * System calls don't trap but fail with EFAULT. Those of the C library's input
 * and output are therefore given other addresses (system_calls.c). Any other
 * must not fail for bytes that the copy doesn't use, so a first or last page
 * that also contains other bytes is only protected if it is the only one. Of
 * memory of cudaHostRegister() it never is. simgpu itself uses the raw view
 * (heap.h); registered memory has none, so the worker opens it while a copy
 * runs. Of a long copy, only the first and last pages are protected.
 */
#ifndef SIMGPU_CORE_STREAM_PENDING_H
#define SIMGPU_CORE_STREAM_PENDING_H

#include "core/stream/fence.h"
#include "graph/record/record.h"

struct pending { /* host memory of an operation; plain data */
    struct fence fence;
    char *base;    /* rows of `width` bytes, `pitch` apart, which end */
    size_t nbytes; /* nbytes behind base */
    size_t width, pitch;
    int is_target;
    struct graph_access access; /* the whole, as the operation does it */
};

/* Watch memory of an operation that has just been enqueued. Does nothing for
 * memory that is not pinned, and if too many operations are pending. */
void pending_add(const struct pending *p);

/* The host has waited for this fence. */
void pending_joined(struct fence f);

/* Work that is about to be enqueued may tell the host that the operations so
 * far are complete, by a flag in host memory or a host function. The host may
 * then touch the memory of those that are. */
int pending_exists(void);
void pending_signal(void);

/*
 * The host gives back [base, base + nbytes), which this process allocated or
 * registered, by this call. If an operation is pending there, record the access
 * `how` (enum graph_touch). The memory is not watched any more.
 */
void pending_give_back(char *base, size_t nbytes, int how, const char *call,
                       uint32_t site);

/* True if some of the bytes may be on protected pages. */
int pending_touches(const void *p, size_t nbytes);

/*
 * A system call is about to read or write (enum graph_touch) these bytes. Its
 * access is recorded like one of host code, and those pages are opened that
 * have no other address.
 */
void pending_lend(const void *p, size_t nbytes, int how, const char *call,
                  uint32_t site);

/* The program ends, and its graph with it. */
void pending_end(void);

/* An operation is about to access memory through the program's own address, or
 * has done so. */
void pending_pause(const void *p);
void pending_resume(const void *p);

#endif
