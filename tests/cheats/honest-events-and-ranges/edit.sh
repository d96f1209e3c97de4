# Times what it does with events, shows it to a profiler with NVTX, and logs it.
cat > head.c <<'C'
#include <nvtx3/nvToolsExt.h>
#include <cstdio>
#include <cstdlib>
#define CUDA_OK(call)                                                          \
    do {                                                                       \
        const cudaError_t e_ = (call);                                         \
        if (e_ != cudaSuccess) {                                               \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, cudaGetErrorName(e_), cudaGetErrorString(e_)); \
            std::exit(EXIT_FAILURE);                                           \
        }                                                                      \
    } while (0)
struct range {
    explicit range(const char *name) { nvtxRangePushA(name); }
    ~range() { nvtxRangePop(); }
    range(const range &) = delete;
};
class timer
{
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
    cudaStream_t stream_;

public:
    explicit timer(cudaStream_t stream) : stream_(stream)
    {
        CUDA_OK(cudaEventCreate(&begin_));
        CUDA_OK(cudaEventCreateWithFlags(&end_, cudaEventBlockingSync));
        CUDA_OK(cudaEventRecord(begin_, stream_));
    }
    ~timer()
    {
        float ms = 0;
        CUDA_OK(cudaEventRecord(end_, stream_));
        while (cudaEventQuery(end_) == cudaErrorNotReady)
            ;
        CUDA_OK(cudaEventElapsedTime(&ms, begin_, end_));
        CUDA_OK(cudaEventDestroy(begin_));
        CUDA_OK(cudaEventDestroy(end_));
        std::fprintf(stderr, "it took %.3f ms\n", ms);
    }
};
C
sed -i '/#include "lab\/try.h"/r head.c' cuda.cu && rm head.c
sed -i '0,/    float \*x;/s//    const range r{"trip"};\n    nvtxMarkA("begin");\n    const timer t(0);\n    float *x;/' cuda.cu
