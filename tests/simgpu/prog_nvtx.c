/* Operations named by ranges: pushed, with attributes, started, of a domain. */
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
    const nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = nvtxDomainRegisterStringA(domain, "of a domain");
    nvtxDomainRangePushEx(domain, &a);
    nvtxRangePushW(L"\u00fcber");
    cudaMemset(d, 8, 8);
    nvtxDomainRangePop(domain); // below the one that is open
    cudaMemset(d, 9, 9);
    nvtxDomainRangePushEx(domain, &a);
    nvtxRangePop();
    cudaMemset(d, 10, 10);
    nvtxDomainRangePop(domain);
    cudaMemset(d, 11, 11);
    cudaDeviceSynchronize();
    if (nvtxDomainRangePop(domain) != -1)
        return 1;
    nvtxDomainDestroy(domain);
    return nvtxRangePop() == -1 ? 0 : 1;
}
