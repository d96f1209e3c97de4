/*
 * texture.h: texture and surface objects
 *
 * An object describes texels in device memory. Objects are numbers, because
 * kernels get them as parameters. The number of a destroyed object is
 * recognised until its slot is reused.
 */
#ifndef SIMGPU_DEVICE_TEXTURE_H
#define SIMGPU_DEVICE_TEXTURE_H

#include <cuda_runtime_api.h>

enum texture_cubes { NO_CUBE, ONE_CUBE, MANY_CUBES };

struct texture {
    char *base;
    int ndims;           /* 1 to 3, not counting layers */
    size_t size[3];      /* in texels */
    size_t nlayers;      /* 0: has no layers */
    size_t pitch, slice; /* bytes between rows; between slices or layers */
    size_t elem_nbytes;  /* bytes in a texel */
    int nchannels, bits; /* bits of a channel */
    enum cudaChannelFormatKind format;
    enum texture_cubes cubes; /* six consecutive layers are a cube's faces */
    int is_linear;            /* linear memory, for tex1Dfetch */
    int is_surface;           /* accessed by bytes; has no desc */
    struct cudaResourceDesc resource;
    struct cudaTextureDesc desc;
};

/* Add a copy of t. Returns the new object's number, or 0
 * if there are too many. */
unsigned long long texture_add(const struct texture *t);

/* The object with this number, or NULL. It stays valid until it is removed. */
const struct texture *texture_of(unsigned long long object);

void texture_remove(unsigned long long object);

#endif
