/*
 * symbol_calls.c: finding and copying variables
 */
#include "core/site.h"
#include "cudart/memory/copy.h"
#include "cudart/memory/symbol.h"

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
    if (!devPtr)
        return api_return(cudaErrorInvalidValue);
    if (!symbol || !symbol_is_device(symbol))
        return api_return(cudaErrorInvalidSymbol);
    *devPtr = symbol_address(symbol);
    return api_return(cudaSuccess);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    size_t nbytes;
    const int known = symbol_size(symbol, &nbytes);
    if (!size)
        return api_return(cudaErrorInvalidValue);
    if (!known || !symbol_is_device(symbol))
        return api_return(cudaErrorInvalidSymbol);
    *size = nbytes;
    return api_return(cudaSuccess);
}

static cudaError_t copy(const char *name, uint32_t site, const void *symbol,
                        void *other, size_t count, size_t offset,
                        enum cudaMemcpyKind kind, cudaStream_t stream, int wait,
                        int to)
{
    size_t nbytes;
    const int known = symbol_size(symbol, &nbytes);
    if (!symbol || !symbol_is_device(symbol))
        return cudaErrorInvalidSymbol;
    if (known && offset + count > nbytes)
        return cudaErrorInvalidValue;
    if (kind == (to ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice) ||
        kind == cudaMemcpyHostToHost)
        return cudaErrorInvalidMemcpyDirection;
    char *const at = (char *)symbol_address(symbol) + offset;
    return copy_bytes(name, site, to ? at : other, to ? other : at, count,
                      cudaMemcpyDefault, stream, wait);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src,
                               size_t count, size_t offset,
                               enum cudaMemcpyKind kind)
{
    API_ENTER();
    return api_return(copy("cudaMemcpyToSymbol", CALLER_SITE(), symbol,
                           (void *)src, count, offset, kind, 0, 1, 1));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src,
                                    size_t count, size_t offset,
                                    enum cudaMemcpyKind kind,
                                    cudaStream_t stream)
{
    API_ENTER();
    return api_return(copy("cudaMemcpyToSymbolAsync", CALLER_SITE(), symbol,
                           (void *)src, count, offset, kind, stream, 0, 1));
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count,
                                 size_t offset, enum cudaMemcpyKind kind)
{
    API_ENTER();
    return api_return(copy("cudaMemcpyFromSymbol", CALLER_SITE(), symbol, dst,
                           count, offset, kind, 0, 1, 0));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol,
                                      size_t count, size_t offset,
                                      enum cudaMemcpyKind kind,
                                      cudaStream_t stream)
{
    API_ENTER();
    return api_return(copy("cudaMemcpyFromSymbolAsync", CALLER_SITE(), symbol,
                           dst, count, offset, kind, stream, 0, 0));
}
