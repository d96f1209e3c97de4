/* links: -lcurand
 * prog_curand_misuse.c: calls of cuRAND that simgpu has to name
 *
 *     prog_curand_misuse sobol|pageable|short
 */
#include <cuda_runtime.h>
#include <curand.h>
#include <string.h>

enum { N = 1024 };

int main(int argc, char **argv)
{
    static float x[N];
    const char *const mistake = argc > 1 ? argv[1] : "";
    curandGenerator_t g;
    float *d;
    if (!strcmp(mistake, "sobol"))
        return curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32) !=
               CURAND_STATUS_TYPE_ERROR;
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
    cudaMalloc((void **)&d, N);
    if (!strcmp(mistake, "pageable"))
        curandGenerateUniform(g, x, N);
    else
        curandGenerateUniform(g, d, N);
    cudaDeviceSynchronize();
    cudaFree(d);
    return curandDestroyGenerator(g);
}
