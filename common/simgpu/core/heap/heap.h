/*
 * heap.h: device memory
 *
 * Each process has one heap per device, and one for pinned host memory. A heap
 * is a sparse memfd as large as the device's memory, mapped twice:
 *
 *    user view   the addresses that cudaMalloc returns. It is inaccessible
 *                (PROT_NONE) to the host, as on a real GPU: a host dereference
 *                faults, and the fault handler names the allocation. A thread
 *                that runs a kernel may touch it (fault.h).
 *    raw view    the same bytes, always accessible, for simgpu's own copies,
 *                collectives and everything else that is not a student's
 *                kernel.
 *
 *    heap d:   [ block | gap | block | gap ...          ]   memfd, followed by
 *                                                           a shadow: flag.h
 *
 * The pinned heap is also accessible in its user view. Heaps have the same
 * addresses in every run, and so do pointers. Blocks are whole pages, separated
 * by a page that is never accessible. Both views show the heap only up to its
 * last block: heap_map.h.
 *
 * Peers map a heap through its owner's control page, once for both collectives
 * and imports. A heap_ref identifies bytes in a way that any process of the job
 * can resolve.
 */
#ifndef SIMGPU_CORE_HEAP_HEAP_H
#define SIMGPU_CORE_HEAP_HEAP_H

#include "core/proc.h"

enum {
    HEAP_PINNED = -1,       /* as a device: host memory, pinned */
    HEAP_SHADOW = 32,       /* bytes of shadow for each byte of a heap */
    HEAP_SHADOW_TAG = 112,  /* in a word's entry: 4 bytes that the heap uses */
    HEAP_COMMON = 16 << 20, /* bytes that all words of a heap share */
};

/* What a kernel touches in place of an allocation in a heap. */
enum heap_outside {
    HEAP_INSIDE,
    HEAP_HOST,     /* host memory: registered, or reached by page tables */
    HEAP_VARIABLE, /* a __managed__ variable */
    HEAP_OWN       /* the device's copy of a variable: resident.h */
};

enum heap_kind {
    HEAP_ORDINARY,
    HEAP_MANAGED, /* cudaMallocManaged: open to the host as well */
    HEAP_ZEROED   /* not the program's own: zeros at first */
};

struct heap_block {  /* an allocation */
    char *base;      /* user view, the program's pointer */
    size_t nbytes;   /* size that was asked for */
    int device;      /* ordinal of this node, or HEAP_PINNED */
    int32_t place;   /* place of its bytes in the graph */
    uint64_t closed; /* bit i: device i can't reach it */
    uint64_t id;     /* graph_access.alloc */
    uint32_t site;   /* where it was allocated (owner's site) */
    uint32_t freed;  /* where it was freed; 0: it wasn't, or unknown */
    char *used;      /* heap_note_used(); NULL: all of it */
    size_t used_nbytes;
    int managed;      /* it is HEAP_MANAGED */
    int pooled;       /* a memory pool's: `closed` alone decides */
    int imported;     /* belongs to a peer */
    int mapped;       /* at reserved addresses: address.h */
    int outside;      /* enum heap_outside; `id` has number 0 */
    int free_pending; /* see heap_free_pending() */
    struct proc_id owner;
};

struct heap_ref { /* bytes of any process of the job; plain data */
    struct proc_id owner;
    int32_t device;
    uint32_t block;  /* the owner's number of the allocation */
    uint64_t offset; /* in the heap */
    uint64_t nbytes; /* from offset to the end of the block */
};

/*
 * Allocate on a device (or HEAP_PINNED). Zero bytes are allowed, as in CUDA:
 * the result is success and NULL. New memory consists of zeros, as it mostly
 * does on a GPU, or with SIMGPU_FILL=poison of bytes 0xCB, so that code that
 * forgets to initialise it fails. HEAP_ZEROED memory, which the program doesn't
 * own, is always zeros. Returns 0, or ENOMEM when the device is full.
 */
int simgpu_heap_alloc(int device, size_t nbytes, enum heap_kind kind,
                      uint32_t site, void **out);

/*
 * Allocate pinned memory of one NUMA node, which is a place of the graph
 * (topo_numa_place()). No device reaches it until heap_open() has set the bits
 * of those that may, for the allocation at p.
 */
int heap_alloc_numa(int32_t place, size_t nbytes, uint32_t site, void **out);
void heap_open(void *p, uint64_t devices);

/* True if this process has ever allocated HEAP_MANAGED memory. */
int heap_has_managed(void);

/* The same of any memory that both the host and devices may access. */
int heap_has_mapped(void);

/* Free what simgpu_heap_alloc() returned, or NULL. Returns EINVAL
 * for any other pointer. */
int simgpu_heap_free(void *p);

/* Free all allocations of a device of this process. */
void heap_reset(int device);

/* Note that an enqueued operation will free p's allocation: until then it may
 * be used, but not freed again. */
void heap_free_pending(void *p);

/* True if p is in memory that was allocated and freed. */
int simgpu_heap_is_freed(const void *p);

/* Note that the call at this site is about to free p's allocation. */
void heap_note_free(const void *p, uint32_t site);

/* Note that only [p, p + nbytes) of an allocation are meant to be used. Other
 * bytes may be touched; a kernel that writes any is noted (GRAPH_PLACE). */
void heap_note_used(const void *p, size_t nbytes);

/*
 * Find the allocation that contains p, including imported ones. Returns 0 and a
 * copy, or ENOENT for host memory and for freed memory; for the latter *out
 * describes the last allocation there.
 */
int simgpu_heap_find(const void *p, struct heap_block *out);

/* Find the allocation with this id, as simgpu_heap_find() does. Takes time
 * proportional to the number of allocations. */
int heap_find_id(uint64_t id, struct heap_block *out);

/* The address at which simgpu itself accesses p. For host memory, and behind
 * the last block of a heap, where an access faults, it is p itself. */
void *simgpu_heap_raw(const void *p);

/* The entry for p's word in its heap's shadow (flag.h). NULL if p is not in a
 * heap, or if the heap's owner is gone. */
void *heap_shadow(const void *p);

/* HEAP_COMMON bytes of p's heap, initially zeros, for flag.h;
 * NULL in the same cases. */
void *heap_common(const void *p);

/* Make a reference to p for other processes. Returns ENOENT for
 * memory outside all heaps. */
int simgpu_heap_export(const void *p, struct heap_ref *out);

/* The raw view of a reference's bytes. Maps the owner's heap if necessary. */
void *simgpu_heap_raw_ref(const struct heap_ref *ref);

/*
 * Make a peer's allocation known here (cudaIpcOpenMemHandle); *out is the user
 * view of its first byte. Opens are counted. Returns ENOENT if the allocation
 * or its owner is gone. Once the owner has freed it, simgpu_heap_find() doesn't
 * find it.
 */
int simgpu_heap_import(const struct heap_ref *ref, void **out);
int simgpu_heap_unimport(void *p);

/*
 * Register host memory (cudaHostRegister): EEXIST if it is registered already,
 * ENOMEM if there are too many ranges. Unregister it: ENOENT unless p is in a
 * range, EINVAL unless p is the start of one.
 */
int heap_register(void *p, size_t nbytes);
int heap_unregister(void *p);
int simgpu_heap_registered(const void *p);

/* The start and size of the registered range that contains p, or NULL. */
const char *heap_registered_range(const void *p, size_t *nbytes);

/* Call fn for each live allocation of this process. fn must not call heap_*. */
void heap_each(void (*fn)(void *arg, const struct heap_block *b), void *arg);

/* Set the protection of an allocation's user view, and its protection key (-1:
 * none). Does nothing if the allocation has been freed since it was found. */
void heap_protect(const struct heap_block *b, int prot, int key);

/* Bytes in use on a device, and its size, for cudaMemGetInfo. */
void heap_usage(int device, size_t *used, size_t *total);

/* Describe p in a message: "16 bytes past the end of the 4096-byte allocation
 * made at lab.c:12 on device 0". Returns out. */
const char *simgpu_heap_describe(const void *p, char *out, size_t nbytes);

#endif
