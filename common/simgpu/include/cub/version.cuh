/* cub/version.cuh: see cub/util_type.cuh */
#include "cub/util_type.cuh"
