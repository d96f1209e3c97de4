/* thrust/system_error.h: the exception that a failed algorithm throws */
#ifndef SIMGPU_THRUST_SYSTEM_ERROR_H
#define SIMGPU_THRUST_SYSTEM_ERROR_H

#include <system_error>

#include "cuda_runtime.h"

namespace thrust
{
/* The category of CUDA's errors. */
struct cuda_error_category : std::error_category {
    const char *name() const noexcept override
    {
        return "cuda";
    }
    std::string message(int error) const override
    {
        return cudaGetErrorString((cudaError_t)error);
    }
};
inline const std::error_category &cuda_category()
{
    static const cuda_error_category category;
    return category;
}

struct system_error : std::system_error {
    system_error(int error, const std::error_category &c, const char *what = "")
        : std::system_error(error, c, what)
    {
    }
    system_error(cudaError_t error, const char *what)
        : std::system_error((int)error, cuda_category(), what)
    {
    }
};
using std::error_code;
namespace system
{
using thrust::system_error;
}
} // namespace thrust
#endif
