// Included by -include, behind cuda_runtime.h.
#pragma once
static __device__ int with_header(int x)
{
    return x + (int)threadIdx.x;
}
