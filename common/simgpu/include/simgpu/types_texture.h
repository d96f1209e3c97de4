/*
 * types_texture.h: descriptions of textures and surfaces; part of
 * driver_types.h
 */
#ifndef SIMGPU_TYPES_TEXTURE_H
#define SIMGPU_TYPES_TEXTURE_H

enum cudaResourceType {
    cudaResourceTypeArray = 0,
    cudaResourceTypeMipmappedArray = 1,
    cudaResourceTypeLinear = 2,
    cudaResourceTypePitch2D = 3
};

struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width;
            size_t height;
            size_t pitchInBytes;
        } pitch2D;
        struct {
            int reserved[32];
        } reserved;
    } res;
    unsigned int flags;
};

/* A view of a resource in another format. It is declared, but
 * cudaCreateTextureObject refuses it. */
struct cudaResourceViewDesc;

#endif
