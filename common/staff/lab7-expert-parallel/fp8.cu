/*
 * fp8.cu: tokens to packets and back. Given: nothing to edit here.
 *
 *     kernel       a warp of 32 handles a group of 128          called by
 *     quantise     of this rank's tokens                 fp8_quantise()
 *     dequantise   of what block b of arrived holds      fp8_dequantise()
 *
 * A thread handles four elements: a float4 on one side, four bytes, which are a
 * __nv_fp8x4_e4m3, on the other.
 */
#include "fp8.h"

#include <string.h> /* memset */

#include <cuda_fp8.h> /* __nv_fp8x4_e4m3 */

#include "lab/try.h" /* LAB_TRY */
#include "lab/vector.cuh"

enum { WARP = 32 };

/* The largest |x| of a warp's float4s, for all of its threads. */
static __device__ float largest_of(float4 x)
{
    float most =
        fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w)));
    for (int step = WARP / 2; step > 0; step /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
    return most;
}

__global__ void quantise(const float4 *in, size_t ngroups, int dim, int nbytes,
                         unsigned char *packets)
{
    const int lane = threadIdx.x % WARP, groups = dim / FP8_GROUP;
    const size_t nwarps = (size_t)gridDim.x * blockDim.x / WARP;
    const size_t warp = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    for (size_t g = warp; g < ngroups; g += nwarps) {
        unsigned char *const packet = packets + g / groups * nbytes;
        float4 x = in[g * WARP + lane];
        const float most = largest_of(x);
        const float scale = most > 0 ? most / FP8_LARGEST : 1;
        x = make_float4(x.x / scale, x.y / scale, x.z / scale, x.w / scale);
        ((__nv_fp8x4_e4m3 *)packet)[g % groups * WARP + lane] =
            __nv_fp8x4_e4m3(x);
        if (lane == 0)
            ((float *)(packet + dim))[g % groups] = scale;
    }
}

/* Block b: its packets in arrived, (gridDim.x, most). */
__global__ void dequantise(const unsigned char *arrived, const int *count,
                           int most, int dim, int nbytes, float4 *tokens)
{
    const int n = dim / 4; // float4 of a token
    const size_t first = (size_t)blockIdx.x * most;
    for (int i = threadIdx.x; i < count[blockIdx.x] * n; i += blockDim.x) {
        const unsigned char *const packet = arrived + (first + i / n) * nbytes;
        const int at = i % n;
        const float scale = ((const float *)(packet + dim))[at / WARP];
        float4 x = (float4)((const __nv_fp8x4_e4m3 *)packet)[at];
        x = make_float4(x.x * scale, x.y * scale, x.z * scale, x.w * scale);
        tokens[first * n + i] = x;
    }
}

int fp8_packet(int dim)
{
    const int nbytes = dim + dim / FP8_GROUP * (int)sizeof(float);
    return (nbytes + 15) / 16 * 16;
}

ncclResult_t fp8_open(struct fp8 *f, const struct moe *m, int most)
{
    struct moe packets = *m;
    memset(f, 0, sizeof *f);
    f->dim = m->dim;
    f->nbytes = fp8_packet(m->dim);
    packets.dim = f->nbytes / (int)sizeof(float);
    LAB_TRY(direct_open(&f->d, &packets, most));
    LAB_TRY_CUDA(
        cudaMalloc((void **)&f->packets, (size_t)most * (size_t)f->nbytes));
    LAB_TRY_CUDA(cudaMalloc((void **)&f->tokens,
                            (size_t)m->each * (size_t)m->nranks * (size_t)most *
                                (size_t)m->dim * sizeof *f->tokens));
    return ncclSuccess;
}

void fp8_close(struct fp8 *f)
{
    direct_close(&f->d);
    cudaFree(f->packets);
    cudaFree(f->tokens);
    memset(f, 0, sizeof *f);
}

ncclResult_t fp8_quantise(const float *in, int ntokens, int dim,
                          unsigned char *packets, cudaStream_t stream)
{
    const size_t ngroups = (size_t)ntokens * dim / FP8_GROUP;
    if (ngroups == 0)
        return ncclSuccess;
    quantise<<<vector_blocks(ngroups * WARP, 1), VECTOR_THREADS, 0, stream>>>(
        (const float4 *)in, ngroups, dim, fp8_packet(dim), packets);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
}

ncclResult_t fp8_dequantise(const struct fp8 *f, cudaStream_t stream)
{
    dequantise<<<f->d.each * f->d.nranks, DIRECT_THREADS, 0, stream>>>(
        (const unsigned char *)f->d.arrived, f->d.count, f->d.most, f->dim,
        f->nbytes, (float4 *)f->tokens);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
}
