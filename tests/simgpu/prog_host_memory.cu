// Kernels that touch memory of the host, or of a device where they may not, as
// named on the command line. test_host_memory checks what is reported, and that
// the rest runs.
#include <cuda_runtime.h>

#include <sys/mman.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thread>

static int of_host[4] = {1, 2, 3, 4};

__global__ void add(const int *from, int *to)
{
    *to = from[1] + 1;
}

__global__ void store(int *to)
{
    to[threadIdx.x] = 7;
}

__global__ void grow(int *to)
{
    atomicAdd(to, 1);
}

__global__ void copy(void *to, const void *from, size_t nbytes)
{
    memcpy(to, from, nbytes);
}

__global__ void clear(void *to, size_t nbytes)
{
    memset(to, 0, nbytes);
}

__global__ void sum(const int *from, int n, int *to)
{
    int all = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        all += from[i];
    atomicAdd(to, all);
}

__global__ void wide(const float4 *from, float4 *to)
{
    *to = *from;
}

__global__ void spin(volatile int *flag)
{
    while (*flag == 0)
        ;
}

__device__ int *kept;

__global__ void keep()
{
    int local[4] = {1, 2, 3, 4}, *volatile p = local;
    kept = p;
    local[threadIdx.x] = 5;
}
__global__ void keep_parameter(int n)
{
    int *volatile p = &n;
    kept = p;
}
__global__ void use_kept(int *to)
{
    *to = kept[0];
}
__global__ void use_other_threads(int *to)
{
    __shared__ int *first;
    int local[2] = {int(threadIdx.x), 0};
    if (threadIdx.x == 0)
        first = local;
    __syncthreads();
    to[threadIdx.x] = *first;
    __syncthreads();
}

/* A local variable by way of a pointer is its own thread's to use. */
__device__ void add_to(int *sum, int n)
{
    int *volatile p = sum;
    *p += n;
}
__global__ void use_own(int *to)
{
    int sums[4] = {};
    for (int i = 0; i < 8; i++) {
        add_to(&sums[i % 4], i);
        __syncthreads();
    }
    to[threadIdx.x] = sums[threadIdx.x % 4] + 1;
}

struct object {
    int value;
    int *out;
    void run()
    {
        // the lambda takes a copy of `this`, which points to the host
        launch([=] __device__() { *out = value; });
    }
    template <class F> static void launch(F f);
};

template <class F> __global__ void call(F f)
{
    f();
}

template <class F> void object::launch(F f)
{
    call<<<1, 1>>>(f);
}

/* The modelled time of a kernel that reads the array, in microseconds. */
static double time_of(const int *from, int n, int *to)
{
    cudaEvent_t begin, end;
    float ms = 0;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    sum<<<1, 256>>>(from, n, to);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    return 1e3 * ms;
}

static void compare_times(const int *heap, int *to)
{
    const int n = 1 << 20;
    int *pinned, *own;
    cudaMallocHost(&pinned, n * sizeof *pinned);
    cudaMalloc(&own, n * sizeof *own);
    cudaMemset(own, 0, n * sizeof *own);
    cudaMemset(to, 0, sizeof *to);
    memset(pinned, 0, n * sizeof *pinned);
    printf("pageable %g pinned %g own %g us\n", time_of(heap, n, to),
           time_of(pinned, n, to), time_of(own, n, to));
}

/* Memory that no kernel of device 0 may touch. */
static void touch_device(const char *what, int *d)
{
    int *other = NULL, *freed;
    cudaSetDevice(1);
    cudaMalloc(&other, 256);
    cudaSetDevice(0);
    if (strcmp(what, "past-the-end") == 0)
        store<<<2, 32>>>(d + 1000);
    if (strcmp(what, "across-the-end") == 0)
        copy<<<1, 1>>>(other, (char *)d + 4088, 16);
    if (strcmp(what, "freed") == 0) {
        cudaMalloc(&freed, 512);
        cudaFree(freed);
        store<<<1, 1>>>(freed);
    }
    if (strcmp(what, "null") == 0)
        store<<<1, 1>>>(NULL);
    if (strcmp(what, "peer") == 0)
        store<<<1, 1>>>(other);
    if (strcmp(what, "peer-enabled") == 0) {
        cudaDeviceEnablePeerAccess(1, 0);
        store<<<1, 1>>>(other);
    }
    if (strncmp(what, "pool", 4) == 0) {
        cudaMemPool_t pool;
        cudaMemPoolProps props = {};
        props.allocType = cudaMemAllocationTypePinned;
        props.location.type = cudaMemLocationTypeDevice;
        props.location.id = 1;
        cudaMemPoolCreate(&pool, &props);
        cudaSetDevice(1);
        cudaMallocFromPoolAsync(&other, 256, pool, 0);
        cudaDeviceSynchronize();
        cudaSetDevice(0);
        cudaDeviceEnablePeerAccess(1, 0); // has no effect on pools
        const cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0},
                                          cudaMemAccessFlagsProtReadWrite};
        if (strcmp(what, "pool-open") == 0)
            cudaMemPoolSetAccess(pool, &access, 1);
        store<<<1, 1>>>(other);
    }
}

/* Local variables of device threads. */
static void touch_local(const char *what, int *d)
{
    if (strncmp(what, "kept", 4) == 0) {
        if (strcmp(what, "kept-parameter") == 0)
            keep_parameter<<<1, 1>>>(3);
        else
            keep<<<1, 4>>>();
        use_kept<<<1, 1>>>(d);
    }
    if (strcmp(what, "other-thread") == 0)
        use_other_threads<<<1, 64>>>(d);
    if (strcmp(what, "own-local") == 0)
        use_own<<<4, 64>>>(d);
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    int on_stack[4] = {1, 2, 3, 4}, *d;
    static int in_function[4];
    int *const heap = (int *)calloc(1 << 20, sizeof *heap);
    int *const small = (int *)calloc(4, sizeof *small);
    cudaMalloc(&d, 4096);
    touch_device(what, d);
    touch_local(what, d);
    if (strcmp(what, "malloc") == 0)
        add<<<1, 1>>>(small, d);
    if (strcmp(what, "malloc-large") == 0)
        store<<<1, 32>>>(heap);
    if (strcmp(what, "stack") == 0)
        add<<<1, 1>>>(on_stack, d);
    if (strcmp(what, "thread-stack") == 0)
        std::thread([d] {
            int mine[4] = {1, 2, 3, 4};
            add<<<1, 1>>>(mine, d);
            cudaDeviceSynchronize();
        }).join();
    if (strcmp(what, "static") == 0)
        add<<<1, 1>>>(of_host, d);
    if (strcmp(what, "function-static") == 0)
        store<<<1, 4>>>(in_function);
    if (strcmp(what, "mmap") == 0)
        store<<<1, 4>>>((int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (strcmp(what, "atomic") == 0)
        grow<<<1, 1>>>(small);
    if (strcmp(what, "memcpy") == 0)
        copy<<<1, 1>>>(d, heap, 4096);
    if (strcmp(what, "memset") == 0)
        clear<<<1, 1>>>(heap, 4096);
    if (strcmp(what, "time") == 0)
        compare_times(heap, d);
    if (strcmp(what, "vector") == 0)
        wide<<<1, 1>>>((const float4 *)heap, (float4 *)d);
    if (strcmp(what, "volatile") == 0) {
        small[0] = 1;
        spin<<<1, 1>>>(small);
    }
    if (strcmp(what, "this") == 0) {
        object *const o = new object{3, d};
        o->run();
    }
    if (strcmp(what, "many-blocks") == 0)
        store<<<64, 1024>>>(heap);
    if (strcmp(what, "registered") == 0) {
        cudaHostRegister(heap, 4096, cudaHostRegisterDefault);
        store<<<1, 32>>>(heap);
    }
    int access = 0;
    cudaDeviceGetAttribute(&access, cudaDevAttrPageableMemoryAccess, 0);
    const cudaError_t err = cudaDeviceSynchronize();
    printf("%s, then %s; access %d; %d %d\n", cudaGetErrorName(err),
           cudaGetErrorName(cudaMalloc(&d, 4)), access, heap[31], small[0]);
    return 0;
}
