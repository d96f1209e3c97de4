/* curand_philox4x32_x.h: see curand_kernel.h */
#include "curand_kernel.h"
