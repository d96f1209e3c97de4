/* device_double_functions.h: see cuda_runtime.h */
#include "cuda_runtime.h"
