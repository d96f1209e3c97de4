/*
 * entry.c: functions of the driver by their names
 */
#define _GNU_SOURCE
#include <dlfcn.h>  /* dlsym */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strncmp */

#include <cuda.h>

/* The newest version of a function of this library. */
static void *find(const char *symbol)
{
    static const char *const suffix[] = {"_v4", "_v3", "_v2", ""};
    const int n = (int)(sizeof suffix / sizeof *suffix);
    char name[256];
    Dl_info self;
    void *found = NULL;
    if (strncmp(symbol, "cu", 2) != 0 || !dladdr((void *)find, &self))
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

/* Works before cuInit(), as programs load the driver by it. There is one
 * version of each function, and one kind of default stream. As with CUDA, an
 * unknown name is no error. */
CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion,
                          cuuint64_t flags,
                          CUdriverProcAddressQueryResult *symbolStatus)
{
    const cuuint64_t known = CU_GET_PROC_ADDRESS_LEGACY_STREAM |
                             CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    (void)cudaVersion;
    if (!symbol || !pfn || flags & ~known)
        return CUDA_ERROR_INVALID_VALUE;
    *pfn = find(symbol);
    if (symbolStatus)
        *symbolStatus = *pfn ? CU_GET_PROC_ADDRESS_SUCCESS
                             : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS;
}
