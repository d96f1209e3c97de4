/*
 * clock.c: clocks, which always run at their highest rate; and what of a GPU's
 * state is not modelled
 */
#include <cuda_runtime_api.h>

#include "nvml/library.h"

enum { KHZ_PER_MHZ = 1000 };

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device,
                                       nvmlClockType_t type,
                                       unsigned int *clock)
{
    unsigned number;
    int khz;
    const nvmlReturn_t status = nvmlDeviceGetIndex(device, &number);
    if (status != NVML_SUCCESS)
        return status;
    if (!clock || (unsigned)type >= NVML_CLOCK_COUNT)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (cudaDeviceGetAttribute(&khz,
                               type == NVML_CLOCK_MEM
                                   ? cudaDevAttrMemoryClockRate
                                   : cudaDevAttrClockRate,
                               (int)number) != cudaSuccess)
        return NVML_ERROR_UNKNOWN;
    *clock = (unsigned)khz / KHZ_PER_MHZ;
    return status;
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t, nvmlClockType_t, unsigned *)
    __attribute__((alias("nvmlDeviceGetMaxClockInfo")));
nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t, nvmlClockType_t,
                                            unsigned *)
    __attribute__((alias("nvmlDeviceGetMaxClockInfo")));
nvmlReturn_t nvmlDeviceGetDefaultApplicationsClock(nvmlDevice_t,
                                                   nvmlClockType_t, unsigned *)
    __attribute__((alias("nvmlDeviceGetMaxClockInfo")));

nvmlReturn_t nvmlDeviceGetClock(nvmlDevice_t device, nvmlClockType_t clockType,
                                nvmlClockId_t clockId, unsigned int *clockMHz)
{
    return (unsigned)clockId < NVML_CLOCK_ID_COUNT
               ? nvmlDeviceGetMaxClockInfo(device, clockType, clockMHz)
               : NVML_ERROR_INVALID_ARGUMENT;
}

/* ---- clocks to choose from: one ------------------------------------------ */

static nvmlReturn_t only_clock(nvmlDevice_t device, nvmlClockType_t type,
                               unsigned *count, unsigned *clocks)
{
    unsigned clock;
    const nvmlReturn_t status = nvmlDeviceGetMaxClockInfo(device, type, &clock);
    if (status != NVML_SUCCESS)
        return status;
    if (!count)
        return NVML_ERROR_INVALID_ARGUMENT;
    const unsigned room = *count;
    *count = 1;
    if (room < 1 || !clocks)
        return NVML_ERROR_INSUFFICIENT_SIZE;
    clocks[0] = clock;
    return status;
}

nvmlReturn_t nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t device,
                                                unsigned int *count,
                                                unsigned int *clocksMHz)
{
    return only_clock(device, NVML_CLOCK_MEM, count, clocksMHz);
}

nvmlReturn_t nvmlDeviceGetSupportedGraphicsClocks(nvmlDevice_t device,
                                                  unsigned int memoryClockMHz,
                                                  unsigned int *count,
                                                  unsigned int *clocksMHz)
{
    unsigned memory;
    const nvmlReturn_t status =
        nvmlDeviceGetMaxClockInfo(device, NVML_CLOCK_MEM, &memory);
    if (status != NVML_SUCCESS)
        return status;
    return memoryClockMHz == memory
               ? only_clock(device, NVML_CLOCK_GRAPHICS, count, clocksMHz)
               : NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetAPIRestriction(nvmlDevice_t device,
                                         nvmlRestrictedAPI_t apiType,
                                         nvmlEnableState_t *isRestricted)
{
    unsigned number;
    const nvmlReturn_t status = nvmlDeviceGetIndex(device, &number);
    if (status != NVML_SUCCESS)
        return status;
    if (!isRestricted || (unsigned)apiType >= NVML_RESTRICTED_API_COUNT)
        return NVML_ERROR_INVALID_ARGUMENT;
    *isRestricted = NVML_FEATURE_ENABLED;
    return status;
}

/* ---- never below the highest --------------------------------------------- */

static nvmlReturn_t no_reason(nvmlDevice_t device, unsigned long long *reasons)
{
    unsigned number;
    const nvmlReturn_t status = nvmlDeviceGetIndex(device, &number);
    if (status != NVML_SUCCESS)
        return status;
    if (!reasons)
        return NVML_ERROR_INVALID_ARGUMENT;
    *reasons = nvmlClocksThrottleReasonNone;
    return status;
}

nvmlReturn_t
nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device,
                                          unsigned long long *reasons)
{
    return no_reason(device, reasons);
}

nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device,
                                                    unsigned long long *reasons)
{
    return no_reason(device, reasons);
}

nvmlReturn_t
nvmlDeviceGetSupportedClocksThrottleReasons(nvmlDevice_t device,
                                            unsigned long long *reasons)
{
    return no_reason(device, reasons);
}

nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device,
                                           nvmlPstates_t *pState)
{
    unsigned number;
    const nvmlReturn_t status = nvmlDeviceGetIndex(device, &number);
    if (status != NVML_SUCCESS)
        return status;
    if (!pState)
        return NVML_ERROR_INVALID_ARGUMENT;
    *pState = NVML_PSTATE_0;
    return status;
}

/* ---- the rest ------------------------------------------------------------ */

/* For a valid handle, this status; other arguments are not looked at. */
static nvmlReturn_t answer(nvmlDevice_t device, nvmlReturn_t status)
{
    unsigned number;
    const nvmlReturn_t valid = nvmlDeviceGetIndex(device, &number);
    return valid ? valid : status;
}

#define ANSWER(status, name, ...)                                              \
    nvmlReturn_t name(nvmlDevice_t device, ##__VA_ARGS__)                      \
    {                                                                          \
        return answer(device, status);                                         \
    }
#define UNUSED __attribute__((unused))

ANSWER(NVML_ERROR_NO_PERMISSION, nvmlDeviceSetApplicationsClocks,
       UNUSED unsigned memory, UNUSED unsigned graphics)
ANSWER(NVML_ERROR_NO_PERMISSION, nvmlDeviceResetApplicationsClocks)
ANSWER(NVML_ERROR_NO_PERMISSION, nvmlDeviceSetGpuLockedClocks,
       UNUSED unsigned low, UNUSED unsigned high)
ANSWER(NVML_ERROR_NO_PERMISSION, nvmlDeviceResetGpuLockedClocks)
ANSWER(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetTemperature,
       UNUSED nvmlTemperatureSensors_t sensor, UNUSED unsigned *degrees)
ANSWER(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetTemperatureThreshold,
       UNUSED nvmlTemperatureThresholds_t threshold, UNUSED unsigned *degrees)
ANSWER(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetPowerUsage,
       UNUSED unsigned *milliwatts)
ANSWER(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetTotalEnergyConsumption,
       UNUSED unsigned long long *millijoules)
ANSWER(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetEnforcedPowerLimit,
       UNUSED unsigned *milliwatts)
ANSWER(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetPowerManagementLimit,
       UNUSED unsigned *milliwatts)
ANSWER(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetFanSpeed,
       UNUSED unsigned *percent)
ANSWER(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetUtilizationRates,
       UNUSED nvmlUtilization_t *percent)
ANSWER(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetSamples,
       UNUSED nvmlSamplingType_t type, UNUSED unsigned long long since,
       UNUSED nvmlValueType_t *value_type, UNUSED unsigned *n,
       UNUSED nvmlSample_t *samples)
