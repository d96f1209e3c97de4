#include "cudart/memory/direction.h"

#include "cudart/memory/symbol.h"

/* Managed memory counts as the host's, too. */
static int is_host(const struct span *s)
{
    return !span_on_device(s) || s->on_host;
}

/* Programs may pass the address of a variable as a device address. */
static int is_device(const struct span *s)
{
    return s->device != API_PAGEABLE || symbol_holds(s->raw);
}

int direction_fits(enum cudaMemcpyKind kind, const struct span *dst,
                   const struct span *src)
{
    switch (kind) {
    case cudaMemcpyDefault: return 1;
    case cudaMemcpyHostToHost: return is_host(dst) && is_host(src);
    case cudaMemcpyHostToDevice: return is_device(dst) && is_host(src);
    case cudaMemcpyDeviceToHost: return is_host(dst) && is_device(src);
    case cudaMemcpyDeviceToDevice: return is_device(dst) && is_device(src);
    }
    return 0;
}

int direction_is_kind(enum cudaMemcpyKind kind)
{
    return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

static int is_devices(const void *p)
{
    struct span at;
    return span_of(p, 1, 0, &at) == cudaSuccess && is_device(&at);
}

cudaError_t direction_check(enum cudaMemcpyKind kind, const void *dst,
                            const void *src)
{
    const int within = kind == cudaMemcpyDeviceToDevice;
    if (!direction_is_kind(kind))
        return cudaErrorInvalidMemcpyDirection;
    if ((within || kind == cudaMemcpyHostToDevice) && !is_devices(dst))
        return cudaErrorInvalidValue;
    if ((within || kind == cudaMemcpyDeviceToHost) && !is_devices(src))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}
