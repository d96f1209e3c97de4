#include "cublas/blas.h"

#include <dlfcn.h>   /* dlopen */
#include <pthread.h> /* pthread_once */
#include <stdlib.h>  /* setenv */
#include <string.h>  /* strdup */

#include "core/report.h"

static const char file[] = "libopenblas.so.0";
static struct blas loaded;

/* Load the library as if OPENBLAS_NUM_THREADS were 1. */
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
    loaded.s##name =                                                           \
        (__typeof__(loaded.s##name))find(library, "cblas_s" #name);            \
    loaded.d##name = (__typeof__(loaded.d##name))find(library, "cblas_"        \
                                                               "d" #name);
    BLAS_FUNCTIONS(FIND)
#undef FIND
    // the program may have loaded it before, with more threads
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
