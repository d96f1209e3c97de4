// NVML: what it says of a GPU is what the runtime says.
#include <cuda_runtime.h>
#include <nvml.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);             \
            return 1;                                                          \
        }                                                                      \
    } while (0)

static int check_handles(nvmlDevice_t d, unsigned index)
{
    char uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE], bus[32];
    nvmlDevice_t other;
    CHECK(!cudaDeviceGetPCIBusId(bus, sizeof bus, (int)index));
    CHECK(!nvmlDeviceGetHandleByPciBusId(bus, &other) && other == d);
    CHECK(!nvmlDeviceGetUUID(d, uuid, sizeof uuid) && strlen(uuid) == 40);
    CHECK(!nvmlDeviceGetHandleByUUID(uuid, &other) && other == d);
    nvmlPciInfo_t pci;
    CHECK(!nvmlDeviceGetPciInfo(d, &pci) &&
          !strncasecmp(pci.busIdLegacy, bus, 12));
    CHECK(!nvmlDeviceGetHandleByPciBusId(pci.busId, &other) && other == d);
    CHECK(nvmlDeviceGetHandleByPciBusId("0000:ff:1f.0", &other) ==
          NVML_ERROR_NOT_FOUND);
    CHECK(cudaGetLastError() == cudaSuccess);
    return 0;
}

static int check_numbers(nvmlDevice_t d, const cudaDeviceProp &prop)
{
    unsigned mhz = 0, one = 1, none = 0;
    int khz = 0, major, minor;
    char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
    nvmlMemory_t m;
    CHECK(!nvmlDeviceGetName(d, name, sizeof name) && !strcmp(name, prop.name));
    CHECK(nvmlDeviceGetName(d, name, 3) == NVML_ERROR_INSUFFICIENT_SIZE);
    CHECK(!nvmlDeviceGetCudaComputeCapability(d, &major, &minor) &&
          major == prop.major && minor == prop.minor);
    CHECK(!cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, 0));
    CHECK(!nvmlDeviceGetClockInfo(d, NVML_CLOCK_MEM, &mhz) &&
          mhz == (unsigned)khz / 1000);
    CHECK(!nvmlDeviceGetSupportedGraphicsClocks(d, mhz, &one, &mhz) && mhz);
    CHECK(nvmlDeviceGetSupportedMemoryClocks(d, &none, NULL) ==
              NVML_ERROR_INSUFFICIENT_SIZE &&
          none == 1);
    CHECK(!nvmlDeviceGetMemoryInfo(d, &m) && m.total == prop.totalGlobalMem &&
          m.used + m.free == m.total);
    CHECK(nvmlDeviceGetPowerUsage(d, &mhz) == NVML_ERROR_NOT_SUPPORTED);
    unsigned long long reasons = nvmlClocksThrottleReasonAll;
    nvmlPstates_t state = NVML_PSTATE_UNKNOWN;
    CHECK(!nvmlDeviceGetCurrentClocksThrottleReasons(d, &reasons) &&
          reasons == nvmlClocksEventReasonNone);
    CHECK(!nvmlDeviceGetPerformanceState(d, &state) && state == NVML_PSTATE_0);
    CHECK(nvmlDeviceGetTemperatureThreshold(d,
                                            NVML_TEMPERATURE_THRESHOLD_SLOWDOWN,
                                            &mhz) == NVML_ERROR_NOT_SUPPORTED);
    nvmlSample_t samples[2];
    nvmlValueType_t type;
    CHECK(nvmlDeviceGetSamples(d, NVML_GPU_UTILIZATION_SAMPLES, 0, &type, &one,
                               samples) == NVML_ERROR_NOT_SUPPORTED);
    CHECK(nvmlDeviceSetApplicationsClocks(d, 1, 1) == NVML_ERROR_NO_PERMISSION);
    CHECK(nvmlDeviceGetPowerUsage(NULL, &mhz) == NVML_ERROR_INVALID_ARGUMENT);
    return 0;
}

int main()
{
    unsigned n = 0, index = 9;
    int visible = 0;
    nvmlDevice_t d;
    CHECK(nvmlDeviceGetCount(&n) == NVML_ERROR_UNINITIALIZED);
    CHECK(!nvmlInit());
    CHECK(!cudaGetDeviceCount(&visible));
    CHECK(!nvmlDeviceGetCount(&n) && n == (unsigned)visible);
    for (unsigned i = 0; i < n; i++) {
        cudaDeviceProp prop;
        CHECK(!cudaGetDeviceProperties(&prop, (int)i));
        CHECK(!nvmlDeviceGetHandleByIndex(i, &d));
        CHECK(!nvmlDeviceGetIndex(d, &index) && index == i);
        if (check_handles(d, i) || check_numbers(d, prop))
            return 1;
    }
    CHECK(nvmlDeviceGetHandleByIndex(n, &d) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(!strcmp(nvmlErrorString(NVML_ERROR_NOT_FOUND), "Not Found"));
    CHECK(!nvmlShutdown());
    CHECK(nvmlShutdown() == NVML_ERROR_UNINITIALIZED);
    return 0;
}
