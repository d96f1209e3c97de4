/*
 * texture.h: texture and surface objects
 *
 * An object describes texels in device memory. Objects are numbers, since
 * kernels have them as parameters; one that has been destroyed is known as
 * such until its place is used again.
 */
#ifndef SIMGPU_DEVICE_TEXTURE_H
#define SIMGPU_DEVICE_TEXTURE_H

#include <cuda_runtime_api.h>

enum texture_cubes { NO_CUBE, ONE_CUBE, MANY_CUBES };

struct texture {
    char *base;
    int ndims;           /* 1 to 3, layers not counted */
    size_t size[3];      /* texels */
    size_t nlayers;      /* 0: it has no layers */
    size_t pitch, slice; /* bytes from row to row, and slice or layer */
    size_t elem_nbytes;  /* of a texel */
    int nchannels, bits; /* bits of a channel */
    enum cudaChannelFormatKind format;
    enum texture_cubes cubes; /* whose faces the layers are, six of each */
    int is_linear;            /* memory without dimensions, for tex1Dfetch */
    int is_surface;           /* written and read by bytes; has no desc */
    struct cudaResourceDesc resource;
    struct cudaTextureDesc desc;
};

/* Returns the number of a new object, a copy of t; 0: there are too many. */
unsigned long long texture_add(const struct texture *t);

/* The object of that number, or NULL. It stays valid until it is removed. */
const struct texture *texture_of(unsigned long long object);

void texture_remove(unsigned long long object);

#endif
