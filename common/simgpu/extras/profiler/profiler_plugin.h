/*
 * profiler_plugin.h: a profiler plugin, of any version
 *
 * NCCL_PROFILER_PLUGIN gives the path or name of a library, or NAME for
 * libnccl-profiler-NAME.so. Without the variable, libnccl-profiler.so is tried;
 * "none" disables plugins. The plugin is loaded when the process's first
 * communicator is created and closed after the last one ends. Failures are
 * reported in NCCL_DEBUG lines, and the program continues without a plugin; if
 * the variable names a plugin that cannot be used, that is a warning.
 *
 * Every function may be called from any thread, as NCCL's may.
 */
#ifndef SIMGPU_NCCL_PROFILER_PLUGIN_H
#define SIMGPU_NCCL_PROFILER_PLUGIN_H

#include "extras/profiler/profiler_abi.h"

struct profiler_comm { /* what a plugin is told about a communicator */
    void *context;     /* the plugin's */
    const char *name;  /* NULL: none */
    uint64_t hash;
    int nnodes, nranks, rank;
    uint64_t ncalls[16]; /* collectives so far, by NCCL's function number */
};

struct profiler_detail { /* what only old versions tell of a collective */
    int func, datatype, algo, proto; /* NCCL's numbers */
    ncclRedOp_t op;
    size_t nbytes; /* exchanged by its ranks, as version 2 counts */
};

/* Load the plugin if necessary and announce the communicator to it. Returns 0,
 * or -1 if there is no plugin or it refuses. */
int plugin_open(struct profiler_comm *c);

/* Announce the end of a communicator for which plugin_open() returned 0. */
void plugin_close(struct profiler_comm *c);

/* The types of events that the plugin currently wants. */
int plugin_mask(void);

/*
 * Start an event. Returns NULL if the plugin doesn't want it, or if its version
 * has no such event. detail describes a collective or a message.
 */
void *plugin_start(const struct profiler_comm *c,
                   const struct profiler_event_v5 *event,
                   const struct profiler_detail *detail);

/* handle may be NULL. */
void plugin_record(void *handle, int state, uint64_t ns);
void plugin_stop(void *handle);

#endif
