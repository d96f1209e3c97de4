/*
 * visible.h: CUDA_VISIBLE_DEVICES, which GPUs a process sees and in what order
 *
 * A list of numbers or of names ("GPU-73696d67-...", or a beginning that only
 * one GPU has), separated by commas. As in CUDA, the list ends before the first
 * entry that is none of the machine's GPUs, an entry that comes twice makes it
 * empty, and an empty list leaves no GPU.
 */
#ifndef SIMGPU_CORE_VISIBLE_H
#define SIMGPU_CORE_VISIBLE_H

#include <stdint.h>

#include "base/gpu_name.h"

/*
 * Write the machine's numbers of n GPUs, from `first`, to place: the visible
 * ones in their order, then the others. text: the variable, NULL if it is
 * unset. Returns how many are visible.
 */
int visible_devices(const char *text, int first, int n, int32_t *place);

/* The UUID of a GPU, by the machine's number. */
void visible_uuid(int32_t place, unsigned char uuid[GPU_NAME_UUID]);

#endif
