/*
 * blas.h: a handle of cuBLAS's, for probes
 */
#ifndef COMMLAB_TESTS_PROBES_BLAS_H
#define COMMLAB_TESTS_PROBES_BLAS_H

#include "probe.h"

#define IS(call, status) CHECK((call) == CUBLAS_STATUS_##status)
#define BLAS(call)       IS(call, SUCCESS)

struct handle {
    cublasHandle_t h;
    handle()
    {
        BLAS(cublasCreate(&h));
    }
    ~handle()
    {
        BLAS(cublasDestroy(h));
    }
    operator cublasHandle_t() const
    {
        return h;
    }
};

#endif
