/*
 * host_function.h: functions of the program that run in stream order
 */
#ifndef SIMGPU_CUDART_HOST_FUNCTION_H
#define SIMGPU_CUDART_HOST_FUNCTION_H

#include "cudart/api.h"

void host_function_enqueue(struct stream *s, cudaHostFn_t fn, void *data,
                           const char *name, uint32_t site);

#endif
