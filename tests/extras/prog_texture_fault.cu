/* A mistake: tex1D() on a texture of linear memory. */
#include <cuda_runtime.h>

#include <string.h>

__global__ void shift(cudaTextureObject_t t, float *out)
{
    const int i = (int)threadIdx.x;
    out[i] = tex1D<float>(t, (float)i + 0.5f);
}

int main()
{
    enum { N = 32 };
    float *in, *out;
    cudaTextureObject_t t;
    cudaResourceDesc r;
    cudaTextureDesc d;
    memset(&r, 0, sizeof r);
    memset(&d, 0, sizeof d);
    if (cudaMalloc((void **)&in, N * sizeof *in) != cudaSuccess ||
        cudaMalloc((void **)&out, N * sizeof *out) != cudaSuccess ||
        cudaMemset(in, 0, N * sizeof *in) != cudaSuccess)
        return 1;
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = in;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = N * sizeof *in;
    if (cudaCreateTextureObject(&t, &r, &d, NULL) != cudaSuccess)
        return 1;
    shift<<<1, N>>>(t, out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
