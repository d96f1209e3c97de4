/*
 * entry.c: finding functions of the driver by name
 */
#define _GNU_SOURCE
#include <dlfcn.h>  /* dlsym */
#include <stdint.h> /* uint64_t */
#include <stdio.h>  /* snprintf */
#include <string.h> /* basename */

#include "cudart/api.h"

/* The driver's library, which is next to this one. */
static void *driver(void)
{
    Dl_info self;
    char path[4096];
    void *const loaded = dlopen("libcuda.so.1", RTLD_NOW);
    if (loaded || !dladdr((void *)driver, &self))
        return loaded;
    const char *const own = self.dli_fname;
    snprintf(path, sizeof path, "%.*slibcuda.so.1", (int)(basename(own) - own),
             own);
    return dlopen(path, RTLD_NOW);
}

static cudaError_t entry(const char *symbol, void **funcPtr, unsigned version,
                         unsigned long long flags,
                         enum cudaDriverEntryPointQueryResult *status)
{
    // flags, results and errors have the same numbers in the driver
    typedef int search_fn(const char *, void **, int, uint64_t, void *);
    void *const library = driver();
    search_fn *const search =
        library ? (search_fn *)dlsym(library, "cuGetProcAddress_v2") : NULL;
    if (!search)
        return cudaErrorInsufficientDriver;
    return (cudaError_t)search(symbol, funcPtr, (int)version, flags, status);
}

cudaError_t
cudaGetDriverEntryPoint(const char *symbol, void **funcPtr,
                        unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *driverStatus)
{
    return api_return(
        entry(symbol, funcPtr, CUDART_VERSION, flags, driverStatus));
}

cudaError_t cudaGetDriverEntryPointByVersion(
    const char *symbol, void **funcPtr, unsigned int cudaVersion,
    unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *driverStatus)
{
    return api_return(entry(symbol, funcPtr, cudaVersion, flags, driverStatus));
}

cudaError_t cudaGetExportTable(const void **ppExportTable,
                               const cudaUUID_t *pExportTableId)
{
    return api_return(ppExportTable && pExportTableId
                          // internal to NVIDIA's libraries
                          ? cudaErrorNotSupported
                          : cudaErrorInvalidValue);
}

/* ---- profilers ----------------------------------------------------------- */

cudaError_t cudaProfilerStart(void)
{
    return api_return(cudaSuccess); // nothing to do: every run is recorded
}

cudaError_t cudaProfilerStop(void)
{
    return api_return(cudaSuccess);
}
