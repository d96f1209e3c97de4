/* What arrays and copies of them return: values.txt. */
#include "say.h"

static cudaArray_t a, b;
static unsigned char h[64], *d;
static cudaStream_t s;
static const enum cudaMemcpyKind in = cudaMemcpyHostToDevice;
static const enum cudaMemcpyKind out = cudaMemcpyDeviceToHost;
static const enum cudaMemcpyKind inside = cudaMemcpyDeviceToDevice;

static struct cudaChannelFormatDesc channels(int x, int y, int z, int w)
{
    return cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKindUnsigned);
}

/* Of 8 bytes by 3 rows: 4 elements of 2 bytes. */
static void start(void)
{
    const struct cudaChannelFormatDesc two = channels(8, 8, 0, 0);
    cudaStreamCreate(&s);
    cudaMalloc((void **)&d, 64);
    cudaMemset(d, 0, 64);
    cudaMallocArray(&a, &two, 4, 3, 0);
    cudaMallocArray(&b, &two, 4, 3, 0);
    for (int i = 0; i < 64; i++)
        h[i] = (unsigned char)(i + 1);
    cudaMemcpy2DToArray(a, 0, 0, h, 8, 8, 3, in);
    cudaMemcpy2DToArray(b, 0, 0, h + 24, 8, 8, 3, in);
}

static void show(cudaArray_t array)
{
    unsigned char back[24];
    cudaDeviceSynchronize();
    cudaMemcpy2DFromArray(back, 8, array, 0, 0, 8, 3, out);
    for (int i = 0; i < 24; i++)
        printf("%d ", back[i]);
    puts("");
}

static void making(void)
{
    const struct cudaChannelFormatDesc none = channels(0, 0, 0, 0);
    const struct cudaChannelFormatDesc odd = channels(4, 0, 0, 0);
    const struct cudaChannelFormatDesc four = channels(8, 8, 8, 8);
    const struct cudaChannelFormatDesc less = channels(-8, 0, 0, 0);
    struct cudaChannelFormatDesc got;
    struct cudaExtent e;
    cudaArray_t c = NULL;
    unsigned flags = 9;
    SAY(cudaMallocArray(NULL, &four, 4, 3, 0));
    SAY(cudaMallocArray(&c, NULL, 4, 3, 0));
    SAY(cudaMallocArray(&c, &none, 4, 3, 0));
    SAY(cudaMallocArray(&c, &odd, 4, 3, 0));
    SAY(cudaMallocArray(&c, &less, 4, 3, 0));
    SAY(cudaMallocArray(&c, &four, 0, 3, 0));
    SAY(cudaMallocArray(&c, &four, (size_t)1 << 40, 3, 0));
    SAY(cudaMallocArray(&c, &four, 5, 0, cudaArraySurfaceLoadStore));
    SAY(cudaArrayGetInfo(&got, &e, &flags, NULL));
    SAY(cudaArrayGetInfo(NULL, NULL, NULL, c));
    SAY(cudaArrayGetInfo(&got, &e, &flags, c));
    printf("%d %d %d %d %d: %zu %zu %zu %u\n", got.x, got.y, got.z, got.w,
           got.f, e.width, e.height, e.depth, flags);
    SAY(cudaGetChannelDesc(NULL, c));
    SAY(cudaGetChannelDesc(&got, NULL));
    memset(&got, 0, sizeof got);
    SAY(cudaGetChannelDesc(&got, c));
    printf("%d %d %d %d %d\n", got.x, got.y, got.z, got.w, got.f);
    SAY(cudaFreeArray(c));
    SAY(cudaFreeArray(NULL));
}

static void cubes(void)
{
    static const struct {
        size_t width, height, depth;
        unsigned flags;
    } tries[] = {{4, 4, 6, cudaArrayCubemap},
                 {4, 3, 6, cudaArrayCubemap},
                 {4, 4, 0, cudaArrayCubemap},
                 {4, 4, 5, cudaArrayCubemap},
                 {4, 4, 12, cudaArrayCubemap},
                 {4, 4, 12, cudaArrayCubemap | cudaArrayLayered},
                 {4, 4, 13, cudaArrayCubemap | cudaArrayLayered},
                 {4, 3, 5, cudaArrayLayered},
                 {4, 0, 5, cudaArrayLayered},
                 {4, 3, 2, 0}};
    const struct cudaChannelFormatDesc one = channels(32, 0, 0, 0);
    const struct cudaTextureDesc how = {.readMode = cudaReadModeElementType};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        struct cudaResourceDesc r = {.resType = cudaResourceTypeArray};
        const struct cudaExtent e = {tries[i].width, tries[i].height,
                                     tries[i].depth};
        cudaTextureObject_t t = 0;
        cudaArray_t c = NULL;
        const int err = (int)cudaMalloc3DArray(&c, &one, e, tries[i].flags);
        r.res.array.array = c;
        printf("%zu: %d %d\n", i, err,
               (int)cudaCreateTextureObject(&t, &r, &how, NULL));
    }
}

/* Channels and modes that textures may have. */
static void formats(void)
{
    static const int bits[][4] = {
        {8, 0, 0, 0},  {16, 16, 0, 0}, {32, 32, 32, 32}, {8, 8, 8, 0},
        {8, 16, 0, 0}, {64, 0, 0, 0},  {0, 8, 0, 0},     {8, 0, 0, 8}};
    for (int i = 0; i < 8; i++)
        for (int kind = 0; kind < 4; kind++)
            for (int mode = 0; mode < 4; mode++) {
                const struct cudaChannelFormatDesc c = {
                    bits[i][0], bits[i][1], bits[i][2], bits[i][3],
                    (enum cudaChannelFormatKind)kind};
                struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear};
                struct cudaTextureDesc how = {0};
                cudaTextureObject_t t = 0;
                how.readMode = (enum cudaTextureReadMode)(mode & 1);
                how.filterMode = (enum cudaTextureFilterMode)(mode >> 1);
                r.res.linear.devPtr = d;
                r.res.linear.desc = c;
                r.res.linear.sizeInBytes = 64;
                printf("%d%s", (int)cudaCreateTextureObject(&t, &r, &how, NULL),
                       mode < 3   ? " "
                       : kind < 3 ? ", "
                                  : "\n");
            }
    struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear};
    const struct cudaTextureDesc how = {0};
    cudaTextureObject_t t = 0;
    r.res.linear.desc = channels(8, 0, 0, 0);
    r.res.linear.sizeInBytes = 64;
    SAY(cudaCreateTextureObject(&t, &r, &how, NULL));
    r.res.linear.devPtr = h;
    SAY(cudaCreateTextureObject(&t, &r, &how, NULL));
    r.res.linear.devPtr = d;
    r.res.linear.sizeInBytes = 0;
    SAY(cudaCreateTextureObject(&t, &r, &how, NULL));
    SAY(cudaCreateTextureObject(NULL, &r, &how, NULL));
    SAY(cudaCreateTextureObject(&t, NULL, &how, NULL));
    SAY(cudaCreateTextureObject(&t, &r, NULL, NULL));
}

static void rows(void)
{
    SAY(cudaMemcpy2DToArray(NULL, 0, 0, h, 8, 8, 3, in));
    SAY(cudaMemcpy2DToArray(a, 0, 0, NULL, 8, 8, 3, in));
    SAY(cudaMemcpy2DToArray(a, 1, 0, h, 8, 8, 3, in));
    SAY(cudaMemcpy2DToArray(a, 0, 1, h, 8, 8, 3, in));
    SAY(cudaMemcpy2DToArray(a, 5, 1, h, 7, 3, 2, in));
    show(a);
    SAY(cudaMemcpy2DToArrayAsync(a, 2, 0, d, 5, 4, 2, inside, s));
    SAY(cudaMemcpy2DToArrayAsync(a, 5, 0, d, 5, 4, 2, inside, s));
    show(a);
    SAY(cudaMemcpy2DFromArray(NULL, 8, a, 0, 0, 8, 3, out));
    SAY(cudaMemcpy2DFromArray(h, 8, NULL, 0, 0, 8, 3, out));
    SAY(cudaMemcpy2DFromArray(h, 8, a, 1, 0, 8, 3, out));
    SAY(cudaMemcpy2DFromArray(h, 2, a, 0, 0, 8, 3, out));
    SAY(cudaMemcpy2DFromArray(h + 40, 5, b, 3, 1, 4, 2, out));
    for (int i = 38; i < 52; i++)
        printf("%d ", h[i]);
    puts("");
    SAY(cudaMemcpy2DFromArrayAsync(d, 6, b, 2, 1, 4, 2, inside, s));
    SAY(cudaMemcpy2DFromArrayAsync(d, 6, b, 2, 2, 4, 2, inside, s));
    SAY(cudaMemcpy2DArrayToArray(a, 1, 1, b, 2, 0, 3, 2, inside));
    SAY(cudaMemcpy2DArrayToArray(NULL, 1, 1, b, 2, 0, 3, 2, inside));
    SAY(cudaMemcpy2DArrayToArray(a, 1, 1, NULL, 2, 0, 3, 2, inside));
    SAY(cudaMemcpy2DArrayToArray(a, 1, 1, b, 6, 0, 3, 2, inside));
    show(a);
    cudaMemcpy2DToArray(b, 0, 0, d, 8, 8, 3, inside);
    show(b);
}

static void bytes(void)
{
    SAY(cudaMemcpyToArray(NULL, 0, 0, h, 8, in));
    SAY(cudaMemcpyToArray(a, 0, 0, NULL, 8, in));
    SAY(cudaMemcpyToArray(a, 5, 2, h, 4, in));
    SAY(cudaMemcpyToArray(a, 5, 2, h, 3, in));
    SAY(cudaMemcpyToArray(a, 6, 0, h, 5, in));
    show(a);
    SAY(cudaMemcpyToArrayAsync(a, 3, 1, d, 5, inside, s));
    SAY(cudaMemcpyToArrayAsync(a, 3, 3, d, 5, inside, s));
    show(a);
    SAY(cudaMemcpyFromArray(h, NULL, 0, 0, 8, out));
    SAY(cudaMemcpyFromArray(NULL, b, 0, 0, 8, out));
    SAY(cudaMemcpyFromArray(h, b, 7, 1, 10, out));
    SAY(cudaMemcpyFromArray(h, b, 7, 1, 9, out));
    for (int i = 0; i < 12; i++)
        printf("%d ", h[i]);
    puts("");
    SAY(cudaMemcpyFromArrayAsync(d, b, 1, 1, 6, inside, s));
    SAY(cudaMemcpyFromArrayAsync(d, b, 1, 3, 6, inside, s));
    SAY(cudaMemcpyArrayToArray(a, 2, 1, b, 1, 0, 4, inside));
    SAY(cudaMemcpyArrayToArray(NULL, 2, 1, b, 1, 0, 4, inside));
    SAY(cudaMemcpyArrayToArray(a, 2, 1, NULL, 1, 0, 4, inside));
    show(a);
    cudaMemcpy2DToArray(b, 0, 0, d, 8, 8, 3, inside);
    show(b);
}

static void boxes(void)
{
    struct cudaMemcpy3DParms p = {
        .srcArray = b,
        .srcPos = {1, 1, 0},
        .dstPtr = {d, 7, 7, 4},
        .dstPos = {1, 1, 0},
        .extent = {2, 2, 1},
        .kind = inside,
    };
    SAY(cudaMemcpy3D(&p));
    cudaMemcpy2DToArray(a, 0, 0, d, 8, 8, 3, inside);
    show(a);
    p.extent.depth = 2;
    SAY(cudaMemcpy3D(&p));
    p.extent.depth = 1;
    p.srcPos.x = 3;
    SAY(cudaMemcpy3D(&p));
    p.srcPos.x = 2;
    p.srcPos.y = 2;
    SAY(cudaMemcpy3D(&p));
    p.srcPos.y = 1;
    p.dstPtr.ptr = NULL;
    p.dstArray = a;
    SAY(cudaMemcpy3D(&p));
    show(a);
    p.dstPos.y = 2;
    SAY(cudaMemcpy3D(&p));
    p.srcPtr.ptr = d;
    SAY(cudaMemcpy3D(&p));
    p.srcPtr = (struct cudaPitchedPtr){h, 6, 6, 2};
    p.srcArray = NULL;
    p.kind = in;
    p.dstPos.y = 0;
    SAY(cudaMemcpy3D(&p));
    show(a);
    const struct cudaChannelFormatDesc one = channels(8, 0, 0, 0);
    cudaArray_t other = NULL;
    SAY(cudaMallocArray(&other, &one, 8, 3, 0));
    p.srcPtr.ptr = NULL;
    p.srcArray = other;
    p.kind = inside;
    SAY(cudaMemcpy3D(&p));
}

static void batches_in(enum cudaMemcpySrcAccessOrder order)
{
    struct cudaMemcpy3DBatchOp op;
    memset(&op, 0, sizeof op);
    op.srcAccessOrder = order;
    op.src.type = op.dst.type = cudaMemcpyOperandTypeArray;
    op.src.op.array.array = b;
    op.src.op.array.offset.x = 1;
    op.dst.op.array.array = a;
    op.dst.op.array.offset.x = 2;
    op.dst.op.array.offset.y = 1;
    op.extent = (struct cudaExtent){2, 2, 1};
    SAY(cudaMemcpy3DBatchAsync(1, &op, 0, s));
    show(a);
    op.dst.op.array.offset.z = 1;
    SAY(cudaMemcpy3DBatchAsync(1, &op, 0, s));
}

static void batches(void)
{
    batches_in(cudaMemcpySrcAccessOrderInvalid);
}

/* Memory beside an array counts its elements, too. */
static void ordered_batches(void)
{
    batches_in(cudaMemcpySrcAccessOrderStream);
    struct cudaMemcpy3DBatchOp op;
    memset(&op, 0, sizeof op);
    op.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
    op.src.type = cudaMemcpyOperandTypePointer;
    op.src.op.ptr.ptr = h + 40;
    op.src.op.ptr.rowLength = 3;
    op.dst.type = cudaMemcpyOperandTypeArray;
    op.dst.op.array.array = a;
    op.dst.op.array.offset.x = 1;
    op.extent = (struct cudaExtent){2, 3, 1};
    SAY(cudaMemcpy3DBatchAsync(1, &op, 0, s));
    show(a);
    op.srcAccessOrder = (enum cudaMemcpySrcAccessOrder)4;
    SAY(cudaMemcpy3DBatchAsync(1, &op, 0, s));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {
        {"making", making},         {"cubes", cubes},
        {"formats", formats},       {"array_rows", rows},
        {"array_runs", bytes},      {"array_boxes", boxes},
        {"array_batches", batches}, {"ordered_arrays", ordered_batches}};
    start();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
