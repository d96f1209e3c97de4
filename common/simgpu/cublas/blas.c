#include "cublas/blas.h"

#include <dlfcn.h>   /* dlopen */
#include <pthread.h> /* pthread_once */
#include <stdlib.h>  /* setenv */
#include <string.h>  /* strdup */

#include "core/report.h"

static const char file[] = "libopenblas.so.0";
static struct blas loaded;

/* The kernels that OpenBLAS takes, on every processor that has them, so that
 * results are the same to the last bit. It would choose by model, and takes its
 * oldest kernels for a model that it does not know. NULL: its own choice. */
static const char *kernels(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
#endif
    return NULL;
}

/* Set a variable, and return its value before, which restore() frees. */
static char *set_for_now(const char *name, const char *value)
{
    const char *const set = getenv(name);
    char *const was = set ? strdup(set) : NULL;
    if (value)
        setenv(name, value, 1);
    return was;
}

static void restore(const char *name, char *was)
{
    if (was)
        setenv(name, was, 1);
    else
        unsetenv(name);
    free(was);
}

/* Load OpenBLAS as if OPENBLAS_NUM_THREADS were 1, and OPENBLAS_CORETYPE, if it
 * isn't set, were ours. */
static void *open_library(void)
{
    static const char threads[] = "OPENBLAS_NUM_THREADS",
                      core[] = "OPENBLAS_CORETYPE";
    char *const were = set_for_now(threads, "1");
    char *const was = set_for_now(core, getenv(core) ? NULL : kernels());
    void *const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    restore(threads, were);
    restore(core, was);
    return library;
}

static void *find(void *library, const char *name)
{
    void *const f = library ? dlsym(library, name) : NULL;
    if (!f)
        simgpu_report_fault(NULL,
                            "cuBLAS computes with OpenBLAS: %s\nInstall the "
                            "package that has %s (Debian: libopenblas0).",
                            dlerror(), file);
    return f;
}

static void load(void)
{
    void *const library = open_library();
#define FIND(name)                                                             \
    loaded.name = (__typeof__(loaded.name))find(library, "cblas_" #name);
#define FIND_REAL(name)    FIND(s##name) FIND(d##name)
#define FIND_COMPLEX(name) FIND(c##name) FIND(z##name)
    BLAS_FUNCTIONS(FIND_REAL)
    BLAS_COMPLEX_FUNCTIONS(FIND_COMPLEX)
    BLAS_MIXED_FUNCTIONS(FIND)
#undef FIND_COMPLEX
#undef FIND_REAL
#undef FIND
    // the program may have loaded the library already, with more threads
    void (*const set_threads)(int) =
        (void (*)(int))find(library, "openblas_set_num_threads");
    set_threads(1);
}

const struct blas *blas(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return &loaded;
}

CBLAS_TRANSPOSE blas_trans(cublasOperation_t op)
{
    return op == CUBLAS_OP_N   ? CblasNoTrans
           : op == CUBLAS_OP_T ? CblasTrans
                               : CblasConjTrans;
}

CBLAS_SIDE blas_side(cublasSideMode_t side)
{
    return side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
}

CBLAS_UPLO blas_fill(cublasFillMode_t fill)
{
    return fill == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}

CBLAS_DIAG blas_diag(cublasDiagType_t diag)
{
    return diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}
