/*
 * texture.h: reads of textures, reads and writes of surfaces, in device code
 */
#ifndef SIMGPU_TEXTURE_H
#define SIMGPU_TEXTURE_H

#include "simgpu/texture_calls.h"

namespace simgpu
{
template <class T> struct texel;
#define SIMGPU_TEXEL(T, member)                                                \
    template <> struct texel<T> {                                              \
        static T from(const simgpu_texel &t)                                   \
        {                                                                      \
            return (T)t.member[0];                                             \
        }                                                                      \
    };
#define SIMGPU_TEXELS(T, V, member)                                            \
    template <> struct texel<V##1> {                                           \
        static V##1 from(const simgpu_texel &t)                                \
        {                                                                      \
            return make_##V##1((T)t.member[0]);                                \
        }                                                                      \
    };                                                                         \
    template <> struct texel<V##2> {                                           \
        static V##2 from(const simgpu_texel &t)                                \
        {                                                                      \
            return make_##V##2((T)t.member[0], (T)t.member[1]);                \
        }                                                                      \
    };                                                                         \
    template <> struct texel<V##4> {                                           \
        static V##4 from(const simgpu_texel &t)                                \
        {                                                                      \
            return make_##V##4((T)t.member[0], (T)t.member[1], (T)t.member[2], \
                               (T)t.member[3]);                                \
        }                                                                      \
    };
SIMGPU_TEXEL(char, i)
SIMGPU_TEXEL(signed char, i)
SIMGPU_TEXEL(unsigned char, u)
SIMGPU_TEXEL(short, i)
SIMGPU_TEXEL(unsigned short, u)
SIMGPU_TEXEL(int, i)
SIMGPU_TEXEL(unsigned, u)
SIMGPU_TEXEL(float, f)
SIMGPU_TEXELS(signed char, char, i)
SIMGPU_TEXELS(unsigned char, uchar, u)
SIMGPU_TEXELS(short, short, i)
SIMGPU_TEXELS(unsigned short, ushort, u)
SIMGPU_TEXELS(int, int, i)
SIMGPU_TEXELS(unsigned, uint, u)
SIMGPU_TEXELS(float, float, f)
#undef SIMGPU_TEXEL
#undef SIMGPU_TEXELS
} // namespace simgpu

/* Always inlined, so that messages name the caller's line. */
#define SIMGPU_INLINE    static inline __attribute__((always_inline))
#define SIMGPU_LIST(...) __VA_ARGS__
/* Define a function that returns a texel, and one that stores it. */
#define SIMGPU_READ(name, function, params, args)                              \
    template <class T>                                                         \
    SIMGPU_INLINE T name(cudaTextureObject_t object, SIMGPU_LIST params)       \
    {                                                                          \
        simgpu_texel t;                                                        \
        function(object, SIMGPU_LIST args, &t);                                \
        return simgpu::texel<T>::from(t);                                      \
    }                                                                          \
    template <class T>                                                         \
    SIMGPU_INLINE void name(T *out, cudaTextureObject_t object,                \
                            SIMGPU_LIST params)                                \
    {                                                                          \
        simgpu_texel t;                                                        \
        function(object, SIMGPU_LIST args, &t);                                \
        *out = simgpu::texel<T>::from(t);                                      \
    }
SIMGPU_READ(tex1Dfetch, simgpu_texture_fetch, (int x), (x))
SIMGPU_READ(tex1D, simgpu_texture_sample, (float x),
            (1, x, 0, 0, SIMGPU_NO_LAYER))
SIMGPU_READ(tex2D, simgpu_texture_sample, (float x, float y),
            (2, x, y, 0, SIMGPU_NO_LAYER))
SIMGPU_READ(tex3D, simgpu_texture_sample, (float x, float y, float z),
            (3, x, y, z, SIMGPU_NO_LAYER))
SIMGPU_READ(tex1DLayered, simgpu_texture_sample, (float x, int layer),
            (1, x, 0, 0, layer))
SIMGPU_READ(tex2DLayered, simgpu_texture_sample, (float x, float y, int layer),
            (2, x, y, 0, layer))
SIMGPU_READ(texCubemap, simgpu_texture_cube, (float x, float y, float z),
            (x, y, z, SIMGPU_NO_LAYER))
SIMGPU_READ(texCubemapLayered, simgpu_texture_cube,
            (float x, float y, float z, int layer), (x, y, z, layer))
SIMGPU_READ(tex2Dgather, simgpu_texture_gather,
            (float x, float y, int comp = 0), (x, y, comp))
/* Without mipmaps, an array is its own level 0,
 * whichever level is requested. */
SIMGPU_READ(tex1DLod, simgpu_texture_sample, (float x, float),
            (1, x, 0, 0, SIMGPU_NO_LAYER))
SIMGPU_READ(tex2DLod, simgpu_texture_sample, (float x, float y, float),
            (2, x, y, 0, SIMGPU_NO_LAYER))
SIMGPU_READ(tex3DLod, simgpu_texture_sample, (float x, float y, float z, float),
            (3, x, y, z, SIMGPU_NO_LAYER))
SIMGPU_READ(tex1DLayeredLod, simgpu_texture_sample, (float x, int layer, float),
            (1, x, 0, 0, layer))
SIMGPU_READ(tex2DLayeredLod, simgpu_texture_sample,
            (float x, float y, int layer, float), (2, x, y, 0, layer))
SIMGPU_READ(texCubemapLod, simgpu_texture_cube,
            (float x, float y, float z, float), (x, y, z, SIMGPU_NO_LAYER))
SIMGPU_READ(tex1DGrad, simgpu_texture_sample, (float x, float, float),
            (1, x, 0, 0, SIMGPU_NO_LAYER))
SIMGPU_READ(tex2DGrad, simgpu_texture_sample,
            (float x, float y, float2, float2), (2, x, y, 0, SIMGPU_NO_LAYER))
SIMGPU_READ(tex3DGrad, simgpu_texture_sample,
            (float x, float y, float z, float4, float4),
            (3, x, y, z, SIMGPU_NO_LAYER))
#undef SIMGPU_READ

/* name##read in both forms, and name##write. The access is in the caller, where
 * the compiler inserts its hook. */
#define SIMGPU_SURFACE(name, params, ndims, args)                              \
    template <class T>                                                         \
    SIMGPU_INLINE T name##read(cudaSurfaceObject_t object, SIMGPU_LIST params, \
                               cudaSurfaceBoundaryMode mode =                  \
                                   cudaBoundaryModeTrap)                       \
    {                                                                          \
        const T *const p = (const T *)simgpu_surface_at(                       \
            object, ndims, SIMGPU_LIST args, sizeof(T), mode);                 \
        return p ? *p : T();                                                   \
    }                                                                          \
    template <class T>                                                         \
    SIMGPU_INLINE void name##read(                                             \
        T *out, cudaSurfaceObject_t object, SIMGPU_LIST params,                \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                   \
    {                                                                          \
        const T *const p = (const T *)simgpu_surface_at(                       \
            object, ndims, SIMGPU_LIST args, sizeof(T), mode);                 \
        *out = p ? *p : T();                                                   \
    }                                                                          \
    template <class T>                                                         \
    SIMGPU_INLINE void name##write(                                            \
        T value, cudaSurfaceObject_t object, SIMGPU_LIST params,               \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                   \
    {                                                                          \
        T *const p = (T *)simgpu_surface_at(object, ndims, SIMGPU_LIST args,   \
                                            sizeof(T), mode);                  \
        if (p)                                                                 \
            *p = value;                                                        \
    }
SIMGPU_SURFACE(surf1D, (int x), 1, (x, 0, 0, SIMGPU_NO_LAYER))
SIMGPU_SURFACE(surf2D, (int x, int y), 2, (x, y, 0, SIMGPU_NO_LAYER))
SIMGPU_SURFACE(surf3D, (int x, int y, int z), 3, (x, y, z, SIMGPU_NO_LAYER))
SIMGPU_SURFACE(surf1DLayered, (int x, int layer), 1, (x, 0, 0, layer))
SIMGPU_SURFACE(surf2DLayered, (int x, int y, int layer), 2, (x, y, 0, layer))
/* A cube's faces are layers; several cubes have six layers each. */
SIMGPU_SURFACE(surfCubemap, (int x, int y, int face), 2, (x, y, 0, face))
SIMGPU_SURFACE(surfCubemapLayered, (int x, int y, int layer_face), 2,
               (x, y, 0, layer_face))
#undef SIMGPU_SURFACE
#undef SIMGPU_LIST
#undef SIMGPU_INLINE

#endif
