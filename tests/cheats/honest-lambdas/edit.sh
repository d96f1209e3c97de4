# Templates, lambdas and a vector in a .cu file.
sed -i '/^ncclResult_t first_axpy(/,/^}/d' cuda.cu
cat >> cuda.cu <<'C'
template <typename T, int PER> __global__ void saxpy(T a, const T *__restrict__ x, T *__restrict__ y, size_t n)
{
    const size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < PER; k++) {
        const size_t i = first + (size_t)k * gridDim.x * blockDim.x;
        if (i < n)
            y[i] += a * x[i];
    }
}

ncclResult_t first_axpy(float a, const float *x, float *y, size_t count,
                        cudaStream_t stream)
{
    std::vector<unsigned> sizes{64, 128, 256};
    auto blocks = [count](unsigned threads) { return (unsigned)((count + threads - 1) / threads); };
    const unsigned threads = *std::max_element(sizes.begin(), sizes.end());
    saxpy<float, 1><<<blocks(threads), threads, 0, stream>>>(a, x, y, count);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
}
C
sed -i 's/^#include "lab0.h"/&\n\n#include <algorithm>\n#include <vector>/' cuda.cu
