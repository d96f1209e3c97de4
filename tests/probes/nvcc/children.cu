// Kernels that launch kernels. "wait" as an argument: one waits for them;
// "graph": one launches a graph.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void add(int *p, int value)
{
    atomicAdd(p, value);
}

template <class T> __global__ void scale(T *p, T by)
{
    *p *= by;
}

// Two in order on a stream, one that comes after all, whatever is launched.
__global__ void parent(int *p)
{
    if (threadIdx.x < 4)
        add<<<2, 8>>>(&p[0], 1);
    if (threadIdx.x == 7) {
        cudaStream_t s;
        scale<<<1, 1, 0, cudaStreamTailLaunch>>>(&p[1], 10);
        if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) != cudaSuccess)
            return;
        add<<<1, 1, 0, s>>>(&p[1], 2);
        scale<<<1, 1, 0, s>>>(&p[1], 3);
        cudaStreamDestroy(s);
    }
}

__global__ void quicksort(int *p, int left, int right)
{
    const int pivot = p[(left + right) / 2];
    int i = left, k = right;
    while (i <= k) {
        while (p[i] < pivot)
            i++;
        while (p[k] > pivot)
            k--;
        if (i <= k) {
            const int swap = p[i];
            p[i++] = p[k];
            p[k--] = swap;
        }
    }
    if (left < k)
        quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(p, left, k);
    if (i < right)
        quicksort<<<1, 1>>>(p, i, right);
}

#ifdef __SIMNVCC__ // nvcc refuses it
__global__ void impatient(int *p)
{
    add<<<1, 1>>>(p, 1);
    cudaDeviceSynchronize();
}

__global__ void replay(cudaGraphExec_t exec)
{
    cudaGraphLaunch(exec, cudaStreamFireAndForget);
}
#endif

int main(int argc, char **argv)
{
    enum { N = 500 };
    int *p, wrong = 0;
    if (cudaMallocManaged(&p, N * sizeof *p) != cudaSuccess)
        return 1;
    p[0] = 0;
    p[1] = 1;
    parent<<<1, 8>>>(p);
    if (cudaDeviceSynchronize() != cudaSuccess || p[0] != 64 || p[1] != 90)
        wrong = printf("children: %d and %d, not 64 and 90\n", p[0], p[1]);
    for (int i = 0; i < N; i++)
        p[i] = i * 7919 % N;
    quicksort<<<1, 1>>>(p, 0, N - 1);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    for (int i = 0; i < N && !wrong; i++)
        if (p[i] != i)
            wrong = printf("sorted: p[%d] is %d\n", i, p[i]);
#ifdef __SIMNVCC__
    cudaGraphExec_t exec = NULL; // not even a graph that is none
    if (argc > 1 && argv[1][0] == 'w')
        impatient<<<1, 1>>>(p);
    else if (argc > 1)
        replay<<<1, 1>>>(exec);
#else
    (void)argc, (void)argv;
#endif
    return cudaDeviceSynchronize() != cudaSuccess || wrong;
}
