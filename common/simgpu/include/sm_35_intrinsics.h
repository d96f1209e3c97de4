/* sm_35_intrinsics.h: see cuda_runtime.h */
#include "cuda_runtime.h"
