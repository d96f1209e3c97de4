/* What the driver's memory, arrays, textures and streams return: values.txt. */
#include "say.h"

enum { PAGE = 2 << 20 };
static CUdeviceptr d, e;
static unsigned char h[64], back[64];
static int last; /* device */

static void start(void)
{
    cuInit(0);
    cuDeviceGetCount(&last);
    last--;
    cudaSetDevice(0);
    cudaMalloc((void **)&d, 64);
    cudaMalloc((void **)&e, 64);
    cudaMemset((void *)d, 0, 64);
    cudaMemset((void *)e, 0, 64);
    for (int i = 0; i < 64; i++)
        h[i] = (unsigned char)(i + 1);
}

static void show(CUdeviceptr p, int n)
{
    cudaMemcpy(back, (void *)p, (size_t)n, cudaMemcpyDefault);
    for (int i = 0; i < n; i++)
        printf("%d ", back[i]);
    puts("");
}

/* ---- virtual memory ------------------------------------------------------ */

static CUmemAllocationProp prop_of(int device)
{
    CUmemAllocationProp p;
    memset(&p, 0, sizeof p);
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.location.id = device;
    p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return p;
}

static void creating(void)
{
    CUmemAllocationProp p = prop_of(last), q;
    CUmemGenericAllocationHandle m = 0;
    size_t n = 0;
    DRIVER(cuMemGetAllocationGranularity(NULL, &p, 0));
    DRIVER(cuMemGetAllocationGranularity(&n, NULL, 0));
    DRIVER(cuMemGetAllocationGranularity(&n, &p, 2));
    DRIVER(cuMemGetAllocationGranularity(&n, &p, 1));
    IS(n);
    DRIVER(cuMemCreate(NULL, PAGE, &p, 0));
    DRIVER(cuMemCreate(&m, PAGE, NULL, 0));
    DRIVER(cuMemCreate(&m, 0, &p, 0));
    DRIVER(cuMemCreate(&m, PAGE - 1, &p, 0));
    DRIVER(cuMemCreate(&m, PAGE, &p, 1));
    DRIVER(cuMemCreate(&m, (size_t)1 << 40, &p, 0));
    p.location.id = 8;
    DRIVER(cuMemCreate(&m, PAGE, &p, 0));
    p.location.id = -1;
    DRIVER(cuMemCreate(&m, PAGE, &p, 0));
    p.location.id = last;
    p.location.type = CU_MEM_LOCATION_TYPE_HOST;
    DRIVER(cuMemCreate(&m, PAGE, &p, 0));
    p = prop_of(last);
    p.type = CU_MEM_ALLOCATION_TYPE_MANAGED;
    DRIVER(cuMemCreate(&m, PAGE, &p, 0));
    p.type = 0;
    DRIVER(cuMemCreate(&m, PAGE, &p, 0));
    p = prop_of(last);
    p.requestedHandleTypes = 2;
    DRIVER(cuMemCreate(&m, PAGE, &p, 0));
    p = prop_of(last);
    p.allocFlags.compressionType = 1;
    DRIVER(cuMemCreate(&m, PAGE, &p, 0));
    DRIVER(cuMemGetAllocationPropertiesFromHandle(NULL, m));
    DRIVER(cuMemGetAllocationPropertiesFromHandle(&q, m));
    printf("%d %d %d %d\n", q.type, q.location.id == last,
           q.requestedHandleTypes, q.allocFlags.compressionType);
    DRIVER(cuMemRelease(m));
    DRIVER(cuMemRelease(m));
    DRIVER(cuMemGetAllocationPropertiesFromHandle(&q, m));
    DRIVER(cuMemGetAllocationPropertiesFromHandle(&q, m + 1));
    DRIVER(cuMemRelease(m + 1));
}

static void addresses(void)
{
    CUdeviceptr p = 0;
    DRIVER(cuMemAddressReserve(NULL, PAGE, 0, 0, 0));
    DRIVER(cuMemAddressReserve(&p, PAGE + 1, 0, 0, 0));
    DRIVER(cuMemAddressReserve(&p, 0, 0, 0, 0));
    DRIVER(cuMemAddressReserve(&p, PAGE, 0, 0, 1));
    DRIVER(cuMemAddressReserve(&p, PAGE, 3, 0, 0));
    DRIVER(cuMemAddressReserve(&p, PAGE, 0, 0, 0));
    DRIVER(cuMemAddressReserve(&p, PAGE, 1 << 30, 0, 0));
    IS(p % (1 << 30));
    DRIVER(cuMemAddressFree(p, PAGE));
    DRIVER(cuMemAddressReserve(&p, PAGE, 2 * PAGE, 0, 0));
    IS(p % (2 * PAGE));
    DRIVER(cuMemAddressReserve(&p, PAGE, PAGE, 0, 0));
    IS(p % PAGE);
    DRIVER(cuMemAddressFree(p, 2 * PAGE));
    DRIVER(cuMemAddressFree(p + 1, PAGE));
    DRIVER(cuMemAddressFree(p, PAGE));
    DRIVER(cuMemAddressFree(p, PAGE));
}

static void mapping(void)
{
    CUmemAllocationProp prop = prop_of(last);
    CUmemGenericAllocationHandle m = 0, k = 0, again = 0;
    CUdeviceptr p = 0;
    DRIVER(cuMemCreate(&m, PAGE, &prop, 0));
    DRIVER(cuMemCreate(&k, 2 * PAGE, &prop, 0));
    DRIVER(cuMemAddressReserve(&p, 4 * PAGE, 0, 0, 0));
    DRIVER(cuMemMap(p, 0, 0, m, 0));
    DRIVER(cuMemMap(p, PAGE, 1, m, 0));
    DRIVER(cuMemMap(p, PAGE, 0, m, 1));
    DRIVER(cuMemMap(p + 1, PAGE, 0, m, 0));
    DRIVER(cuMemMap(p, PAGE + 1, 0, m, 0));
    DRIVER(cuMemMap(p, PAGE, 0, m, 0));
    DRIVER(cuMemMap(p, PAGE, 0, m, 0));
    DRIVER(cuMemMap(p + PAGE, 2 * PAGE, 0, k, 0));
    DRIVER(cuMemAddressFree(p, 4 * PAGE));
    DRIVER(cuMemRetainAllocationHandle(NULL, (void *)p));
    DRIVER(cuMemRetainAllocationHandle(&again, (void *)(p + 3 * PAGE)));
    DRIVER(cuMemRetainAllocationHandle(&again, (void *)(p + 3 * PAGE - 1)));
    IS(again == k);
    DRIVER(cuMemRetainAllocationHandle(&again, (void *)(p + PAGE - 1)));
    IS(again == m);
    DRIVER(cuMemRelease(m));
    DRIVER(cuMemRelease(m));
    DRIVER(cuMemRelease(k));
    DRIVER(cuMemUnmap(p, 0));
    DRIVER(cuMemUnmap(p, 2 * PAGE));
    DRIVER(cuMemUnmap(p + 2 * PAGE, PAGE));
    DRIVER(cuMemUnmap(p, 4 * PAGE));
    DRIVER(cuMemUnmap(p, 3 * PAGE));
    DRIVER(cuMemUnmap(p, PAGE));
    DRIVER(cuMemAddressFree(p, 4 * PAGE));
    DRIVER(cuMemRelease(k));
    DRIVER(cuMemRelease(m));
    DRIVER(cuMemRelease(k));
    DRIVER(cuMemMap(p, PAGE, 0, m + 1, 0));
}

/* More than there is. */
static void too_much(void)
{
    CUmemAllocationProp prop = prop_of(last);
    CUmemGenericAllocationHandle m = 0, again = 0;
    CUdeviceptr p = 0;
    DRIVER(cuMemCreate(&m, PAGE, &prop, 0));
    DRIVER(cuMemAddressReserve(&p, 4 * PAGE, 0, 0, 0));
    DRIVER(cuMemMap(p, PAGE, 0, m, 0));
    DRIVER(cuMemUnmap(p, 2 * PAGE));
    DRIVER(cuMemRetainAllocationHandle(&again, (void *)p));
    DRIVER(cuMemUnmap(p, PAGE));
    DRIVER(cuMemMap(p, 2 * PAGE, 0, m, 0));
    DRIVER(cuMemRetainAllocationHandle(&again, (void *)p));
    DRIVER(cuMemRetainAllocationHandle(&again, (void *)(p + PAGE)));
    DRIVER(cuMemUnmap(p + PAGE, PAGE));
    DRIVER(cuMemUnmap(p, PAGE));
    DRIVER(cuMemUnmap(p, 2 * PAGE));
    DRIVER(cuMemRelease(m));
    DRIVER(cuMemCreate(&m, 2 * PAGE, &prop, 0));
    DRIVER(cuMemMap(p, PAGE, 0, m, 0)); // half of it
    DRIVER(cuMemUnmap(p, PAGE));
    DRIVER(cuMemMap(p, PAGE, PAGE, m, 0));
    DRIVER(cuMemMap(p + 3 * PAGE, 2 * PAGE, 0, m, 0));
    DRIVER(cuMemUnmap(p + 4 * PAGE, PAGE));
    DRIVER(cuMemUnmap((CUdeviceptr)d, PAGE));
}

static void access(void)
{
    CUmemAllocationProp prop = prop_of(0);
    CUmemAccessDesc to[2];
    CUmemGenericAllocationHandle m = 0;
    CUdeviceptr p = 0;
    unsigned long long flags = 9;
    memset(to, 0, sizeof to);
    to[0].location = to[1].location = prop.location;
    to[1].location.id = last;
    to[0].flags = to[1].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    cuMemCreate(&m, PAGE, &prop, 0);
    cuMemAddressReserve(&p, PAGE, 0, 0, 0);
    DRIVER(cuMemSetAccess(p, PAGE, to, 1));
    cuMemMap(p, PAGE, 0, m, 0);
    DRIVER(cuMemGetAccess(&flags, &to[0].location, p));
    IS(flags);
    DRIVER(cuMemSetAccess(p, PAGE, NULL, 1));
    DRIVER(cuMemSetAccess(p, PAGE, to, 0));
    DRIVER(cuMemSetAccess(p, 2 * PAGE, to, 1));
    DRIVER(cuMemSetAccess(p, PAGE, to, 2));
    DRIVER(cuMemGetAccess(&flags, &to[0].location, p));
    IS(flags);
    DRIVER(cuMemGetAccess(&flags, &to[1].location, p + 5));
    IS(flags);
    to[1].flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    DRIVER(cuMemSetAccess(p, PAGE, to + 1, 1));
    DRIVER(cuMemGetAccess(&flags, &to[1].location, p));
    IS(flags);
    DRIVER(cuMemGetAccess(NULL, &to[1].location, p));
    DRIVER(cuMemGetAccess(&flags, NULL, p));
    DRIVER(cuMemGetAccess(&flags, &to[1].location, d));
    DRIVER(cuMemGetAccess(&flags, &to[1].location, (CUdeviceptr)h));
    to[1].location.id = 8;
    DRIVER(cuMemGetAccess(&flags, &to[1].location, p));
    DRIVER(cuMemSetAccess(p, PAGE, to, 2));
    DRIVER(cuMemSetAccess(p, PAGE, to, 1));
    DRIVER(cuMemsetD8(p, 1, 16));
    DRIVER(cuMemsetD8(p + 5, 7, 3));
    show(p + 4, 5);
}

static void sharing(void)
{
    CUmemAllocationProp p = prop_of(last);
    const CUmemAllocationHandleType file =
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CUmemGenericAllocationHandle m = 0, own = 0;
    int fd = -1;
    DRIVER(cuMemCreate(&m, PAGE, &p, 0));
    DRIVER(cuMemExportToShareableHandle(NULL, m, file, 0));
    DRIVER(cuMemExportToShareableHandle(&fd, m, file, 1));
    DRIVER(cuMemExportToShareableHandle(&fd, m, 2, 0));
    DRIVER(cuMemExportToShareableHandle(&fd, m, file, 0));
    IS(fd >= 0);
    void *const handle = (void *)(intptr_t)fd;
    DRIVER(cuMemImportFromShareableHandle(NULL, handle, file));
    DRIVER(cuMemImportFromShareableHandle(&own, handle, 2));
    DRIVER(cuMemImportFromShareableHandle(&own, (void *)-1, file));
    p.requestedHandleTypes = 0;
    DRIVER(cuMemCreate(&m, PAGE, &p, 0));
    DRIVER(cuMemExportToShareableHandle(&fd, m, file, 0));
    DRIVER(cuMemExportToShareableHandle(&fd, m + 1, file, 0));
}

/* ---- arrays and textures ------------------------------------------------- */

static void arrays(void)
{
    CUDA_ARRAY_DESCRIPTOR a = {8, 2, CU_AD_FORMAT_UNSIGNED_INT8, 2}, b;
    CUDA_ARRAY3D_DESCRIPTOR c = {4, 3,
                                 2, CU_AD_FORMAT_HALF,
                                 4, CUDA_ARRAY3D_SURFACE_LDST},
                            f;
    CUarray two = NULL, three = NULL;
    static const int formats[] = {1, 2, 3, 8, 9, 10, 16, 32, 0, 33};
    DRIVER(cuArrayCreate(NULL, &a));
    DRIVER(cuArrayCreate(&two, NULL));
    DRIVER(cuArray3DCreate(NULL, &c));
    DRIVER(cuArray3DCreate(&three, NULL));
    for (unsigned n = 0; n <= 5; n++)
        for (int i = 0; i < 10; i++) {
            a.NumChannels = n;
            a.Format = (CUarray_format)formats[i];
            two = NULL;
            const int err = (int)cuArrayCreate(&two, &a);
            memset(&b, 0, sizeof b);
            memset(&f, 0, sizeof f);
            const int got = (int)cuArrayGetDescriptor(&b, two);
            cuArray3DGetDescriptor(&f, two);
            printf("%u %d: %d %d %zu %zu %d %u %u\n", n, formats[i], err, got,
                   b.Width, b.Height, b.Format, b.NumChannels, f.Flags);
        }
    DRIVER(cuArray3DCreate(&three, &c));
    DRIVER(cuArray3DGetDescriptor(&f, three));
    printf("%zu %zu %zu %d %u %u\n", f.Width, f.Height, f.Depth, f.Format,
           f.NumChannels, f.Flags);
    DRIVER(cuArray3DGetDescriptor(NULL, three));
    DRIVER(cuArrayGetDescriptor(NULL, three));
    DRIVER(cuArrayGetDescriptor(&b, NULL));
    c.Flags = 16;
    DRIVER(cuArray3DCreate(&three, &c));
    c.Flags = 0;
    c.Width = 0;
    DRIVER(cuArray3DCreate(&three, &c));
    DRIVER(cuArrayDestroy(NULL));
    DRIVER(cuArrayDestroy(three));
}

/* Each flag alone, with one channel and with two. */
static void array_flags(void)
{
    CUDA_ARRAY3D_DESCRIPTOR of = {6, 6, 6, CU_AD_FORMAT_FLOAT, 1, 0};
    for (unsigned n = 1; n <= 2; n++)
        for (unsigned flag = 1; flag <= 0x200; flag *= 2) {
            CUarray a = NULL;
            of.NumChannels = n;
            of.Flags = flag;
            const int err = (int)cuArray3DCreate(&a, &of);
            printf("%u channels, %#x: %d\n", n, flag, err);
        }
}

static void array_bytes(void)
{
    const CUDA_ARRAY_DESCRIPTOR of = {4, 3, CU_AD_FORMAT_UNSIGNED_INT8, 4};
    CUarray a = NULL;
    DRIVER(cuArrayCreate(&a, &of));
    DRIVER(cuMemcpyHtoA(NULL, 0, h, 4));
    DRIVER(cuMemcpyAtoH(back, NULL, 0, 4));
    DRIVER(cuMemcpyDtoA(NULL, 0, d, 4));
    DRIVER(cuMemcpyAtoD(d, NULL, 0, 4));
    DRIVER(cuMemcpyHtoA(a, 0, h, 48));
    DRIVER(cuMemcpyHtoA(a, 0, h + 40, 16));
    DRIVER(cuMemcpyHtoA(a, 3, h, 5));
    DRIVER(cuMemcpyHtoA(a, 47, h, 2));
    DRIVER(cuMemcpyAtoD(d, a, 1, 9));
    show(d, 12);
    DRIVER(cuMemcpyDtoA(a, 20, d, 4));
    DRIVER(cuMemcpyAtoH(back, a, 18, 8));
    DRIVER(cuMemcpyAtoH(back, a, 8, 8));
    for (int i = 0; i < 8; i++)
        printf("%d ", back[i]);
    puts("");
}

static void say_texture(const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *t)
{
    CUtexObject o = 0;
    struct cudaTextureDesc is;
    struct cudaResourceDesc of;
    const int err = (int)cuTexObjectCreate(&o, r, t, NULL);
    memset(&is, 0, sizeof is);
    memset(&of, 0, sizeof of);
    cudaGetTextureObjectTextureDesc(&is, o);
    cudaGetTextureObjectResourceDesc(&of, o);
    printf("%d: %d %d %d %d %d %d %d %u: %d\n", err, is.filterMode, is.readMode,
           is.sRGB, is.normalizedCoords, is.addressMode[0], is.addressMode[1],
           is.addressMode[2], is.maxAnisotropy, of.resType);
    DRIVER(cuTexObjectDestroy(o));
}

static void textures(void)
{
    const CUDA_ARRAY_DESCRIPTOR of = {4, 3, CU_AD_FORMAT_UNSIGNED_INT8, 4};
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC t;
    CUtexObject o = 0;
    CUarray a = NULL;
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    cuArrayCreate(&a, &of);
    t.addressMode[0] = CU_TR_ADDRESS_MODE_CLAMP;
    t.addressMode[1] = CU_TR_ADDRESS_MODE_MIRROR;
    t.addressMode[2] = CU_TR_ADDRESS_MODE_BORDER;
    t.borderColor[0] = 2;
    t.borderColor[3] = 5;
    t.maxAnisotropy = 3;
    r.resType = CU_RESOURCE_TYPE_ARRAY;
    say_texture(&r, &t);
    r.res.array.hArray = a;
    DRIVER(cuTexObjectCreate(NULL, &r, &t, NULL));
    DRIVER(cuTexObjectCreate(&o, NULL, &t, NULL));
    DRIVER(cuTexObjectCreate(&o, &r, NULL, NULL));
    DRIVER(cuTexObjectCreate(&o, &r, &t, (void *)&r));
    for (unsigned flags = 0; flags < 5; flags++) {
        t.flags = flags < 4 ? flags : CU_TRSF_SRGB;
        t.filterMode =
            flags & 1 ? CU_TR_FILTER_MODE_POINT : CU_TR_FILTER_MODE_LINEAR;
        say_texture(&r, &t);
    }
    DRIVER(cuTexObjectDestroy(999));
    DRIVER(cuTexObjectDestroy(0));
}

static void linear_textures(void)
{
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC t;
    CUtexObject o = 0;
    CUdeviceptr p;
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    cudaMalloc((void **)&p, 4096);
    r.resType = CU_RESOURCE_TYPE_LINEAR;
    r.res.linear.devPtr = p;
    r.res.linear.format = CU_AD_FORMAT_FLOAT;
    r.res.linear.numChannels = 2;
    r.res.linear.sizeInBytes = 4096;
    say_texture(&r, &t);
    r.res.linear.sizeInBytes = 4104;
    say_texture(&r, &t);
    r.res.linear.sizeInBytes = 64;
    r.res.linear.numChannels = 3;
    say_texture(&r, &t);
    r.res.linear.numChannels = 1;
    r.res.linear.devPtr = p + 4;
    say_texture(&r, &t);
    r.resType = CU_RESOURCE_TYPE_PITCH2D;
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.format = CU_AD_FORMAT_UNSIGNED_INT16;
    r.res.pitch2D.numChannels = 4;
    r.res.pitch2D.width = 12;
    r.res.pitch2D.height = 32;
    r.res.pitch2D.pitchInBytes = 128;
    say_texture(&r, &t);
    r.res.pitch2D.height = 33;
    say_texture(&r, &t);
    r.res.pitch2D.height = 0;
    say_texture(&r, &t);
    r.res.pitch2D.height = 1;
    r.res.pitch2D.width = 16;
    say_texture(&r, &t);
    r.res.pitch2D.width = 17;
    say_texture(&r, &t);
    r.res.pitch2D.width = 1;
    r.res.pitch2D.pitchInBytes = 100;
    say_texture(&r, &t);
    r.resType = 9;
    say_texture(&r, &t);
    r.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    UNDEFINED(cuTexObjectCreate(&o, &r, &t, NULL)); // there is none
}

static void surfaces(void)
{
    CUDA_ARRAY3D_DESCRIPTOR of = {
        4, 3, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC t;
    CUsurfObject o = 0;
    CUtexObject x = 0;
    struct cudaResourceDesc is;
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    DRIVER(cuSurfObjectCreate(&o, &r));
    cuArray3DCreate(&r.res.array.hArray, &of);
    DRIVER(cuSurfObjectCreate(&o, NULL));
    DRIVER(cuSurfObjectCreate(&o, &r));
    DRIVER(cuTexObjectCreate(&x, &r, &t, NULL));
    SAY(cudaGetSurfaceObjectResourceDesc(NULL, o));
    SAY(cudaGetSurfaceObjectResourceDesc(&is, x));
    SAY(cudaGetSurfaceObjectResourceDesc(&is, o));
    SAY(cudaGetTextureObjectResourceDesc(&is, o));
    SAY(cudaGetTextureObjectResourceDesc(NULL, x));
    SAY(cudaGetTextureObjectTextureDesc(NULL, x));
    DRIVER(cuTexObjectDestroy(o));
    DRIVER(cuSurfObjectDestroy(x));
    DRIVER(cuSurfObjectDestroy(o));
    DRIVER(cuSurfObjectDestroy(o));
    DRIVER(cuSurfObjectDestroy(0));
    of.Flags = 0;
    cuArray3DCreate(&r.res.array.hArray, &of);
    DRIVER(cuSurfObjectCreate(&o, &r));
    r.resType = CU_RESOURCE_TYPE_LINEAR;
    DRIVER(cuSurfObjectCreate(&o, &r));
    r.resType = CU_RESOURCE_TYPE_ARRAY;
    DRIVER(cuSurfObjectCreate(NULL, &r));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"creating", creating},
                 {"addresses", addresses},
                 {"mapping", mapping},
                 {"too_much", too_much},
                 {"access", access},
                 {"sharing", sharing},
                 {"arrays", arrays},
                 {"array_flags", array_flags},
                 {"array_bytes", array_bytes},
                 {"textures", textures},
                 {"linear_textures", linear_textures},
                 {"surfaces", surfaces}};
    start();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
