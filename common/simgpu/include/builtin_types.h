/*
 * builtin_types.h: all types of the runtime
 */
#ifndef SIMGPU_BUILTIN_TYPES_H
#define SIMGPU_BUILTIN_TYPES_H

#include "device_types.h"
#include "driver_types.h"
#include "surface_types.h"
#include "texture_types.h"
#include "vector_types.h"

#endif
