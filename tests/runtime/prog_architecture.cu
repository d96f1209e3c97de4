// What depends on a GPU's compute capability, in a line: golden.txt.
// With an argument: which of several GPUs is chosen for what a program wants.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

__global__ void nothing(void) {}

static void print_occupancy(int threads, size_t shared)
{
    int n = -1;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, threads, shared);
    printf(" %d", n);
}

static void print_choice(int bus_of, int major, int minor)
{
    cudaDeviceProp want;
    int chosen = -1;
    cudaGetDeviceProperties(&want, bus_of);
    const int bus = want.pciBusID;
    memset(&want, 0, sizeof want);
    want.pciBusID = bus_of < 0 ? 0 : bus;
    want.major = major;
    want.minor = minor;
    const cudaError_t err = cudaChooseDevice(&chosen, &want);
    printf("bus of %d, %d.%d: %d %d\n", bus_of, major, minor, (int)err, chosen);
}

static int choose(void)
{
    static const int of[] = {-1, 0, 5};
    for (int i = 0; i < 3; i++) {
        print_choice(of[i], 0, 9);
        for (int major = 8; major < 13; major++)
            for (int minor = 0; minor < 3; minor++)
                print_choice(of[i], major, minor);
    }
    return 0;
}

int main(int argc, char **)
{
    static const int sizes[] = {0, 1, 129, 900, 3000, 9000, 24000};
    const cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;
    cudaDeviceProp p;
    cudaFuncAttributes a;
    size_t depth = 0;
    if (argc > 1)
        return choose();
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
