/* device_segmented_radix_sort.cuh: see cub/device/device_segmented_sort.cuh */
#include "cub/device/device_segmented_sort.cuh"
