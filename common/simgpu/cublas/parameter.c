#include "cublas/parameter.h"

#include <ctype.h>  /* toupper */
#include <stdio.h>  /* printf */
#include <string.h> /* strlen */

int parameter_wrong(const int *right, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!right[i])
            return (int)i + 1;
    return 0;
}

/* The name that cuBLAS prints for its function: DGEMM, GEMM_EX, or
 * DgemmBatched, which BLAS doesn't have. */
static const char *blas_name(const char *function, char out[32])
{
    const char *const name = function + strlen("cublas");
    if (strncmp(name, "GemmEx", 6) == 0)
        return "GEMM_EX ";
    snprintf(out, 32, "%s", name);
    for (char *p = out; !strstr(name, "Batched") && *p; p++)
        *p = (char)toupper(*p);
    return out;
}

cublasStatus_t parameter_refuse(const char *function, int which)
{
    char name[32];
    if (which > 0)
        printf(
            " ** On entry to %-6s parameter number %d had an illegal value\n",
            blas_name(function, name), which);
    return CUBLAS_STATUS_INVALID_VALUE;
}
