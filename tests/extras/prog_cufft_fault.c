/* A transform whose input is NULL. links: -lcufft */
#include <cuda_runtime.h>
#include <cufft.h>

int main(void)
{
    cufftComplex *out;
    cufftHandle plan;
    cudaMalloc((void **)&out, 8 * sizeof *out);
    cufftPlan1d(&plan, 8, CUFFT_C2C, 1);
    cufftExecC2C(plan, NULL, out, CUFFT_FORWARD);
    cudaDeviceSynchronize();
    return 0;
}
