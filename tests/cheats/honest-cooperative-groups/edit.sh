# Cooperative groups in a kernel.
sed -i 's|^static __device__ int hash_owner|namespace cg = cooperative_groups;\n\n&|; s|^#include "device.cuh"|&\n\n#include <cooperative_groups.h>|' hashmap.cu
sed -i '/^__global__ void find_all/,/^}/{s|^    const size_t step = .*|    const cg::grid_group grid = cg::this_grid();\n    const cg::thread_block block = cg::this_thread_block();\n    const size_t step = (size_t)gridDim.x * block.size();\n    if (grid.thread_rank() > (1ull << 40))\n        return;|;s|threadIdx.x; i < n|block.thread_rank(); i < n|}' hashmap.cu
