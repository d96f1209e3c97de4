/*
 * device.c: what NVML reports about a GPU
 *
 * A handle is the address of an entry of `devices`; the entry's index is the
 * CUDA runtime's number of the device.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>   /* snprintf */
#include <strings.h> /* strcasecmp */

#include "base/gpu_name.h"
#include "extras/nvml/library.h"

enum { MAX_DEVICES = 64 };

struct nvmlDevice_st {
    char unused; /* only an entry's address matters */
};
static struct nvmlDevice_st devices[MAX_DEVICES];

static unsigned device_count(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? (unsigned)n : 0;
}

/* Get the CUDA runtime's number for a handle. Fails if out is NULL. */
static nvmlReturn_t number_of(nvmlDevice_t device, const void *out, int *number)
{
    const nvmlReturn_t status = library_ready();
    if (status != NVML_SUCCESS)
        return status;
    if (!out || device < devices || device >= devices + device_count())
        return NVML_ERROR_INVALID_ARGUMENT;
    *number = (int)(device - devices);
    return NVML_SUCCESS;
}

static nvmlReturn_t properties(nvmlDevice_t device, const void *out,
                               struct cudaDeviceProp *prop)
{
    int number;
    const nvmlReturn_t status = number_of(device, out, &number);
    if (status != NVML_SUCCESS)
        return status;
    return cudaGetDeviceProperties(prop, number) == cudaSuccess
               ? NVML_SUCCESS
               : NVML_ERROR_UNKNOWN;
}

/* ---- handles ------------------------------------------------------------- */

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *deviceCount)
{
    const nvmlReturn_t status = library_ready();
    if (status != NVML_SUCCESS)
        return status;
    if (!deviceCount)
        return NVML_ERROR_INVALID_ARGUMENT;
    *deviceCount = device_count();
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index,
                                           nvmlDevice_t *device)
{
    const nvmlReturn_t status = library_ready();
    if (status != NVML_SUCCESS)
        return status;
    if (!device || index >= device_count())
        return NVML_ERROR_INVALID_ARGUMENT;
    *device = &devices[index];
    return NVML_SUCCESS;
}

static int is_bus(const char *text, const struct cudaDeviceProp *prop)
{
    return gpu_name_is_pci(text,
                           (struct gpu_name_pci){(unsigned)prop->pciDomainID,
                                                 (unsigned)prop->pciBusID,
                                                 (unsigned)prop->pciDeviceID});
}

/* Find the first device for which is(text, ...) holds. */
static nvmlReturn_t find(const char *text, nvmlDevice_t *device,
                         int (*is)(const char *text,
                                   const struct cudaDeviceProp *prop))
{
    struct cudaDeviceProp prop;
    const nvmlReturn_t status = library_ready();
    if (status != NVML_SUCCESS)
        return status;
    if (!text || !device)
        return NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned i = 0; i < device_count(); i++)
        if (properties(&devices[i], device, &prop) == NVML_SUCCESS &&
            is(text, &prop)) {
            *device = &devices[i];
            return NVML_SUCCESS;
        }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *pciBusId,
                                              nvmlDevice_t *device)
{
    return find(pciBusId, device, is_bus);
}

static int is_uuid(const char *text, const struct cudaDeviceProp *prop)
{
    char own[GPU_NAME_UUID_TEXT];
    gpu_name_uuid((const unsigned char *)prop->uuid.bytes, own);
    return strcasecmp(text, own) == 0;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
    return find(uuid, device, is_uuid);
}

/* ---- properties of a device ---------------------------------------------- */

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index)
{
    int number;
    const nvmlReturn_t status = number_of(device, index, &number);
    if (status == NVML_SUCCESS)
        *index = (unsigned)number;
    return status;
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device,
                                      unsigned int *minorNumber)
{
    return nvmlDeviceGetIndex(device, minorNumber);
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name,
                               unsigned int length)
{
    struct cudaDeviceProp prop;
    const nvmlReturn_t status = properties(device, name, &prop);
    return status ? status : library_text(name, length, prop.name);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid,
                               unsigned int length)
{
    char text[GPU_NAME_UUID_TEXT];
    struct cudaDeviceProp prop;
    const nvmlReturn_t status = properties(device, uuid, &prop);
    if (status != NVML_SUCCESS)
        return status;
    gpu_name_uuid((const unsigned char *)prop.uuid.bytes, text);
    return library_text(uuid, length, text);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    struct cudaDeviceProp prop;
    const nvmlReturn_t status = properties(device, pci, &prop);
    if (status != NVML_SUCCESS)
        return status;
    const unsigned domain = (unsigned)prop.pciDomainID & 0xffff,
                   bus = (unsigned)prop.pciBusID & 0xff,
                   slot = (unsigned)prop.pciDeviceID & 0xff;
    *pci = (nvmlPciInfo_t){.domain = domain, .bus = bus, .device = slot};
    snprintf(pci->busId, sizeof pci->busId, "%08X:%02X:%02X.0", domain, bus,
             slot);
    snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%04X:%02X:%02X.0",
             domain, bus, slot);
    return status;
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major,
                                                int *minor)
{
    struct cudaDeviceProp prop;
    const nvmlReturn_t status = properties(device, minor ? major : NULL, &prop);
    if (status != NVML_SUCCESS)
        return status;
    *major = prop.major;
    *minor = prop.minor;
    return status;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
    int number, before;
    size_t available, total;
    const nvmlReturn_t status = number_of(device, memory, &number);
    if (status != NVML_SUCCESS)
        return status;
    if (cudaGetDevice(&before))
        return NVML_ERROR_UNKNOWN;
    // both fail if the device has failed; switch back all the same
    const int failed =
        cudaSetDevice(number) || cudaMemGetInfo(&available, &total);
    if (cudaSetDevice(before) || failed)
        return NVML_ERROR_UNKNOWN;
    *memory = (nvmlMemory_t){total, available, total - available};
    return status;
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device,
                                          nvmlEnableState_t *mode)
{
    int number;
    const nvmlReturn_t status = number_of(device, mode, &number);
    if (status == NVML_SUCCESS)
        *mode = NVML_FEATURE_ENABLED;
    return status;
}

nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t device1, nvmlDevice_t device2,
                                    nvmlGpuP2PCapsIndex_t p2pIndex,
                                    nvmlGpuP2PStatus_t *p2pStatus)
{
    int from, to, reaches;
    nvmlReturn_t status = number_of(device1, p2pStatus, &from);
    if (status == NVML_SUCCESS)
        status = number_of(device2, p2pStatus, &to);
    if (status != NVML_SUCCESS)
        return status;
    if ((unsigned)p2pIndex >= NVML_P2P_CAPS_INDEX_UNKNOWN)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (from == to)
        reaches = 1;
    else if (cudaDeviceGetP2PAttribute(&reaches,
                                       p2pIndex == NVML_P2P_CAPS_INDEX_ATOMICS
                                           ? cudaDevP2PAttrNativeAtomicSupported
                                           : cudaDevP2PAttrAccessSupported,
                                       from, to) != cudaSuccess)
        return NVML_ERROR_UNKNOWN;
    *p2pStatus = reaches ? NVML_P2P_STATUS_OK : NVML_P2P_STATUS_NOT_SUPPORTED;
    return NVML_SUCCESS;
}

/* Libraries look up the names without a version. (The structure of
 * nvmlDeviceGetPciInfo() was another one.) */
#undef nvmlDeviceGetCount
#undef nvmlDeviceGetHandleByIndex
#undef nvmlDeviceGetHandleByPciBusId
nvmlReturn_t nvmlDeviceGetCount(unsigned *)
    __attribute__((alias("nvmlDeviceGetCount_v2")));
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned, nvmlDevice_t *)
    __attribute__((alias("nvmlDeviceGetHandleByIndex_v2")));
nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *, nvmlDevice_t *)
    __attribute__((alias("nvmlDeviceGetHandleByPciBusId_v2")));
