/* cub/version.cuh: see cub/config.cuh */
#include "cub/config.cuh"
