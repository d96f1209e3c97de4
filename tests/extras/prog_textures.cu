/* Textures and surfaces. Expected values follow from the CUDA programming
 * guide's "Texture Fetching", not from another program. */
#include <cuda.h>

#include "probe.h"

#define IS(call, error) CHECK((call) == (error))

enum { N = 8, W = 5, H = 3, D = 2 };

__global__ void fetch(cudaTextureObject_t t, float *out, int n)
{
    const int i = (int)threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<float>(t, i - 1);
}

__global__ void sample1(cudaTextureObject_t t, const float *x, float *out)
{
    out[threadIdx.x] = tex1D<float>(t, x[threadIdx.x]);
}

__global__ void sample2(cudaTextureObject_t t, const float2 *at, float *out)
{
    tex2D(&out[threadIdx.x], t, at[threadIdx.x].x, at[threadIdx.x].y);
}

static cudaTextureDesc settings(cudaTextureAddressMode mode,
                                cudaTextureFilterMode filter, int normalized)
{
    cudaTextureDesc d;
    memset(&d, 0, sizeof d);
    for (int i = 0; i < 3; i++)
        d.addressMode[i] = mode;
    d.filterMode = filter;
    d.normalizedCoords = normalized;
    return d;
}

static cudaTextureObject_t texture_of(cudaArray_t a, const cudaTextureDesc &d)
{
    cudaTextureObject_t t = 0;
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    OK(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

static cudaArray_t ramp() /* 10, 11 ... of N texels */
{
    float h[N];
    cudaArray_t a;
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    for (int i = 0; i < N; i++)
        h[i] = 10 + (float)i;
    OK(cudaMallocArray(&a, &f, N));
    OK(cudaMemcpy2DToArray(a, 0, 0, h, sizeof h, sizeof h, 1,
                           cudaMemcpyHostToDevice));
    return a;
}

/* Samples at the n positions x are the expected ones. */
static void samples(const cudaTextureDesc &d, int n, const float *x,
                    const float *expected)
{
    cudaArray_t a = ramp();
    const cudaTextureObject_t t = texture_of(a, d);
    array<float> at((size_t)n), out((size_t)n);
    memcpy(at.h, x, (size_t)n * sizeof *x);
    at.put();
    sample1<<<1, n>>>(t, at.d, out.d);
    out.get();
    for (int i = 0; i < n; i++) {
        if (out.h[i] != expected[i])
            printf("at %g: %.9g, expected %.9g\n", x[i], out.h[i], expected[i]);
        CHECK(out.h[i] == expected[i]);
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));
}

PROBE(linear_memory)
{
    array<float> in(64), out(66);
    cudaTextureObject_t t;
    cudaResourceDesc r, back;
    memset(&r, 0, sizeof r);
    for (int i = 0; i < 64; i++)
        in.h[i] = (float)i * 0.5f + 1;
    in.put();
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = in.d;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 64 * sizeof(float);
    const cudaTextureDesc d =
        settings(cudaAddressModeClamp, cudaFilterModePoint, 0);
    OK(cudaCreateTextureObject(&t, &r, &d, NULL));
    OK(cudaGetTextureObjectResourceDesc(&back, t));
    CHECK(back.res.linear.devPtr == in.d);
    fetch<<<1, 66>>>(t, out.d, 66);
    out.get();
    CHECK(out.h[0] == 0 && out.h[65] == 0); // outside
    for (int i = 0; i < 64; i++)
        CHECK(out.h[i + 1] == in.h[i]);
    OK(cudaDestroyTextureObject(t));
}

PROBE(points)
{
    const float x[] = {0.0f, 0.99f, 1.0f, 7.5f, -3.0f, 100.0f};
    const float clamped[] = {10, 10, 11, 17, 10, 17};
    samples(settings(cudaAddressModeClamp, cudaFilterModePoint, 0), 6, x,
            clamped);
    // wrapping needs normalised coordinates: else it is clamping
    samples(settings(cudaAddressModeWrap, cudaFilterModePoint, 0), 6, x,
            clamped);
    cudaTextureDesc border =
        settings(cudaAddressModeBorder, cudaFilterModePoint, 0);
    border.borderColor[0] = 42;
    const float bordered[] = {10, 10, 11, 17, 42, 42};
    samples(border, 6, x, bordered);
}

PROBE(normalised_coordinates)
{
    const float x[] = {0.0f, 0.25f, 0.9375f, 1.125f, -0.125f, -0.1875f};
    const float wrapped[] = {10, 12, 17, 11, 17, 16};
    samples(settings(cudaAddressModeWrap, cudaFilterModePoint, 1), 6, x,
            wrapped);
    const float y[] = {0.0625f, 0.9375f, 1.0625f, 1.9375f, -0.0625f, -0.9375f};
    const float mirrored[] = {10, 17, 17, 10, 10, 17};
    samples(settings(cudaAddressModeMirror, cudaFilterModePoint, 1), 6, y,
            mirrored);
}

PROBE(linear_filtering)
{
    // 1 / 3 becomes 85 / 256: weights have 8 bits of fraction
    const float x[] = {0.5f, 1.0f, 1.25f, 0.0f, 7.9f, 3.5f + 1.0f / 3};
    const float expected[] = {10, 10.5f, 10.75f, 10, 17, 13 + 85.0f / 256};
    samples(settings(cudaAddressModeClamp, cudaFilterModeLinear, 0), 6, x,
            expected);
    const float y[] = {0.0f, 1.0f};
    const float wrapped[] = {13.5f, 13.5f}; // between the last and the first
    samples(settings(cudaAddressModeWrap, cudaFilterModeLinear, 1), 2, y,
            wrapped);
    cudaTextureDesc border =
        settings(cudaAddressModeBorder, cudaFilterModeLinear, 0);
    const float z[] = {0.0f, 8.0f};
    // by half at the edge; and by half in y, where y = 0 is the edge, too
    const float faded[] = {2.5f, 4.25f};
    samples(border, 2, z, faded);
}

PROBE(pitched_memory)
{
    float *d, h[H][W];
    size_t pitch;
    cudaTextureObject_t t;
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            h[y][x] = (float)(10 * y + x);
    OK(cudaMallocPitch((void **)&d, &pitch, sizeof h[0], H));
    OK(cudaMemcpy2D(d, pitch, h, sizeof h[0], sizeof h[0], H,
                    cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = d;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = W;
    r.res.pitch2D.height = H;
    r.res.pitch2D.pitchInBytes = pitch;
    const cudaTextureDesc s =
        settings(cudaAddressModeClamp, cudaFilterModeLinear, 0);
    OK(cudaCreateTextureObject(&t, &r, &s, NULL));
    array<float2> at(3);
    array<float> out(3);
    at.h[0] = make_float2(2.5f, 1.5f);
    at.h[1] = make_float2(3.0f, 2.0f);
    at.h[2] = make_float2(-9, 99);
    at.put();
    sample2<<<1, 3>>>(t, at.d, out.d);
    out.get();
    CHECK(out.h[0] == 12 && out.h[1] == 17.5f && out.h[2] == 20);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFree(d));
}

__global__ void colours(cudaTextureObject_t t, cudaTextureObject_t unit,
                        int *out, float *share)
{
    const uchar4 c = tex2D<uchar4>(t, 1.5f, 0.5f);
    const float4 f = tex2D<float4>(unit, 1.5f, 0.5f);
    out[0] = c.x, out[1] = c.y, out[2] = c.z, out[3] = c.w;
    share[0] = f.x, share[1] = f.y, share[2] = f.z, share[3] = f.w;
}

PROBE(channels_and_normalised_floats)
{
    const uchar4 h[2] = {{1, 2, 3, 4}, {0, 51, 204, 255}};
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<uchar4>();
    cudaArray_t a;
    OK(cudaMallocArray(&a, &f, 2, 1));
    OK(cudaMemcpy2DToArray(a, 0, 0, h, sizeof h, sizeof h, 1,
                           cudaMemcpyHostToDevice));
    cudaTextureDesc d = settings(cudaAddressModeClamp, cudaFilterModePoint, 0);
    const cudaTextureObject_t t = texture_of(a, d);
    d.readMode = cudaReadModeNormalizedFloat;
    const cudaTextureObject_t unit = texture_of(a, d);
    array<int> out(4);
    array<float> share(4);
    colours<<<1, 1>>>(t, unit, out.d, share.d);
    out.get();
    share.get();
    CHECK(out.h[0] == 0 && out.h[1] == 51 && out.h[2] == 204 &&
          out.h[3] == 255);
    CHECK(share.h[0] == 0 && share.h[1] == 51 / 255.0f &&
          share.h[2] == 204 / 255.0f && share.h[3] == 1);
    OK(cudaDestroyTextureObject(t));
    OK(cudaDestroyTextureObject(unit));
    OK(cudaFreeArray(a));
}

__global__ void deep(cudaTextureObject_t t, float *out)
{
    out[0] = tex3D<float>(t, 2.5f, 1.5f, 1.5f);
    out[1] = tex3D<float>(t, 3.0f, 2.0f, 1.0f);
}

__global__ void layer(cudaTextureObject_t t, float *out)
{
    out[0] = tex2DLayered<float>(t, 2.5f, 1.5f, 1);
    out[1] = tex2DLayered<float>(t, 3.0f, 2.0f, 0);
}

PROBE(volumes_and_layers)
{
    float h[D][H][W];
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    array<float> out(2);
    for (int i = 0; i < D * H * W; i++)
        (&h[0][0][0])[i] =
            (float)(100 * (i / (H * W)) + 10 * (i / W % H) + i % W);
    for (int layered = 0; layered < 2; layered++) {
        cudaArray_t a;
        cudaMemcpy3DParms in;
        memset(&in, 0, sizeof in);
        OK(cudaMalloc3DArray(&a, &f, make_cudaExtent(W, H, D),
                             layered ? cudaArrayLayered : 0));
        in.srcPtr = make_cudaPitchedPtr(h, sizeof h[0][0], W, H);
        in.dstArray = a;
        in.extent = make_cudaExtent(W, H, D);
        in.kind = cudaMemcpyHostToDevice;
        OK(cudaMemcpy3D(&in));
        const cudaTextureObject_t t = texture_of(
            a, settings(cudaAddressModeClamp, cudaFilterModeLinear, 0));
        if (layered)
            layer<<<1, 1>>>(t, out.d);
        else
            deep<<<1, 1>>>(t, out.d);
        out.get();
        CHECK(out.h[0] == 112);
        CHECK(out.h[1] == (layered ? 17.5f : 67.5f));
        OK(cudaDestroyTextureObject(t));
        OK(cudaFreeArray(a));
    }
}

__global__ void turn(cudaSurfaceObject_t in, cudaSurfaceObject_t out)
{
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    const int v = surf2Dread<int>(in, x * (int)sizeof(int), y);
    surf2Dwrite(v + 1, out, (W - 1 - x) * (int)sizeof(int), y);
    surf2Dwrite(-1, out, W * (int)sizeof(int), y, cudaBoundaryModeZero);
}

__global__ void edges(cudaSurfaceObject_t s, int *out)
{
    out[0] = surf2Dread<int>(s, 400, 0, cudaBoundaryModeClamp);
    out[1] = surf2Dread<int>(s, 400, 0, cudaBoundaryModeZero);
    surf2Dread(&out[2], s, 4, -3, cudaBoundaryModeClamp);
}

PROBE(surfaces)
{
    int h[H][W], back[H][W];
    cudaArray_t a[2];
    cudaSurfaceObject_t s[2];
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<int>();
    for (int i = 0; i < H * W; i++)
        (&h[0][0])[i] = i;
    for (int i = 0; i < 2; i++) {
        cudaResourceDesc r;
        memset(&r, 0, sizeof r);
        OK(cudaMallocArray(&a[i], &f, W, H, cudaArraySurfaceLoadStore));
        r.resType = cudaResourceTypeArray;
        r.res.array.array = a[i];
        OK(cudaCreateSurfaceObject(&s[i], &r));
    }
    OK(cudaMemcpy2DToArray(a[0], 0, 0, h, sizeof h[0], sizeof h[0], H,
                           cudaMemcpyHostToDevice));
    turn<<<1, dim3(W, H)>>>(s[0], s[1]);
    OK(cudaMemcpy2DFromArray(back, sizeof back[0], a[1], 0, 0, sizeof back[0],
                             H, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            CHECK(back[y][x] == h[y][W - 1 - x] + 1);
    array<int> out(3);
    edges<<<1, 1>>>(s[0], out.d);
    out.get();
    CHECK(out.h[0] == W - 1 && out.h[1] == 0 && out.h[2] == 1);
    for (int i = 0; i < 2; i++) {
        OK(cudaDestroySurfaceObject(s[i]));
        OK(cudaFreeArray(a[i]));
    }
}

#ifdef __SIMNVCC__ // CUDA does not say what becomes of handles that are gone
PROBE(objects_are_destroyed_once_and_as_what_they_are)
{
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    cudaSurfaceObject_t s;
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    OK(cudaMallocArray(&a, &f, W, H, cudaArraySurfaceLoadStore));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    OK(cudaCreateSurfaceObject(&s, &r));
    const cudaTextureObject_t t =
        texture_of(a, settings(cudaAddressModeClamp, cudaFilterModePoint, 0));
    CHECK(cudaDestroySurfaceObject(t) == cudaErrorInvalidValue);
    CHECK(cudaDestroyTextureObject(s) == cudaErrorInvalidValue);
    OK(cudaDestroySurfaceObject(s));
    OK(cudaDestroyTextureObject(t));
    CHECK(cudaDestroySurfaceObject(s) == cudaErrorInvalidValue);
    CHECK(cudaDestroyTextureObject(t) == cudaErrorInvalidValue);
    OK(cudaDestroySurfaceObject(0)); // none
    OK(cudaDestroyTextureObject(0));
    OK(cudaFreeArray(a));
}
#endif

// ---- cube maps -------------------------------------------------------------

enum { FACE = 4, CUBES = 2 };

/* The direction in which texel (i, j) of a face lies. */
__device__ float3 towards(int face, int i, int j)
{
    const float s = 2 * ((float)i + 0.5f) / FACE - 1,
                t = 2 * ((float)j + 0.5f) / FACE - 1;
    switch (face) {
    case 0: return make_float3(1, -t, -s);
    case 1: return make_float3(-1, -t, s);
    case 2: return make_float3(s, 1, t);
    case 3: return make_float3(s, -1, -t);
    case 4: return make_float3(s, -t, 1);
    default: return make_float3(-s, -t, -1);
    }
}

__global__ void look_around(cudaTextureObject_t one, cudaTextureObject_t many,
                            float *out)
{
    const int face = (int)threadIdx.z;
    const float3 d = towards(face, (int)threadIdx.x, (int)threadIdx.y);
    const int at =
        ((int)threadIdx.z * FACE + (int)threadIdx.y) * FACE + (int)threadIdx.x;
    out[at] = texCubemap<float>(one, 3 * d.x, 3 * d.y, 3 * d.z);
    for (int cube = 0; cube < CUBES; cube++)
        out[(1 + cube) * 6 * FACE * FACE + at] =
            texCubemapLayered<float>(many, d.x, d.y, d.z, cube);
}

__global__ void turn_faces(cudaSurfaceObject_t s)
{
    const int x = (int)threadIdx.x * (int)sizeof(float), y = (int)threadIdx.y,
              face = (int)threadIdx.z;
    surfCubemapwrite(surfCubemapread<float>(s, x, y, face) + 1000, s, x, y,
                     face);
}

static cudaArray_t faces(int depth, unsigned flags)
{
    cudaArray_t a;
    float h[CUBES * 6 * FACE * FACE];
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    for (int i = 0; i < CUBES * 6 * FACE * FACE; i++)
        h[i] = (float)i;
    cudaMemcpy3DParms in;
    memset(&in, 0, sizeof in);
    OK(cudaMalloc3DArray(&a, &f, make_cudaExtent(FACE, FACE, (size_t)depth),
                         flags));
    in.srcPtr = make_cudaPitchedPtr(h, FACE * sizeof *h, FACE, FACE);
    in.dstArray = a;
    in.extent = make_cudaExtent(FACE, FACE, (size_t)depth);
    in.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&in));
    return a;
}

PROBE(cube_maps)
{
    const int n = 6 * FACE * FACE;
    const cudaTextureDesc how =
        settings(cudaAddressModeWrap, cudaFilterModeLinear, 1);
    cudaArray_t one = faces(6, cudaArrayCubemap | cudaArraySurfaceLoadStore),
                many = faces(6 * CUBES, cudaArrayCubemap | cudaArrayLayered);
    const cudaTextureObject_t a = texture_of(one, how),
                              b = texture_of(many, how);
    array<float> out((size_t)(1 + CUBES) * (size_t)n);
    cudaSurfaceObject_t s;
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = one;
    OK(cudaCreateSurfaceObject(&s, &r));
    for (int turned = 0; turned < 2; turned++) {
        look_around<<<1, dim3(FACE, FACE, 6)>>>(a, b, out.d);
        out.get();
        for (int i = 0; i < n; i++) {
            CHECK(out.h[i] == (float)(i + 1000 * turned));
            CHECK(out.h[n + i] == (float)i &&
                  out.h[2 * n + i] == (float)(n + i));
        }
        turn_faces<<<1, dim3(FACE, FACE, 6)>>>(s);
        OK(cudaDeviceSynchronize());
    }
    OK(cudaDestroySurfaceObject(s));
    OK(cudaDestroyTextureObject(a));
    OK(cudaDestroyTextureObject(b));
    OK(cudaFreeArray(one));
    OK(cudaFreeArray(many));
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    CHECK(cudaMalloc3DArray(&one, &f, make_cudaExtent(FACE, FACE + 1, 6),
                            cudaArrayCubemap) != cudaSuccess);
    CHECK(cudaMalloc3DArray(&one, &f, make_cudaExtent(FACE, FACE, 5),
                            cudaArrayCubemap) != cudaSuccess);
    cudaGetLastError();
}

// ---- gathers and levels ----------------------------------------------------

__global__ void gathered(cudaTextureObject_t t, float4 *out)
{
    out[0] = tex2Dgather<float4>(t, 1.5f + 0.1f, 1.5f + 0.1f);
    out[1] = tex2Dgather<float4>(t, 0.f, 0.f);
    out[2] = make_float4(
        tex2DLod<float>(t, 2.5f, 1.5f, 0),
        tex2DGrad<float>(t, 2.5f, 1.5f, make_float2(1, 0), make_float2(0, 1)),
        0, 0);
}
PROBE(gathers_and_levels)
{
    float h[H][W];
    cudaArray_t a;
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    for (int i = 0; i < H * W; i++)
        (&h[0][0])[i] = (float)(10 * (i / W) + i % W);
    OK(cudaMallocArray(&a, &f, W, H, cudaArrayTextureGather));
    OK(cudaMemcpy2DToArray(a, 0, 0, h, sizeof h[0], sizeof h[0], H,
                           cudaMemcpyHostToDevice));
    const cudaTextureObject_t t =
        texture_of(a, settings(cudaAddressModeClamp, cudaFilterModePoint, 0));
    array<float4> out(3);
    gathered<<<1, 1>>>(t, out.d);
    const float4 *const o = out.get();
    CHECK(o[0].x == 21 && o[0].y == 22 && o[0].z == 12 && o[0].w == 11);
    CHECK(o[1].x == 0 && o[1].y == 0 && o[1].z == 0 && o[1].w == 0);
    CHECK(o[2].x == 12 && o[2].y == 12);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));
}

// ---- the driver's arrays and objects ---------------------------------------

#define DRIVER(call) CHECK((call) == CUDA_SUCCESS)

__global__ void read_driver(CUtexObject t, CUsurfObject s, float *out)
{
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    out[y * W + x] =
        tex2D<float>(t, ((float)x + 0.5f) / W, ((float)y + 0.5f) / H);
    surf2Dwrite((unsigned char)(x + 10 * y), s, x, y);
}

PROBE(the_drivers_arrays)
{
    unsigned char h[H][W], back[H][W], piece[2][2];
    CUarray a, deep;
    CUDA_ARRAY_DESCRIPTOR d = {W, H, CU_AD_FORMAT_UNSIGNED_INT8, 1}, is;
    CUDA_ARRAY3D_DESCRIPTOR d3 = {W, H, D, CU_AD_FORMAT_SIGNED_INT16, 1, 0},
                            is3;
    for (int i = 0; i < H * W; i++)
        (&h[0][0])[i] = (unsigned char)(3 * i);
    OK(cudaFree(0));
    DRIVER(cuArrayCreate(&a, &d));
    DRIVER(cuArrayGetDescriptor(&is, a));
    CHECK(is.Width == W && is.Height == H && is.NumChannels == 1 &&
          is.Format == CU_AD_FORMAT_UNSIGNED_INT8);
    CUDA_MEMCPY2D in;
    memset(&in, 0, sizeof in);
    in.srcMemoryType = CU_MEMORYTYPE_HOST;
    in.srcHost = h;
    in.srcPitch = W;
    in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    in.dstArray = a;
    in.WidthInBytes = W;
    in.Height = H;
    DRIVER(cuMemcpy2D(&in));
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC how;
    CUtexObject t;
    CUsurfObject s;
    memset(&r, 0, sizeof r);
    memset(&how, 0, sizeof how);
    r.resType = CU_RESOURCE_TYPE_ARRAY;
    r.res.array.hArray = a;
    for (int i = 0; i < 3; i++)
        how.addressMode[i] = CU_TR_ADDRESS_MODE_WRAP;
    how.filterMode = CU_TR_FILTER_MODE_LINEAR;
    how.flags = CU_TRSF_NORMALIZED_COORDINATES;
    DRIVER(cuTexObjectCreate(&t, &r, &how, NULL));
    DRIVER(cuSurfObjectCreate(&s, &r));
    array<float> out(W * H);
    read_driver<<<1, dim3(W, H)>>>(t, s, out.d);
    out.get();
    for (int i = 0; i < W * H; i++)
        CHECK(fabsf(out.h[i] - (float)(3 * i) / 255) < 1e-6f);
    DRIVER(cuMemcpyAtoH(back[0], a, 0, W));
    CHECK(back[0][1] == 1);
    CUDA_MEMCPY2D out_of_it = {};
    out_of_it.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    out_of_it.srcArray = a;
    out_of_it.dstMemoryType = CU_MEMORYTYPE_HOST;
    out_of_it.dstHost = back;
    out_of_it.WidthInBytes = out_of_it.dstPitch = W;
    out_of_it.Height = H;
    DRIVER(cuMemcpy2D(&out_of_it));
    CHECK(back[2][3] == 23 && back[0][4] == 4);
    CUDA_MEMCPY2D part;
    memset(&part, 0, sizeof part);
    part.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    part.srcArray = a;
    part.srcXInBytes = 2;
    part.srcY = 1;
    part.dstMemoryType = CU_MEMORYTYPE_HOST;
    part.dstHost = piece;
    part.dstPitch = 2;
    part.WidthInBytes = part.Height = 2;
    DRIVER(cuMemcpy2D(&part));
    CHECK(piece[0][0] == 12 && piece[0][1] == 13 && piece[1][0] == 22);
    DRIVER(cuTexObjectDestroy(t));
    DRIVER(cuSurfObjectDestroy(s));
    DRIVER(cuArrayDestroy(a));

    short v[D][H][W], w[D][H][W];
    for (int i = 0; i < D * H * W; i++)
        (&v[0][0][0])[i] = (short)i;
    DRIVER(cuArray3DCreate(&deep, &d3));
    DRIVER(cuArray3DGetDescriptor(&is3, deep));
    CHECK(is3.Depth == D && is3.Format == CU_AD_FORMAT_SIGNED_INT16);
    CUDA_MEMCPY3D all;
    memset(&all, 0, sizeof all);
    all.srcMemoryType = CU_MEMORYTYPE_HOST;
    all.srcHost = v;
    all.srcPitch = sizeof v[0][0];
    all.srcHeight = H;
    all.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    all.dstArray = deep;
    all.WidthInBytes = sizeof v[0][0];
    all.Height = H;
    all.Depth = D;
    DRIVER(cuMemcpy3D(&all));
    memset(&all, 0, sizeof all);
    memset(w, 0, sizeof w);
    all.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    all.srcArray = deep;
    all.srcXInBytes = 2 * sizeof(short);
    all.srcY = 1;
    all.srcZ = 1;
    all.dstMemoryType = CU_MEMORYTYPE_HOST;
    all.dstHost = w;
    all.dstPitch = sizeof w[0][0];
    all.dstHeight = H;
    all.WidthInBytes = 3 * sizeof(short);
    all.Height = 2;
    all.Depth = 1;
    DRIVER(cuMemcpy3D(&all));
    CHECK(w[0][0][0] == v[1][1][2] && w[0][1][2] == v[1][2][4]);
    CHECK(w[0][0][3] == 0 && w[1][0][0] == 0);
    d3.Format = (CUarray_format)0x7f;
    CHECK(cuArray3DCreate(&a, &d3) == CUDA_ERROR_INVALID_VALUE);
    all.srcArray = NULL;
    CHECK(cuMemcpy3D(&all) != CUDA_SUCCESS);
    DRIVER(cuArrayDestroy(deep));
}

PROBE(textures_that_cannot_be)
{
    cudaArray_t a;
    cudaTextureObject_t t;
    cudaResourceDesc r;
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<int>();
    memset(&r, 0, sizeof r);
    OK(cudaMallocArray(&a, &f, 4));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = settings(cudaAddressModeClamp, cudaFilterModeLinear, 0);
    CHECK(cudaCreateTextureObject(&t, &r, &d, NULL) != cudaSuccess);
    d.filterMode = cudaFilterModePoint;
    d.readMode = cudaReadModeNormalizedFloat;
    CHECK(cudaCreateTextureObject(&t, &r, &d, NULL) != cudaSuccess);
    d.readMode = cudaReadModeElementType;
    IS(cudaCreateTextureObject(NULL, &r, &d, NULL), cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaFreeArray(a));
}
