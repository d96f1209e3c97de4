/* curand_discrete.h: see curand_kernel.h */
#include "curand_kernel.h"
