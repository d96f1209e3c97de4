/*
 * cuda_runtime_api.h: the functions of the CUDA runtime that simgpu implements
 *
 * They follow CUDA's documentation. A program that calls a function that is
 * missing here does not compile: handouts/simgpu.md lists what is there.
 */
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#include "cuda_device_runtime_api.h"
#include "driver_types.h"
#include "surface_types.h"
#include "texture_types.h"

#define CUDART_VERSION       13000
#define __CUDART_API_VERSION CUDART_VERSION
#ifdef __cplusplus
#define SIMGPU_DEFAULT(value) = value
extern "C" {
#else
#define SIMGPU_DEFAULT(value)
/* A function that is missing here must not become a call without prototype. */
#pragma GCC diagnostic error "-Wimplicit-function-declaration"
#endif

#include "simgpu/api_device.h"
#include "simgpu/api_graph.h"
#include "simgpu/api_kernel.h"
#include "simgpu/api_memory.h"
#include "simgpu/api_stream.h"
#include "simgpu/api_texture.h"

#ifdef __cplusplus
}
#endif
#undef SIMGPU_DEFAULT
#endif
