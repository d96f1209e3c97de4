#include "driver/channels.h"

static const struct {
    CUarray_format format;
    int bits;
    enum cudaChannelFormatKind kind;
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};
enum { FORMATS = sizeof formats / sizeof *formats };

struct cudaChannelFormatDesc channels_of(CUarray_format format, unsigned n)
{
    struct cudaChannelFormatDesc d = {0};
    if (n != 1 && n != 2 && n != 4)
        return d;
    for (int i = 0; i < FORMATS; i++)
        if (formats[i].format == format) {
            const int bits = formats[i].bits;
            d = (struct cudaChannelFormatDesc){
                bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 2 ? bits : 0,
                formats[i].kind};
        }
    return d;
}

CUarray_format channels_format(const struct cudaChannelFormatDesc *d)
{
    for (int i = 0; i < FORMATS; i++)
        if (formats[i].bits == d->x && formats[i].kind == d->f)
            return formats[i].format;
    return 0;
}
