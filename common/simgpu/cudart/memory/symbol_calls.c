#include "cudart/symbol.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* malloc */

#include "core/site.h"
#include "cudart/copy.h"
#include "cudart/linked.h"

static struct symbol {
    struct symbol *next;
    const void *symbol;
    void *address;
    size_t nbytes;
} * symbols;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct symbol *find_known(const void *symbol)
{
    pthread_mutex_lock(&lock);
    const struct symbol *s = symbols;
    while (s && s->symbol != symbol)
        s = s->next;
    pthread_mutex_unlock(&lock);
    return s;
}

/* A variable is where host code has it, unless it was registered. */
static const struct symbol *find(const void *symbol)
{
    size_t nbytes;
    const struct symbol *const known = find_known(symbol);
    char *const name = known || !symbol ? NULL : linked_name(symbol, &nbytes);
    if (name)
        simgpu_register_symbol(symbol, (void *)(uintptr_t)symbol, nbytes);
    free(name);
    return name ? find_known(symbol) : known;
}

int symbol_holds(const void *p)
{
    pthread_mutex_lock(&lock);
    const struct symbol *s = symbols;
    while (s && ((const char *)p < (char *)s->address ||
                 (const char *)p >= (char *)s->address + s->nbytes))
        s = s->next;
    pthread_mutex_unlock(&lock);
    return s != NULL;
}

void simgpu_register_symbol(const void *symbol, void *address, size_t nbytes)
{
    struct symbol *const s = malloc(sizeof *s);
    if (!s)
        abort();
    *s = (struct symbol){NULL, symbol, address, nbytes};
    pthread_mutex_lock(&lock);
    s->next = symbols;
    symbols = s;
    pthread_mutex_unlock(&lock);
}

void *symbol_address(const void *symbol)
{
    const struct symbol *const s = find(symbol);
    return s ? s->address : (void *)symbol;
}

enum cudaMemcpyKind symbol_kind(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDeviceToDevice ? cudaMemcpyDefault : kind;
}

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
    if (!devPtr)
        return api_return(cudaErrorInvalidValue);
    if (!symbol)
        return api_return(cudaErrorInvalidSymbol);
    *devPtr = symbol_address(symbol);
    return api_return(cudaSuccess);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    const struct symbol *const s = find(symbol);
    if (!size)
        return api_return(cudaErrorInvalidValue);
    if (!s)
        return api_return(cudaErrorInvalidSymbol);
    *size = s->nbytes;
    return api_return(cudaSuccess);
}

static cudaError_t copy(const char *name, uint32_t site, const void *symbol,
                        void *other, size_t count, size_t offset,
                        enum cudaMemcpyKind kind, cudaStream_t stream, int wait,
                        int to)
{
    const struct symbol *const s = find(symbol);
    if (!symbol)
        return cudaErrorInvalidSymbol;
    if (s && offset + count > s->nbytes)
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
