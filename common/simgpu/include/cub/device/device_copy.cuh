/* cub/device/device_copy.cuh: see cub/device/device_memcpy.cuh */
#include "cub/device/device_memcpy.cuh"
