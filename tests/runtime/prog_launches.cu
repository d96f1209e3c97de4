// What launches, functions, symbols and textures return: values.txt.
#include "say.h"

static __device__ int counter[4];
static __constant__ float factor;

__global__ void take(char a, double b, short c, int e, char3 f)
{
    counter[0] += a + (int)b + c + e + f.x;
}

__global__ void count(void)
{
    atomicAdd(&counter[blockIdx.x % 4], 1);
}

__global__ void __launch_bounds__(64) small(void)
{
    atomicAdd(&counter[1], 1);
}

static void no_kernel(void) {}

#define F(kernel) ((const void *)(kernel))

static void show(void)
{
    int back[4];
    SAY(cudaMemcpyFromSymbol(back, counter, sizeof back));
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
}

static void symbols(void)
{
    int h[4] = {1, 2, 3, 4}, none = 0;
    void *at = NULL;
    size_t n = 0;
    const enum cudaMemcpyKind in = cudaMemcpyHostToDevice;
    const enum cudaMemcpyKind out = cudaMemcpyDeviceToHost;
    SAY(cudaGetSymbolAddress(&at, (const void *)NULL));
    SAY(cudaGetSymbolAddress(&at, counter));
    IS(at != NULL);
    SAY(cudaGetSymbolSize(&n, (const void *)&none));
    SAY(cudaGetSymbolSize(&n, (const void *)counter));
    IS(n);
    SAY(cudaGetSymbolSize(&n, (const void *)&factor));
    IS(n);
    SAY(cudaMemcpyToSymbol(counter, h, 16, 0, in));
    SAY(cudaMemcpyToSymbol(counter, h, 4, 12, in));
    SAY(cudaMemcpyToSymbol(counter, h, 8, 12, in));
    SAY(cudaMemcpyToSymbol(counter, h, 4, 0, out));
    SAY(cudaMemcpyToSymbol(counter, h, 4, 0, cudaMemcpyHostToHost));
    SAY(cudaMemcpyToSymbol((const void *)NULL, h, 4, 0, in));
    SAY(cudaMemcpyToSymbolAsync(counter, h + 2, 4, 4, in, 0));
    SAY(cudaMemcpyToSymbolAsync(counter, h, 4, 0, out, 0));
    show();
    SAY(cudaMemcpyFromSymbol(h, counter, 4, 0, in));
    SAY(cudaMemcpyFromSymbol(h, counter, 4, 0, cudaMemcpyHostToHost));
    SAY(cudaMemcpyFromSymbolAsync(h, counter, 8, 8, out, 0));
    SAY(cudaMemcpyFromSymbolAsync(h, counter, 8, 8, in, 0));
    SAY(cudaMemcpyFromSymbol(at, counter, 4, 4, cudaMemcpyDeviceToDevice));
    SAY(cudaMemset((int *)at + 3, 0, 4));
    SAY(cudaDeviceSynchronize());
    IS(h[0]);
    IS(h[1]);
    show();
    SAY(cudaMemcpy(at, h, 4, in));
    SAY(cudaMemcpy(h + 1, at, 4, out));
    IS(h[1]);
    SAY(cudaGetSymbolAddress(NULL, counter));
    SAY(cudaGetSymbolSize(NULL, counter));
    SAY(cudaGetSymbolSize(NULL, (const void *)counter));
}

static cudaError_t run(const void *f, dim3 grid, dim3 block, size_t shared)
{
    return cudaLaunchKernel(f, grid, block, NULL, shared, 0);
}

static void shapes(void)
{
    static int no_stream;
    int *const counter = &no_stream; // not the device's variable
    SAY(run(F(count), dim3(1), dim3(1), 0));
    SAY(run(F(count), dim3(0), dim3(1), 0));
    SAY(run(F(count), dim3(1, 0), dim3(1), 0));
    SAY(run(F(count), dim3(1, 1, 0), dim3(1), 0));
    SAY(run(F(count), dim3(1), dim3(0), 0));
    SAY(run(F(count), dim3(1), dim3(1, 0), 0));
    SAY(run(F(count), dim3(1), dim3(1, 1, 0), 0));
    SAY(run(F(count), dim3(1), dim3(1024), 0));
    SAY(run(F(count), dim3(1), dim3(1025), 0));
    SAY(run(F(count), dim3(1), dim3(32, 32), 0));
    SAY(run(F(count), dim3(1), dim3(32, 33), 0));
    SAY(run(F(count), dim3(1), dim3(1, 1, 64), 0));
    SAY(run(F(count), dim3(1), dim3(1, 1, 65), 0));
    SAY(run(F(count), dim3(0x80000000), dim3(1), 0));
    SAY(run(F(count), dim3(1, 65536), dim3(1), 0));
    SAY(run(F(count), dim3(1, 1, 65536), dim3(1), 0));
    SAY(run(F(small), dim3(1), dim3(64), 0));
    SAY(run(F(small), dim3(1), dim3(65), 0));
    SAY(run(F(small), dim3(1), dim3(8, 4, 2), 0));
    SAY(run(F(count), dim3(1), dim3(1), 49152));
    SAY(run(F(count), dim3(1), dim3(1), 49153));
    SAY(cudaLaunchKernel(F(count), dim3(1), dim3(1), NULL, 0,
                         (cudaStream_t)counter));
    SAY(cudaLaunchCooperativeKernel(F(count), dim3(132), dim3(1024), NULL, 0,
                                    0));
    SAY(cudaLaunchCooperativeKernel(F(count), dim3(264), dim3(1024), NULL, 0,
                                    0));
    SAY(cudaLaunchCooperativeKernel(F(count), dim3(265), dim3(1024), NULL, 0,
                                    0));
    SAY(cudaLaunchCooperativeKernel(F(count), dim3(0), dim3(1024), NULL, 0, 0));
    SAY(cudaGetLastError());
    SAY(run(F(no_kernel), dim3(1), dim3(1), 0));
    SAY(cudaGetLastError());
    cudaFuncAttributes of;
    int n = 0;
    cudaKernel_t k;
    cudaFunction_t f;
    SAY(cudaFuncGetAttributes(&of, F(no_kernel)));
    SAY(cudaFuncGetAttributes(&of, NULL));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, F(no_kernel), 1, 0));
    SAY(cudaGetKernel(&k, F(no_kernel)));
    SAY(cudaGetFuncBySymbol(&f, F(no_kernel)));
    SAY(run(NULL, dim3(1), dim3(1), 0));
    SAY(cudaGetLastError());
    count<<<0, 1>>>();
    SAY(cudaGetLastError());
    count<<<1, 1025>>>();
    SAY(cudaGetLastError());
    count<<<1, 1, 49153>>>();
    SAY(cudaGetLastError());
    SAY(cudaDeviceSynchronize());
    show();
}

static cudaError_t clusters(unsigned grid, dim3 size, int cooperative)
{
    cudaLaunchAttribute a[2] = {};
    cudaLaunchConfig_t c = {};
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = size.x;
    a[0].val.clusterDim.y = size.y;
    a[0].val.clusterDim.z = size.z;
    a[1].id = cudaLaunchAttributeCooperative;
    a[1].val.cooperative = cooperative;
    c.gridDim = dim3(grid, 4, 4);
    c.blockDim = dim3(32);
    c.attrs = a;
    c.numAttrs = 2;
    return cudaLaunchKernelExC(&c, F(count), NULL);
}

static void extended(void)
{
    cudaLaunchConfig_t c = {};
    c.gridDim = c.blockDim = dim3(2);
    SAY(cudaLaunchKernelExC(&c, F(count), NULL));
    c.numAttrs = 1;
    SAY(cudaLaunchKernelExC(&c, F(count), NULL));
    SAY(clusters(4, dim3(2, 1, 1), 0));
    SAY(clusters(4, dim3(4, 4, 1), 0));
    SAY(clusters(4, dim3(4, 4, 2), 0));
    SAY(clusters(4, dim3(0, 1, 1), 0));
    SAY(clusters(5, dim3(2, 1, 1), 0));
    SAY(clusters(4, dim3(1, 3, 1), 0));
    SAY(clusters(4, dim3(1, 1, 3), 0));
    SAY(clusters(4, dim3(1, 1, 1), 1));
    SAY(clusters(530, dim3(1, 1, 1), 1));
    SAY(cudaDeviceSynchronize());
    show();
    SAY(cudaLaunchKernelExC(NULL, F(count), NULL));
}

static void print_function(const void *f)
{
    struct cudaFuncAttributes a;
    SAY(cudaFuncGetAttributes(&a, f));
    printf("%d %d %d %d %d %d\n", a.maxThreadsPerBlock, a.numRegs, a.ptxVersion,
           a.binaryVersion, a.maxDynamicSharedSizeBytes,
           a.preferredShmemCarveout);
    printf("%zu %zu %zu %d: %d %d %d %d %d %d\n", a.sharedSizeBytes,
           a.constSizeBytes, a.localSizeBytes, a.cacheModeCA,
           a.clusterDimMustBeSet, a.requiredClusterWidth,
           a.requiredClusterHeight, a.requiredClusterDepth,
           a.clusterSchedulingPolicyPreference,
           a.nonPortableClusterSizeAllowed);
}

static void functions(void)
{
    int ndevices = 0;
    static const int values[] = {-2, -1, 0, 1, 100, 101, 232448, 232449};
    cudaGetDeviceCount(&ndevices);
    print_function(F(count));
    print_function(F(small));
    SAY(cudaFuncGetAttributes(NULL, F(count)));
    for (int attr = 7; attr <= 17; attr++)
        for (int i = 0; i < 8; i++) {
            const cudaFuncAttribute a = (cudaFuncAttribute)attr;
            const cudaError_t err =
                cudaFuncSetAttribute(F(count), a, values[i]);
            printf("%d=%d: %d\n", attr, values[i], (int)err);
        }
    for (int attr = 8; attr <= 15; attr++)
        cudaFuncSetAttribute(F(count), (cudaFuncAttribute)attr, attr * 3);
    print_function(F(count));
    print_function(F(small));
    SAY(run(F(count), dim3(1), dim3(1), 24));
    SAY(run(F(count), dim3(1), dim3(1), 25));
    cudaKernel_t k = NULL;
    cudaGetKernel(&k, F(small));
    const cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;
    SAY(cudaKernelSetAttributeForDevice(NULL, most, 9, 0));
    SAY(cudaKernelSetAttributeForDevice((cudaKernel_t)F(small), most, 9, 0));
    SAY(cudaKernelSetAttributeForDevice(k, most, 9, 8));
    SAY(cudaKernelSetAttributeForDevice(k, most, 9, -1));
    SAY(cudaKernelSetAttributeForDevice(k, most, 9, ndevices - 1));
    print_function(F(small));
    SAY(cudaFuncSetCacheConfig(F(small), (cudaFuncCache)-1));
    SAY(cudaFuncSetCacheConfig(F(small), (cudaFuncCache)4));
    SAY(cudaFuncSetCacheConfig(F(small), cudaFuncCachePreferEqual));
}

static void parameters(void)
{
    size_t at = 99, n = 99;
    const char *name = NULL;
    cudaKernel_t k = NULL;
    cudaFunction_t f = NULL;
    for (size_t i = 0; i <= 5; i++) {
        SAY(cudaFuncGetParamInfo(F(take), i, &at, &n));
        printf("%zu %zu\n", at, n);
    }
    SAY(cudaFuncGetParamInfo(F(take), 0, NULL, &n));
    SAY(cudaFuncGetParamInfo(F(take), 1, &at, NULL));
    IS(at);
    SAY(cudaFuncGetParamInfo(F(count), 0, &at, &n));
    SAY(cudaFuncGetName(NULL, F(count)));
    SAY(cudaFuncGetName(&name, F(count)));
    puts(name ? name : "no name");
    SAY(cudaGetKernel(NULL, F(count)));
    SAY(cudaGetKernel(&k, F(count)));
    IS(k != NULL && k != F(count));
    SAY(cudaFuncGetName(&name, (const void *)k));
    SAY(run((const void *)k, dim3(1), dim3(1), 0));
    SAY(cudaGetFuncBySymbol(NULL, F(count)));
    SAY(cudaGetFuncBySymbol(&f, F(count)));
    IS(f != NULL && f != F(count));
}

static void occupancy(void)
{
    static const int sizes[] = {-1, 0, 1, 32, 33, 64, 96, 1023, 1024, 1025};
    static const size_t shared[] = {0,     1,     128,   1024,
                                    20000, 49152, 49153, 232448};
    int n;
    size_t nbytes = 0;
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 8; k++) {
            n = 99;
            const cudaError_t err =
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                    &n, F(count), sizes[i], shared[k]);
            printf("%d %zu: %d %d\n", sizes[i], shared[k], (int)err, n);
        }
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, F(count), 32, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, F(small), 65, 0));
    IS(n);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, F(small), 64,
                                                               0, 1));
    IS(n);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, F(small), 64,
                                                               0, 2));
    for (int blocks = 0; blocks <= 3; blocks++) {
        SAY(cudaOccupancyAvailableDynamicSMemPerBlock(&nbytes, F(count), blocks,
                                                      1024));
        IS(nbytes);
    }
    SAY(cudaOccupancyAvailableDynamicSMemPerBlock(&nbytes, F(count), 1, 0));
    SAY(cudaFuncSetAttribute(
        F(count), cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, F(count), 32,
                                                      232448));
    IS(n);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, F(count), 32,
                                                      115712));
    IS(n);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, F(count), 32,
                                                      115713));
    IS(n);
    SAY(cudaOccupancyAvailableDynamicSMemPerBlock(NULL, F(count), 1, 32));
}

static void cluster_occupancy(void)
{
    cudaLaunchAttribute a[1] = {};
    cudaLaunchConfig_t c = {};
    int n = 99;
    c.gridDim = dim3(16);
    c.blockDim = dim3(16, 4, 2);
    SAY(cudaOccupancyMaxPotentialClusterSize(NULL, F(count), &c));
    SAY(cudaOccupancyMaxPotentialClusterSize(&n, F(count), &c));
    IS(n);
    SAY(cudaFuncSetAttribute(
        F(count), cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    SAY(cudaOccupancyMaxPotentialClusterSize(&n, F(count), &c));
    IS(n);
    SAY(cudaOccupancyMaxActiveClusters(NULL, F(count), &c));
    SAY(cudaOccupancyMaxActiveClusters(&n, F(count), &c));
    IS(n);
    a[0].id = cudaLaunchAttributeClusterDimension;
    c.attrs = a;
    c.numAttrs = 1;
    for (unsigned x = 0; x <= 3; x++) {
        a[0].val.clusterDim.x = x;
        a[0].val.clusterDim.y = 2;
        a[0].val.clusterDim.z = x == 3 ? 3 : 2;
        SAY(cudaOccupancyMaxActiveClusters(&n, F(count), &c));
        IS(n);
    }
    a[0].val.clusterDim.x = 16;
    a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    c.dynamicSmemBytes = 20000;
    SAY(cudaOccupancyMaxActiveClusters(&n, F(count), &c));
    IS(n);
    c.blockDim = dim3(1025);
    SAY(cudaOccupancyMaxActiveClusters(&n, F(count), &c));
    IS(n);
    SAY(cudaOccupancyMaxPotentialClusterSize(&n, F(count), NULL));
    SAY(cudaOccupancyMaxActiveClusters(&n, F(count), NULL));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"symbols", symbols},
                 {"shapes", shapes},
                 {"extended", extended},
                 {"functions", functions},
                 {"parameters", parameters},
                 {"occupancy", occupancy},
                 {"cluster_occupancy", cluster_occupancy}};
    cudaFree(NULL);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    cudaDeviceSynchronize(); // or the last kernels may end unrecorded
    return 0;
}
