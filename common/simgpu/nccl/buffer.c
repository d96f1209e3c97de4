/*
 * buffer.c: allocating and registering memory
 *
 * On GPUs, NCCL can move data directly out of a registered buffer or a window,
 * without copying it first. On simgpu all device memory is within reach, so
 * registering changes nothing; it only enforces NCCL's rules.
 */

#include "core/device.h"
#include "core/report.h"
#include "core/site.h"
#include "nccl/comm.h"
#include "nccl/group.h"
#include "nccl/window.h"

enum { WINDOW_FLAGS = 0xf }; /* all flags of NCCL 2.32 */

ncclResult_t pncclMemAlloc(void **ptr, size_t size)
{
    NCCL_ENTER();
    if (!ptr || size == 0)
        return nccl_error(ncclInvalidArgument,
                          "MemAlloc : ptr argument is NULL, or size is 0");
    // NCCL maps multiples of this size, and windows start and end at one
    const size_t nbytes = (size + NCCL_WIN_REQUIRED_ALIGNMENT - 1) &
                          ~(size_t)(NCCL_WIN_REQUIRED_ALIGNMENT - 1);
    return simgpu_heap_alloc(simgpu_device_current(), nbytes, HEAP_ORDINARY,
                             CALLER_SITE(), ptr) == 0
               ? ncclSuccess
               : nccl_error(ncclUnhandledCudaError,
                            "MemAlloc : device %d cannot provide %zu bytes",
                            simgpu_device_current(), nbytes);
}

ncclResult_t pncclMemFree(void *ptr)
{
    NCCL_ENTER();
    return cudaFree(ptr) == cudaSuccess
               ? ncclSuccess
               : nccl_error(ncclInvalidArgument,
                            "MemFree : %s is not from ncclMemAlloc",
                            simgpu_pointer_text(ptr).text);
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
                          "%s : %s is not memory of a device", call,
                          simgpu_pointer_text(buff).text);
    if ((char *)buff + size > b.base + b.nbytes)
        return nccl_error(ncclInvalidArgument,
                          "%s : %zu bytes do not fit: buff is %s", call, size,
                          simgpu_heap_describe(buff, what, sizeof what));
    if (b.device != c->device && b.device != HEAP_PINNED)
        return nccl_error(ncclInvalidArgument,
                          "%s : %s is memory of device %d, not of the "
                          "communicator's device %d",
                          call, simgpu_pointer_text(buff).text, b.device,
                          c->device);
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
                       "comm %p register buff %s size %zu", (void *)c,
                       simgpu_pointer_text(buff).text, size);
            return ncclSuccess;
        }
    return nccl_error(ncclInvalidUsage, "%s : more than %d buffers", call,
                      COMM_REGISTERED);
}

/* Unregister the buffer of a handle that this communicator returned. */
static ncclResult_t drop(struct ncclComm *c, const char *call,
                         struct comm_buffer *b, int window)
{
    for (int i = 0; i < COMM_REGISTERED; i++)
        if (b == &c->buffer[i] && b->base && b->window == window) {
            window_discard(b);
            return ncclSuccess;
        }
    return nccl_error(ncclInvalidArgument,
                      "%s : %s was not registered with this communicator", call,
                      simgpu_pointer_text(b).text);
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
    NCCL_ENTER();
    ncclResult_t err = comm_use(comm, "CommRegister", CALLER_SITE());
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
    NCCL_ENTER();
    const ncclResult_t err = comm_use(comm, "CommDeregister", CALLER_SITE());
    if (err != ncclSuccess || !handle) // NULL: no buffer was registered
        return err;
    return drop(comm, "CommDeregister", handle, 0);
}

static ncclResult_t check_window(ncclComm_t comm, const char *call, void *buff,
                                 size_t size, const ncclWindow_t *win,
                                 int winFlags)
{
    ncclResult_t err = ncclSuccess;
    if (!win)
        err =
            nccl_error(ncclInvalidArgument, "%s : win argument is NULL", call);
    if (err == ncclSuccess && (winFlags & ~WINDOW_FLAGS))
        err = nccl_error(ncclInvalidArgument, "%s : unknown flags %#x", call,
                         (unsigned)winFlags);
    if (err == ncclSuccess)
        err = check_range(comm, call, buff, size);
    if (err == ncclSuccess && (uintptr_t)buff % NCCL_WIN_REQUIRED_ALIGNMENT)
        err = nccl_error(
            ncclInvalidArgument, "%s : %s is not aligned to %d bytes", call,
            simgpu_pointer_text(buff).text, NCCL_WIN_REQUIRED_ALIGNMENT);
    return err;
}

ncclResult_t pncclCommWindowRegister(ncclComm_t comm, void *buff, size_t size,
                                     ncclWindow_t *win, int winFlags)
{
    NCCL_ENTER();
    const struct window_spec spec = {.call = "ncclCommWindowRegister",
                                     .site = CALLER_SITE(),
                                     .buff = buff,
                                     .nbytes = size,
                                     .flags = winFlags};
    struct comm_buffer *b = NULL;
    group_enter();
    ncclResult_t err = comm_use(comm, "CommWindowRegister", spec.site);
    if (err == ncclSuccess)
        err =
            check_window(comm, "CommWindowRegister", buff, size, win, winFlags);
    if (err == ncclSuccess)
        err = window_begin(comm, &spec, &b);
    if (win)
        *win = (ncclWindow_t)b;
    return group_leave(err);
}

ncclResult_t pncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t win)
{
    NCCL_ENTER();
    const ncclResult_t err =
        comm_use(comm, "CommWindowDeregister", CALLER_SITE());
    if (err != ncclSuccess || !win)
        return err;
    return drop(comm, "CommWindowDeregister", (struct comm_buffer *)win, 1);
}

ncclResult_t pncclWinGetUserPtr(ncclComm_t comm, ncclWindow_t win,
                                void **outUserPtr)
{
    NCCL_ENTER();
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
                          "WinGetUserPtr : %s is no window of this "
                          "communicator",
                          simgpu_pointer_text(win).text);
}

NCCL_ALIAS(ncclWinGetUserPtr)
NCCL_ALIAS(ncclMemAlloc)
NCCL_ALIAS(ncclMemFree)
NCCL_ALIAS(ncclCommRegister)
NCCL_ALIAS(ncclCommDeregister)
NCCL_ALIAS(ncclCommWindowRegister)
NCCL_ALIAS(ncclCommWindowDeregister)
