/* random_calls.h: the calls of prog_random.cu, and how often each is drawn */

/* A call that has just a stream. */
#define OF_STREAM(name, weight)                                                \
    {                                                                          \
#name, weight, [] { return name(stream()); }                           \
    }

struct call {
    const char *name;
    int weight;
    cudaError_t (*run)();
};

static const call calls[] = {
    // captures
    {"cudaStreamBeginCapture", 6,
     [] {
         cudaStream_t s = stream();
         return cudaStreamBeginCapture(s, (cudaStreamCaptureMode)flags(3));
     }},
    {"cudaStreamBeginCaptureToGraph", 2, capture_to},
    {"cudaStreamEndCapture", 4, end_capture},
    {"cudaStreamIsCapturing", 2,
     [] {
         cudaStream_t s = stream();
         return value((cudaStreamCaptureStatus)9,
                      [=](cudaStreamCaptureStatus *v) {
                          return cudaStreamIsCapturing(s, v);
                      });
     }},
    {"cudaStreamGetCaptureInfo", 2, capture_info},
    {"cudaStreamUpdateCaptureDependencies", 1, follow},
    {"cudaThreadExchangeStreamCaptureMode", 1,
     [] {
         return value((cudaStreamCaptureMode)flags(3),
                      cudaThreadExchangeStreamCaptureMode);
     }},

    // work
    {"cudaLaunchKernel", 4, launch},
    {"cudaMemsetAsync", 2,
     [] {
         cudaStream_t s = stream();
         char *p = memory();
         return cudaMemsetAsync(p, 1, (size_t)one_of(0, SOME, 2 * SOME), s);
     }},
    {"cudaMemset", 1, [] { return cudaMemset(memory(), 1, SOME); }},
    {"cudaMemset2DAsync", 1,
     [] {
         cudaStream_t s = stream();
         return cudaMemset2DAsync(device, SOME, 1, 32, (size_t)one_of(0, 4, 4),
                                  s);
     }},
    {"cudaMemcpyAsync", 3,
     [] {
         cudaStream_t s = stream();
         const copied c = copy();
         return cudaMemcpyAsync(c.to, c.from, (size_t)one_of(0, SOME, 2 * SOME),
                                c.kind, s);
     }},
    {"cudaMemcpy", 2,
     [] {
         const copied c = copy();
         return cudaMemcpy(c.to, c.from, SOME, c.kind);
     }},
    {"cudaMemcpy2DAsync", 1,
     [] {
         cudaStream_t s = stream();
         return cudaMemcpy2DAsync(device, (size_t)one_of(16, SOME, SOME),
                                  pinned, SOME, 32, 4, cudaMemcpyHostToDevice,
                                  s);
     }},
    {"cudaMemcpyPeerAsync", 1,
     [] {
         return cudaMemcpyPeerAsync(device, 0, device + AT, 0, SOME, stream());
     }},
    {"cudaMemcpyToSymbolAsync", 1,
     [] {
         return cudaMemcpyToSymbolAsync(variable, pageable, SOME, 0,
                                        cudaMemcpyHostToDevice, stream());
     }},
    {"cudaMemcpyToSymbol", 1,
     [] { return cudaMemcpyToSymbol(variable, pageable, SOME); }},
    {"cudaMemcpyFromSymbol", 1,
     [] { return cudaMemcpyFromSymbol(pageable, variable, SOME); }},
    {"cudaLaunchHostFunc", 1,
     [] {
         cudaStream_t s = stream();
         return cudaLaunchHostFunc(s, flags(4) ? nothing : NULL, NULL);
     }},
    {"cudaStreamAddCallback", 1,
     [] {
         cudaStream_t s = stream();
         return cudaStreamAddCallback(s, flags(4) ? called : NULL, NULL, 0);
     }},

    // memory
    {"cudaMallocAsync", 2,
     [] {
         void *p = UNTOUCHED;
         const cudaError_t err = cudaMallocAsync(&p, SOME, stream());
         p = wrote(p);
         piece = piece ? piece : p;
         return err;
     }},
    {"cudaFreeAsync", 2,
     [] {
         wrote((long long)(piece != NULL));
         const cudaError_t err = cudaFreeAsync(piece, stream());
         piece = err == cudaSuccess ? NULL : piece;
         return err;
     }},
    {"cudaMallocFromPoolAsync", 1,
     [] {
         void *p = UNTOUCHED;
         cudaMemPool_t pool = NULL;
         cudaDeviceGetDefaultMemPool(&pool, 0);
         const cudaError_t err =
             cudaMallocFromPoolAsync(&p, SOME, pool, stream());
         wrote(p);
         return err;
     }},
    {"cudaMemPoolTrimTo", 1,
     [] {
         cudaMemPool_t pool = NULL;
         cudaDeviceGetDefaultMemPool(&pool, 0);
         return cudaMemPoolTrimTo(pool, 0);
     }},
    {"cudaMalloc", 1,
     [] {
         return allocated([](void **p) { return cudaMalloc(p, SOME); },
                          [](void *p) { return cudaFree(p); });
     }},
    {"cudaMallocManaged", 1,
     [] {
         return allocated([](void **p) { return cudaMallocManaged(p, SOME); },
                          [](void *p) { return cudaFree(p); });
     }},
    {"cudaMallocPitch", 1,
     [] {
         return allocated(
             [](void **p) {
                 size_t pitch;
                 return cudaMallocPitch(p, &pitch, SOME, 4);
             },
             [](void *p) { return cudaFree(p); });
     }},
    {"cudaMallocHost", 1,
     [] {
         return allocated([](void **p) { return cudaMallocHost(p, SOME); },
                          [](void *p) { return cudaFreeHost(p); });
     }},
    {"cudaHostRegister", 1,
     [] {
         const cudaError_t err = cudaHostRegister(pageable, NBYTES, 0);
         cudaGetLastError();
         wrote((long long)cudaHostUnregister(pageable));
         return err;
     }},
    {"cudaFree NULL", 1, [] { return cudaFree(NULL); }},
    {"cudaFreeHost NULL", 1, [] { return cudaFreeHost(NULL); }},

    // events
    {"cudaEventRecord", 4,
     [] {
         cudaEvent_t e = event();
         return cudaEventRecord(e, stream());
     }},
    {"cudaEventRecordWithFlags", 1,
     [] {
         cudaEvent_t e = event();
         cudaStream_t s = stream();
         return cudaEventRecordWithFlags(e, s, (unsigned)flags(2));
     }},
    {"cudaStreamWaitEvent", 5,
     [] {
         cudaStream_t s = stream();
         cudaEvent_t e = event();
         return cudaStreamWaitEvent(s, e, (unsigned)one_of(1, 2, 0));
     }},
    {"cudaEventQuery", 2, [] { return cudaEventQuery(event()); }},
    {"cudaEventSynchronize", 1, [] { return cudaEventSynchronize(event()); }},
    {"cudaEventElapsedTime", 2,
     [] {
         float ms;
         cudaEvent_t e = event();
         return cudaEventElapsedTime(&ms, e, event());
     }},
    {"cudaEventDestroy", 1, event_again},

    // streams and the device
    OF_STREAM(cudaStreamQuery, 2),
    OF_STREAM(cudaStreamSynchronize, 2),
    {"cudaDeviceSynchronize", 1, cudaDeviceSynchronize},
    {"cudaStreamDestroy", 1, stream_again},
    {"cudaStreamGetFlags", 1,
     [] {
         cudaStream_t s = stream();
         return value(9u,
                      [=](unsigned *v) { return cudaStreamGetFlags(s, v); });
     }},
    {"cudaStreamGetPriority", 1,
     [] {
         cudaStream_t s = stream();
         return value(9, [=](int *v) { return cudaStreamGetPriority(s, v); });
     }},
    {"cudaStreamGetDevice", 1,
     [] {
         cudaStream_t s = stream();
         return value(9, [=](int *v) { return cudaStreamGetDevice(s, v); });
     }},
    {"cudaStreamGetId", 1,
     [] {
         unsigned long long id = 0;
         const cudaError_t err = cudaStreamGetId(stream(), &id);
         wrote((long long)(id != 0));
         return err;
     }},
    {"cudaStreamGetAttribute", 1, [] { return attribute(0); }},
    {"cudaStreamSetAttribute", 1, [] { return attribute(1); }},
    {"cudaStreamCopyAttributes", 1,
     [] {
         cudaStream_t s = stream();
         return cudaStreamCopyAttributes(s, stream());
     }},
    {"cudaDeviceSetLimit", 1,
     [] { return cudaDeviceSetLimit(cudaLimitStackSize, 1024); }},
    {"cudaMemGetInfo", 1,
     [] {
         size_t free, total;
         return cudaMemGetInfo(&free, &total);
     }},

    // graphs
    {"cudaGraphDestroy", 1, graph_again},
    {"cudaGraphAddNode", 6, add_node},
    {"cudaGraphGetNodes", 1,
     [] {
         cudaGraph_t g = graph();
         return value((size_t)77,
                      [=](size_t *n) { return cudaGraphGetNodes(g, NULL, n); });
     }},
    {"cudaGraphGetRootNodes", 1,
     [] {
         cudaGraph_t g = graph();
         return value((size_t)77, [=](size_t *n) {
             return cudaGraphGetRootNodes(g, NULL, n);
         });
     }},
    {"cudaGraphGetEdges", 1,
     [] {
         cudaGraph_t g = graph();
         return value((size_t)77, [=](size_t *n) {
             return cudaGraphGetEdges(g, NULL, NULL, NULL, n);
         });
     }},
    {"cudaGraphNodeGetType", 1, node_facts},
    {"cudaGraphAddDependencies", 1, [] { return edge(1); }},
    {"cudaGraphRemoveDependencies", 1, [] { return edge(0); }},
    {"cudaGraphDestroyNode", 1,
     [] {
         cudaGraphNode_t n = node(graph());
         return n ? cudaGraphDestroyNode(n) : cudaSuccess;
     }},
    {"cudaGraphClone", 1,
     [] {
         cudaGraph_t copy = NULL;
         const cudaError_t err = cudaGraphClone(&copy, graph());
         if (err == cudaSuccess)
             put_graph(index_of('g', GRAPHS), copy);
         return err;
     }},
    {"cudaGraphKernelNodeSetParams", 1, [] { return set_kernel(0); }},
    {"cudaGraphExecKernelNodeSetParams", 1, [] { return set_kernel(1); }},
    {"cudaGraphInstantiate", 3, instantiate},
    {"cudaGraphLaunch", 3,
     [] {
         cudaGraphExec_t x = exec();
         return cudaGraphLaunch(x, stream());
     }},
    {"cudaGraphUpload", 1,
     [] {
         cudaGraphExec_t x = exec();
         return cudaGraphUpload(x, stream());
     }},
    {"cudaGraphExecUpdate", 2, update},
    {"cudaGraphNodeSetEnabled", 1, [] { return enabled(1); }},
    {"cudaGraphNodeGetEnabled", 1, [] { return enabled(0); }},
};

#undef OF_STREAM
