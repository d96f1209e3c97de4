/*
 * channels.h: formats of array elements
 */
#ifndef SIMGPU_DRIVER_CHANNELS_H
#define SIMGPU_DRIVER_CHANNELS_H

#include "cuda.h"
#include "cuda_runtime.h"

/* The channels of an array's elements, as the runtime describes them. A format
 * or number of channels that doesn't exist gives 0 bits. */
struct cudaChannelFormatDesc channels_of(CUarray_format format, unsigned n);

/* The format of each of these channels; 0 if the driver has none for them. */
CUarray_format channels_format(const struct cudaChannelFormatDesc *d);

#endif
