/* cub/util_ptx.cuh: see cub/util_type.cuh */
#include "cub/util_type.cuh"
