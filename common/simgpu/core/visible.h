/*
 * visible.h: CUDA_VISIBLE_DEVICES, which selects and orders the GPUs of a
 * process
 *
 * It is a list of numbers or names ("GPU-73696d67-...", or the beginning of a
 * name that only one GPU has), separated by commas. As in CUDA, the list ends
 * before the first entry that is not a GPU of the machine, an entry that occurs
 * twice makes it empty, and an empty list leaves no GPU.
 */
#ifndef SIMGPU_CORE_VISIBLE_H
#define SIMGPU_CORE_VISIBLE_H

#include <stdint.h>

#include "base/gpu_name.h"

/*
 * Write the machine's numbers of n GPUs, starting at `first`, to place: the
 * visible ones in their order, then the others. text is the variable, or NULL
 * if it is unset. Returns the number of visible GPUs.
 */
int visible_devices(const char *text, int first, int n, int32_t *place);

/* The UUID of a GPU, given its number on the machine. */
void visible_uuid(int32_t place, unsigned char uuid[GPU_NAME_UUID]);

#endif
