/*
 * execute.h: enqueueing the calls of a group
 */
#ifndef SIMGPU_NCCL_EXECUTE_H
#define SIMGPU_NCCL_EXECUTE_H

#include "nccl/call.h"

/* Enqueue a group's n calls, in order. */
void execute_calls(const struct nccl_call *calls, int n);

#endif
