/*
 * buffer.c: allocating and registering memory
 *
 * On GPUs NCCL moves data of a registered buffer, and even more so of a window,
 * without copying it first. Here all device memory is within reach anyway;
 * registering only enforces its rules.
 */

#include "core/device.h"
#include "core/site.h"
#include "nccl/comm.h"
#include "nccl/group.h"
#include "nccl/window.h"

enum { WINDOW_FLAGS = 0xf }; /* all that NCCL 2.32 knows */

ncclResult_t pncclMemAlloc(void **ptr, size_t size)
{
    if (!ptr || size == 0)
        return nccl_error(ncclInvalidArgument,
                          "MemAlloc : ptr argument is NULL, or size is 0");
    // a multiple of what NCCL maps at a time: windows start and end there
    const size_t nbytes = (size + NCCL_WIN_REQUIRED_ALIGNMENT - 1) &
                          ~(size_t)(NCCL_WIN_REQUIRED_ALIGNMENT - 1);
    return simgpu_heap_alloc(simgpu_device_current(), nbytes, 0, CALLER_SITE(),
                             ptr) == 0
               ? ncclSuccess
               : nccl_error(ncclUnhandledCudaError,
                            "MemAlloc : device %d cannot provide %zu bytes",
                            simgpu_device_current(), nbytes);
}

ncclResult_t pncclMemFree(void *ptr)
{
    return cudaFree(ptr) == cudaSuccess
               ? ncclSuccess
               : nccl_error(ncclInvalidArgument,
                            "MemFree : %p is not from ncclMemAlloc", ptr);
}

/* Check that these bytes are memory of this device. */
static ncclResult_t check_range(const struct ncclComm *c, const char *call,
                                void *buff, size_t size)
{
    struct heap_block b;
    char what[512];
    if (!buff || size == 0)
        return nccl_error(ncclInvalidArgument,
                          "%s : buff argument is NULL, or size is 0", call);
    if (simgpu_heap_find(buff, &b) != 0)
        return nccl_error(ncclInvalidArgument,
                          "%s : %p is not memory of a device", call, buff);
    if ((char *)buff + size > b.base + b.nbytes)
        return nccl_error(ncclInvalidArgument,
                          "%s : %zu bytes do not fit: buff is %s", call, size,
                          simgpu_heap_describe(buff, what, sizeof what));
    if (b.device != c->device && b.device != HEAP_PINNED)
        return nccl_error(ncclInvalidArgument,
                          "%s : %p is memory of device %d, not of the "
                          "communicator's device %d",
                          call, buff, b.device, c->device);
    return ncclSuccess;
}

static ncclResult_t take(struct ncclComm *c, const char *call, void *buff,
                         size_t size, struct comm_buffer **out)
{
    for (int i = 0; i < COMM_REGISTERED; i++)
        if (!c->buffer[i].base) {
            c->buffer[i] = (struct comm_buffer){.base = buff, .nbytes = size};
            *out = &c->buffer[i];
            debug_info(DEBUG_REG, c->device,
                       "comm %p register buff %p size %zu", (void *)c, buff,
                       size);
            return ncclSuccess;
        }
    return nccl_error(ncclInvalidUsage, "%s : more than %d buffers", call,
                      COMM_REGISTERED);
}

/* Forget the buffer of a handle that this communicator returned. */
static ncclResult_t drop(struct ncclComm *c, const char *call,
                         struct comm_buffer *b, int window)
{
    for (int i = 0; i < COMM_REGISTERED; i++)
        if (b == &c->buffer[i] && b->base && b->window == window) {
            window_discard(b);
            return ncclSuccess;
        }
    return nccl_error(ncclInvalidArgument,
                      "%s : %p was not registered with this communicator", call,
                      (void *)b);
}

const struct comm_buffer *comm_window(const struct ncclComm *c,
                                      ncclWindow_t win)
{
    for (int i = 0; i < COMM_REGISTERED; i++)
        if ((ncclWindow_t)&c->buffer[i] == win && c->buffer[i].base &&
            c->buffer[i].window)
            return &c->buffer[i];
    return NULL;
}

ncclResult_t pncclCommRegister(const ncclComm_t comm, void *buff, size_t size,
                               void **handle)
{
    ncclResult_t err = comm_check_ready(comm, "CommRegister");
    if (err == ncclSuccess && !handle)
        err = nccl_error(ncclInvalidArgument,
                         "CommRegister : handle argument is NULL");
    if (err == ncclSuccess)
        err = check_range(comm, "CommRegister", buff, size);
    struct comm_buffer *b = NULL;
    if (err == ncclSuccess)
        err = take(comm, "CommRegister", buff, size, &b);
    if (handle)
        *handle = b;
    return err;
}

ncclResult_t pncclCommDeregister(const ncclComm_t comm, void *handle)
{
    const ncclResult_t err = comm_check_ready(comm, "CommDeregister");
    if (err != ncclSuccess || !handle) // NULL: nothing was registered
        return err;
    return drop(comm, "CommDeregister", handle, 0);
}

static ncclResult_t check_window(ncclComm_t comm, const char *call, void *buff,
                                 size_t size, const ncclWindow_t *win,
                                 int winFlags)
{
    ncclResult_t err = comm_check_ready(comm, call);
    if (err == ncclSuccess && !win)
        err =
            nccl_error(ncclInvalidArgument, "%s : win argument is NULL", call);
    if (err == ncclSuccess && (winFlags & ~WINDOW_FLAGS))
        err = nccl_error(ncclInvalidArgument, "%s : unknown flags %#x", call,
                         (unsigned)winFlags);
    if (err == ncclSuccess)
        err = check_range(comm, call, buff, size);
    if (err == ncclSuccess && (uintptr_t)buff % NCCL_WIN_REQUIRED_ALIGNMENT)
        err = nccl_error(ncclInvalidArgument,
                         "%s : %p is not aligned to %d bytes", call, buff,
                         NCCL_WIN_REQUIRED_ALIGNMENT);
    return err;
}

ncclResult_t pncclCommWindowRegister(ncclComm_t comm, void *buff, size_t size,
                                     ncclWindow_t *win, int winFlags)
{
    const struct window_spec spec = {.call = "ncclCommWindowRegister",
                                     .site = CALLER_SITE(),
                                     .buff = buff,
                                     .nbytes = size,
                                     .flags = winFlags};
    struct comm_buffer *b = NULL;
    group_enter();
    ncclResult_t err =
        check_window(comm, "CommWindowRegister", buff, size, win, winFlags);
    if (err == ncclSuccess)
        err = window_begin(comm, &spec, &b);
    if (win)
        *win = (ncclWindow_t)b;
    return group_leave(err);
}

ncclResult_t pncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t win)
{
    const ncclResult_t err = comm_check_ready(comm, "CommWindowDeregister");
    if (err != ncclSuccess || !win)
        return err;
    return drop(comm, "CommWindowDeregister", (struct comm_buffer *)win, 1);
}

ncclResult_t pncclWinGetUserPtr(ncclComm_t comm, ncclWindow_t win,
                                void **outUserPtr)
{
    ncclResult_t err = comm_check_ready(comm, "WinGetUserPtr");
    if (err == ncclSuccess && !outUserPtr)
        err = nccl_error(ncclInvalidArgument,
                         "WinGetUserPtr : outUserPtr argument is NULL");
    if (err != ncclSuccess)
        return err;
    const struct comm_buffer *const b = comm_window(comm, win);
    *outUserPtr = b ? b->base : NULL;
    return b ? ncclSuccess
             : nccl_error(ncclInvalidArgument,
                          "WinGetUserPtr : %p is no window of this "
                          "communicator",
                          (void *)win);
}

NCCL_ALIAS(ncclWinGetUserPtr)
NCCL_ALIAS(ncclMemAlloc)
NCCL_ALIAS(ncclMemFree)
NCCL_ALIAS(ncclCommRegister)
NCCL_ALIAS(ncclCommDeregister)
NCCL_ALIAS(ncclCommWindowRegister)
NCCL_ALIAS(ncclCommWindowDeregister)
