/* cub/device/device_partition.cuh: see cub/device/device_select.cuh */
#include "cub/device/device_select.cuh"
