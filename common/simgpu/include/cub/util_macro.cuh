/* cub/util_macro.cuh: see cub/util_type.cuh */
#include "cub/util_type.cuh"
