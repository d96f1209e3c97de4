/* Ranges of NVTX, and what programs that nvcc compiled call before main():
 * values.txt. */
#include "say.h"

#include <nvtx3/nvToolsExt.h>

static char *d;

static void start(void)
{
    cudaMalloc((void **)&d, 64);
}

/* An operation of so many bytes, which has the innermost range's name. */
static void mark(size_t nbytes)
{
    cudaMemset(d, 0, nbytes);
}

static nvtxEventAttributes_t named(const char *name)
{
    nvtxEventAttributes_t a = {0};
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = name;
    return a;
}

/* Every number of bytes that UTF-8 has, at its borders. */
static void texts(void)
{
    static const wchar_t borders[] = {'a',    0x7f,    0x80,     0x7ff, 0x800,
                                      0xffff, 0x10000, 0x10ffff, 'z',   0};
    static wchar_t text[1100];
    nvtxEventAttributes_t a = named("named");
    nvtxRangePushW(borders);
    mark(1);
    for (int i = 0; i < 1099; i++) // more than fits
        text[i] = (wchar_t)(L'a' + i % 26);
    nvtxRangePushW(text);
    mark(2);
    nvtxRangePushW(NULL);
    mark(3);
    nvtxRangePushEx(&a);
    mark(4);
    a.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    a.message.unicode = L"wide";
    nvtxRangePushEx(&a);
    mark(5);
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = NULL;
    nvtxRangePushEx(&a);
    mark(6);
    a.messageType = NVTX_MESSAGE_UNKNOWN;
    nvtxRangePushEx(&a);
    mark(7);
    nvtxRangePushEx(NULL);
    mark(8);
    nvtxRangePushA(NULL);
    mark(9);
    for (int left = 9; left-- > 0;) {
        printf("%d ", nvtxRangePop());
        mark(10);
    }
    printf("%d\n", nvtxRangePop());
}

/* Deeper than ranges are kept. */
static void deep(void)
{
    char name[8];
    const nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
    nvtxEventAttributes_t a = named("of a domain");
    IS(nvtxDomainRangePushEx(domain, &a));
    for (int i = 0; i < 70; i++) {
        snprintf(name, sizeof name, "%d", i);
        printf("%d ", nvtxRangePushA(name));
        if (i > 60)
            mark((size_t)i);
    }
    puts("");
    IS(nvtxDomainRangePushEx(domain, &a));
    IS(nvtxDomainRangePop(domain));
    for (int i = 70; i-- > 0;) {
        printf("%d ", nvtxRangePop());
        if (i > 60)
            mark((size_t)i);
    }
    puts("");
    IS(nvtxRangePop());
    IS(nvtxDomainRangePop(domain));
    IS(nvtxDomainRangePop(domain));
}

/* Started ranges end in any order, and do not count as pushed. */
static void started(void)
{
    nvtxEventAttributes_t a = named("Ex");
    const nvtxDomainHandle_t domain = nvtxDomainCreateW(L"library");
    const nvtxRangeId_t first = nvtxRangeStartA("A");
    const nvtxRangeId_t second = nvtxRangeStartW(L"W");
    const nvtxRangeId_t third = nvtxRangeStartEx(&a);
    const nvtxRangeId_t last = nvtxDomainRangeStartEx(domain, &a);
    IS(first != 0);
    IS(second - first);
    IS(last - third);
    IS(nvtxRangePop());
    IS(nvtxRangePushA("pushed"));
    IS(nvtxRangePushA("twice"));
    nvtxRangeEnd(second);
    nvtxRangeEnd(0);
    mark(1);
    IS(nvtxRangePop());
    mark(2);
    IS(nvtxRangePop());
    mark(3);
    nvtxDomainRangeEnd(domain, last);
    mark(4);
    nvtxRangeEnd(third);
    mark(5);
    nvtxRangeEnd(first);
    mark(6);
    nvtxMarkA("a mark");
    IS(nvtxRangePop());
}

/* What is registered lives until its domain ends. */
static void registered(void)
{
    IS(nvtxDomainCreateA(NULL) == NULL);
    IS(nvtxDomainCreateW(NULL) == NULL);
    const nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
    IS(nvtxDomainRegisterStringA(domain, NULL) == NULL);
    nvtxEventAttributes_t a = named(NULL);
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = nvtxDomainRegisterStringA(domain, "first");
    IS(nvtxDomainRegisterStringW(domain, L"second") != NULL);
    IS(nvtxDomainRegisterStringA(NULL, "of none") != NULL);
    IS(nvtxDomainRegisterStringA(domain, "") != NULL);
    IS(nvtxDomainRangePushEx(domain, &a));
    mark(1);
    a.message.registered = nvtxDomainRegisterStringW(domain, L"third");
    IS(nvtxDomainRangePushEx(domain, &a));
    mark(2);
    IS(nvtxDomainRangePop(domain));
    IS(nvtxDomainRangePop(domain));
    nvtxDomainDestroy(domain);
    nvtxDomainDestroy(NULL);
    IS(nvtxDomainResourceCreate(domain, NULL) == NULL);
}

/* ---- images of nvcc's ---------------------------------------------------- */

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
char __cudaInitModule(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int,
                            uint3 *, uint3 *, dim3 *, dim3 *, int *);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
cudaError_t __cudaGetKernel(const void **, const void *);
cudaError_t __cudaLaunchKernel(const void *, dim3, dim3, void **, size_t,
                               cudaStream_t);

static void images(void)
{
    static char stubs[3];
    const dim3 one = {1, 1, 1};
    dim3 grid, block;
    size_t nbytes = 0;
    cudaStream_t stream = NULL;
    const void *kernel = NULL;
    struct cudaFuncAttributes of;
    cudaFunction_t f;
    int n = 0;
    void **const handle = __cudaRegisterFatBinary(d);
    IS(handle != NULL && handle == __cudaRegisterFatBinary(stubs));
    __cudaRegisterFunction(handle, stubs, d, "first", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(handle, stubs + 1, d, "other", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    IS(__cudaInitModule(handle));
    IS(__cudaPushCallConfiguration((dim3){1, 2, 3}, (dim3){4, 5, 6}, 7,
                                   cudaStreamPerThread));
    SAY(__cudaPopCallConfiguration(&grid, &block, &nbytes, &stream));
    printf("%u %u %u, %u %u %u, %zu, %d\n", grid.x, grid.y, grid.z, block.x,
           block.y, block.z, nbytes, stream == cudaStreamPerThread);
    SAY(__cudaGetKernel(&kernel, stubs));
    IS(kernel == stubs);
    SAY(__cudaLaunchKernel(stubs, one, one, NULL, 0, 0));
    SAY(__cudaLaunchKernel(stubs + 2, one, one, NULL, 0, 0));
    SAY(__cudaLaunchKernel(NULL, one, one, NULL, 0, 0));
    SAY(cudaGetLastError());
    SAY(cudaLaunchKernel(stubs + 1, one, one, NULL, 0, 0));
    SAY(cudaGetLastError());
    SAY(cudaFuncGetAttributes(&of, stubs));
    SAY(cudaFuncSetAttribute(stubs, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             4));
    SAY(cudaFuncSetCacheConfig(stubs, cudaFuncCachePreferL1));
    SAY(cudaGetFuncBySymbol(&f, stubs));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, stubs, 32, 0));
    __cudaUnregisterFatBinary(handle);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"range_texts", texts},
                 {"deep", deep},
                 {"started", started},
                 {"registered_texts", registered},
                 {"images", images}};
    start();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
