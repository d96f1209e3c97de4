/*
 * xt.c: plans and transforms with the types of their data as arguments
 * (cufftXt.h)
 */
#include <cufftXt.h>

#include "core/site.h"
#include "extras/cufft/fft_plan.h"

static const struct {
    cudaDataType in, out, execution;
    cufftType type;
    enum fft_precision precision;
} types[] = {
    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C, FFT_SINGLE},
    {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C, FFT_SINGLE},
    {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R, FFT_SINGLE},
    {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z, FFT_DOUBLE},
    {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z, FFT_DOUBLE},
    {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D, FFT_DOUBLE},
    {CUDA_C_16F, CUDA_C_16F, CUDA_C_16F, CUFFT_C2C, FFT_FP16},
    {CUDA_R_16F, CUDA_C_16F, CUDA_C_16F, CUFFT_R2C, FFT_FP16},
    {CUDA_C_16F, CUDA_R_16F, CUDA_C_16F, CUFFT_C2R, FFT_FP16},
    {CUDA_C_16BF, CUDA_C_16BF, CUDA_C_16BF, CUFFT_C2C, FFT_BF16},
    {CUDA_R_16BF, CUDA_C_16BF, CUDA_C_16BF, CUFFT_R2C, FFT_BF16},
    {CUDA_C_16BF, CUDA_R_16BF, CUDA_C_16BF, CUFFT_C2R, FFT_BF16},
};

/* Numbers of 16 bits can only be transformed in lengths
 * that are powers of 2. */
static int are_powers_of_2(int rank, const long long *n)
{
    for (int i = 0; i < rank && i < PLAN_DIMS; i++)
        if (n[i] & (n[i] - 1))
            return 0;
    return 1;
}

static cufftResult type_of(cudaDataType in, cudaDataType out,
                           cudaDataType execution, int rank, const long long *n,
                           struct fft_shape *s)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].in == in && types[i].out == out &&
            types[i].execution == execution) {
            s->type = types[i].type;
            s->precision = types[i].precision;
            return !fft_is_narrow(s->precision) || !n ||
                           are_powers_of_2(rank, n)
                       ? CUFFT_SUCCESS
                       : CUFFT_NOT_SUPPORTED;
        }
    return CUFFT_INVALID_TYPE;
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n,
                                long long int *inembed, long long int istride,
                                long long int idist, cudaDataType inputtype,
                                long long int *onembed, long long int ostride,
                                long long int odist, cudaDataType outputtype,
                                long long int batch, size_t *workSize,
                                cudaDataType executiontype)
{
    struct fft_shape s = {rank,      n,       inembed,   istride,
                          idist,     onembed, ostride,   odist,
                          CUFFT_C2C, batch,   FFT_SINGLE};
    const cufftResult err =
        type_of(inputtype, outputtype, executiontype, rank, n, &s);
    return fft_return(err ? err : fft_plan_make(plan, &s, workSize));
}

cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long int *n,
                               long long int *inembed, long long int istride,
                               long long int idist, cudaDataType inputtype,
                               long long int *onembed, long long int ostride,
                               long long int odist, cudaDataType outputtype,
                               long long int batch, size_t *workSize,
                               cudaDataType executiontype)
{
    struct fft_plan p;
    struct fft_shape s;
    (void)inembed, (void)istride, (void)idist;
    (void)onembed, (void)ostride, (void)odist;
    if (!fft_plan_find(plan, &p))
        return CUFFT_INVALID_PLAN;
    if (rank < 1 || rank > PLAN_DIMS || !n || batch < 1 || !workSize)
        return CUFFT_INVALID_VALUE;
    const cufftResult err =
        type_of(inputtype, outputtype, executiontype, rank, n, &s);
    if (err == CUFFT_SUCCESS)
        *workSize = 0;
    return err;
}

cufftResult cufftXtExec(cufftHandle plan, void *input, void *output,
                        int direction)
{
    struct fft_plan p;
    if (!fft_plan_find(plan, &p) || !p.is_made)
        return fft_return(CUFFT_INVALID_PLAN);
    const int sign = fft_plan_reads_real(p.type)    ? CUFFT_FORWARD
                     : fft_plan_writes_real(p.type) ? CUFFT_INVERSE
                                                    : direction;
    return fft_return(
        fft_plan_run(&p, input, output, sign, "cufftXtExec", CALLER_SITE()));
}

cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan,
                                     cufftXtWorkAreaPolicy policy,
                                     size_t *workSize)
{
    struct fft_plan p;
    if (!fft_plan_find(plan, &p))
        return CUFFT_INVALID_PLAN;
    if (policy > CUFFT_WORKAREA_PERFORMANCE)
        return CUFFT_INVALID_VALUE;
    if (workSize)
        *workSize = 0;
    return CUFFT_SUCCESS;
}
