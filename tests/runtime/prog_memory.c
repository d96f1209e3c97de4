/* What allocating, arrays, managed memory and streams return: values.txt. */
#include "say.h"

static cudaStream_t s;
static unsigned char h[8192];

static void allocating(void)
{
    void *p = h, *q = NULL;
    size_t pitch = 0;
    struct cudaPitchedPtr r;
    SAY(cudaMalloc(NULL, 1));
    SAY(cudaMalloc(&p, 0));
    IS(p == NULL);
    SAY(cudaMalloc(&p, (size_t)1 << 40));
    SAY(cudaMalloc(&p, 100));
    SAY(cudaFree((char *)p + 1));
    SAY(cudaFreeHost(p));
    SAY(cudaFree(h));
    SAY(cudaFree(p));
    SAY(cudaFree(p));
    SAY(cudaFree(NULL));
    SAY(cudaFreeHost(NULL));
    SAY(cudaMallocHost(&q, 10));
    SAY(cudaFree(q));
    SAY(cudaFreeHost((char *)q + 1));
    SAY(cudaFreeHost(q));
    SAY(cudaFreeHost(q));
    SAY(cudaMallocPitch(&p, NULL, 3, 2));
    SAY(cudaMallocPitch(NULL, &pitch, 3, 2));
    SAY(cudaMallocPitch(&p, &pitch, 512, 2));
    IS(pitch);
    SAY(cudaMallocPitch(&p, &pitch, 513, 3));
    IS(pitch);
    SAY(cudaMallocPitch(&p, &pitch, 1, (size_t)1 << 40));
    SAY(cudaMalloc3D(NULL, (struct cudaExtent){2, 3, 4}));
    SAY(cudaMalloc3D(&r, (struct cudaExtent){2, 3, 4}));
    printf("%zu %zu %zu\n", r.pitch, r.xsize, r.ysize);
    SAY(cudaMalloc3D(&r, (struct cudaExtent){2, (size_t)1 << 40, 4}));
}

static void in_order(void)
{
    void *p = NULL, *q = NULL;
    SAY(cudaMallocAsync(NULL, 10, s));
    SAY(cudaMallocAsync(&p, 10, (cudaStream_t)h));
    SAY(cudaMallocAsync(&p, 10, s));
    SAY(cudaMemsetAsync(p, 3, 10, s));
    SAY(cudaFreeAsync(h, s));
    SAY(cudaFreeAsync((char *)p + 1, s));
    SAY(cudaFreeAsync(p, (cudaStream_t)h));
    SAY(cudaFreeAsync(p, s));
    SAY(cudaFreeAsync(p, s));
    SAY(cudaFree(p));
    SAY(cudaMalloc(&q, 20));
    SAY(cudaFreeAsync(q, s));
    SAY(cudaMallocHost(&q, 20));
    SAY(cudaFreeAsync(q, s));
    SAY(cudaMallocAsync(&p, (size_t)1 << 40, s));
    SAY(cudaMallocAsync(&p, 0, s));
    SAY(cudaStreamSynchronize(s));
}

static void pinned(void)
{
    void *p = NULL, *at = NULL;
    unsigned flags = 0;
    SAY(cudaHostAlloc(NULL, 10, 0));
    SAY(cudaHostAlloc(&p, 10, 8));
    SAY(cudaHostAlloc(&p, 10, 7));
    SAY(cudaHostGetFlags(NULL, p));
    SAY(cudaHostGetFlags(&flags, p));
    IS(flags);
    SAY(cudaHostGetFlags(&flags, (char *)p + 9));
    IS(flags);
    SAY(cudaHostAlloc(&p, 10, cudaHostAllocPortable));
    SAY(cudaHostGetFlags(&flags, p));
    IS(flags);
    SAY(cudaMallocHost(&p, 10));
    SAY(cudaHostGetFlags(&flags, p));
    IS(flags);
    SAY(cudaHostGetFlags(&flags, h));
    SAY(cudaHostGetDevicePointer(NULL, p, 0));
    SAY(cudaHostGetDevicePointer(&at, p, 1));
    SAY(cudaHostGetDevicePointer(&at, h, 0));
    SAY(cudaHostGetDevicePointer(&at, p, 0));
    IS(at == p);
    SAY(cudaMalloc(&p, 10));
    SAY(cudaHostGetFlags(&flags, p));
    SAY(cudaHostGetDevicePointer(&at, p, 0));
}

static void registered(void)
{
    void *at = NULL;
    unsigned flags = 0;
    SAY(cudaHostRegister(NULL, 10, 0));
    SAY(cudaHostRegister(h, 0, 0));
    SAY(cudaHostRegister(h, 4096, 16));
    SAY(cudaHostRegister(h, 4096, 15));
    SAY(cudaHostGetFlags(&flags, h));
    IS(flags);
    SAY(cudaHostRegister(h, 4096, 0));
    SAY(cudaHostGetDevicePointer(&at, h + 5, 0));
    IS(at == h + 5);
    SAY(cudaMemcpyAsync(h, h + 100, 8, cudaMemcpyDefault, s));
    SAY(cudaHostUnregister(NULL));
    SAY(cudaHostUnregister(h + 1));
    SAY(cudaHostUnregister(h));
    SAY(cudaHostUnregister(h));
    SAY(cudaHostGetFlags(&flags, h));
    SAY(cudaHostRegister(h, 100, cudaHostRegisterPortable));
    SAY(cudaHostGetFlags(&flags, h));
    IS(flags);
}

static void attributes(void)
{
    void *at[6] = {NULL, NULL, NULL, h, NULL, h + 4096};
    struct cudaPointerAttributes a;
    cudaSetDevice(3);
    cudaMalloc(&at[0], 10);
    cudaSetDevice(1);
    cudaMallocHost(&at[1], 10);
    cudaMallocManaged(&at[2], 10, cudaMemAttachHost);
    cudaHostRegister(h + 4096, 10, 0);
    SAY(cudaPointerGetAttributes(NULL, h));
    for (int i = 0; i < 6; i++) {
        char *const p = at[i] ? (char *)at[i] + 3 : NULL;
        SAY(cudaPointerGetAttributes(&a, p));
        printf("%d %d %d %d\n", a.type, a.device,
               !a.devicePointer ? 0 : 1 + (a.devicePointer == p),
               !a.hostPointer ? 0 : 1 + (a.hostPointer == p));
    }
    SAY(cudaMallocManaged(&at[0], 0, cudaMemAttachGlobal));
    SAY(cudaMallocManaged(&at[0], 1, 0));
    SAY(cudaMallocManaged(&at[0], 1, cudaMemAttachSingle));
    SAY(cudaMallocManaged(NULL, 1, cudaMemAttachGlobal));
}

/* ---- managed memory ------------------------------------------------------ */

static void say_range(const void *p)
{
    static const char *const names[] = {
        "?",          "read mostly",    "preferred",    "accessed by",
        "prefetch",   "preferred type", "preferred id", "prefetch type",
        "prefetch id"};
    for (int a = 1; a <= 8; a++) {
        int v[3] = {99, 99, 99};
        const size_t n = a == 3 ? sizeof v : sizeof *v;
        const int err = (int)cudaMemRangeGetAttribute(
            v, n, (enum cudaMemRangeAttribute)a, p, 10);
        printf("%s: %d: %d %d %d\n", names[a], err, v[0], v[1], v[2]);
    }
}

static struct cudaMemLocation location(int type, int id)
{
    return (struct cudaMemLocation){(enum cudaMemLocationType)type, id};
}

static void advice(void)
{
    char *p, *d;
    const struct cudaMemLocation host = location(cudaMemLocationTypeHost, 0);
    const struct cudaMemLocation two = location(cudaMemLocationTypeDevice, 2);
    const struct cudaMemLocation last = location(cudaMemLocationTypeDevice, 7);
    const struct cudaMemLocation eight = location(cudaMemLocationTypeDevice, 8);
    const struct cudaMemLocation under =
        location(cudaMemLocationTypeDevice, -1);
    const struct cudaMemLocation none = location(0, 0);
    cudaMallocManaged((void **)&p, 100, cudaMemAttachGlobal);
    cudaMalloc((void **)&d, 100);
    say_range(p);
    SAY(cudaMemAdvise(p, 100, (enum cudaMemoryAdvise)0, two));
    SAY(cudaMemAdvise(p, 100, (enum cudaMemoryAdvise)7, two));
    SAY(cudaMemAdvise(p, 0, cudaMemAdviseSetReadMostly, two));
    SAY(cudaMemAdvise(p, 101, cudaMemAdviseSetReadMostly, two));
    SAY(cudaMemAdvise(p + 1, 100, cudaMemAdviseSetReadMostly, two));
    SAY(cudaMemAdvise(d, 100, cudaMemAdviseSetReadMostly, two));
    SAY(cudaMemAdvise(h, 100, cudaMemAdviseSetReadMostly, two));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseSetReadMostly, none));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseSetPreferredLocation, none));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseSetPreferredLocation, eight));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseSetPreferredLocation, under));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseSetPreferredLocation, two));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseSetAccessedBy, host));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseSetAccessedBy, last));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseSetAccessedBy, eight));
    say_range(p);
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseSetPreferredLocation, host));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseSetAccessedBy, two));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseUnsetAccessedBy, host));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseUnsetAccessedBy, none));
    say_range(p);
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseUnsetReadMostly, none));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseUnsetPreferredLocation, none));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseUnsetAccessedBy, two));
    say_range(p);
}

/* Advice that is taken, and taken back. */
static void advised(void)
{
    char *p;
    const struct cudaMemLocation host = location(cudaMemLocationTypeHost, 0);
    const struct cudaMemLocation gpu = location(cudaMemLocationTypeDevice, 0);
    const struct cudaMemLocation none = location(cudaMemLocationTypeNone, 0);
    cudaMallocManaged((void **)&p, 100, cudaMemAttachGlobal);
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseSetReadMostly, host));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseSetPreferredLocation, gpu));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseSetAccessedBy, gpu));
    SAY(cudaMemPrefetchAsync(p, 100, gpu, 0, s));
    say_range(p);
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseUnsetReadMostly, none));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseUnsetReadMostly, host));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseUnsetPreferredLocation, gpu));
    SAY(cudaMemAdvise(p, 100, cudaMemAdviseUnsetAccessedBy, gpu));
    say_range(p);
    SAY(cudaMemPrefetchAsync(p, 100, location(cudaMemLocationTypeHostNuma, 9),
                             0, s));
    SAY(cudaStreamSynchronize(s));
}

static void ranges(void)
{
    char *p, *other;
    int v[4] = {9, 9, 9, 9};
    void *data[] = {v, v + 2};
    size_t sizes[] = {4, 8};
    enum cudaMemRangeAttribute a[] = {cudaMemRangeAttributeReadMostly,
                                      cudaMemRangeAttributeAccessedBy};
    cudaMallocManaged((void **)&other, 100, cudaMemAttachGlobal);
    cudaMallocManaged((void **)&p, 100, cudaMemAttachGlobal);
    cudaMemAdvise(other, 100, cudaMemAdviseSetReadMostly, location(0, 0));
    SAY(cudaMemRangeGetAttribute(NULL, 4, a[0], p, 100));
    SAY(cudaMemRangeGetAttribute(v, 3, a[0], p, 100));
    SAY(cudaMemRangeGetAttribute(v, 8, a[0], p, 100));
    SAY(cudaMemRangeGetAttribute(v, 4, a[0], p, 101));
    SAY(cudaMemRangeGetAttribute(v, 4, a[0], p, 0));
    SAY(cudaMemRangeGetAttribute(v, 6, a[1], p, 100));
    SAY(cudaMemRangeGetAttribute(v, 16, a[1], p + 50, 50));
    printf("%d %d %d %d\n", v[0], v[1], v[2], v[3]);
    SAY(cudaMemRangeGetAttribute(v, 4, (enum cudaMemRangeAttribute)99, p, 9));
    SAY(cudaMemRangeGetAttributes(NULL, sizes, a, 2, p, 100));
    SAY(cudaMemRangeGetAttributes(data, NULL, a, 2, p, 100));
    SAY(cudaMemRangeGetAttributes(data, sizes, NULL, 2, p, 100));
    SAY(cudaMemRangeGetAttributes(data, sizes, a, 0, p, 100));
    v[3] = 9;
    SAY(cudaMemRangeGetAttributes(data, sizes, a, 2, p, 100));
    printf("%d %d %d\n", v[0], v[2], v[3]);
    SAY(cudaMemRangeGetAttributes(data, sizes, a, 2, other, 100));
    printf("%d %d %d\n", v[0], v[2], v[3]);
    sizes[0] = 5;
    SAY(cudaMemRangeGetAttributes(data, sizes, a, 2, p, 100));
}

static void prefetching(void)
{
    char *p, *q;
    const struct cudaMemLocation host = location(cudaMemLocationTypeHost, 0);
    const struct cudaMemLocation one = location(cudaMemLocationTypeDevice, 1);
    const struct cudaMemLocation eight = location(cudaMemLocationTypeDevice, 8);
    const struct cudaMemLocation numa =
        location(cudaMemLocationTypeHostNuma, 1);
    const struct cudaMemLocation own =
        location(cudaMemLocationTypeHostNumaCurrent, 0);
    cudaMallocManaged((void **)&p, 100, cudaMemAttachGlobal);
    cudaMallocManaged((void **)&q, 50, cudaMemAttachGlobal);
    SAY(cudaMemPrefetchAsync(p, 100, one, 1, s));
    SAY(cudaMemPrefetchAsync(p, 101, one, 0, s));
    SAY(cudaMemPrefetchAsync(p, 100, eight, 0, s));
    SAY(cudaMemPrefetchAsync(p, 100, location(0, 0), 0, s));
    SAY(cudaMemPrefetchAsync(p, 100, one, 0, (cudaStream_t)h));
    SAY(cudaMemPrefetchAsync(p, 100, one, 0, s));
    say_range(p);
    SAY(cudaMemPrefetchAsync(p, 90, one, 0, s));
    SAY(cudaMemPrefetchAsync(p, 80, numa, 0, s));
    SAY(cudaMemPrefetchAsync(p, 70, own, 0, s));
    SAY(cudaMemPrefetchAsync(p, 60, host, 0, s));
    say_range(p);
    void *ptrs[] = {p, q, p};
    size_t sizes[] = {10, 20, 30}, first[] = {0, 2};
    struct cudaMemLocation to[] = {one, host};
    SAY(cudaMemPrefetchBatchAsync(NULL, sizes, 3, to, first, 2, 0, s));
    SAY(cudaMemPrefetchBatchAsync(ptrs, NULL, 3, to, first, 2, 0, s));
    SAY(cudaMemPrefetchBatchAsync(ptrs, sizes, 0, to, first, 2, 0, s));
    SAY(cudaMemPrefetchBatchAsync(ptrs, sizes, 3, NULL, first, 2, 0, s));
    SAY(cudaMemPrefetchBatchAsync(ptrs, sizes, 3, to, NULL, 2, 0, s));
    SAY(cudaMemPrefetchBatchAsync(ptrs, sizes, 3, to, first, 0, 0, s));
    SAY(cudaMemPrefetchBatchAsync(ptrs, sizes, 3, to, first + 1, 1, 0, s));
    SAY(cudaMemPrefetchBatchAsync(ptrs, sizes, 3, to, first, 2, 1, s));
    SAY(cudaMemPrefetchBatchAsync(ptrs, sizes, 3, to, first, 2, 0, s));
    say_range(p);
    say_range(q);
    sizes[1] = 51;
    SAY(cudaMemPrefetchBatchAsync(ptrs, sizes, 3, to, first, 1, 0, s));
    SAY(cudaStreamSynchronize(s));
}

static void attaching(void)
{
    char *p, *d;
    cudaMallocManaged((void **)&p, 100, cudaMemAttachGlobal);
    cudaMalloc((void **)&d, 100);
    SAY(cudaStreamAttachMemAsync(s, p, 0, cudaMemAttachSingle));
    SAY(cudaStreamAttachMemAsync(s, p, 100, cudaMemAttachGlobal));
    SAY(cudaStreamAttachMemAsync(s, p, 0, cudaMemAttachHost));
    SAY(cudaStreamAttachMemAsync(s, p, 99, cudaMemAttachSingle));
    SAY(cudaStreamAttachMemAsync(s, p + 1, 100, cudaMemAttachSingle));
    SAY(cudaStreamAttachMemAsync(s, d, 0, cudaMemAttachSingle));
    SAY(cudaStreamAttachMemAsync(s, h, 0, cudaMemAttachSingle));
    SAY(cudaStreamAttachMemAsync(s, p, 0, 0));
    SAY(cudaStreamAttachMemAsync(s, p, 0, 3));
    SAY(cudaStreamAttachMemAsync((cudaStream_t)h, p, 0, cudaMemAttachSingle));
}

/* ---- pools of host memory ------------------------------------------------ */

static void say_used(cudaMemPool_t pool)
{
    uint64_t used = 99, reserved = 99;
    SAY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    SAY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent,
                                &reserved));
    printf("%d %d\n", (int)used, (int)reserved);
}

static void say_access(cudaMemPool_t pool, int device)
{
    struct cudaMemLocation where = {cudaMemLocationTypeDevice, device};
    enum cudaMemAccessFlags flags = 9;
    SAY(cudaMemPoolGetAccess(&flags, pool, &where));
    printf("device %d: %d\n", device, (int)flags);
}

/* Of the machine's second CPU; devices 0 and 2 may have access. */
static void numa_pools(void)
{
    struct cudaMemPoolProps props = {0};
    struct cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0},
                                       cudaMemAccessFlagsProtReadWrite};
    cudaMemPool_t pool = NULL;
    char *p = NULL, *q = NULL;
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeHostNuma;
    props.location.id = 2;
    SAY(cudaMemPoolCreate(&pool, &props));
    props.location.id = -1;
    SAY(cudaMemPoolCreate(&pool, &props));
    props.location.id = 1;
    SAY(cudaMemPoolCreate(&pool, &props));
    SAY(cudaMallocFromPoolAsync((void **)&p, 3000, pool, s));
    say_used(pool);
    say_access(pool, 0);
    SAY(cudaMemPoolSetAccess(pool, &access, 1));
    access.location.id = 2;
    SAY(cudaMemPoolSetAccess(pool, &access, 1));
    for (int i = 0; i < 3; i++)
        say_access(pool, i);
    SAY(cudaMallocFromPoolAsync((void **)&q, 0, pool, s));
    SAY(cudaMallocFromPoolAsync((void **)&q, (size_t)1 << 44, pool, s));
    SAY(cudaMallocFromPoolAsync((void **)&q, 2000, pool, s));
    say_used(pool);
    SAY(cudaMemsetAsync(p, 5, 3000, s));
    SAY(cudaMemcpyAsync(q, p + 999, 2000, cudaMemcpyDefault, s));
    SAY(cudaStreamSynchronize(s));
    IS(q[1999]);
    access.flags = cudaMemAccessFlagsProtNone;
    SAY(cudaMemPoolSetAccess(pool, &access, 1));
    say_access(pool, 0);
    say_access(pool, 2);
    SAY(cudaDeviceSetMemPool(0, pool));
    SAY(cudaFreeAsync(p, s));
    say_used(pool);
    SAY(cudaMemPoolDestroy(pool));
    SAY(cudaFreeAsync(q, s));
    SAY(cudaStreamSynchronize(s));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"allocating", allocating},   {"in_order", in_order},
                 {"pinned", pinned},           {"registered", registered},
                 {"pointed", attributes},      {"advice", advice},
                 {"advised", advised},         {"managed_ranges", ranges},
                 {"prefetching", prefetching}, {"attaching", attaching},
                 {"numa_pools", numa_pools}};
    cudaStreamCreate(&s);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
