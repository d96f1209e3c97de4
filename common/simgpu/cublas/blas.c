#include "cublas/blas.h"

#include <dlfcn.h>   /* dlopen */
#include <pthread.h> /* pthread_once */
#include <stdlib.h>  /* setenv */
#include <string.h>  /* strdup */

#include "core/report.h"

static const char file[] = "libopenblas.so.0";
static struct blas loaded;

/* Load OpenBLAS as if OPENBLAS_NUM_THREADS were 1. */
static void *open_library(void)
{
    static const char name[] = "OPENBLAS_NUM_THREADS";
    const char *const set = getenv(name);
    char *const was = set ? strdup(set) : NULL;
    setenv(name, "1", 1);
    void *const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (was)
        setenv(name, was, 1);
    else
        unsetenv(name);
    free(was);
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
