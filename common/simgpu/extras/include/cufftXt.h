/*
 * cufftXt.h: plans and transforms with the types of their data as arguments
 *
 * They cover the six transforms of cufft.h; numbers of 16 bits are
 * CUFFT_NOT_SUPPORTED. Several GPUs and callbacks are not implemented.
 */
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_

#include "cufft.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cufftXtWorkAreaPolicy_t {
    CUFFT_WORKAREA_MINIMAL = 0,
    CUFFT_WORKAREA_USER = 1,
    CUFFT_WORKAREA_PERFORMANCE = 2
} cufftXtWorkAreaPolicy;

/* As cufftMakePlanMany64(). executiontype is the complex type with the
 * precision of both sides. */
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n,
                                long long int *inembed, long long int istride,
                                long long int idist, cudaDataType inputtype,
                                long long int *onembed, long long int ostride,
                                long long int odist, cudaDataType outputtype,
                                long long int batch, size_t *workSize,
                                cudaDataType executiontype);
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long int *n,
                               long long int *inembed, long long int istride,
                               long long int idist, cudaDataType inputtype,
                               long long int *onembed, long long int ostride,
                               long long int odist, cudaDataType outputtype,
                               long long int batch, size_t *workSize,
                               cudaDataType executiontype);
cufftResult cufftXtExec(cufftHandle plan, void *input, void *output,
                        int direction);
/* Checked, but without effect: there is no workspace. */
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan,
                                     cufftXtWorkAreaPolicy policy,
                                     size_t *workSize);

#ifdef __cplusplus
}
#endif
#endif
