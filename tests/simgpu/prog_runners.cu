// Blocks that wait for later blocks get a thread each, launch after launch.
// Prints by how many KiB 200 launches have made this process larger.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { BLOCKS = 64, LAUNCHES = 200 };

__device__ volatile int flag;

__global__ void wait_for_the_last(int launch)
{
    if (blockIdx.x == gridDim.x - 1)
        flag = launch;
    else
        while (flag != launch)
            ;
}

// A size of this process in KiB: "VmSize:", "VmRSS:".
static long size_of(const char *name)
{
    char line[256];
    long kib = -1;
    FILE *const f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0)
            sscanf(line + strlen(name), "%ld", &kib);
    if (f)
        fclose(f);
    return kib;
}

static void launch(int first, int n)
{
    for (int i = 0; i < n; i++)
        wait_for_the_last<<<BLOCKS, 1>>>(first + i);
    cudaDeviceSynchronize();
}

int main()
{
    launch(1, 20);
    const long size = size_of("VmSize:"), resident = size_of("VmRSS:");
    launch(21, LAUNCHES);
    printf("%ld KiB, %ld KiB resident\n", size_of("VmSize:") - size,
           size_of("VmRSS:") - resident);
    return cudaGetLastError() != cudaSuccess;
}
