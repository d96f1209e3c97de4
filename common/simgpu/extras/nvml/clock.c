/*
 * clock.c: clocks, which always run at their highest rate, and the state of a
 * GPU that is not modelled
 */
#include <cuda_runtime_api.h>

#include "extras/nvml/library.h"

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

/* ---- selecting clocks: there is one -------------------------------------- */

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

/* ---- why a clock is below its highest rate: it never is ------------------ */

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

/* ---- settings, which only administrators change -------------------------- */

/* Get a setting's value, which is the same for all devices. */
static nvmlReturn_t setting(nvmlDevice_t device, int is, void *out)
{
    unsigned number;
    const nvmlReturn_t status = nvmlDeviceGetIndex(device, &number);
    if (status != NVML_SUCCESS)
        return status;
    if (!out)
        return NVML_ERROR_INVALID_ARGUMENT;
    *(int *)out = is; // an enumerator
    return status;
}

nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device,
                                      nvmlComputeMode_t *mode)
{
    return setting(device, NVML_COMPUTEMODE_DEFAULT, mode);
}

nvmlReturn_t nvmlDeviceGetAccountingMode(nvmlDevice_t device,
                                         nvmlEnableState_t *mode)
{
    return setting(device, NVML_FEATURE_DISABLED, mode);
}

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device,
                                  nvmlEnableState_t *current,
                                  nvmlEnableState_t *pending)
{
    const nvmlReturn_t status = setting(device, NVML_FEATURE_ENABLED, current);
    return status ? status : setting(device, NVML_FEATURE_ENABLED, pending);
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device,
                                  unsigned int *currentMode,
                                  unsigned int *pendingMode)
{
    const nvmlReturn_t status =
        setting(device, NVML_DEVICE_MIG_DISABLE, currentMode);
    return status ? status
                  : setting(device, NVML_DEVICE_MIG_DISABLE, pendingMode);
}

/* ---- the rest ------------------------------------------------------------ */

/* Return this status if the handle is valid; other
 * arguments are not checked. */
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
#define FORBIDDEN(name, ...)                                                   \
    ANSWER(NVML_ERROR_NO_PERMISSION, name, ##__VA_ARGS__)
#define UNSUPPORTED(name, ...)                                                 \
    ANSWER(NVML_ERROR_NOT_SUPPORTED, name, ##__VA_ARGS__)

FORBIDDEN(nvmlDeviceSetApplicationsClocks, UNUSED unsigned memory,
          UNUSED unsigned graphics)
FORBIDDEN(nvmlDeviceResetApplicationsClocks)
FORBIDDEN(nvmlDeviceSetGpuLockedClocks, UNUSED unsigned low,
          UNUSED unsigned high)
FORBIDDEN(nvmlDeviceResetGpuLockedClocks)
FORBIDDEN(nvmlDeviceSetMemoryLockedClocks, UNUSED unsigned low,
          UNUSED unsigned high)
FORBIDDEN(nvmlDeviceResetMemoryLockedClocks)
FORBIDDEN(nvmlDeviceSetPersistenceMode, UNUSED nvmlEnableState_t mode)
FORBIDDEN(nvmlDeviceSetComputeMode, UNUSED nvmlComputeMode_t mode)
FORBIDDEN(nvmlDeviceSetEccMode, UNUSED nvmlEnableState_t ecc)
FORBIDDEN(nvmlDeviceClearEccErrorCounts, UNUSED nvmlEccCounterType_t type)
FORBIDDEN(nvmlDeviceSetPowerManagementLimit, UNUSED unsigned limit)
FORBIDDEN(nvmlDeviceSetAccountingMode, UNUSED nvmlEnableState_t mode)
FORBIDDEN(nvmlDeviceClearAccountingPids)
FORBIDDEN(nvmlDeviceSetAPIRestriction, UNUSED nvmlRestrictedAPI_t type,
          UNUSED nvmlEnableState_t is_restricted)
FORBIDDEN(nvmlDeviceSetMigMode, UNUSED unsigned mode,
          UNUSED nvmlReturn_t *activation)
FORBIDDEN(nvmlDeviceSetTemperatureThreshold,
          UNUSED nvmlTemperatureThresholds_t threshold, UNUSED int *degrees)
UNSUPPORTED(nvmlDeviceSetAutoBoostedClocksEnabled,
            UNUSED nvmlEnableState_t enabled)
UNSUPPORTED(nvmlDeviceSetDefaultAutoBoostedClocksEnabled,
            UNUSED nvmlEnableState_t enabled, UNUSED unsigned flags)
UNSUPPORTED(nvmlDeviceGetAutoBoostedClocksEnabled,
            UNUSED nvmlEnableState_t *enabled,
            UNUSED nvmlEnableState_t *by_default)
UNSUPPORTED(nvmlDeviceSetFanSpeed_v2, UNUSED unsigned fan,
            UNUSED unsigned speed)
UNSUPPORTED(nvmlDeviceSetDefaultFanSpeed_v2, UNUSED unsigned fan)
UNSUPPORTED(nvmlDeviceSetCpuAffinity)
UNSUPPORTED(nvmlDeviceClearCpuAffinity)
UNSUPPORTED(nvmlDeviceGetTemperature, UNUSED nvmlTemperatureSensors_t sensor,
            UNUSED unsigned *degrees)
UNSUPPORTED(nvmlDeviceGetTemperatureThreshold,
            UNUSED nvmlTemperatureThresholds_t threshold,
            UNUSED unsigned *degrees)
UNSUPPORTED(nvmlDeviceGetPowerUsage, UNUSED unsigned *milliwatts)
UNSUPPORTED(nvmlDeviceGetTotalEnergyConsumption,
            UNUSED unsigned long long *millijoules)
UNSUPPORTED(nvmlDeviceGetEnforcedPowerLimit, UNUSED unsigned *milliwatts)
UNSUPPORTED(nvmlDeviceGetPowerManagementLimit, UNUSED unsigned *milliwatts)
UNSUPPORTED(nvmlDeviceGetFanSpeed, UNUSED unsigned *percent)
UNSUPPORTED(nvmlDeviceGetUtilizationRates, UNUSED nvmlUtilization_t *percent)
UNSUPPORTED(nvmlDeviceGetSamples, UNUSED nvmlSamplingType_t type,
            UNUSED unsigned long long since, UNUSED nvmlValueType_t *value_type,
            UNUSED unsigned *n, UNUSED nvmlSample_t *samples)
UNSUPPORTED(nvmlDeviceGetNvLinkState, UNUSED unsigned link,
            UNUSED nvmlEnableState_t *is_active)
UNSUPPORTED(nvmlDeviceGetNvLinkRemotePciInfo_v2, UNUSED unsigned link,
            UNUSED nvmlPciInfo_t *pci)
UNSUPPORTED(nvmlDeviceGetNvLinkCapability, UNUSED unsigned link,
            UNUSED nvmlNvLinkCapability_t capability, UNUSED unsigned *result)
UNSUPPORTED(nvmlDeviceGetGpuFabricInfoV, UNUSED nvmlGpuFabricInfoV_t *info)

nvmlReturn_t
nvmlSystemGetConfComputeState(UNUSED nvmlConfComputeSystemState_t *state)
{
    const nvmlReturn_t status = library_ready();
    return status ? status : NVML_ERROR_NOT_SUPPORTED;
}

/* As for a field that a driver does not know. */
nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int valuesCount,
                                      nvmlFieldValue_t *values)
{
    const nvmlReturn_t status = answer(device, NVML_SUCCESS);
    if (status != NVML_SUCCESS)
        return status;
    if (!values || valuesCount < 1)
        return NVML_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < valuesCount; i++)
        values[i].nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
    return NVML_SUCCESS;
}

/* The name without a version, which libraries look up. */
#undef nvmlDeviceGetNvLinkRemotePciInfo
nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo(nvmlDevice_t, unsigned,
                                              nvmlPciInfo_t *)
    __attribute__((alias("nvmlDeviceGetNvLinkRemotePciInfo_v2")));
