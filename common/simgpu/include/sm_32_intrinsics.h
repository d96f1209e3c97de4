/* sm_32_intrinsics.h: see cuda_runtime.h */
#include "cuda_runtime.h"
