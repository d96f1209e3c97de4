/* thrust/execution_policy.h: host, device, seq, cuda::par */
#ifndef SIMGPU_THRUST_EXECUTION_POLICY_H
#define SIMGPU_THRUST_EXECUTION_POLICY_H

#include "thrust/detail/system.h"

namespace thrust
{
static const detail::host_policy host, seq;
static const detail::device_policy device;
namespace cuda
{
static const detail::device_policy par;
static const detail::device_policy par_nosync = detail::without_wait();
} // namespace cuda
namespace system
{
namespace cuda
{
using thrust::cuda::par;
using thrust::cuda::par_nosync;
} // namespace cuda
} // namespace system
} // namespace thrust

#include "thrust/detail/algorithms.h"
#endif
