/*
 * nccl_window.h: a window of NCCL, for device code and libnccl
 *
 * An ncclWindow_t points to a pointer to this struct; the pointer becomes NULL
 * when the window is deregistered. The struct is in host memory, which device
 * code can read on simgpu.
 */
#ifndef SIMGPU_NCCL_WINDOW_H
#define SIMGPU_NCCL_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct simgpu_window {
    size_t nbytes;
    int rank, nranks;          /* in the communicator */
    int lsa_first, lsa_nranks; /* its ranks on this node */
    int symmetric;             /* NCCL_WIN_COLL_SYMMETRIC */
    const char *purpose;       /* for messages: "window", "resource buffer" */
    char *multimem;            /* the node's ranks; NULL: not mapped */
    char *base[];              /* by rank: user views (core/heap/heap.h) */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The address of [offset, offset + nbytes) in a rank's part, for NCCL's device
 * functions. A mistake (an invalid window, a rank that loads and stores do not
 * reach, an offset outside) ends the run with a message that names the call.
 */
void *simgpu_nccl_pointer(const void *window, size_t offset, int rank,
                          const char *call);
/* The same for any rank, for GIN, which reaches all ranks. */
void *simgpu_nccl_remote(const void *window, size_t offset, size_t nbytes,
                         int rank, const char *call);
/* The multimem address for the node's ranks. set identifies the
 * ranks; NULL is a mistake. */
void *simgpu_nccl_multimem(const void *window, size_t offset, const void *set,
                           const char *call);
/* The window that contains p, or NULL. */
const void *simgpu_nccl_find(const void *comm, const void *p);

/* simgpu_sync_load() by a thread that does not wait for the word. The other
 * threads get a turn only after many such calls, in case the thread spins. */
uint64_t simgpu_sync_peek(const volatile void *p, unsigned nbytes, int order);

/* Copy bytes; counts as reads and writes of the running thread. */
void *simgpu_memcpy(void *to, const void *from, size_t nbytes);

/* Report the kernel's mistake in this call. */
void simgpu_nccl_fault(const char *call, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#endif
