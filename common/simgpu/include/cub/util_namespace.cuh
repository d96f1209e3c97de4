/* cub/util_namespace.cuh: see cub/config.cuh */
#include "cub/config.cuh"
