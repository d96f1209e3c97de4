/*
 * launch.c: kernels
 */
#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* free */
#include <string.h>  /* memcpy */

#include "core/dataless.h"
#include "core/declared.h"
#include "core/device.h"
#include "core/fault.h"
#include "core/heap.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream.h"
#include "cudart/api.h"
#include "cudart/image.h"
#include "cudart/limits.h"
#include "device/launch.h"

enum { MAX_THREADS = 1024, MAX_ASKED = 256 };

/* Dynamic shared memory that the program has requested, by kernel. */
static struct asked {
    const void *func;
    int nbytes;
} asked[MAX_ASKED];
static pthread_mutex_t asked_lock = PTHREAD_MUTEX_INITIALIZER;

/* Dynamic shared memory that a kernel may use: what the program requested, or
 * what any block may use. */
static int allowed_shared(const void *func, int device)
{
    int nbytes = limits_of(device)->shared_per_block;
    pthread_mutex_lock(&asked_lock);
    for (int i = 0; i < MAX_ASKED && asked[i].func; i++)
        if (asked[i].func == func)
            nbytes = asked[i].nbytes;
    pthread_mutex_unlock(&asked_lock);
    return nbytes;
}

struct launch_op {
    struct op op;
    struct launch launch;
    int declared; /* its cost is: its run only shows what it touches */
};

static void run_launch(struct op *op)
{
    struct launch_op *const l = (struct launch_op *)op;
    struct launch_cost cost;
    fault_kernel_enter(l->launch.kernel->name, l->launch.device);
    kernel_run(&l->launch, op, &cost);
    fault_kernel_leave();
    if (l->declared)
        op_amend(op, 0, NULL, 0, cost.accesses, cost.naccesses);
    else
        op_amend(op, cost.flops, cost.moves, cost.nmoves, cost.accesses,
                 cost.naccesses);
}

static void release_launch(struct op *op)
{
    struct launch_op *const l = (struct launch_op *)op;
    for (uint32_t i = 0; i < l->launch.kernel->nparams; i++)
        free(l->launch.params[i]);
    free(l->launch.params);
    free(op);
}

/* Private copies: the parameters may change after the call. */
static void **copy_params(const struct kernel *k, void **args)
{
    void **const copies = calloc(k->nparams + 1, sizeof *copies);
    for (uint32_t i = 0; copies && i < k->nparams; i++) {
        copies[i] = malloc(k->param_nbytes[i]);
        if (!copies[i])
            break;
        memcpy(copies[i], args[i], k->param_nbytes[i]);
    }
    if (!copies || (k->nparams && !copies[k->nparams - 1]))
        simgpu_report_fault(NULL,
                            "out of host memory for a kernel's parameters");
    return copies;
}

static int fits(dim3 grid, dim3 block)
{
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    return grid.x && grid.y && grid.z && threads && threads <= MAX_THREADS &&
           block.z <= 64 && grid.x <= 0x7fffffff && grid.y <= 65535 &&
           grid.z <= 65535;
}

/* ---- cost ---------------------------------------------------------------- */

/* True if any word of the parameters points to memory without contents. */
static int gets_dataless(const struct launch *l)
{
    struct heap_block b;
    for (uint32_t i = 0; i < l->kernel->nparams; i++)
        for (size_t at = 0; at + sizeof(void *) <= l->kernel->param_nbytes[i];
             at += sizeof(void *)) {
            void *p;
            memcpy(&p, (const char *)l->params[i] + at, sizeof p);
            if (simgpu_heap_find(p, &b) == 0 && dataless(b.id))
                return 1;
        }
    return 0;
}

/* Set op's cost if it is declared. A kernel without data isn't run and needs
 * it. */
static void declare(struct launch_op *op, struct graph_move *move)
{
    struct declared cost;
    op->declared = declared_cost(&cost);
    if (op->declared) {
        const int32_t place = simgpu_proc_place(op->launch.device);
        *move = (struct graph_move){place, place, (uint64_t)cost.nbytes};
        op->op.node.flops = cost.flops;
        op->op.node.nmoves = cost.nbytes > 0;
        op->op.moves = move;
    }
    if (dataless_limit() == UINT64_MAX || !gets_dataless(&op->launch))
        return;
    op->op.run = NULL;
    if (!op->declared)
        simgpu_dataless_fault(
            op->op.name, op->op.node.site,
            "this kernel is passed memory without contents, so its "
            "cost can't be observed: declare it, by an NVTX range "
            "named \"cost: 2e9 flops, 8e6 bytes\" around the launch");
}

static cudaError_t launch(const void *func, dim3 gridDim, dim3 blockDim,
                          void **args, size_t sharedMem, cudaStream_t stream,
                          const void *from)
{
    const uint32_t site = simgpu_site(from);
    const struct kernel *const k = kernel_find(func);
    struct stream *const s = simgpu_stream_of(stream);
    if (!k)
        return api_return(image_missing(func, site));
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    if (!fits(gridDim, blockDim))
        return api_return(cudaErrorInvalidConfiguration);
    if (k->max_threads &&
        (uint64_t)blockDim.x * blockDim.y * blockDim.z > k->max_threads)
        return api_return(cudaErrorInvalidValue); // beyond its launch bounds
    if (sharedMem > (size_t)allowed_shared(func, simgpu_stream_device(s)))
        return api_return(cudaErrorInvalidValue);
    struct launch_op *const op =
        simgpu_op_new(sizeof *op, run_launch, GRAPH_KERNEL, k->name, site);
    op->op.release = release_launch;
    op->op.node.latency_ps = simgpu_proc()->costs->kernel_ps;
    op->launch = (struct launch){
        .kernel = k,
        .grid = {gridDim.x, gridDim.y, gridDim.z},
        .block = {blockDim.x, blockDim.y, blockDim.z},
        .shared_nbytes = sharedMem,
        .params = copy_params(k, args),
        .device = simgpu_stream_device(s),
    };
    struct graph_move move;
    declare(op, &move);
    simgpu_stream_enqueue(s, &op->op);
    return api_return(cudaSuccess);
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim,
                             void **args, size_t sharedMem, cudaStream_t stream)
{
    API_ENTER();
    return launch(func, gridDim, blockDim, args, sharedMem, stream,
                  __builtin_return_address(0));
}

/* ---- <<<>>> -------------------------------------------------------------- */

enum { MAX_PENDING = 16 }; /* launches in the arguments of launches */

static _Thread_local struct pending {
    const char *text;
    dim3 grid, block;
    size_t shared_nbytes;
    cudaStream_t stream;
    const void *from; /* where in the program */
} pending[MAX_PENDING];
static _Thread_local int npending;

void simgpu_configure(const char *text, const unsigned grid[3],
                      const unsigned block[3], size_t shared_nbytes,
                      cudaStream_t stream)
{
    if (npending == MAX_PENDING)
        npending = 0; // of calls that launched nothing
    pending[npending++] = (struct pending){text,
                                           {grid[0], grid[1], grid[2]},
                                           {block[0], block[1], block[2]},
                                           shared_nbytes,
                                           stream,
                                           __builtin_return_address(0)};
}

void simgpu_launch(const void *host_stub, void **params)
{
    if (!npending) {
        const struct kernel *const k = kernel_find(host_stub);
        simgpu_report_fault(NULL,
                            "kernel %s is called like a function. Launch it: "
                            "%s<<<grid, block>>>(...)",
                            k->name, k->name);
    }
    const struct pending p = pending[--npending];
    if (api_inside_host_function())
        return;
    kernel_rename(host_stub, p.text);
    (void)launch(host_stub, p.grid, p.block, params, p.shared_nbytes, p.stream,
                 p.from);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr,
                                  const void *func)
{
    const struct kernel *const k = kernel_find(func);
    if (!attr)
        return api_return(cudaErrorInvalidValue);
    if (!k)
        return api_return(image_missing(func, CALLER_SITE()));
    *attr = (struct cudaFuncAttributes){
        .maxThreadsPerBlock =
            k->max_threads ? (int)k->max_threads : MAX_THREADS,
        .maxDynamicSharedSizeBytes =
            allowed_shared(func, simgpu_device_current()),
        .preferredShmemCarveout = -1,
    };
    return api_return(cudaSuccess);
}

static cudaError_t ask_shared(const void *func, int nbytes)
{
    cudaError_t err = cudaErrorMemoryAllocation;
    if (nbytes < 0 ||
        nbytes > limits_of(simgpu_device_current())->shared_per_block_max)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&asked_lock);
    for (int i = 0; i < MAX_ASKED && err != cudaSuccess; i++)
        if (!asked[i].func || asked[i].func == func) {
            asked[i] = (struct asked){func, nbytes};
            err = cudaSuccess;
        }
    pthread_mutex_unlock(&asked_lock);
    return err;
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr,
                                 int value)
{
    API_ENTER();
    if (!kernel_find(func))
        return api_return(image_missing(func, CALLER_SITE()));
    switch (attr) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return api_return(ask_shared(func, value));
    case cudaFuncAttributePreferredSharedMemoryCarveout: // a hint
        return api_return(value >= -1 && value <= 100 ? cudaSuccess
                                                      : cudaErrorInvalidValue);
    default: return api_return(cudaErrorInvalidValue);
    }
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize)
{
    if (!numBlocks || blockSize < 1 || blockSize > MAX_THREADS)
        return api_return(cudaErrorInvalidValue);
    if (!kernel_find(func))
        return api_return(image_missing(func, CALLER_SITE()));
    const struct limits *const l = limits_of(simgpu_device_current());
    const size_t shared = (size_t)l->shared_per_block_max;
    int n = l->threads_per_sm / blockSize;
    if (n > l->blocks_per_sm)
        n = l->blocks_per_sm;
    if (dynamicSMemSize && (size_t)n > shared / dynamicSMemSize)
        n = (int)(shared / dynamicSMemSize);
    *numBlocks = n;
    return api_return(cudaSuccess);
}
