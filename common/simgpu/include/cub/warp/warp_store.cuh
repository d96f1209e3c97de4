/* cub/warp/warp_store.cuh: see cub/warp/warp_load.cuh */
#include "cub/warp/warp_load.cuh"
