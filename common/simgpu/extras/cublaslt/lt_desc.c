/*
 * lt_desc.c: cublasLt's handle and descriptors
 */
#include "extras/cublaslt/lt.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

#include "core/device.h"
#include "core/host.h"
#include "core/site.h"
#include "cublas/blas.h"
#include "cublas/handle.h"

/* ---- the handle, which may also be one of cuBLAS's ----------------------- */

cublasStatus_t cublasLtCreate(cublasLtHandle_t *lightHandle)
{
    if (!lightHandle)
        return CUBLAS_STATUS_INVALID_VALUE;
    simgpu_host_call("cublasLtCreate", CALLER_SITE());
    blas();
    struct cublasContext *const handle = calloc(1, sizeof *handle);
    if (!handle)
        return CUBLAS_STATUS_ALLOC_FAILED;
    handle->magic = HANDLE_MAGIC;
    handle->device = simgpu_device_current();
    *lightHandle = (cublasLtHandle_t)handle;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t lightHandle)
{
    struct cublasContext *const handle = (struct cublasContext *)lightHandle;
    if (!handle || handle->magic != HANDLE_MAGIC)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->magic = 0;
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasLtGetVersion(void)
{
    return CUBLAS_VERSION;
}

size_t cublasLtGetCudartVersion(void)
{
    return CUDART_VERSION;
}

const char *cublasLtGetStatusName(cublasStatus_t status)
{
    return handle_status_name(status);
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
    return handle_status_text(status);
}

/* ---- attributes ---------------------------------------------------------- */

struct attribute {
    int name;
    size_t offset, size;
};

#define ATTRIBUTE(name, type, field)                                           \
    {                                                                          \
        name, offsetof(struct type, field), sizeof(((struct type *)0)->field)  \
    }
#define LAYOUT(name, field)                                                    \
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_##name, lt_layout, field)
#define MATMUL(name, field)                                                    \
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_##name, lt_matmul, field)
#define PREFERENCE(name, field)                                                \
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_##name, preference, field)

static const struct attribute layouts[] = {
    LAYOUT(TYPE, type),
    LAYOUT(ORDER, order),
    LAYOUT(ROWS, rows),
    LAYOUT(COLS, cols),
    LAYOUT(LD, ld),
    LAYOUT(BATCH_COUNT, batch),
    LAYOUT(STRIDED_BATCH_OFFSET, stride),
};
static const struct attribute matmuls[] = {
    MATMUL(COMPUTE_TYPE, compute),
    MATMUL(SCALE_TYPE, scale_type),
    MATMUL(POINTER_MODE, pointer_mode),
    MATMUL(TRANSA, transa),
    MATMUL(TRANSB, transb),
    MATMUL(TRANSC, transc),
    MATMUL(FILL_MODE, fill),
    MATMUL(EPILOGUE, epilogue),
    MATMUL(BIAS_POINTER, bias),
    MATMUL(BIAS_BATCH_STRIDE, bias_stride),
    MATMUL(EPILOGUE_AUX_POINTER, aux),
    MATMUL(EPILOGUE_AUX_LD, aux_ld),
    MATMUL(EPILOGUE_AUX_BATCH_STRIDE, aux_stride),
    MATMUL(SM_COUNT_TARGET, sm_count_target),
    MATMUL(A_SCALE_POINTER, scale[A]),
    MATMUL(B_SCALE_POINTER, scale[B]),
    MATMUL(C_SCALE_POINTER, scale[C]),
    MATMUL(D_SCALE_POINTER, scale[D]),
    MATMUL(EPILOGUE_AUX_DATA_TYPE, aux_type),
    MATMUL(FAST_ACCUM, fast_accum),
    MATMUL(BIAS_DATA_TYPE, bias_type),
};

struct preference { /* stored, but without effect */
    uint64_t workspace;
    uint32_t search, reductions, align_a, align_b, align_c, align_d;
    float waves;
    uint64_t implementations;
};
static const struct attribute preferences[] = {
    PREFERENCE(SEARCH_MODE, search),
    PREFERENCE(MAX_WORKSPACE_BYTES, workspace),
    PREFERENCE(REDUCTION_SCHEME_MASK, reductions),
    PREFERENCE(MIN_ALIGNMENT_A_BYTES, align_a),
    PREFERENCE(MIN_ALIGNMENT_B_BYTES, align_b),
    PREFERENCE(MIN_ALIGNMENT_C_BYTES, align_c),
    PREFERENCE(MIN_ALIGNMENT_D_BYTES, align_d),
    PREFERENCE(MAX_WAVES_COUNT, waves),
    PREFERENCE(IMPL_MASK, implementations),
};
#define TABLE(a) a, sizeof(a) / sizeof *(a)

_Static_assert(sizeof(struct lt_layout) <= sizeof(cublasLtMatrixLayoutOpaque_t),
               "a layout fits");
_Static_assert(sizeof(struct lt_matmul) <= sizeof(cublasLtMatmulDescOpaque_t),
               "an operation fits");
_Static_assert(sizeof(struct preference) <=
                   sizeof(cublasLtMatmulPreferenceOpaque_t),
               "preferences fit");

static const struct attribute *find(const struct attribute *a, size_t n,
                                    int name)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].name == name)
            return &a[i];
    return NULL;
}

static cublasStatus_t set(const struct attribute *table, size_t n, void *desc,
                          int name, const void *buf, size_t nbytes)
{
    const struct attribute *const a = find(table, n, name);
    if (!desc || !buf || !a || nbytes != a->size)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy((char *)desc + a->offset, buf, nbytes);
    return CUBLAS_STATUS_SUCCESS;
}

/* Get an attribute. With nbytes 0, only its size. */
static cublasStatus_t get(const struct attribute *table, size_t n,
                          const void *desc, int name, void *buf, size_t nbytes,
                          size_t *written)
{
    const struct attribute *const a = find(table, n, name);
    if (!desc || !a || (nbytes ? !buf || nbytes != a->size : !written))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (written)
        *written = a->size;
    if (nbytes)
        memcpy(buf, (const char *)desc + a->offset, nbytes);
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- descriptors --------------------------------------------------------- */

static cublasStatus_t create(void **out, size_t nbytes, const void *first,
                             size_t first_nbytes)
{
    if (!out)
        return CUBLAS_STATUS_INVALID_VALUE;
    *out = calloc(1, nbytes);
    if (!*out)
        return CUBLAS_STATUS_ALLOC_FAILED;
    memcpy(*out, first, first_nbytes);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *matLayout,
                                          cudaDataType type, uint64_t rows,
                                          uint64_t cols, int64_t ld)
{
    const struct lt_layout l = {.type = (uint32_t)type,
                                .rows = rows,
                                .cols = cols,
                                .ld = ld,
                                .batch = 1};
    return create((void **)matLayout, sizeof **matLayout, &l, sizeof l);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *matmulDesc,
                                        cublasComputeType_t computeType,
                                        cudaDataType_t scaleType)
{
    const struct lt_matmul d = {.compute = (int32_t)computeType,
                                .scale_type = (int32_t)scaleType,
                                .fill = CUBLAS_FILL_MODE_FULL,
                                .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                                .bias_type = -1,
                                .aux_type = -1};
    return create((void **)matmulDesc, sizeof **matmulDesc, &d, sizeof d);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *pref)
{
    const struct preference p = {.reductions = CUBLASLT_REDUCTION_SCHEME_MASK,
                                 .align_a = 256,
                                 .align_b = 256,
                                 .align_c = 256,
                                 .align_d = 256,
                                 .implementations = ~UINT64_C(0)};
    return create((void **)pref, sizeof **pref, &p, sizeof p);
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t matLayout)
{
    free(matLayout);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t matmulDesc)
{
    free(matmulDesc);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t pref)
{
    free(pref);
    return CUBLAS_STATUS_SUCCESS;
}

#define ACCESSORS(function, table, handle, attributes)                         \
    cublasStatus_t cublasLt##function##SetAttribute(                           \
        handle desc, attributes attr, const void *buf, size_t sizeInBytes)     \
    {                                                                          \
        return set(TABLE(table), desc, (int)attr, buf, sizeInBytes);           \
    }                                                                          \
    cublasStatus_t cublasLt##function##GetAttribute(                           \
        handle desc, attributes attr, void *buf, size_t sizeInBytes,           \
        size_t *sizeWritten)                                                   \
    {                                                                          \
        return get(TABLE(table), desc, (int)attr, buf, sizeInBytes,            \
                   sizeWritten);                                               \
    }

ACCESSORS(MatrixLayout, layouts, cublasLtMatrixLayout_t,
          cublasLtMatrixLayoutAttribute_t)
ACCESSORS(MatmulDesc, matmuls, cublasLtMatmulDesc_t,
          cublasLtMatmulDescAttributes_t)
ACCESSORS(MatmulPreference, preferences, cublasLtMatmulPreference_t,
          cublasLtMatmulPreferenceAttributes_t)

const struct lt_layout *lt_layout_of(cublasLtMatrixLayout_t layout)
{
    return (const struct lt_layout *)layout;
}

const struct lt_matmul *lt_matmul_of(cublasLtMatmulDesc_t matmul)
{
    return (const struct lt_matmul *)matmul;
}

uint64_t lt_most_workspace(cublasLtMatmulPreference_t preference)
{
    return ((const struct preference *)preference)->workspace;
}

int lt_has(const struct lt_matmul *d, unsigned bits)
{
    return (d->epilogue & bits) == bits;
}
