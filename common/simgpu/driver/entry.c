/*
 * entry.c: finding functions of the driver by name
 */
#define _GNU_SOURCE
#include <dlfcn.h>  /* dlsym */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strncmp */

#include <cuda.h>

/* The functions with their versions: of each, older forms before newer ones.
 * Most have only one form here. */
static const struct form {
    const char *name;
    int since;          /* the version of CUDA that brought it */
    const char *symbol; /* NULL: the newest that this library has */
} forms[] = {
    {"cuCtxCreate", 3020, "cuCtxCreate_v2"},
    {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
#define SIMGPU_PFN(name, version) {#name, version, NULL},
#include "simgpu/driver_versions.h"
#undef SIMGPU_PFN
};
enum { FORMS = sizeof forms / sizeof *forms };

/* A symbol of this library, with the newest suffix. */
static void *find_symbol(const char *symbol)
{
    static const char *const suffix[] = {"_v4", "_v3", "_v2", ""};
    const int n = (int)(sizeof suffix / sizeof *suffix);
    char name[256];
    Dl_info self;
    void *found = NULL;
    if (strncmp(symbol, "cu", 2) != 0 || !dladdr((void *)find_symbol, &self))
        return NULL;
    void *const library = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    for (int i = 0; library && !found && i < n; i++) {
        snprintf(name, sizeof name, "%s%s", symbol, suffix[i]);
        found = dlsym(library, name);
    }
    if (library)
        dlclose(library);
    return found;
}

/* The form of a function that this version of CUDA has. */
static void *find(const char *name, int version,
                  CUdriverProcAddressQueryResult *status)
{
    const struct form *of = NULL;
    int is_known = 0;
    for (int i = 0; i < FORMS; i++)
        if (strcmp(forms[i].name, name) == 0) {
            is_known = 1;
            if (forms[i].since <= version)
                of = &forms[i];
        }
    void *const found = is_known && !of
                            ? NULL
                            : find_symbol(of && of->symbol ? of->symbol : name);
    *status = found             ? CU_GET_PROC_ADDRESS_SUCCESS
              : is_known && !of ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return found;
}

/* Works before cuInit(), because programs load the driver with it. There is one
 * kind of default stream. As in CUDA, an unknown name is not an error. */
CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion,
                          cuuint64_t flags,
                          CUdriverProcAddressQueryResult *symbolStatus)
{
    const cuuint64_t known = CU_GET_PROC_ADDRESS_LEGACY_STREAM |
                             CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    CUdriverProcAddressQueryResult status;
    if (!symbol || !pfn || flags & ~known)
        return CUDA_ERROR_INVALID_VALUE;
    *pfn = find(symbol, cudaVersion, &status);
    if (symbolStatus)
        *symbolStatus = status;
    return CUDA_SUCCESS;
}

/* CUDA 11's form, which programs look up by this name. */
#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion,
                          cuuint64_t flags);
CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion,
                          cuuint64_t flags)
{
    const CUresult err =
        cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, NULL);
    return err || *pfn ? err : CUDA_ERROR_NOT_FOUND;
}
