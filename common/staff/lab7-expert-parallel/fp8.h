/*
 * fp8.h: part 6's dispatch in one byte for each element. Given: nothing to edit
 * here.
 *
 * FP8_GROUP elements next to each other share a scale, a float: the largest of
 * them divided by FP8_LARGEST, which is e4m3's largest number. An element
 * travels as element / scale in e4m3, and the expert multiplies it by the scale
 * again. A token on its way is a *packet*:
 *
 *     dim bytes, e4m3 | dim / FP8_GROUP scales | up to a multiple of 16 bytes
 *
 * Between fp8_quantise() and fp8_dequantise(), direct_dispatch() carries
 * packets as it carries tokens: it looks at no element.
 */
#ifndef LAB7_FP8_H
#define LAB7_FP8_H

#include "lab7.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FP8_GROUP = 128, FP8_LARGEST = 448 };

struct fp8 {
    struct direct d;        /* its tokens are packets */
    int dim;                /* elements of a token */
    int nbytes;             /* the size of a packet */
    unsigned char *packets; /* (most, nbytes): this rank's tokens */
    float *tokens; /* (each, nranks, most, dim): what has arrived, as floats */
};

/* The bytes of a packet; dim is a multiple of FP8_GROUP. */
int fp8_packet(int dim);

/* As direct_open(), for layer m and up to `most` tokens of each rank. */
ncclResult_t fp8_open(struct fp8 *f, const struct moe *m, int most);

/* Free it, if it is open. All ranks' devices are idle. */
void fp8_close(struct fp8 *f);

/*
 * Quantise ntokens tokens, in, to packets. All on the device. The scale of a
 * group of zeros is 1. An element moves by at most 1/17 of itself, or, below
 * 2^-6 scales, by 2^-10 scales.
 */
ncclResult_t fp8_quantise(const float *in, int ntokens, int dim,
                          unsigned char *packets, cudaStream_t stream);

/* Dequantise the f->d.count packets that have arrived in each block, to the
 * same rows of f->tokens. */
ncclResult_t fp8_dequantise(const struct fp8 *f, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
