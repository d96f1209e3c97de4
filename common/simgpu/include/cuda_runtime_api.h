/*
 * cuda_runtime_api.h: the functions of the CUDA runtime that simgpu implements
 *
 * They follow CUDA's documentation. A program that calls a missing function
 * does not compile. handouts/simgpu.md lists the functions.
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
/* A call of a missing function must not compile as a call without prototype. */
#pragma GCC diagnostic error "-Wimplicit-function-declaration"
#endif

#include "simgpu/api_device.h"
#include "simgpu/api_graph.h"
#include "simgpu/api_kernel.h"
#include "simgpu/api_memory.h"
#include "simgpu/api_stream.h"
#if __has_include("simgpu/api_texture.h") /* extras */
#include "simgpu/api_texture.h"
#endif

#ifdef __cplusplus
}
#endif
#undef SIMGPU_DEFAULT
#endif
