/*
 * launch.c: kernels
 */
#include "cudart/launch.h"

#include <stdlib.h> /* free */
#include <string.h> /* memcpy */

#include "core/dataless.h"
#include "core/declared.h"
#include "core/device.h"
#include "core/fault.h"
#include "core/heap.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream.h"
#include "cudart/capture.h"
#include "cudart/function.h"
#include "cudart/image.h"
#include "cudart/limits.h"
#include "device/launch.h"

enum { MAX_THREADS = 1024 };

struct launch_op {
    struct op op;
    struct launch launch;
    int declared; /* its cost is: its run only shows what it touches */
};

static void run_launch(struct op *op)
{
    struct launch_op *const l = (struct launch_op *)op;
    struct launch_cost cost;
    fault_kernel_enter(l->launch.kernel->name, l->launch.device,
                       l->launch.site);
    kernel_run(&l->launch, op, &cost);
    fault_kernel_leave();
    if (l->declared)
        simgpu_op_amend(op, 0, NULL, 0, cost.accesses, cost.naccesses);
    else
        simgpu_op_amend(op, cost.flops, cost.moves, cost.nmoves, cost.accesses,
                        cost.naccesses);
}

static void release_launch(struct op *op)
{
    struct launch_op *const l = (struct launch_op *)op;
    launch_free_args(l->launch.params, l->launch.kernel->nparams);
    free(op);
}

/* ---- arguments ----------------------------------------------------------- */

/* Private copies: the parameters may change after the call. */
static void **copy_params(const struct kernel *k, void **args)
{
    static const char of[] = "a kernel's parameters";
    void **const copies =
        simgpu_need(calloc(k->nparams + 1, sizeof *copies), of);
    for (uint32_t i = 0; i < k->nparams; i++) {
        copies[i] = simgpu_need(malloc(k->param_nbytes[i]), of);
        memcpy(copies[i], args[i], k->param_nbytes[i]);
    }
    return copies;
}

void **launch_copy_args(const void *func, void **args, unsigned *nargs)
{
    const struct kernel *const k = kernel_find(function_of(func));
    *nargs = k->nparams;
    return copy_params(k, args);
}

void launch_free_args(void **args, unsigned nargs)
{
    for (unsigned i = 0; args && i < nargs; i++)
        free(args[i]);
    free(args);
}

int launch_has_args(const void *func)
{
    const struct kernel *const k = kernel_find(function_of(func));
    return k && k->nparams > 0;
}

const char *launch_name(const void *func)
{
    const struct kernel *const k = kernel_find(function_of(func));
    return k ? k->name : "kernel";
}

static int fits(dim3 grid, dim3 block)
{
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    return grid.x && grid.y && grid.z && threads && threads <= MAX_THREADS &&
           block.z <= 64 && grid.x <= 0x7fffffff && grid.y <= 65535 &&
           grid.z <= 65535;
}

static cudaError_t check(const void *func, dim3 grid, dim3 block,
                         size_t shared_nbytes, int device)
{
    const struct kernel *const k = kernel_find(func);
    if (!k)
        return image_missing(func, 0);
    const int in_bounds =
        !k->max_threads ||
        (uint64_t)block.x * block.y * block.z <= k->max_threads;
    return fits(grid, block) && in_bounds &&
                   shared_nbytes <= (size_t)function_shared(func, device)
               ? cudaSuccess
               : cudaErrorInvalidValue; // until CUDA 12: ...Configuration
}

cudaError_t launch_check(const void *func, dim3 grid, dim3 block,
                         size_t shared_nbytes)
{
    return check(function_of(func), grid, block, shared_nbytes,
                 simgpu_device_current());
}

/* ---- cost ---------------------------------------------------------------- */

/* Of a launch that fits(), as far as 32 bits count them. */
static uint32_t threads_of(dim3 grid, dim3 block)
{
    const double n =
        (double)grid.x * grid.y * grid.z * block.x * block.y * block.z;
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

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
        op->op.node.math = cost.math;
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

/* ---- launching ----------------------------------------------------------- */

static cudaError_t capture(const struct launch_call *c, const void *func)
{
    struct CUgraphNode_st *node;
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeKernel};
    p.kernel = (struct cudaKernelNodeParamsV2){
        .func = (void *)func,
        .gridDim = c->grid,
        .blockDim = c->block,
        .sharedMemBytes = (unsigned)c->shared_nbytes,
        .kernelParams = c->args,
    };
    const cudaError_t err =
        capture_params(c->stream, &p, launch_name(func), c->site, &node);
    for (unsigned i = 0; err == cudaSuccess && i < c->nattrs; i++)
        node_set_attribute(node, &c->attr[i]);
    if (err == cudaSuccess && c->cooperative)
        node_set_attribute(
            node, &(cudaLaunchAttribute){.id = cudaLaunchAttributeCooperative,
                                         .val.cooperative = 1});
    return err;
}

/* What the attributes of a launch ask for: an error if it is impossible. */
static cudaError_t look_at_attributes(const struct launch_call *c,
                                      const void *func, int device,
                                      int *cooperative, dim3 *cluster)
{
    *cooperative = c->cooperative;
    *cluster = (dim3){1, 1, 1};
    for (unsigned i = 0; i < c->nattrs; i++) {
        const cudaLaunchAttributeValue *const v = &c->attr[i].val;
        if (c->attr[i].id == cudaLaunchAttributeCooperative)
            *cooperative |= v->cooperative != 0;
        if (c->attr[i].id == cudaLaunchAttributeClusterDimension)
            *cluster =
                (dim3){v->clusterDim.x, v->clusterDim.y, v->clusterDim.z};
    }
    return function_cluster(func, device, c->grid, cluster);
}

/* A cooperative grid must fit on the device as a whole. */
static cudaError_t fits_at_once(const struct launch_call *c, const void *func)
{
    int blocks;
    const int device = simgpu_stream_device(c->stream);
    const dim3 b = c->block;
    const cudaError_t err = function_occupancy(
        func, device, (int)(b.x * b.y * b.z), c->shared_nbytes, &blocks);
    const uint64_t n = (uint64_t)c->grid.x * c->grid.y * c->grid.z;
    const struct topo_gpu *const g = simgpu_proc_gpu(device);
    return err                             ? err
           : n > (uint64_t)blocks * g->nsm ? cudaErrorCooperativeLaunchTooLarge
                                           : cudaSuccess;
}

cudaError_t launch_run(const struct launch_call *c)
{
    int cooperative;
    dim3 cluster;
    const void *const func = function_of(c->func);
    struct stream *const s = c->stream;
    const int device = simgpu_stream_device(s);
    const struct kernel *const k = kernel_find(func);
    if (!k)
        return image_missing(func, c->site);
    cudaError_t err =
        look_at_attributes(c, func, device, &cooperative, &cluster);
    if (err == cudaSuccess)
        err = check(func, c->grid, c->block, c->shared_nbytes, device);
    if (err == cudaSuccess && cooperative)
        err = fits_at_once(c, func);
    if (err != cudaSuccess)
        return capture_failed(s, err);
    if (simgpu_stream_capture(s))
        return capture(c, func);
    struct launch_op *const op =
        simgpu_op_new(sizeof *op, run_launch, GRAPH_KERNEL, k->name, c->site);
    op->op.release = release_launch;
    op->op.node.latency_ps = simgpu_proc()->costs->kernel_ps;
    op->op.node.elem_size = threads_of(c->grid, c->block);
    op->launch = (struct launch){
        .kernel = k,
        .grid = {c->grid.x, c->grid.y, c->grid.z},
        .block = {c->block.x, c->block.y, c->block.z},
        .cluster = {cluster.x, cluster.y, cluster.z},
        .shared_nbytes = c->shared_nbytes,
        .params = copy_params(k, c->args),
        .op = &op->op,
        .device = device,
        .site = c->site,
        .cooperative = cooperative,
    };
    struct graph_move move;
    declare(op, &move);
    simgpu_stream_enqueue(s, &op->op);
    return cudaSuccess;
}

static cudaError_t launch(struct launch_call *c, cudaStream_t stream)
{
    const cudaError_t err = api_stream(stream, &c->stream);
    return err != cudaSuccess ? err : launch_run(c);
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim,
                             void **args, size_t sharedMem, cudaStream_t stream)
{
    API_ENTER();
    struct launch_call c = {.func = func,
                            .grid = gridDim,
                            .block = blockDim,
                            .args = args,
                            .shared_nbytes = sharedMem,
                            .site = CALLER_SITE()};
    return api_return(launch(&c, stream));
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim,
                                        dim3 blockDim, void **args,
                                        size_t sharedMem, cudaStream_t stream)
{
    API_ENTER();
    struct launch_call c = {.func = func,
                            .grid = gridDim,
                            .block = blockDim,
                            .args = args,
                            .shared_nbytes = sharedMem,
                            .site = CALLER_SITE(),
                            .cooperative = 1};
    return api_return(launch(&c, stream));
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *func, void **args)
{
    API_ENTER();
    if (!config || (config->numAttrs && !config->attrs))
        return api_return(cudaErrorInvalidValue);
    struct launch_call c = {.func = func,
                            .grid = config->gridDim,
                            .block = config->blockDim,
                            .args = args,
                            .shared_nbytes = config->dynamicSmemBytes,
                            .site = CALLER_SITE(),
                            .attr = config->attrs,
                            .nattrs = config->numAttrs};
    return api_return(launch(&c, config->stream));
}
