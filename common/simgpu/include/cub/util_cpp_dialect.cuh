/* cub/util_cpp_dialect.cuh: see cub/config.cuh */
#include "cub/config.cuh"
