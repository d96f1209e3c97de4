/* What copies return, move and leave: values.txt, recorded.gz. */
#include "say.h"

enum { ROOM = 96 };
static unsigned char *d, *e, *far, *pinned, *managed;
static unsigned char h[ROOM], back[ROOM];
static cudaStream_t s;

static void start(void)
{
    cudaSetDevice(1);
    cudaMalloc((void **)&far, ROOM);
    cudaMemset(far, 0, ROOM);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    cudaMalloc((void **)&d, ROOM);
    cudaMalloc((void **)&e, ROOM);
    cudaMallocHost((void **)&pinned, ROOM);
    cudaMallocManaged((void **)&managed, ROOM, cudaMemAttachGlobal);
    cudaStreamCreate(&s);
    cudaMemset(d, 0, ROOM);
    cudaMemset(e, 0, ROOM);
    for (int i = 0; i < ROOM; i++)
        h[i] = (unsigned char)(i + 1);
    memset(pinned, 9, ROOM);
    memset(managed, 8, ROOM);
}

static void show(const void *p, int n)
{
    memset(back, 0, ROOM);
    cudaMemcpy(back, p, (size_t)n, cudaMemcpyDefault);
    for (int i = 0; i < n; i++)
        printf("%d ", back[i]);
    puts("");
}

/* Every kind between every two places. */
static void kinds(void)
{
    unsigned char *const at[] = {h, pinned, managed, d};
    unsigned char *const to[] = {back, pinned + 8, managed + 8, d + 8};
    for (int k = -1; k <= 5; k++) {
        const enum cudaMemcpyKind kind = (enum cudaMemcpyKind)k;
        printf("%d:", k);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                printf(" %d%d=%d", i, j,
                       (int)cudaMemcpyAsync(to[j], at[i], 8, kind, s));
        puts("");
    }
    SAY(cudaStreamSynchronize(s));
}

static void blocking(void)
{
    SAY(cudaMemcpy(d, h, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d + 8, pinned, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(pinned + 8, d, 8, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(d + 16, d, 8, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy(d + 24, far, 8, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy(back, h, 8, cudaMemcpyHostToHost));
    SAY(cudaMemcpy(pinned + 16, h, 8, cudaMemcpyHostToHost));
    SAY(cudaMemcpy(managed, h, 8, cudaMemcpyDefault));
    SAY(cudaMemcpy(managed + 8, managed, 8, cudaMemcpyDefault));
    SAY(cudaMemcpy(d, h, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(NULL, h, 1, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d, NULL, 1, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d + ROOM - 1, h, 1, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d, h, 1, (enum cudaMemcpyKind)5));
    SAY(cudaMemcpyAsync(d, h, 1, cudaMemcpyHostToDevice, (cudaStream_t)back));
    show(d, 32);
    show(pinned, 24);
    show(managed, 16);
}

static void rows(void)
{
    const enum cudaMemcpyKind in = cudaMemcpyHostToDevice;
    SAY(cudaMemcpy2D(d, 8, h, 5, 3, 2, in));
    SAY(cudaMemcpy2D(d + 20, 3, h, 3, 3, 2, in));
    SAY(cudaMemcpy2DAsync(d + 30, 7, pinned, 6, 2, 3, in, s));
    SAY(cudaMemcpy2DAsync(e, 5, d, 8, 3, 2, cudaMemcpyDeviceToDevice, s));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaMemcpy2D(d, 2, h, 5, 3, 2, in));
    SAY(cudaMemcpy2D(d, 5, h, 2, 3, 2, in));
    SAY(cudaMemcpy2D(d + 48, 2, h, 2, 3, 1, in));
    SAY(cudaMemcpy2D(d, 3, h, 3, 0, 2, in));
    SAY(cudaMemcpy2D(d, 3, h, 3, 3, 0, in));
    SAY(cudaMemcpy2D(d + 90, 4, h, 4, 2, 2, in));
    show(d, 52);
    show(e, 8);
}

static void peers(void)
{
    SAY(cudaMemcpyPeer(far, 1, d, 0, 8));
    SAY(cudaMemcpyPeer(d + 8, 0, far, 1, 8));
    SAY(cudaMemcpyPeer(d + 16, 0, d, 0, 8));
    SAY(cudaMemcpyPeer(far, 8, d, 0, 8));
    SAY(cudaMemcpyPeer(far, 1, d, -1, 8));
    SAY(cudaMemcpyPeer(far, -1, d, 0, 8));
    SAY(cudaMemcpyPeer(far, 1, d, 8, 8));
    SAY(cudaMemcpyPeer(far, 0, d, 0, 8));
    SAY(cudaMemcpyPeer(far, 1, d, 1, 8));
    SAY(cudaMemcpyPeer(h, 1, d, 0, 8));
    SAY(cudaMemcpyPeer(far, 1, h, 0, 8));
    SAY(cudaMemcpyPeerAsync(far, 1, d, 0, 8, s));
    SAY(cudaMemcpyPeerAsync(far, 2, d, 0, 8, s));
    SAY(cudaMemcpyPeerAsync(far, 9, d, 0, 8, s));
    SAY(cudaMemcpyPeerAsync(far, 1, d, 0, ROOM + 1, s));
    SAY(cudaDeviceEnablePeerAccess(1, 0));
    SAY(cudaMemcpyPeerAsync(far, 1, d, 0, 8, s));
    SAY(cudaMemcpyPeer(far, 1, d, 0, 8));
    SAY(cudaSetDevice(2));
    SAY(cudaMemcpyPeer(far, 1, d, 0, 8));
    SAY(cudaDeviceSynchronize());
}

static struct cudaMemcpy3DParms box(void)
{
    return (struct cudaMemcpy3DParms){
        .srcPtr = {h, 6, 6, 4},
        .srcPos = {1, 2, 1},
        .dstPtr = {d, 5, 5, 3},
        .dstPos = {2, 1, 1},
        .extent = {2, 2, 2},
        .kind = cudaMemcpyHostToDevice,
    };
}

static void boxes(void)
{
    struct cudaMemcpy3DParms p = box();
    SAY(cudaMemcpy3D(NULL));
    SAY(cudaMemcpy3D(&p));
    show(d, 45);
    p.srcPtr.ptr = pinned;
    p.dstPos.z = 2;
    SAY(cudaMemcpy3DAsync(&p, s));
    SAY(cudaMemcpy3DAsync(NULL, s));
    SAY(cudaStreamSynchronize(s));
    show(d, 60);
    p.srcPtr.ptr = NULL;
    SAY(cudaMemcpy3D(&p));
    p = box();
    p.dstPtr.ptr = NULL;
    SAY(cudaMemcpy3D(&p));
    p = box();
    p.dstPtr.ysize = 1;
    SAY(cudaMemcpy3D(&p));
    p = box();
    p.srcPtr.pitch = 1;
    SAY(cudaMemcpy3D(&p));
    p = box();
    p.extent.depth = 0;
    SAY(cudaMemcpy3D(&p));
    p = box();
    p.srcPtr = p.dstPtr;
    p.dstPtr.ptr = e;
    p.kind = cudaMemcpyDeviceToDevice;
    SAY(cudaMemcpy3D(&p));
    show(e, 45);
}

static void peer_boxes(void)
{
    struct cudaMemcpy3DPeerParms p = {
        .srcPtr = {d, 6, 6, 4},
        .srcPos = {1, 0, 0},
        .srcDevice = 0,
        .dstPtr = {far, 5, 5, 3},
        .dstPos = {0, 1, 0},
        .dstDevice = 1,
        .extent = {2, 2, 2},
    };
    cudaMemcpy(d, h, ROOM, cudaMemcpyHostToDevice);
    SAY(cudaMemcpy3DPeer(NULL));
    SAY(cudaMemcpy3DPeer(&p));
    p.dstPos.x = 3;
    SAY(cudaMemcpy3DPeerAsync(&p, s));
    SAY(cudaMemcpy3DPeerAsync(NULL, s));
    SAY(cudaStreamSynchronize(s));
    show(far, 30);
    p.srcDevice = 8;
    SAY(cudaMemcpy3DPeer(&p));
    p.srcDevice = -1;
    SAY(cudaMemcpy3DPeer(&p));
    p.srcDevice = 7;
    p.dstDevice = 8;
    SAY(cudaMemcpy3DPeer(&p));
    p.dstDevice = -1;
    SAY(cudaMemcpy3DPeer(&p));
    p.dstDevice = 1;
    p.extent.width = 0;
    SAY(cudaMemcpy3DPeer(&p));
}

static void batches_in(enum cudaMemcpySrcAccessOrder order)
{
    void *const dsts[] = {d, d + 20};
    const void *const srcs[] = {h, e};
    size_t sizes[] = {5, 3}, first[] = {0, 1};
    struct cudaMemcpyAttributes attrs[2];
    memset(attrs, 0, sizeof attrs);
    attrs[0].srcAccessOrder = attrs[1].srcAccessOrder = order;
    SAY(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, attrs, first, 1, s));
    SAY(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, attrs, first, 2, s));
    SAY(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, attrs, first, 3, s));
    SAY(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, attrs, first, 0, s));
    SAY(cudaMemcpyBatchAsync(dsts, srcs, sizes, 0, attrs, first, 1, s));
    SAY(cudaMemcpyBatchAsync(NULL, srcs, sizes, 2, attrs, first, 1, s));
    SAY(cudaMemcpyBatchAsync(dsts, NULL, sizes, 2, attrs, first, 1, s));
    SAY(cudaMemcpyBatchAsync(dsts, srcs, NULL, 2, attrs, first, 1, s));
    SAY(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, NULL, first, 1, s));
    SAY(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, attrs, NULL, 1, s));
    SAY(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, attrs, first + 1, 1, s));
    SAY(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, attrs, first, 1, NULL));
    sizes[0] = ROOM + 1;
    SAY(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, attrs, first, 1, s));
    SAY(cudaStreamSynchronize(s));
    show(d, 24);
}

/* Without an order in which sources are read, no batch is taken. */
static void batches(void)
{
    batches_in(cudaMemcpySrcAccessOrderInvalid);
}

static void ordered_batches(void)
{
    batches_in(cudaMemcpySrcAccessOrderStream);
}

static void box_batches_in(enum cudaMemcpySrcAccessOrder order)
{
    struct cudaMemcpy3DBatchOp op[2];
    memset(op, 0, sizeof op);
    op[0].srcAccessOrder = order;
    op[0].src.type = op[0].dst.type = cudaMemcpyOperandTypePointer;
    op[0].src.op.ptr.ptr = pinned;
    op[0].src.op.ptr.rowLength = 7;
    op[0].src.op.ptr.layerHeight = 3;
    op[0].dst.op.ptr.ptr = d;
    op[0].extent = (struct cudaExtent){3, 2, 2};
    op[1] = op[0];
    op[1].dst.op.ptr.ptr = e;
    op[1].dst.op.ptr.rowLength = 4;
    op[1].dst.op.ptr.layerHeight = 3;
    for (int i = 0; i < ROOM; i++)
        pinned[i] = (unsigned char)(i + 1);
    SAY(cudaMemcpy3DBatchAsync(0, op, 0, s));
    SAY(cudaMemcpy3DBatchAsync(2, NULL, 0, s));
    SAY(cudaMemcpy3DBatchAsync(2, op, 1, s));
    SAY(cudaMemcpy3DBatchAsync(2, op, 0, NULL));
    SAY(cudaMemcpy3DBatchAsync(2, op, 0, s));
    SAY(cudaStreamSynchronize(s));
    show(d, 16);
    show(e, 28);
    op[1].dst.type = (enum cudaMemcpy3DOperandType)9;
    SAY(cudaMemcpy3DBatchAsync(2, op, 0, s));
    op[0].src.type = (enum cudaMemcpy3DOperandType)9;
    SAY(cudaMemcpy3DBatchAsync(1, op, 0, s));
    SAY(cudaStreamSynchronize(s));
}

static void box_batches(void)
{
    box_batches_in(cudaMemcpySrcAccessOrderInvalid);
}

static void ordered_box_batches(void)
{
    box_batches_in(cudaMemcpySrcAccessOrderAny);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"kinds", kinds},
                 {"blocking", blocking},
                 {"copied_rows", rows},
                 {"copied_peers", peers},
                 {"boxes", boxes},
                 {"peer_boxes", peer_boxes},
                 {"batches", batches},
                 {"box_batches", box_batches},
                 {"ordered_batches", ordered_batches},
                 {"ordered_box_batches", ordered_box_batches}};
    start();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
