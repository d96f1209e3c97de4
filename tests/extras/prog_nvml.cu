/* NVML: its answers to right questions and to wrong ones. links: -lnvidia-ml */
#include <dlfcn.h>
#include <nvml.h>

#include "probe.h"

#define IS(status, call) CHECK((call) == NVML_##status)

static nvmlDevice_t device(unsigned i)
{
    nvmlDevice_t d = NULL;
    IS(SUCCESS, nvmlDeviceGetHandleByIndex(i, &d));
    return d;
}

PROBE(errors_have_texts)
{
    static const struct {
        nvmlReturn_t status;
        const char *text;
    } of[] = {
        {NVML_SUCCESS, "Success"},
        {NVML_ERROR_UNINITIALIZED, "Uninitialized"},
        {NVML_ERROR_INVALID_ARGUMENT, "Invalid Argument"},
        {NVML_ERROR_NOT_SUPPORTED, "Not Supported"},
        {NVML_ERROR_NO_PERMISSION, "Insufficient Permissions"},
        {NVML_ERROR_ALREADY_INITIALIZED, "Already Initialized"},
        {NVML_ERROR_NOT_FOUND, "Not Found"},
        {NVML_ERROR_INSUFFICIENT_SIZE, "Insufficient Size"},
        {NVML_ERROR_DRIVER_NOT_LOADED, "Driver Not Loaded"},
        {NVML_ERROR_TIMEOUT, "Timeout"},
        {NVML_ERROR_LIBRARY_NOT_FOUND, "NVML Shared Library Not Found"},
        {NVML_ERROR_FUNCTION_NOT_FOUND, "Function Not Found"},
        {NVML_ERROR_GPU_IS_LOST, "GPU is lost"},
        {NVML_ERROR_IN_USE, "In use by another client"},
        {NVML_ERROR_MEMORY, "Insufficient Memory"},
        {NVML_ERROR_UNKNOWN, "Unknown Error"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        CHECK(!strcmp(nvmlErrorString(of[i].status), of[i].text));
}

/* Each init needs its shutdown; outside of them there are no answers. */
PROBE(users_are_counted)
{
    unsigned n = 0;
    char text[80];
    nvmlDevice_t d;
    IS(ERROR_UNINITIALIZED, nvmlShutdown());
    IS(SUCCESS, nvmlInit());
    IS(SUCCESS, nvmlInitWithFlags(0));
    IS(SUCCESS, nvmlShutdown());
    IS(SUCCESS, nvmlDeviceGetCount(&n));
    d = device(0);
    IS(SUCCESS, nvmlShutdown());
    IS(ERROR_UNINITIALIZED, nvmlDeviceGetCount(&n));
    IS(ERROR_UNINITIALIZED, nvmlDeviceGetHandleByIndex(0, &d));
    IS(ERROR_UNINITIALIZED, nvmlDeviceGetHandleByPciBusId("00:00.0", &d));
    IS(ERROR_UNINITIALIZED, nvmlDeviceGetIndex(d, &n));
    IS(ERROR_UNINITIALIZED, nvmlDeviceGetName(d, text, sizeof text));
    IS(ERROR_UNINITIALIZED, nvmlSystemGetDriverVersion(text, sizeof text));
    IS(ERROR_UNINITIALIZED, nvmlSystemGetNVMLVersion(text, sizeof text));
}

PROBE(versions)
{
    char text[80];
    int cuda = 0, driver = 1;
    IS(SUCCESS, nvmlInit());
    IS(SUCCESS, nvmlSystemGetDriverVersion(text, 10));
    CHECK(!strcmp(text, "580.65.06"));
    IS(ERROR_INSUFFICIENT_SIZE, nvmlSystemGetDriverVersion(text, 9));
    IS(ERROR_INVALID_ARGUMENT, nvmlSystemGetDriverVersion(NULL, 10));
    IS(SUCCESS, nvmlSystemGetNVMLVersion(text, 13));
    CHECK(!strcmp(text, "13.580.65.06"));
    IS(ERROR_INSUFFICIENT_SIZE, nvmlSystemGetNVMLVersion(text, 12));
    IS(SUCCESS, nvmlSystemGetCudaDriverVersion(&cuda));
    OK(cudaDriverGetVersion(&driver));
    CHECK(cuda == driver);
    IS(ERROR_INVALID_ARGUMENT, nvmlSystemGetCudaDriverVersion(NULL));
    IS(SUCCESS, nvmlShutdown());
}

PROBE(handles)
{
    unsigned n = 0, index = 9;
    int visible = 0;
    nvmlDevice_t d;
    IS(SUCCESS, nvmlInit());
    OK(cudaGetDeviceCount(&visible));
    IS(SUCCESS, nvmlDeviceGetCount(&n));
    CHECK(n == (unsigned)visible && n > 1);
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetCount(NULL));
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByIndex(n, &d));
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByIndex(0, NULL));
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByUUID(NULL, &d));
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByUUID("GPU-", NULL));
    IS(ERROR_NOT_FOUND, nvmlDeviceGetHandleByUUID("GPU-", &d));
    for (unsigned i = 0; i < n; i++) {
        d = device(i);
        IS(SUCCESS, nvmlDeviceGetMinorNumber(d, &index));
        CHECK(index == i);
        IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetIndex(d, NULL));
    }
    // handles are one byte each: the last one's next is none
    d = (nvmlDevice_t)((char *)device(n - 1) + 1);
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetIndex(d, &index));
    d = (nvmlDevice_t)((char *)device(0) - 1);
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetIndex(d, &index));
    IS(SUCCESS, nvmlShutdown());
}

/* Each device by its names, in either case, with and without a function. */
PROBE(devices_are_found_by_their_names)
{
    unsigned n = 0;
    char uuid[64], bus[32];
    nvmlPciInfo_t pci;
    nvmlDevice_t found;
    IS(SUCCESS, nvmlInit());
    IS(SUCCESS, nvmlDeviceGetCount(&n));
    for (unsigned i = 0; i < n; i++) {
        const nvmlDevice_t d = device(i);
        IS(SUCCESS, nvmlDeviceGetUUID(d, uuid, sizeof uuid));
        IS(SUCCESS, nvmlDeviceGetHandleByUUID(uuid, &found));
        CHECK(found == d);
        IS(SUCCESS, nvmlDeviceGetPciInfo(d, &pci));
        IS(SUCCESS, nvmlDeviceGetHandleByPciBusId(pci.busId, &found));
        CHECK(found == d);
        snprintf(bus, sizeof bus, "%x:%x", pci.bus, pci.device);
        IS(SUCCESS, nvmlDeviceGetHandleByPciBusId(bus, &found));
        CHECK(found == d);
    }
    uuid[4] = uuid[4] == 'a' ? 'A' : uuid[4];
    IS(SUCCESS, nvmlDeviceGetHandleByUUID(uuid, &found));
    uuid[4] = uuid[4] == '0' ? '1' : '0';
    IS(ERROR_NOT_FOUND, nvmlDeviceGetHandleByUUID(uuid, &found));
    IS(ERROR_NOT_FOUND, nvmlDeviceGetHandleByPciBusId("ffff:43:00.0", &found));
    IS(ERROR_NOT_FOUND, nvmlDeviceGetHandleByPciBusId("no bus", &found));
    IS(SUCCESS, nvmlShutdown());
}

/* What the runtime says, in NVML's forms. */
PROBE(names)
{
    char text[128], own[64];
    nvmlPciInfo_t pci;
    cudaDeviceProp p;
    IS(SUCCESS, nvmlInit());
    const nvmlDevice_t d = device(1);
    OK(cudaGetDeviceProperties(&p, 1));
    const unsigned length = (unsigned)strlen(p.name);
    IS(SUCCESS, nvmlDeviceGetName(d, text, length + 1));
    CHECK(!strcmp(text, p.name));
    IS(ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetName(d, text, length));
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetName(d, NULL, length));
    IS(SUCCESS, nvmlDeviceGetUUID(d, text, 41));
    IS(ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetUUID(d, text, 40));
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetUUID(d, NULL, 41));
    snprintf(own, sizeof own, "GPU-%02x%02x%02x%02x-%02x",
             (unsigned char)p.uuid.bytes[0], (unsigned char)p.uuid.bytes[1],
             (unsigned char)p.uuid.bytes[2], (unsigned char)p.uuid.bytes[3],
             (unsigned char)p.uuid.bytes[4]);
    CHECK(!strncmp(text, own, strlen(own)));
    IS(SUCCESS, nvmlDeviceGetPciInfo(d, &pci));
    CHECK(pci.domain == (unsigned)p.pciDomainID &&
          pci.bus == (unsigned)p.pciBusID &&
          pci.device == (unsigned)p.pciDeviceID && pci.pciDeviceId == 0);
    snprintf(own, sizeof own, "%08X:%02X:%02X.0", pci.domain, pci.bus,
             pci.device);
    CHECK(!strcmp(pci.busId, own) && !strcmp(pci.busIdLegacy, own + 4));
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetPciInfo(d, NULL));
    IS(SUCCESS, nvmlShutdown());
}

PROBE(numbers)
{
    int major = 0, minor = -1, current = -1;
    char *p;
    nvmlMemory_t before, after;
    nvmlEnableState_t mode = NVML_FEATURE_DISABLED;
    cudaDeviceProp prop;
    IS(SUCCESS, nvmlInit());
    const nvmlDevice_t d = device(1);
    OK(cudaGetDeviceProperties(&prop, 1));
    IS(SUCCESS, nvmlDeviceGetCudaComputeCapability(d, &major, &minor));
    CHECK(major == prop.major && minor == prop.minor);
    IS(ERROR_INVALID_ARGUMENT,
       nvmlDeviceGetCudaComputeCapability(d, NULL, &minor));
    IS(ERROR_INVALID_ARGUMENT,
       nvmlDeviceGetCudaComputeCapability(d, &major, NULL));
    IS(SUCCESS, nvmlDeviceGetMemoryInfo(d, &before));
    OK(cudaSetDevice(1));
    OK(cudaMalloc((void **)&p, 8 << 20));
    OK(cudaSetDevice(0));
    IS(SUCCESS, nvmlDeviceGetMemoryInfo(d, &after));
    CHECK(after.total == prop.totalGlobalMem && after.total == before.total);
    CHECK(after.used == before.used + (8 << 20));
    CHECK(after.used + after.free == after.total);
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetMemoryInfo(d, NULL));
    OK(cudaGetDevice(&current));
    CHECK(current == 0);
    OK(cudaFree(p));
    IS(SUCCESS, nvmlDeviceGetPersistenceMode(d, &mode));
    CHECK(mode == NVML_FEATURE_ENABLED);
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetPersistenceMode(d, NULL));
    IS(SUCCESS, nvmlShutdown());
}

/* ---- clocks -------------------------------------------------------------- */

static void check_clock(nvmlDevice_t d, nvmlClockType_t type, unsigned mhz)
{
    static nvmlReturn_t (*const ask[])(nvmlDevice_t, nvmlClockType_t,
                                       unsigned *) = {
        nvmlDeviceGetMaxClockInfo, nvmlDeviceGetClockInfo,
        nvmlDeviceGetApplicationsClock, nvmlDeviceGetDefaultApplicationsClock};
    for (size_t i = 0; i < sizeof ask / sizeof *ask; i++) {
        unsigned got = 0;
        IS(SUCCESS, ask[i](d, type, &got));
        CHECK(got == mhz);
        IS(ERROR_INVALID_ARGUMENT, ask[i](d, type, NULL));
        IS(ERROR_INVALID_ARGUMENT, ask[i](d, NVML_CLOCK_COUNT, &got));
        IS(ERROR_INVALID_ARGUMENT, ask[i](NULL, type, &got));
    }
}

PROBE(clocks)
{
    int khz[2] = {0};
    unsigned mhz = 0;
    IS(SUCCESS, nvmlInit());
    const nvmlDevice_t d = device(1);
    OK(cudaDeviceGetAttribute(&khz[0], cudaDevAttrClockRate, 1));
    OK(cudaDeviceGetAttribute(&khz[1], cudaDevAttrMemoryClockRate, 1));
    CHECK(khz[0] != khz[1] && khz[0] > 1000);
    check_clock(d, NVML_CLOCK_SM, (unsigned)khz[0] / 1000);
    check_clock(d, NVML_CLOCK_GRAPHICS, (unsigned)khz[0] / 1000);
    check_clock(d, NVML_CLOCK_VIDEO, (unsigned)khz[0] / 1000);
    check_clock(d, NVML_CLOCK_MEM, (unsigned)khz[1] / 1000);
    IS(SUCCESS, nvmlDeviceGetClock(d, NVML_CLOCK_MEM,
                                   NVML_CLOCK_ID_CUSTOMER_BOOST_MAX, &mhz));
    CHECK(mhz == (unsigned)khz[1] / 1000);
    IS(ERROR_INVALID_ARGUMENT,
       nvmlDeviceGetClock(d, NVML_CLOCK_MEM, NVML_CLOCK_ID_COUNT, &mhz));
    IS(SUCCESS, nvmlShutdown());
}

PROBE(clocks_to_choose_from)
{
    unsigned memory = 0, sm = 0, n = 2, got[2] = {0, 7};
    IS(SUCCESS, nvmlInit());
    const nvmlDevice_t d = device(0);
    IS(SUCCESS, nvmlDeviceGetMaxClockInfo(d, NVML_CLOCK_MEM, &memory));
    IS(SUCCESS, nvmlDeviceGetMaxClockInfo(d, NVML_CLOCK_SM, &sm));
    IS(SUCCESS, nvmlDeviceGetSupportedMemoryClocks(d, &n, got));
    CHECK(n == 1 && got[0] == memory && got[1] == 7);
    IS(SUCCESS, nvmlDeviceGetSupportedGraphicsClocks(d, memory, &n, got));
    CHECK(n == 1 && got[0] == sm);
    IS(ERROR_NOT_FOUND,
       nvmlDeviceGetSupportedGraphicsClocks(d, memory + 1, &n, got));
    IS(ERROR_INVALID_ARGUMENT,
       nvmlDeviceGetSupportedGraphicsClocks(NULL, memory, &n, got));
    IS(ERROR_INSUFFICIENT_SIZE,
       nvmlDeviceGetSupportedMemoryClocks(d, &n, NULL));
    n = 0;
    IS(ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetSupportedMemoryClocks(d, &n, got));
    CHECK(n == 1);
    IS(ERROR_INVALID_ARGUMENT,
       nvmlDeviceGetSupportedMemoryClocks(d, NULL, got));
    IS(ERROR_INVALID_ARGUMENT,
       nvmlDeviceGetSupportedMemoryClocks(NULL, &n, got));
    IS(SUCCESS, nvmlShutdown());
}

PROBE(nothing_throttles)
{
    static nvmlReturn_t (*const ask[])(nvmlDevice_t, unsigned long long *) = {
        nvmlDeviceGetCurrentClocksThrottleReasons,
        nvmlDeviceGetCurrentClocksEventReasons,
        nvmlDeviceGetSupportedClocksThrottleReasons};
    nvmlPstates_t state = NVML_PSTATE_UNKNOWN;
    nvmlEnableState_t restricted = NVML_FEATURE_DISABLED;
    IS(SUCCESS, nvmlInit());
    const nvmlDevice_t d = device(0);
    for (size_t i = 0; i < sizeof ask / sizeof *ask; i++) {
        unsigned long long reasons = 7;
        IS(SUCCESS, ask[i](d, &reasons));
        CHECK(reasons == nvmlClocksThrottleReasonNone);
        IS(ERROR_INVALID_ARGUMENT, ask[i](d, NULL));
        IS(ERROR_INVALID_ARGUMENT, ask[i](NULL, &reasons));
    }
    IS(SUCCESS, nvmlDeviceGetPerformanceState(d, &state));
    CHECK(state == NVML_PSTATE_0);
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetPerformanceState(d, NULL));
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetPerformanceState(NULL, &state));
    const nvmlRestrictedAPI_t api = NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS;
    IS(SUCCESS, nvmlDeviceGetAPIRestriction(d, api, &restricted));
    CHECK(restricted == NVML_FEATURE_ENABLED);
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetAPIRestriction(d, api, NULL));
    IS(ERROR_INVALID_ARGUMENT,
       nvmlDeviceGetAPIRestriction(NULL, api, &restricted));
    IS(ERROR_INVALID_ARGUMENT,
       nvmlDeviceGetAPIRestriction(
           d, (nvmlRestrictedAPI_t)NVML_RESTRICTED_API_COUNT, &restricted));
    IS(SUCCESS, nvmlShutdown());
}

/* A valid handle gets this status, another is invalid. */
#define BOTH(status, name, ...)                                                \
    do {                                                                       \
        IS(status, name(d, ##__VA_ARGS__));                                    \
        IS(ERROR_INVALID_ARGUMENT, name(NULL, ##__VA_ARGS__));                 \
    } while (0)

PROBE(what_is_not_modelled)
{
    unsigned x;
    unsigned long long y;
    nvmlUtilization_t u;
    IS(SUCCESS, nvmlInit());
    const nvmlDevice_t d = device(0);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceSetApplicationsClocks, 1, 1);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceResetApplicationsClocks);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceSetGpuLockedClocks, 1, 1);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceResetGpuLockedClocks);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceSetMemoryLockedClocks, 1, 1);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceResetMemoryLockedClocks);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceSetPersistenceMode,
         NVML_FEATURE_DISABLED);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceSetComputeMode,
         NVML_COMPUTEMODE_PROHIBITED);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceSetEccMode, NVML_FEATURE_DISABLED);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceClearEccErrorCounts, NVML_VOLATILE_ECC);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceSetPowerManagementLimit, 1);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceSetAccountingMode,
         NVML_FEATURE_ENABLED);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceClearAccountingPids);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceSetAPIRestriction,
         NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS, NVML_FEATURE_DISABLED);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceSetMigMode, NVML_DEVICE_MIG_ENABLE,
         NULL);
    BOTH(ERROR_NO_PERMISSION, nvmlDeviceSetTemperatureThreshold,
         NVML_TEMPERATURE_THRESHOLD_SHUTDOWN, NULL);
    BOTH(ERROR_NOT_SUPPORTED, nvmlDeviceSetAutoBoostedClocksEnabled,
         NVML_FEATURE_ENABLED);
    BOTH(ERROR_NOT_SUPPORTED, nvmlDeviceSetFanSpeed_v2, 0, 50);
    BOTH(ERROR_NOT_SUPPORTED, nvmlDeviceSetDefaultFanSpeed_v2, 0);
    BOTH(ERROR_NOT_SUPPORTED, nvmlDeviceSetCpuAffinity);
    BOTH(ERROR_NOT_SUPPORTED, nvmlDeviceGetTemperature, NVML_TEMPERATURE_GPU,
         &x);
    BOTH(ERROR_NOT_SUPPORTED, nvmlDeviceGetTemperatureThreshold,
         NVML_TEMPERATURE_THRESHOLD_SHUTDOWN, &x);
    BOTH(ERROR_NOT_SUPPORTED, nvmlDeviceGetPowerUsage, &x);
    BOTH(ERROR_NOT_SUPPORTED, nvmlDeviceGetTotalEnergyConsumption, &y);
    BOTH(ERROR_NOT_SUPPORTED, nvmlDeviceGetEnforcedPowerLimit, &x);
    BOTH(ERROR_NOT_SUPPORTED, nvmlDeviceGetPowerManagementLimit, &x);
    BOTH(ERROR_NOT_SUPPORTED, nvmlDeviceGetFanSpeed, &x);
    BOTH(ERROR_NOT_SUPPORTED, nvmlDeviceGetUtilizationRates, &u);
    BOTH(ERROR_NOT_SUPPORTED, nvmlDeviceGetSamples,
         NVML_GPU_UTILIZATION_SAMPLES, 0, NULL, &x, NULL);
    IS(SUCCESS, nvmlShutdown());
}

/* What the calls above have not changed. */
PROBE(settings)
{
    unsigned now = 9, next = 9;
    nvmlEnableState_t on = NVML_FEATURE_DISABLED, pending = on;
    nvmlComputeMode_t mode = NVML_COMPUTEMODE_PROHIBITED;
    IS(SUCCESS, nvmlInit());
    const nvmlDevice_t d = device(0);
    IS(ERROR_NO_PERMISSION, nvmlDeviceSetPersistenceMode(d, on));
    IS(SUCCESS, nvmlDeviceGetPersistenceMode(d, &on));
    CHECK(on == NVML_FEATURE_ENABLED);
    IS(SUCCESS, nvmlDeviceGetComputeMode(d, &mode));
    CHECK(mode == NVML_COMPUTEMODE_DEFAULT);
    IS(SUCCESS, nvmlDeviceGetEccMode(d, &on, &pending));
    CHECK(on == NVML_FEATURE_ENABLED && pending == on);
    IS(SUCCESS, nvmlDeviceGetAccountingMode(d, &on));
    CHECK(on == NVML_FEATURE_DISABLED);
    IS(SUCCESS, nvmlDeviceGetMigMode(d, &now, &next));
    CHECK(now == NVML_DEVICE_MIG_DISABLE && next == now);
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetComputeMode(d, NULL));
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetComputeMode(NULL, &mode));
    IS(SUCCESS, nvmlShutdown());
}

/* The functions that NCCL looks up (src/misc/nvmlwrap.cc), except for those
 * that it can do without. */
PROBE(nccl_finds_its_functions)
{
    static const char *const names[] = {"nvmlInit",
                                        "nvmlInit_v2",
                                        "nvmlShutdown",
                                        "nvmlDeviceGetCount",
                                        "nvmlDeviceGetCount_v2",
                                        "nvmlDeviceGetHandleByPciBusId",
                                        "nvmlDeviceGetHandleByIndex",
                                        "nvmlDeviceGetIndex",
                                        "nvmlErrorString",
                                        "nvmlDeviceGetNvLinkState",
                                        "nvmlDeviceGetNvLinkRemotePciInfo",
                                        "nvmlDeviceGetNvLinkCapability",
                                        "nvmlDeviceGetCudaComputeCapability",
                                        "nvmlDeviceGetP2PStatus",
                                        "nvmlDeviceGetFieldValues",
                                        "nvmlDeviceGetGpuFabricInfoV",
                                        "nvmlSystemGetConfComputeState"};
    void *const library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    CHECK(library);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(dlsym(library, names[i]));
}

PROBE(peers)
{
    nvmlGpuP2PStatus_t status = NVML_P2P_STATUS_UNKNOWN;
    nvmlFieldValue_t v = {};
    nvmlConfComputeSystemState_t state;
    IS(SUCCESS, nvmlInit());
    for (int i = 0; i < NVML_P2P_CAPS_INDEX_UNKNOWN; i++) {
        IS(SUCCESS, nvmlDeviceGetP2PStatus(device(0), device(1),
                                           (nvmlGpuP2PCapsIndex_t)i, &status));
        CHECK(status == NVML_P2P_STATUS_OK);
    }
    IS(SUCCESS, nvmlDeviceGetP2PStatus(device(0), device(0),
                                       NVML_P2P_CAPS_INDEX_READ, &status));
    CHECK(status == NVML_P2P_STATUS_OK);
    IS(ERROR_INVALID_ARGUMENT,
       nvmlDeviceGetP2PStatus(device(0), device(1), NVML_P2P_CAPS_INDEX_UNKNOWN,
                              &status));
    IS(ERROR_INVALID_ARGUMENT,
       nvmlDeviceGetP2PStatus(device(0), NULL, NVML_P2P_CAPS_INDEX_READ,
                              &status));
    IS(SUCCESS, nvmlDeviceGetFieldValues(device(0), 1, &v));
    CHECK(v.nvmlReturn == NVML_ERROR_NOT_SUPPORTED);
    IS(ERROR_NOT_SUPPORTED, nvmlSystemGetConfComputeState(&state));
    IS(SUCCESS, nvmlShutdown());
}

__global__ void fail(void)
{
    __trap();
}

/* A device does not recover: no other probe uses the last one. */
PROBE(a_failed_device_has_no_answers)
{
    nvmlMemory_t memory;
    unsigned mhz;
    int current = -1;
    IS(SUCCESS, nvmlInit());
    const nvmlDevice_t d = device(7);
    OK(cudaSetDevice(7));
    fail<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    IS(ERROR_INVALID_ARGUMENT, nvmlDeviceGetMemoryInfo(d, &memory));
    IS(ERROR_INVALID_ARGUMENT,
       nvmlDeviceGetMaxClockInfo(d, NVML_CLOCK_SM, &mhz));
    OK(cudaSetDevice(0));
    IS(ERROR_UNKNOWN, nvmlDeviceGetMemoryInfo(d, &memory));
    OK(cudaGetDevice(&current));
    CHECK(current == 0);
    IS(SUCCESS, nvmlDeviceGetMaxClockInfo(d, NVML_CLOCK_SM, &mhz));
    IS(SUCCESS, nvmlShutdown());
}
