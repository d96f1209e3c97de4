/*
 * profiler_plugin.h: a profiler plugin, of any version
 *
 * NCCL_PROFILER_PLUGIN names it: a library's path or name, or NAME of
 * libnccl-profiler-NAME.so; without, libnccl-profiler.so is tried, and "none"
 * means none. It is loaded when the process's first communicator is made and
 * closed with the last. Whatever goes wrong is a line of NCCL_DEBUG, and the
 * program continues without: a variable that names a plugin which cannot be
 * used is a warning.
 *
 * Every function may be called from any thread, as NCCL's are.
 */
#ifndef SIMGPU_NCCL_PROFILER_PLUGIN_H
#define SIMGPU_NCCL_PROFILER_PLUGIN_H

#include "nccl/profiler_abi.h"

struct profiler_comm { /* what a plugin hears of a communicator */
    void *context;     /* the plugin's */
    const char *name;  /* NULL: none */
    uint64_t hash;
    int nnodes, nranks, rank;
    uint64_t ncalls[16]; /* collectives so far, by NCCL's number of it */
};

struct profiler_detail { /* what only old versions are told of a collective */
    int func, datatype, algo, proto; /* by NCCL's numbers */
    ncclRedOp_t op;
    size_t nbytes; /* that its ranks exchange, as version 2 counts them */
};

/* Load the plugin if need be and tell it of the communicator: 0, or -1 if there
 * is none, or it refuses. */
int plugin_open(struct profiler_comm *c);

/* A communicator ends that plugin_open() returned 0 for. */
void plugin_close(struct profiler_comm *c);

/* The types of events that the plugin wants now. */
int plugin_mask(void);

/*
 * Start an event. NULL: the plugin doesn't want this one, or its version does
 * not know it. detail: of a collective or message.
 */
void *plugin_start(const struct profiler_comm *c,
                   const struct profiler_event_v5 *event,
                   const struct profiler_detail *detail);

/* handle may be NULL */
void plugin_record(void *handle, int state, uint64_t ns);
void plugin_stop(void *handle);

#endif
