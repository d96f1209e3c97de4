/* host_config.h: see cuda_runtime.h */
#include "cuda_runtime.h"
