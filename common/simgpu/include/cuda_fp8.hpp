/* cuda_fp8.hpp: see cuda_fp8.h */
#include "cuda_fp8.h"
