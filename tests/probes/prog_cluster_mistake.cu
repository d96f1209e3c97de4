/*
 * Mistakes with the shared memory of another block of a cluster, by argument:
 *
 *     ended    use it after that block has ended
 *     late     ask for it after that block has ended
 *     global   map an address that is not in shared memory
 *     rank     ask for a rank that the cluster does not have
 */
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <string.h>

namespace cg = cooperative_groups;

enum mistake { ENDED, LATE, GLOBAL, RANK };

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
__global__ void k(int *, enum mistake) {}
#else
__global__ void __cluster_dims__(2) k(int *out, enum mistake m)
{
    __shared__ int value;
    cg::cluster_group c = cg::this_cluster();
    const int *other = &value;
    value = 1;
    c.sync();
    if (m != LATE)
        other = c.map_shared_rank(m == GLOBAL ? out : &value,
                                  m == RANK ? 2 : 1 - (int)c.block_rank());
    c.barrier_arrive();
    if (c.block_rank() == 0)
        return; // before the other block has read
    c.barrier_wait();
    for (int i = 0; i < 100; i++)
        __syncthreads();
    if (m == LATE)
        other = c.map_shared_rank(&value, 0);
    *out = *other;
}
#endif

int main(int argc, char **argv)
{
    static const char *const names[] = {"ended", "late", "global", "rank"};
    int *out, m = 0;
    while (argc > 1 && m < RANK && strcmp(argv[1], names[m]) != 0)
        m++;
    if (cudaMalloc((void **)&out, sizeof *out) != cudaSuccess)
        return 1;
    k<<<2, 1>>>(out, (enum mistake)m);
    return cudaDeviceSynchronize() != cudaSuccess;
}
