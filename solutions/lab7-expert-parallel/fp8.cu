/*
 * Part 8: tokens travel in a byte for each element.
 *
 *     kernel       a warp of 32 handles a group of 128          called by
 *     quantise     of this rank's tokens                 fp8_quantise()
 *     dequantise   of the packets that have arrived      fp8_dequantise()
 *
 * A thread handles four elements: a float4 on one side, four bytes, which are a
 * __nv_fp8x4_e4m3, on the other. Its constructor rounds a float4 to the nearest
 * numbers of e4m3, and a cast converts it back.
 *
 * Launch: quantise has a warp for each group of all tokens. Block b of
 * dequantise handles block b of arrived, as in part 6.
 */
#include "lab7.h"

#include <string.h> /* memset */

#include <cuda_fp8.h> /* __nv_fp8x4_e4m3 */

#include <lab/hole.cuh>

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

enum { WARP = 32 };

/* ---- memory -------------------------------------------------------------- */

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
    LAB_TRY(direct_open(&f->there, &packets, most));
    LAB_TRY(direct_open(&f->back, m, most));
    // packets travel whole: initialise the bytes behind their scales, too
    const size_t nbytes = (size_t)most * f->nbytes;
    LAB_TRY_CUDA(cudaMalloc((void **)&f->packets, nbytes));
    LAB_TRY_CUDA(cudaMemset(f->packets, 0, nbytes));
    LAB_TRY_CUDA(cudaDeviceSynchronize());
    return ncclSuccess;
}

void fp8_close(struct fp8 *f)
{
    direct_close(&f->there);
    direct_close(&f->back);
    cudaFree(f->packets);
    memset(f, 0, sizeof *f);
}

/* ---- kernels ------------------------------------------------------------- */

/* The largest |x| of a warp's float4s, for all of its threads. */
static __device__ float largest_of(float4 x)
{
    // BEGIN HOLE part 8: largest (device, about 5 lines)
    // HINT: __shfl_xor_sync() with steps 16, 8, ... gives every thread the
    // HINT: warp's result.
    float most =
        fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w)));
    for (int step = WARP / 2; step > 0; step /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
    return most;
    // END HOLE
}

/* in: ngroups groups, dim / FP8_GROUP a token; packets: nbytes each. */
__global__ void quantise(const float4 *in, size_t ngroups, int dim, int nbytes,
                         unsigned char *packets)
{
    // BEGIN HOLE part 8: quantise (device, about 13 lines)
    // HINT: which group is this warp's, and in which packet is it? The four
    // HINT: bytes of a thread have one place in it, the warp's scale another.
    const int lane = threadIdx.x % WARP, groups = dim / FP8_GROUP;
    const size_t g = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    if (g >= ngroups)
        return;
    unsigned char *const packet = packets + g / groups * nbytes;
    const float4 x = in[g * WARP + lane];
    const float most = largest_of(x);
    const float scale = most > 0 ? most / FP8_LARGEST : 1;
    ((__nv_fp8x4_e4m3 *)packet)[g % groups * WARP + lane] = __nv_fp8x4_e4m3(
        make_float4(x.x / scale, x.y / scale, x.z / scale, x.w / scale));
    if (lane == 0)
        ((float *)(packet + dim))[g % groups] = scale;
    // END HOLE
}

/* Block b: its count[b] packets of nbytes in arrived, (gridDim.x, most), to the
 * same rows of tokens, (gridDim.x, most, dim). */
__global__ void dequantise(const unsigned char *arrived, const int *count,
                           int most, int dim, int nbytes, float4 *tokens)
{
    // BEGIN HOLE part 8: dequantise (device, about 10 lines)
    // HINT: the block's threads go through the float4 of all its tokens. Which
    // HINT: scale has the group of a float4?
    const int n = dim / 4; // float4 of a token
    const size_t first = (size_t)blockIdx.x * most;
    for (int i = threadIdx.x; i < count[blockIdx.x] * n; i += blockDim.x) {
        const unsigned char *const packet = arrived + (first + i / n) * nbytes;
        const int at = i % n;
        const float scale = ((const float *)(packet + dim))[at / WARP];
        const float4 x = (float4)((const __nv_fp8x4_e4m3 *)packet)[at];
        tokens[first * n + i] =
            make_float4(x.x * scale, x.y * scale, x.z * scale, x.w * scale);
    }
    // END HOLE
}

/* ---- launches ------------------------------------------------------------ */

ncclResult_t fp8_quantise(const float *in, int ntokens, int dim,
                          unsigned char *packets, cudaStream_t stream)
{
    // BEGIN HOLE part 8: launch of quantise (host, about 8 lines)
    const size_t ngroups = (size_t)ntokens * dim / FP8_GROUP;
    const size_t warps = FP8_THREADS / WARP; // in a block
    if (ngroups == 0)
        return ncclSuccess;
    quantise<<<(unsigned)((ngroups + warps - 1) / warps), FP8_THREADS, 0,
               stream>>>((const float4 *)in, ngroups, dim, fp8_packet(dim),
                         packets);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
    // END HOLE
}

ncclResult_t fp8_dequantise(const struct fp8 *f, cudaStream_t stream)
{
    // BEGIN HOLE part 8: launch of dequantise (host, about 5 lines)
    dequantise<<<f->there.each * f->there.nranks, FP8_THREADS, 0, stream>>>(
        (const unsigned char *)f->there.arrived, f->there.count, f->there.most,
        f->dim, f->nbytes, (float4 *)f->back.arrived);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
    // END HOLE
}
