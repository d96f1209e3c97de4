/* thrust/device_malloc.h: explicit allocation of device memory */
#ifndef SIMGPU_THRUST_DEVICE_MALLOC_H
#define SIMGPU_THRUST_DEVICE_MALLOC_H

#include "thrust/detail/pointer.h"

namespace thrust
{
/* n elements, which are not initialised. Throws system_error. */
template <class T> device_ptr<T> device_malloc(size_t n)
{
    void *p = nullptr;
    if (n)
        detail::must(cudaMalloc(&p, n * sizeof(T)), "device memory");
    return device_ptr<T>((T *)p);
}
/* n bytes. */
inline device_ptr<void> device_malloc(size_t n)
{
    return device_ptr<void>((void *)device_malloc<char>(n).get());
}
template <class T> void device_free(device_ptr<T> p)
{
    detail::must(cudaFree((void *)p.get()), "freeing device memory");
}
} // namespace thrust
#endif
