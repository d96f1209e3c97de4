/*
 * proc.h: this process, a rank of the job
 *
 * The core is built in layers: a file calls functions of the files below it and
 * of no others. tests/layers/layers.txt lists them, with this file at the
 * bottom. One call goes up: simgpu_proc() calls core_start() when it is first
 * used.
 *
 * Names: libnccl, libcuda and libcublas call the core, which is in libcudart. A
 * student's program may well define a function called heap_alloc, and the
 * dynamic linker would then give ours to it. So functions that cross from one
 * library to another begin with simgpu_; all others stay local to their library
 * (libcudart.map).
 */
#ifndef SIMGPU_CORE_PROC_H
#define SIMGPU_CORE_PROC_H

#include <stdint.h>

#include "graph/record/record.h"
#include "topo/topo.h"

enum {
    PROC_MAX_DEVICES = 64,
    PROC_EXIT_FAULT = 70, /* status of a run that a fault ended: EX_SOFTWARE */
};

struct proc_id { /* names a process's control page; plain data */
    int32_t pid;
    int32_t fd;
    uint64_t nonce; /* guards against a reused PID */
};

struct proc {
    struct proc_id id;
    uint32_t rank, nranks; /* from the launcher (PMI_RANK), 0 of 1 without */
    int node, local_rank;  /* on the modelled machine */
    struct topo *topo;     /* SIMGPU_TOPO, default dgx-h100 */
    const struct topo_costs *costs;
    struct graph_segment *graph;
    int ndevices; /* GPUs of its node that it sees: visible.h */
    int32_t place[PROC_MAX_DEVICES]; /* the machine's numbers of all GPUs of its
                                        node, visible ones first */
};

/*
 * This process, started by the first call (thread-safe). A bad SIMGPU_* value
 * is reported on standard error and ends the process with status 70: silently
 * running on another machine would be worse.
 */
const struct proc *simgpu_proc(void);

/* True once simgpu_proc() has been called. */
int simgpu_proc_started(void);

/* The machine's number of this process's device, or the host's for -1: a place
 * of the graph. */
int32_t simgpu_proc_place(int device);

/* The GPU that this process's device is. */
const struct topo_gpu *simgpu_proc_gpu(int device);

/* True if a device has units for this arithmetic. */
int simgpu_proc_computes(int device, enum topo_math math);

/* Open a file of another process by its descriptor there: mode O_RDONLY or
 * O_RDWR. Returns a descriptor, or -1 with errno. */
int simgpu_proc_open(int pid, int fd, int mode);

#endif
