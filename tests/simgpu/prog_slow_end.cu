/* A machine so busy that a stream needs a second to end its last operation,
 * which simgpu does by closing the memory that kernels have opened. Meanwhile
 * the host waits. */
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In place of the C library's. */
extern "C" int pkey_mprotect(void *at, size_t nbytes, int prot,
                             int key) noexcept
{
    if (prot == PROT_NONE)
        usleep(1000000);
    return (int)syscall(SYS_pkey_mprotect, at, nbytes, prot, key);
}

__global__ void count(int *n)
{
    ++*n;
}

int main()
{
    int *n;
    cudaMalloc(&n, sizeof *n);
    cudaMemset(n, 0, sizeof *n);
    count<<<1, 1>>>(n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
