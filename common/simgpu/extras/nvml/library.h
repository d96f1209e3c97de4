/*
 * library.h: NVML's state
 *
 * NVML here is a layer on the CUDA runtime, whose devices it describes.
 */
#ifndef SIMGPU_NVML_LIBRARY_H
#define SIMGPU_NVML_LIBRARY_H

#include <nvml.h>

/* Returns UNINITIALIZED before nvmlInit() and after the last nvmlShutdown(). */
nvmlReturn_t library_ready(void);

/* Copy text to a buffer of length bytes. Returns
 * INSUFFICIENT_SIZE if it doesn't fit. */
nvmlReturn_t library_text(char *buffer, unsigned length, const char *text);

#endif
