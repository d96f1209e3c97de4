// multimem.cuh: loads that the switch sums up, and stores that it replicates
//
// A multimem address (ncclGetLsaMultimemPointer) stands for the same place in
// the memories of several GPUs. Only the instructions below can use it. The
// switch carries them out, so each value crosses this GPU's link once:
//
//     load   every GPU sends its value to the switch, this one gets the sum
//     store  this GPU sends the value, the switch writes it to every GPU
//
// A GPU below sm_90 has no such instructions, and nothing happens there:
// ncclDevCommCreate() refuses lsaMultimem on such a machine.
#ifndef COMMLAB_LAB_MULTIMEM_CUH
#define COMMLAB_LAB_MULTIMEM_CUH

#include <cuda_runtime.h>

// The sum of all GPUs' four values at p.
static __device__ inline float4 multimem_load_sum(const float4 *p)
{
    float4 sum = make_float4(0, 0, 0, 0);
#if __CUDA_ARCH__ >= 900
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32"
                 " {%0, %1, %2, %3}, [%4];"
                 : "=f"(sum.x), "=f"(sum.y), "=f"(sum.z), "=f"(sum.w)
                 : "l"(p)
                 : "memory");
#else
    (void)p;
#endif
    return sum;
}

// Set the four values at p on all GPUs.
static __device__ inline void multimem_store(float4 *p, float4 value)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("multimem.st.relaxed.sys.global.v4.f32"
                 " [%0], {%1, %2, %3, %4};" ::"l"(p),
                 "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w)
                 : "memory");
#else
    (void)p;
    (void)value;
#endif
}

#endif
