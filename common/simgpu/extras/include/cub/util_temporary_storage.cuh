/* cub/util_temporary_storage.cuh: one allocation for several buffers */
#ifndef SIMGPU_CUB_UTIL_TEMPORARY_STORAGE_CUH
#define SIMGPU_CUB_UTIL_TEMPORARY_STORAGE_CUH

#include <stdint.h>

#include "cub/util_type.cuh"

namespace cub
{
namespace detail
{
/* If temp is NULL, compute how many bytes buffers of these sizes need.
 * Otherwise set the start of each, at a multiple of 256 bytes. */
template <int N>
cudaError_t AliasTemporaries(void *temp, size_t &nbytes, void *(&begins)[N],
                             const size_t (&sizes)[N])
{
    enum { ALIGN = 256 };
    size_t at[N], end = 0;
    for (int i = 0; i < N; i++) {
        at[i] = end;
        end += (sizes[i] + ALIGN - 1) / ALIGN * ALIGN;
    }
    end += ALIGN - 1; // temp may have any alignment
    if (!temp) {
        nbytes = end;
        return cudaSuccess;
    }
    if (nbytes < end)
        return cudaErrorInvalidValue;
    const uintptr_t first = ((uintptr_t)temp + ALIGN - 1) / ALIGN * ALIGN;
    for (int i = 0; i < N; i++)
        begins[i] = (void *)(first + at[i]);
    return cudaSuccess;
}
} // namespace detail
using detail::AliasTemporaries; // its namespace before CUB 3.0
} // namespace cub
#endif
