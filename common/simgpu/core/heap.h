/*
 * heap.h: device memory
 *
 * Each process has one heap per device, and one for pinned host memory. A heap
 * is a sparse memfd as large as the device's memory, mapped twice:
 *
 *   user view   what cudaMalloc returns. Inaccessible (PROT_NONE) to the host,
 *               as on a real GPU: a host dereference faults, and the fault
 *               handler names the allocation. A thread that runs a kernel
 *               (heap_kernel_enter) may touch it: its first touch opens the
 *               allocation, until the last such kernel has left.
 *   raw view    the same bytes, always accessible, for simgpu's own copies,
 *               collectives and everything else that isn't a student's kernel.
 *
 *   heap d:   [ block | gap | block | gap ...          ]   memfd, and behind
 *                                                          it a shadow: flag.h
 *   user:     U_d + offset      raw: U_d + HEAP_RAW + offset
 *
 * The pinned heap is accessible in its user view too. Heaps lie at the same
 * addresses in every run, so runs are alike to the last pointer. Blocks are
 * whole pages with a page between them that is never accessible.
 *
 * Peers map a heap through its owner's control page. A heap_ref names bytes
 * in a way that any process of the job can resolve.
 */
#ifndef SIMGPU_CORE_HEAP_H
#define SIMGPU_CORE_HEAP_H

#include "core/proc.h"

enum { HEAP_PINNED = -1 }; /* as a device: host memory, pinned */

struct heap_block { /* an allocation */
    char *base;     /* user view, as the program knows it */
    size_t nbytes;  /* as asked for */
    int device;     /* ordinal of this node, or HEAP_PINNED */
    uint64_t id;    /* graph_access.alloc */
    uint32_t site;  /* where it was allocated (owner's site) */
    int managed;    /* cudaMallocManaged: open to the host as well */
    int imported;   /* belongs to a peer */
    int condemned;  /* see heap_condemn() */
    struct proc_id owner;
};

struct heap_ref { /* bytes anywhere in the job; plain data */
    struct proc_id owner;
    int32_t device;
    uint32_t block;  /* owner's number of the allocation */
    uint64_t offset; /* in the heap */
    uint64_t nbytes; /* from offset to the end of the block */
};

/*
 * Allocate on a device (or HEAP_PINNED), zero bytes included (as CUDA: success
 * and NULL). New memory is filled with 0xCB so that code which forgets to
 * initialise fails. Returns 0, or ENOMEM when the device is full.
 */
int heap_alloc(int device, size_t nbytes, int managed, uint32_t site,
               void **out);

/* Free by the pointer alloc gave. EINVAL if it isn't one. NULL is allowed. */
int heap_free(void *p);

/* Free all allocations of a device of this process. */
void heap_reset(int device);

/* p's allocation will be freed by an operation that is under way: it may be used
 * until then, but not freed again. */
void heap_condemn(void *p);

/*
 * Which allocation holds p, imported ones too? Returns 0 and a copy, or ENOENT
 * (ordinary host memory, or freed: then *out names what was there, if it did).
 */
int heap_find(const void *p, struct heap_block *out);

/* The address at which simgpu itself may touch p; p itself for host memory. */
void *heap_raw(const void *p);

/* The entry of p's word in its heap's shadow (flag.h); NULL for memory that is
 * not in a heap. */
void *heap_shadow(const void *p);

/* Name p for other processes. ENOENT for memory that is not in a heap. */
int heap_export(const void *p, struct heap_ref *out);

/* The raw view of a ref's bytes, mapping the owner's heap if needed. */
void *heap_raw_ref(const struct heap_ref *ref);

/*
 * Make a peer's allocation known here (cudaIpcOpenMemHandle): returns the user
 * view of its first byte. Opens are counted. Errors: ENOENT (gone, or freed).
 * Once its owner has freed it, it can't be found here any more.
 */
int heap_import(const struct heap_ref *ref, void **out);
int heap_unimport(void *p);

/*
 * Host memory that a program made known (cudaHostRegister): EEXIST if it is known
 * already, ENOMEM if there are too many ranges; ENOENT if p begins none.
 */
int heap_register(void *p, size_t nbytes);
int heap_unregister(void *p);
int heap_registered(const void *p);

/* fn for each allocation of this process that lives. It must not call back. */
void heap_each(void (*fn)(void *arg, const struct heap_block *b), void *arg);

/* Bytes in use and in all on a device, for cudaMemGetInfo. */
void heap_usage(int device, size_t *used, size_t *total);

/*
 * The calling thread runs a kernel on `device` from enter to leave. A touch
 * outside any allocation ends the run with a report that names the kernel,
 * the address, and the nearest allocation.
 */
void heap_kernel_enter(const char *kernel, int device);
void heap_kernel_leave(void);

/* Say what p is in a message: "16 bytes past the end of the 4096-byte
 * allocation made at lab.c:12 on device 0". Returns out. */
const char *heap_describe(const void *p, char *out, size_t nbytes);

#endif
