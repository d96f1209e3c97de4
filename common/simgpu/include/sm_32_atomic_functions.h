/* sm_32_atomic_functions.h: see cuda_runtime.h */
#include "cuda_runtime.h"
