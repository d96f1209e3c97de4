/* Each of these calls as the first one of a process: it must start simgpu. */
#include <cuda_runtime_api.h>

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int a, b;
static size_t n, m;
static char text[64];
static void *p;
static struct cudaDeviceProp properties;
static struct cudaPointerAttributes attributes;
static enum cudaFuncCache cache;
static cudaMemPool_t pool;
static cudaGraph_t graph;

#define CALLS(X)                                                               \
    X(cudaDeviceGetLimit(&n, cudaLimitStackSize))                              \
    X(cudaMemGetInfo(&n, &m))                                                  \
    X(cudaDeviceGetCacheConfig(&cache))                                        \
    X(cudaDeviceGetStreamPriorityRange(&a, &b))                                \
    X(cudaDeviceGetPCIBusId(text, sizeof text, 0))                             \
    X(cudaDeviceGetDefaultMemPool(&pool, 0))                                   \
    X(cudaDeviceGetMemPool(&pool, 0))                                          \
    X(cudaDeviceGetAttribute(&a, cudaDevAttrWarpSize, 0))                      \
    X(cudaGetDeviceProperties(&properties, 0))                                 \
    X(cudaChooseDevice(&a, &properties))                                       \
    X(cudaGetDeviceCount(&a))                                                  \
    X(cudaGetDeviceFlags((unsigned *)&a))                                      \
    X(cudaDeviceCanAccessPeer(&a, 0, 1))                                       \
    X(cudaPointerGetAttributes(&attributes, &a))                               \
    X(cudaStreamQuery(0))                                                      \
    X(cudaStreamSynchronize(0))                                                \
    X(cudaStreamGetPriority(0, &a))                                            \
    X(cudaDeviceSynchronize())                                                 \
    X(cudaDeviceReset())                                                       \
    X(cudaFree(NULL))                                                          \
    X(cudaMallocHost(&p, 4))                                                   \
    X(cudaHostRegister(text, sizeof text, 0))                                  \
    X(cudaGraphCreate(&graph, 0))                                              \
    X(cudaPeekAtLastError())

#define COUNT(call) +1
#define TEXT(call)  #call,
#define CASE(call)                                                             \
    if (which-- == 0)                                                          \
        return call;

static cudaError_t make(int which)
{
    CALLS(CASE)
    return cudaErrorUnknown;
}

int main(void)
{
    static const char *const texts[] = {CALLS(TEXT)};
    for (int i = 0; i < 0 CALLS(COUNT); i++) {
        int status = -1;
        const pid_t child = fork();
        if (child == 0)
            _exit(make(i) != cudaSuccess);
        waitpid(child, &status, 0);
        if (status != 0)
            printf("%s: status %d\n", texts[i], status);
    }
    return 0;
}
