/*
 * library.h: whether NVML has been initialised
 *
 * NVML here is a layer on the CUDA runtime, whose devices it describes.
 */
#ifndef SIMGPU_NVML_LIBRARY_H
#define SIMGPU_NVML_LIBRARY_H

#include <nvml.h>

/* UNINITIALIZED before nvmlInit() and after the last nvmlShutdown(). */
nvmlReturn_t library_ready(void);

/* Write text to a buffer of length bytes; INSUFFICIENT_SIZE if it is larger. */
nvmlReturn_t library_text(char *buffer, unsigned length, const char *text);

#endif
