/*
 * try.h: return the error of a call, for functions that return a cudaError_t
 * (private to common/nn)
 */
#ifndef COMMLAB_NN_TRY_H
#define COMMLAB_NN_TRY_H

#define TRY(call)                                                              \
    do {                                                                       \
        const cudaError_t try_ = (call);                                       \
        if (try_ != cudaSuccess)                                               \
            return try_;                                                       \
    } while (0)

#endif
