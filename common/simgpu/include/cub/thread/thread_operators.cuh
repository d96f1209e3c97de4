/* cub/thread/thread_operators.cuh: see cub/util_type.cuh */
#include "cub/util_type.cuh"
