// What depends on a GPU's compute capability, in a line: architectures.txt.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void nothing(void) {}

static void print_occupancy(int threads, size_t shared)
{
    int n = -1;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, threads, shared);
    printf(" %d", n);
}

int main(void)
{
    static const int sizes[] = {0, 1, 129, 900, 3000, 9000, 24000};
    const cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;
    cudaDeviceProp p;
    cudaFuncAttributes a;
    size_t depth = 0;
    int domains = 0, ratio = 0;
    cudaGetDeviceProperties(&p, 0);
    cudaDeviceGetAttribute(&domains, cudaDevAttrMemSyncDomainCount, 0);
    printf("%d.%d: %d threads, %d blocks, shared %zu %zu %zu %zu", p.major,
           p.minor, p.maxThreadsPerMultiProcessor, p.maxBlocksPerMultiProcessor,
           p.sharedMemPerMultiprocessor, p.sharedMemPerBlock,
           p.sharedMemPerBlockOptin, p.reservedSharedMemPerBlock);
    cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio,
                           0);
    const int err = cudaDeviceGetLimit(&depth, cudaLimitDevRuntimeSyncDepth);
    printf(", clusters %d, domains %d, ratio %d, depth %d %zu", p.clusterLaunch,
           domains, ratio, err, depth);
    const int largest = (int)p.sharedMemPerBlockOptin;
    printf(", %d %d", cudaFuncSetAttribute(nothing, most, largest),
           cudaFuncSetAttribute(nothing, most, largest + 1));
    cudaFuncGetAttributes(&a, nothing);
    printf(", code %d %d, occupancy", a.ptxVersion, a.binaryVersion);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        print_occupancy(32, (size_t)sizes[i]);
    print_occupancy(96, 0);
    print_occupancy(1024, 0);
    puts("");
    return 0;
}
