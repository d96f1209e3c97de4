/*
 * xt.c: plans and transforms by the types of their data (cufftXt.h)
 */
#include <cufftXt.h>

#include "cufft/fft_plan.h"

static const struct {
    cudaDataType in, out, execution;
    cufftType type;
} types[] = {
    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C},
    {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
    {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R},
    {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
    {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z},
    {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D},
};

static cufftResult type_of(cudaDataType in, cudaDataType out,
                           cudaDataType execution, cufftType *type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].in == in && types[i].out == out &&
            types[i].execution == execution) {
            *type = types[i].type;
            return CUFFT_SUCCESS;
        }
    return in == CUDA_C_16F || in == CUDA_R_16F || in == CUDA_C_16BF ||
                   in == CUDA_R_16BF
               ? CUFFT_NOT_SUPPORTED
               : CUFFT_INVALID_TYPE;
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n,
                                long long int *inembed, long long int istride,
                                long long int idist, cudaDataType inputtype,
                                long long int *onembed, long long int ostride,
                                long long int odist, cudaDataType outputtype,
                                long long int batch, size_t *workSize,
                                cudaDataType executiontype)
{
    cufftType type;
    const cufftResult err =
        type_of(inputtype, outputtype, executiontype, &type);
    return err ? err
               : cufftMakePlanMany64(plan, rank, n, inembed, istride, idist,
                                     onembed, ostride, odist, type, batch,
                                     workSize);
}

cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long int *n,
                               long long int *inembed, long long int istride,
                               long long int idist, cudaDataType inputtype,
                               long long int *onembed, long long int ostride,
                               long long int odist, cudaDataType outputtype,
                               long long int batch, size_t *workSize,
                               cudaDataType executiontype)
{
    struct plan p;
    cufftType type;
    (void)inembed, (void)istride, (void)idist;
    (void)onembed, (void)ostride, (void)odist;
    if (!fft_plan_find(plan, &p))
        return CUFFT_INVALID_PLAN;
    if (rank < 1 || rank > PLAN_DIMS || !n || batch < 1 || !workSize)
        return CUFFT_INVALID_VALUE;
    *workSize = 0;
    return type_of(inputtype, outputtype, executiontype, &type);
}

cufftResult cufftXtExec(cufftHandle plan, void *input, void *output,
                        int direction)
{
    struct plan p;
    if (!fft_plan_find(plan, &p) || !p.is_made)
        return CUFFT_INVALID_PLAN;
    switch (p.type) {
    case CUFFT_C2C: return cufftExecC2C(plan, input, output, direction);
    case CUFFT_Z2Z: return cufftExecZ2Z(plan, input, output, direction);
    case CUFFT_R2C: return cufftExecR2C(plan, input, output);
    case CUFFT_C2R: return cufftExecC2R(plan, input, output);
    case CUFFT_D2Z: return cufftExecD2Z(plan, input, output);
    case CUFFT_Z2D: return cufftExecZ2D(plan, input, output);
    }
    return CUFFT_INVALID_TYPE;
}

cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan,
                                     cufftXtWorkAreaPolicy policy,
                                     size_t *workSize)
{
    struct plan p;
    if (!fft_plan_find(plan, &p))
        return CUFFT_INVALID_PLAN;
    if (policy > CUFFT_WORKAREA_PERFORMANCE)
        return CUFFT_INVALID_VALUE;
    if (workSize)
        *workSize = 0;
    return CUFFT_SUCCESS;
}
