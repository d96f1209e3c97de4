/* simgpu_std.h: cuda::std is std, except for what cuda/atomic defines */
#ifndef SIMGPU_CUDA_STD_H
#define SIMGPU_CUDA_STD_H
#include <cstddef>
namespace cuda
{
namespace std
{
using namespace ::std;
}
} // namespace cuda
#endif
