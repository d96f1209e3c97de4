/* A mistake: a copy on another stream rewrites what a kernel reads through a
 * texture. "ordered" as an argument: an event orders them. */
#include <cuda_runtime.h>

#include <stdio.h>
#include <string.h>

enum { N = 256 };

__global__ void sum(cudaTextureObject_t t, float *out)
{
    float s = 0;
    for (int i = 0; i < N; i++)
        s += tex1Dfetch<float>(t, i);
    *out = s;
}

int main(int argc, char **)
{
    static float zeros[N];
    float *in, *out;
    cudaTextureObject_t t;
    cudaStream_t reader, writer;
    cudaEvent_t read;
    cudaResourceDesc r;
    cudaTextureDesc d;
    memset(&r, 0, sizeof r);
    memset(&d, 0, sizeof d);
    if (cudaMalloc((void **)&in, sizeof zeros) != cudaSuccess ||
        cudaMalloc((void **)&out, sizeof *out) != cudaSuccess ||
        cudaMemcpy(in, zeros, sizeof zeros, cudaMemcpyHostToDevice) !=
            cudaSuccess ||
        cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = in;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = sizeof zeros;
    if (cudaCreateTextureObject(&t, &r, &d, NULL) != cudaSuccess ||
        cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking) !=
            cudaSuccess ||
        cudaStreamCreateWithFlags(&writer, cudaStreamNonBlocking) !=
            cudaSuccess ||
        cudaEventCreateWithFlags(&read, cudaEventDisableTiming) != cudaSuccess)
        return 1;
    sum<<<1, 1, 0, reader>>>(t, out);
    if (cudaEventRecord(read, reader) != cudaSuccess ||
        (argc > 1 && cudaStreamWaitEvent(writer, read, 0) != cudaSuccess) ||
        cudaMemsetAsync(in, 1, sizeof zeros, writer) != cudaSuccess ||
        cudaDeviceSynchronize() != cudaSuccess ||
        cudaDestroyTextureObject(t) != cudaSuccess)
        return 1;
    return cudaFree(in) != cudaSuccess || cudaFree(out) != cudaSuccess;
}
