/*
 * texture_calls.h: functions by which device code reads textures and finds the
 * bytes of surfaces
 */
#ifndef SIMGPU_TEXTURE_CALLS_H
#define SIMGPU_TEXTURE_CALLS_H

#ifdef __cplusplus
extern "C" {
#endif

/* A texel: up to four channels, each widened to 32 bits.
 * Missing channels are 0. */
union simgpu_texel {
    float f[4];
    int i[4];
    unsigned u[4];
};

enum { SIMGPU_NO_LAYER = -2147483647 - 1 };

/* For tex1Dfetch: texel `index` of linear memory. */
void simgpu_texture_fetch(unsigned long long object, int index,
                          union simgpu_texel *out);

/* Sample a texture of ndims dimensions at (x, y, z), or at (x, y) of a layer,
 * which is clamped to its range. */
void simgpu_texture_sample(unsigned long long object, int ndims, float x,
                           float y, float z, int layer,
                           union simgpu_texel *out);

/* Sample a cube map in the direction (x, y, z). If there are
 * several, number `cube`. */
void simgpu_texture_cube(unsigned long long object, float x, float y, float z,
                         int cube, union simgpu_texel *out);

/* One channel of each of the four texels that linear
 * filtering at (x, y) uses. */
void simgpu_texture_gather(unsigned long long object, float x, float y,
                           int channel, union simgpu_texel *out);

/* The address of the nbytes at byte x of row y of a surface's slice z, or of a
 * layer. NULL if they are outside and the mode is cudaBoundaryModeZero. */
void *simgpu_surface_at(unsigned long long object, int ndims, int x, int y,
                        int z, int layer, unsigned nbytes, int mode);

#ifdef __cplusplus
}
#endif
#endif
