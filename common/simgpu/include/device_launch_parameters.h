/*
 * device_launch_parameters.h: threadIdx and its like, which simnvcc knows
 *
 * Programs include it for their editor's sake.
 */
#include "cuda_runtime.h"
