# A function that the compiler does not inline returns what a kernel stores.
sed -i 's/^static __device__ float4 sum_of(/static __device__ __noinline__ float4 sum_of(/' allreduce.cu
