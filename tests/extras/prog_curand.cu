// cuRAND's generators in a kernel: integers, uniform and normal numbers, for
// seeds, subsequences and offsets. Printed for tests/extras/curand_numbers.txt.
// Built with ON_THE_HOST, the same from host code: cuRAND's own header compiles
// there.
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <math.h>
#include <stdio.h>

#ifdef ON_THE_HOST
#define WHERE __host__ __device__
#else
#define WHERE __device__
#endif

enum { STARTS = 6, EACH = 22, ROWS = 4 };

struct start {
    unsigned long long seed, subsequence, offset;
};

WHERE static struct start start_of(int i)
{
    const struct start starts[STARTS] = {
        {0, 0, 0},
        {1234, 0, 0},
        {1234, 1, 0},
        {0x123456789abcdefull, 77, 5},
        {42, 0x10000000001ull, 3},
        {7, 3, 0xfffffffffffull},
    };
    return starts[i];
}

template <class S> WHERE static void draw(int i, double *out)
{
    S state;
    const struct start s = start_of(i);
    curand_init(s.seed, s.subsequence, s.offset, &state);
    for (int k = 0; k < 6; k++)
        *out++ = curand(&state);
    skipahead(1000001, &state);
    *out++ = curand(&state);
    skipahead_sequence(9, &state);
    *out++ = curand(&state);
    for (int k = 0; k < 3; k++)
        *out++ = curand_uniform(&state);
    for (int k = 0; k < 2; k++)
        *out++ = curand_uniform_double(&state);
    for (int k = 0; k < 3; k++)
        *out++ = curand_normal(&state);
    for (int k = 0; k < 3; k++)
        *out++ = curand_normal_double(&state);
    *out++ = curand_log_normal(&state, 1, 0.5f);
    *out++ = curand_log_normal_double(&state, 0, 2);
    *out++ = curand(&state);
}

WHERE static void draw_fours(int i, double *out)
{
    curandStatePhilox4_32_10_t state;
    const struct start s = start_of(i);
    curand_init(s.seed, s.subsequence, s.offset, &state);
    for (int k = 0; k < 3; k++) {
        const uint4 x = curand4(&state);
        const float4 u = curand_uniform4(&state), n = curand_normal4(&state);
        *out++ = x.x ^ x.y ^ x.z ^ x.w;
        *out++ = u.x + u.y + u.z + u.w;
        *out++ = n.x + n.y + n.z + n.w;
        *out++ = curand(&state);
    }
}

WHERE static void draw_rows(int i, double *out)
{
    draw<curandStateXORWOW_t>(i, out);
    draw<curandStatePhilox4_32_10_t>(i, out + EACH);
    draw_fours(i, out + 2 * EACH);
    draw<curandStateMRG32k3a_t>(i, out + 3 * EACH);
}

__global__ void draw_all(double *out)
{
    const int i = (int)threadIdx.x;
    draw_rows(i, out + ROWS * EACH * i);
}

int main()
{
    static double all[ROWS * EACH * STARTS];
#ifdef ON_THE_HOST
    for (int i = 0; i < STARTS; i++)
        draw_rows(i, all + ROWS * EACH * i);
#else
    double *out;
    cudaMalloc((void **)&out, sizeof all);
    cudaMemset(out, 0, sizeof all);
    draw_all<<<1, STARTS>>>(out);
    if (cudaMemcpy(all, out, sizeof all, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    cudaFree(out);
#endif
    for (int i = 0; i < ROWS * EACH * STARTS; i++) // integers have 32 bits
        printf(all[i] == floor(all[i]) ? "%.0f%c" : "%.5g%c", all[i],
               i % EACH == EACH - 1 ? '\n' : ' ');
    return 0;
}
