/* curand_globals.h: see curand_kernel.h */
#include "curand_kernel.h"
