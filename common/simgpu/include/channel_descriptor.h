/*
 * channel_descriptor.h: the format of an array's elements, by their type
 */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"
#include "vector_types.h"

#ifdef __cplusplus

template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define SIMGPU_CHANNEL(type, elem, n, kind)                                    \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>()     \
    {                                                                          \
        const int bits = (int)sizeof(elem) * 8;                                \
        return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, \
                                     n > 3 ? bits : 0, kind);                  \
    }
#define SIMGPU_CHANNELS(elem, type, kind)                                      \
    SIMGPU_CHANNEL(elem, elem, 1, kind)                                        \
    SIMGPU_CHANNEL(type##1, elem, 1, kind)                                     \
    SIMGPU_CHANNEL(type##2, elem, 2, kind)                                     \
    SIMGPU_CHANNEL(type##4, elem, 4, kind)
SIMGPU_CHANNELS(signed char, char, cudaChannelFormatKindSigned)
SIMGPU_CHANNELS(unsigned char, uchar, cudaChannelFormatKindUnsigned)
SIMGPU_CHANNELS(short, short, cudaChannelFormatKindSigned)
SIMGPU_CHANNELS(unsigned short, ushort, cudaChannelFormatKindUnsigned)
SIMGPU_CHANNELS(int, int, cudaChannelFormatKindSigned)
SIMGPU_CHANNELS(unsigned int, uint, cudaChannelFormatKindUnsigned)
SIMGPU_CHANNELS(float, float, cudaChannelFormatKindFloat)
SIMGPU_CHANNEL(char, char, 1, cudaChannelFormatKindSigned)
#undef SIMGPU_CHANNELS
#undef SIMGPU_CHANNEL

#endif
#endif
