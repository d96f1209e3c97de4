/*
 * entry.c: functions of the driver by their names
 */
#define _GNU_SOURCE
#include <dlfcn.h>  /* dlsym */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strncmp */

#include "cudart/api.h"

/* The driver's library, next to this one. */
static void *driver(void)
{
    Dl_info self;
    char path[4096];
    void *const loaded = dlopen("libcuda.so.1", RTLD_NOW);
    if (loaded || !dladdr((void *)driver, &self))
        return loaded;
    const char *const slash = strrchr(self.dli_fname, '/');
    snprintf(path, sizeof path, "%.*s/libcuda.so.1",
             slash ? (int)(slash - self.dli_fname) : 1,
             slash ? self.dli_fname : ".");
    return dlopen(path, RTLD_NOW);
}

/* The newest version of a function. */
static void *find(const char *symbol)
{
    static const char *const suffix[] = {"_v3", "_v2", ""};
    void *const library = driver();
    char name[256];
    for (int i = 0; library && i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", symbol, suffix[i]);
        void *const p = dlsym(library, name);
        if (p)
            return p;
    }
    return NULL;
}

static cudaError_t entry(const char *symbol, void **funcPtr,
                         unsigned long long flags,
                         enum cudaDriverEntryPointQueryResult *status)
{
    if (!symbol || !funcPtr || flags > cudaEnablePerThreadDefaultStream)
        return cudaErrorInvalidValue;
    *funcPtr = strncmp(symbol, "cu", 2) == 0 ? find(symbol) : NULL;
    if (status)
        *status = *funcPtr ? cudaDriverEntryPointSuccess
                           : cudaDriverEntryPointSymbolNotFound;
    return *funcPtr || status ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t
cudaGetDriverEntryPoint(const char *symbol, void **funcPtr,
                        unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *driverStatus)
{
    return api_return(entry(symbol, funcPtr, flags, driverStatus));
}

cudaError_t cudaGetDriverEntryPointByVersion(
    const char *symbol, void **funcPtr, unsigned int cudaVersion,
    unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *driverStatus)
{
    (void)cudaVersion; // there is one version
    return api_return(entry(symbol, funcPtr, flags, driverStatus));
}

cudaError_t cudaGetExportTable(const void **ppExportTable,
                               const cudaUUID_t *pExportTableId)
{
    (void)ppExportTable, (void)pExportTableId; // private to NVIDIA's libraries
    return api_return(cudaErrorNotSupported);
}

/* ---- profilers ----------------------------------------------------------- */

cudaError_t cudaProfilerStart(void)
{
    return api_return(cudaSuccess); // every run is recorded
}

cudaError_t cudaProfilerStop(void)
{
    return api_return(cudaSuccess);
}
