/*
 * blas.h: OpenBLAS, loaded with the first handle
 *
 * OpenBLAS starts a thread for each core as soon as it is loaded, and they spin
 * for a while. With a rank on each core, or more, that costs more than a short
 * run; most ranks never multiply a matrix. So it is not linked, but loaded when
 * it is needed, and told to use one thread before it can start others.
 */
#ifndef SIMGPU_CUBLAS_BLAS_H
#define SIMGPU_CUBLAS_BLAS_H

#include <cblas.h>

struct blas { /* cblas_sgemm, ... */
    __typeof__(cblas_sgemm) *sgemm;
    __typeof__(cblas_saxpy) *saxpy;
    __typeof__(cblas_sscal) *sscal;
    __typeof__(cblas_snrm2) *snrm2;
};

/* The functions; loads them on the first call. Ends the run, with a message,
 * if they are not there. */
const struct blas *blas(void);

#endif
