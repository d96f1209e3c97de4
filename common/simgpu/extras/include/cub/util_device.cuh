/* cub/util_device.cuh: querying the device */
#ifndef SIMGPU_CUB_UTIL_DEVICE_CUH
#define SIMGPU_CUB_UTIL_DEVICE_CUH

#include "cub/util_debug.cuh"
#include "cub/util_temporary_storage.cuh"
#include "cub/util_type.cuh"

namespace cub
{
static inline int CurrentDevice()
{
    int device = -1;
    return CubDebug(cudaGetDevice(&device)) ? -1 : device;
}
static inline int DeviceCountUncached()
{
    int count = -1;
    return CubDebug(cudaGetDeviceCount(&count)) ? -1 : count;
}
static inline int DeviceCount()
{
    return DeviceCountUncached();
}

/* Makes another device current during its lifetime. */
class SwitchDevice
{
    const int before;

  public:
    explicit SwitchDevice(int device) : before(CurrentDevice())
    {
        CubDebug(cudaSetDevice(device));
    }
    ~SwitchDevice()
    {
        CubDebug(cudaSetDevice(before));
    }
    SwitchDevice(const SwitchDevice &) = delete;
    SwitchDevice &operator=(const SwitchDevice &) = delete;
};

/* Compute capability 9.0 is 900. The PTX version is the same, since code is
 * compiled for the device it runs on. */
static inline cudaError_t SmVersion(int &version, int device = CurrentDevice())
{
    int major = 0, minor = 0;
    cudaError_t error = CubDebug(cudaDeviceGetAttribute(
        &major, cudaDevAttrComputeCapabilityMajor, device));
    if (!error)
        error = CubDebug(cudaDeviceGetAttribute(
            &minor, cudaDevAttrComputeCapabilityMinor, device));
    if (!error)
        version = major * 100 + minor * 10;
    return error;
}
static inline cudaError_t SmVersionUncached(int &version,
                                            int device = CurrentDevice())
{
    return SmVersion(version, device);
}
static inline cudaError_t PtxVersion(int &version, int device = CurrentDevice())
{
    return SmVersion(version, device);
}
static inline cudaError_t PtxVersionUncached(int &version,
                                             int device = CurrentDevice())
{
    return SmVersion(version, device);
}

static inline cudaError_t SyncStream(cudaStream_t stream)
{
    return CubDebug(cudaStreamSynchronize(stream));
}
static inline cudaError_t HasUVA(bool &has)
{
    int value = 0;
    const cudaError_t error = CubDebug(cudaDeviceGetAttribute(
        &value, cudaDevAttrUnifiedAddressing, CurrentDevice()));
    has = value == 1;
    return error;
}
/* The number of the kernel's blocks that fit on a multiprocessor. */
template <class K>
cudaError_t MaxSmOccupancy(int &nblocks, K kernel, int nthreads,
                           int dynamic_nbytes = 0)
{
    return CubDebug(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &nblocks, kernel, nthreads, (size_t)dynamic_nbytes));
}
} // namespace cub
#endif
