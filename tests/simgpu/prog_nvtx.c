/* Operations named by ranges: pushed, with attributes, and started. */
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

int main(void)
{
    char *d;
    nvtxEventAttributes_t a = {0};
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = "inner";
    cudaMalloc((void **)&d, 100);
    cudaMemset(d, 1, 1);
    nvtxRangePushA("outer");
    cudaMemset(d, 2, 2);
    nvtxRangePushEx(&a);
    cudaMemset(d, 3, 3);
    const nvtxRangeId_t id = nvtxRangeStartA("started");
    cudaMemset(d, 4, 4);
    nvtxMarkA("now");
    nvtxRangePushA("innermost");
    nvtxRangeEnd(id); // below the one that is open
    cudaMemset(d, 5, 5);
    nvtxRangePop();
    cudaMemset(d, 6, 6);
    nvtxRangePop();
    nvtxRangePop();
    cudaMemset(d, 7, 7);
    cudaDeviceSynchronize();
    return nvtxRangePop() == -1 ? 0 : 1;
}
