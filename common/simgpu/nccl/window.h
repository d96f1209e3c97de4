/*
 * window.h: memory that a communicator's ranks register together
 *
 * Each rank posts where its part of a window is, then maps the parts of the
 * others, as cudaIpcOpenMemHandle does. It also maps its own part, so that
 * kernels reach every part in the same way, and reach none once the window is
 * deregistered. Kernels read struct simgpu_window (simgpu/nccl_window.h).
 *
 * Registering takes the steps of a setup (setup.h), so that a group can
 * register windows of several communicators.
 */
#ifndef SIMGPU_NCCL_WINDOW_LIB_H
#define SIMGPU_NCCL_WINDOW_LIB_H

#include "nccl/setup.h"
#include "simgpu/nccl_window.h"

struct window_spec {
    const char *call; /* "ncclCommWindowRegister" */
    uint32_t site;
    void *buff;
    size_t nbytes;
    int flags;
    int is_resource; /* a device communicator's resource buffer */
};

/* Start to register buff in a group; *out is the window once the group ends
 * (group_leave()). */
ncclResult_t window_begin(struct ncclComm *c, const struct window_spec *w,
                          struct comm_buffer **out);

/* Set *out to the window of a handle. Returns ncclInvalidArgument if it has
 * none. */
ncclResult_t window_check(ncclWindow_t window, const char *call,
                          const struct simgpu_window **out);

/* The steps ARRIVE and FIND of a window's setup. */
ncclResult_t window_arrive(struct setup *s);
ncclResult_t window_find(struct setup *s, int may_wait);

/* Unmap the window, and free its slot in the communicator. */
void window_discard(struct comm_buffer *b);

/* The size of a communicator's LSA teams, which are consecutive ranks that
 * reach each other by loads and stores; and whether their switch can reduce. */
int window_lsa_size(const struct ncclComm *c);
int window_has_multimem(const struct ncclComm *c);

#endif
