/*
 * sides.h: whether a function is the device's or the host's
 */
#ifndef SIMNVCC_SIDES_H
#define SIMNVCC_SIDES_H

#include "tokens.h"

/* The attributes of the functions around a token: __device__ or __global__,
 * and __host__. Neither is set in a function without attributes. */
struct sides {
    int device, host;
};

struct sides sides_of(const struct tokens *t, size_t i);

#endif
