/*
 * cub/cub.cuh: CUB's algorithms for blocks, warps and devices
 *
 * A block's algorithms use its shared memory and its barriers, as NVIDIA's do;
 * the block's first thread does what must be done in order. A device's
 * algorithms are kernels of simgpu/parallel.h.
 */
#ifndef SIMGPU_CUB_CUB_CUH
#define SIMGPU_CUB_CUB_CUH

#include "cub/block/block_adjacent_difference.cuh"
#include "cub/block/block_discontinuity.cuh"
#include "cub/block/block_exchange.cuh"
#include "cub/block/block_histogram.cuh"
#include "cub/block/block_load.cuh"
#include "cub/block/block_merge_sort.cuh"
#include "cub/block/block_radix_sort.cuh"
#include "cub/block/block_reduce.cuh"
#include "cub/block/block_scan.cuh"
#include "cub/block/block_shuffle.cuh"
#include "cub/block/block_store.cuh"
#include "cub/device/device_adjacent_difference.cuh"
#include "cub/device/device_copy.cuh"
#include "cub/device/device_for.cuh"
#include "cub/device/device_histogram.cuh"
#include "cub/device/device_memcpy.cuh"
#include "cub/device/device_merge.cuh"
#include "cub/device/device_merge_sort.cuh"
#include "cub/device/device_radix_sort.cuh"
#include "cub/device/device_reduce.cuh"
#include "cub/device/device_scan.cuh"
#include "cub/device/device_segmented_reduce.cuh"
#include "cub/device/device_segmented_sort.cuh"
#include "cub/device/device_select.cuh"
#include "cub/device/device_transform.cuh"
#include "cub/grid/grid_even_share.cuh"
#include "cub/grid/grid_queue.cuh"
#include "cub/thread/thread_reduce.cuh"
#include "cub/thread/thread_scan.cuh"
#include "cub/thread/thread_search.cuh"
#include "cub/thread/thread_sort.cuh"
#include "cub/util_allocator.cuh"
#include "cub/util_debug.cuh"
#include "cub/util_device.cuh"
#include "cub/util_math.cuh"
#include "cub/util_temporary_storage.cuh"
#include "cub/warp/warp_exchange.cuh"
#include "cub/warp/warp_load.cuh"
#include "cub/warp/warp_merge_sort.cuh"
#include "cub/warp/warp_reduce.cuh"
#include "cub/warp/warp_scan.cuh"
#include "cub/warp/warp_store.cuh"
#endif
