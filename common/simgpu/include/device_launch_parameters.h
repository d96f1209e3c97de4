/*
 * device_launch_parameters.h: threadIdx and the like, which simnvcc knows
 *
 * Programs include it for their editors.
 */
#include "cuda_runtime.h"
