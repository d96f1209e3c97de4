/*
 * nccl_window.h: a window of NCCL, as device code and libnccl see it
 *
 * An ncclWindow_t points to a pointer to this, which is NULL once the window is
 * deregistered. It is host memory, which here device code may read.
 */
#ifndef SIMGPU_NCCL_WINDOW_H
#define SIMGPU_NCCL_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct simgpu_window {
    size_t nbytes;
    int rank, nranks;          /* of the communicator */
    int lsa_first, lsa_nranks; /* its ranks on this node */
    int symmetric;             /* NCCL_WIN_COLL_SYMMETRIC */
    const char *purpose;       /* for messages: "window", "resource buffer" */
    char *multimem;            /* of the node's ranks; NULL: not mapped */
    char *base[];              /* of each rank: user views (core/heap.h) */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The address of [offset, offset + nbytes) of a rank's part, NCCL's device
 * functions: a mistake (no window, a rank that loads and stores do not reach,
 * an offset outside) ends the run with a message that names the call.
 */
void *simgpu_nccl_pointer(const void *window, size_t offset, int rank,
                          const char *call);
/* The same by any rank, for GIN, which reaches all. */
void *simgpu_nccl_remote(const void *window, size_t offset, size_t nbytes,
                         int rank, const char *call);
/* The multimem address of the node's ranks. set: whose, NULL is a mistake. */
void *simgpu_nccl_multimem(const void *window, size_t offset, const void *set,
                           const char *call);
/* The window that holds p, NULL if there is none. */
const void *simgpu_nccl_find(const void *comm, const void *p);

/* simgpu_sync_load() by a thread that does not wait for the word: the others
 * get a turn only after many of these, lest the thread spin. */
uint64_t simgpu_sync_peek(const volatile void *p, unsigned nbytes, int order);

/* A copy by the running thread, which counts as its reads and writes. */
void *simgpu_memcpy(void *to, const void *from, size_t nbytes);

/* The kernel made a mistake in this call. */
void simgpu_nccl_fault(const char *call, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#endif
