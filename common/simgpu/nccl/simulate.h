/*
 * simulate.h: ncclGroupSimulateEnd
 */
#ifndef SIMGPU_NCCL_SIMULATE_H
#define SIMGPU_NCCL_SIMULATE_H

#include "nccl/call.h"

/* The time that a group's n calls would take, in modelled microseconds. */
ncclResult_t simulate_calls(const struct nccl_call *calls, int n, float *us);

#endif
