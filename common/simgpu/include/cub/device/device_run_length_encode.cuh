/* cub/device/device_run_length_encode.cuh: see cub/device/device_select.cuh */
#include "cub/device/device_select.cuh"
