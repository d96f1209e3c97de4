// Loads the image that the argument names, in each way there is.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include <fstream>
#include <sstream>
#include <string>

#define MUST(call)                                                             \
    do {                                                                       \
        const CUresult err = (call);                                           \
        if (err != CUDA_SUCCESS) {                                             \
            printf("%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, err);   \
            exit(1);                                                           \
        }                                                                      \
    } while (0)
#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);             \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

enum { N = 100 };

enum how { IN_ARRAY, IN_BUFFER, ONE_BY_ONE };

// A launch as before CUDA 4; each parameter lies at a multiple of its size.
static void launch_grid(CUfunction scale, char one, CUdeviceptr p)
{
    int threads;
    const char *name;
    MUST(cuFuncGetName(&name, scale));
    CHECK(std::string(name) == "scale");
    MUST(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                            scale));
    CHECK(threads >= 64);
    MUST(cuFuncSetCacheConfig(scale, CU_FUNC_CACHE_PREFER_L1));
    MUST(cuFuncSetBlockShape(scale, 64, 1, 1));
    MUST(cuParamSetv(scale, 0, &one, 1));
    MUST(cuParamSetf(scale, 8, 0)); // the halves of 7.0
    MUST(cuParamSetf(scale, 12, 2.4375f));
    MUST(cuParamSetv(scale, 16, &p, sizeof p));
    MUST(cuParamSeti(scale, 24, N));
    MUST(cuParamSeti(scale, 32760, N)); // a launch passes 32764 bytes
    CHECK(cuParamSeti(scale, 32761, N) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuParamSeti(scale, -1, N) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuParamSetv(scale, 0, NULL, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuParamSetv(scale, 0, &p, 32765) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuParamSetSize(scale, 32765) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuParamSetSize(scale, 24)); // too few
    CHECK(cuLaunchGrid(scale, 2, 1) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuParamSetSize(scale, 28));
    CHECK(cuLaunchGrid(scale, 0, 1) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuFuncSetBlockShape(scale, threads + 1, 1, 1));
    CHECK(cuLaunchGrid(scale, 2, 1) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuFuncSetBlockShape(scale, 64, 1, 1));
    CHECK(cuFuncSetSharedSize(scale, 1 << 20) == // more than a block can have
          CUDA_ERROR_INVALID_VALUE);
    MUST(cuLaunchGridAsync(scale, 2, 1, NULL));
}

// p[i] = i * 3 + 7 + 1
static void use(CUmodule m, how how)
{
    CUfunction scale, set;
    CUdeviceptr p, factor, calls;
    size_t nbytes;
    int h[N], three = 3, n = N, ncalls = -1;
    char one = 1;
    double seven = 7;
    for (int i = 0; i < N; i++)
        h[i] = i;
    MUST(cuModuleGetFunction(&scale, m, "scale"));
    CHECK(cuModuleGetFunction(&set, m, "factor") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleGetFunction(&set, m, "printf") == CUDA_ERROR_NOT_FOUND);
    MUST(cuModuleGetGlobal(&factor, &nbytes, m, "factor"));
    CHECK(nbytes == sizeof three);
    CHECK(cuModuleGetGlobal(&p, NULL, m, "none") == CUDA_ERROR_NOT_FOUND);
    MUST(cuMemcpyHtoD(factor, &three, sizeof three));
    MUST(cuMemAlloc(&p, sizeof h));
    MUST(cuMemcpyHtoD(p, h, sizeof h));
    int grid = 0, block = 0;
    MUST(cuOccupancyMaxPotentialBlockSize(&grid, &block, scale, NULL, 0, 96));
    CHECK(grid > 0 && (block == 96 || block == 64 || block == 32));
    void *params[] = {&one, &seven, &p, &n};
    struct {
        char first;
        double offset;
        CUdeviceptr p;
        int n;
    } packed = {one, seven, p, n};
    size_t size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed,
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    if (how == ONE_BY_ONE)
        launch_grid(scale, one, p);
    else
        MUST(cuLaunchKernel(scale, 2, 1, 1, 64, 1, 1, 0, NULL,
                            how == IN_ARRAY ? params : NULL,
                            how == IN_BUFFER ? extra : NULL));
    MUST(cuMemcpyDtoH(h, p, sizeof h));
    for (int i = 0; i < N; i++)
        CHECK(h[i] == i * 3 + 8);
    // each module has variables of its own
    MUST(cuModuleGetGlobal(&calls, &nbytes, m, "calls"));
    MUST(cuMemcpyDtoH(&ncalls, calls, sizeof ncalls));
    CHECK(ncalls == 1);
    MUST(cuModuleGetFunction(&set, m, "_Z3setPi")); // C++'s name
    void *only[] = {&p};
    MUST(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, NULL, only, NULL));
    MUST(cuMemcpyDtoH(h, p, sizeof h));
    CHECK(h[0] == 42);
    MUST(cuMemFree(p));
    MUST(cuModuleUnload(m));
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule m;
    CUlinkState link;
    void *linked;
    size_t nbytes;
    if (argc < 2)
        return 2;
    std::ifstream in(argv[1], std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    const std::string image = text.str();
    MUST(cuInit(0));
    MUST(cuDeviceGet(&device, 0));
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    // what the driver's functions return is not the runtime's last error
    CHECK(cudaMalloc(NULL, 1) == cudaErrorInvalidValue);
    CHECK(cuMemFree((CUdeviceptr)argv) != CUDA_SUCCESS);
    MUST(cuModuleLoad(&m, argv[1]));
    use(m, IN_ARRAY);
    MUST(cuModuleLoadData(&m, image.c_str()));
    use(m, IN_BUFFER);
    char log[1024];
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER,
                              CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    MUST(cuModuleLoadDataEx(&m, image.c_str(), 2, options, values));
    use(m, IN_ARRAY);
    MUST(cuLinkCreate(0, NULL, NULL, &link));
    MUST(cuLinkAddData(
        link, image[0] == '.' ? CU_JIT_INPUT_PTX : CU_JIT_INPUT_FATBINARY,
        (void *)image.data(), image.size() + (image[0] == '.'), "image", 0,
        NULL, NULL));
    MUST(cuLinkComplete(link, &linked, &nbytes));
    MUST(cuModuleLoadData(&m, linked));
    MUST(cuLinkDestroy(link));
    use(m, ONE_BY_ONE);
    CHECK(cuModuleLoad(&m, "no-such-file") == CUDA_ERROR_FILE_NOT_FOUND);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    puts("ok");
    return 0;
}
