/* cub/util_arch.cuh: see cub/config.cuh */
#include "cub/config.cuh"
