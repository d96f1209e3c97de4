/* cub/grid/grid_mapping.cuh: see cub/grid/grid_even_share.cuh */
#include "cub/grid/grid_even_share.cuh"
