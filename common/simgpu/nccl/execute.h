/*
 * execute.h: enqueueing the calls of a group
 */
#ifndef SIMGPU_NCCL_EXECUTE_H
#define SIMGPU_NCCL_EXECUTE_H

#include "nccl/call.h"

/* Enqueue a group's n calls, in order. */
void execute_calls(const struct nccl_call *calls, int n);

/* Record the events of configured collectives, each before its launch. */
ncclResult_t execute_events(const struct nccl_call *calls, int n);

/* The bytes that a call reads and writes. Returns how many entries it fills. */
enum { EXECUTE_ACCESSES = 2 };
int execute_accesses(const struct nccl_call *c,
                     struct graph_access access[EXECUTE_ACCESSES]);

#endif
