/*
 * launch.c: kernels
 */
#include "cudart/kernels/launch.h"

#include <stdlib.h> /* free */
#include <string.h> /* memcpy */

#include "core/declared.h"
#include "core/device.h"
#include "core/heap/dataless.h"
#include "core/heap/fault.h"
#include "core/heap/heap.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/pending.h"
#include "core/stream/stream.h"
#include "core/watch/check.h"
#include "cudart/graphs/capture.h"
#include "cudart/kernels/function.h"
#include "cudart/kernels/host_code.h"
#include "cudart/kernels/image.h"
#include "cudart/kernels/launch_args.h"
#include "device/launch.h"

struct launch_op {
    struct op op;
    struct launch launch;
    int declared; /* cost is declared; the run only shows what is touched */
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

/* ---- cost ---------------------------------------------------------------- */

/* The number of threads of a launch, clamped to 32 bits. */
static uint32_t threads_of(dim3 grid, dim3 block)
{
    const double n =
        (double)grid.x * grid.y * grid.z * block.x * block.y * block.z;
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* True if any word of the parameters points to memory with this property. */
static int gets(const struct launch *l, int (*has)(const void *p))
{
    for (uint32_t i = 0; i < l->kernel->nparams; i++)
        for (size_t at = 0; at + sizeof(void *) <= l->kernel->param_nbytes[i];
             at += sizeof(void *)) {
            void *p;
            memcpy(&p, (const char *)l->params[i] + at, sizeof p);
            if (has(p))
                return 1;
        }
    return 0;
}

static int is_dataless(const void *p)
{
    struct heap_block b;
    return simgpu_heap_find(p, &b) == 0 && dataless(b.id);
}

/* True for memory that the host may read at any time. */
static int is_shown(const void *p)
{
    struct heap_block b;
    return simgpu_heap_find(p, &b) == 0 ? b.managed || b.device == HEAP_PINNED
                                        : simgpu_heap_registered(p);
}

struct declares { /* what a launch's node points to until it is recorded */
    struct graph_move move;
    struct graph_access access[DECLARED_TOUCHES];
};

/* Give the node of a kernel that is not run the accesses that the program
 * declares. */
static void declare_touches(struct launch_op *op, const struct declared *cost,
                            struct declares *d)
{
    uint32_t n = 0;
    for (int i = 0; i < cost->ntouches; i++) {
        const struct declared_touch *const t = &cost->touch[i];
        struct heap_block b;
        if (simgpu_heap_find(t->at, &b) != 0)
            continue;
        const uint64_t begin = (uint64_t)((const char *)t->at - b.base);
        const uint64_t left = b.nbytes - begin;
        d->access[n++] = (struct graph_access){
            .alloc = b.id,
            .begin = begin,
            .end = begin + (t->nbytes < left ? t->nbytes : left),
            .write = t->writes ? GRAPH_WRITE : GRAPH_READ | GRAPH_FIRST};
    }
    op->op.node.naccesses = n;
    op->op.accesses = d->access;
}

/* A cost in fp8 needs a machine whose GPUs have units for it. */
static void check_units(const struct launch_op *op, const struct declared *cost)
{
    char at[256];
    if (!(cost->flops > 0) ||
        simgpu_proc_computes(op->launch.device, cost->math))
        return;
    simgpu_report_fault(
        NULL,
        "%s at %s: an NVTX range declares its cost in fp8 flops, but the GPUs "
        "of machine %s have no fp8 units."
        "\nDeclare bf16 flops, or take a machine with Hopper, Ada or Blackwell "
        "GPUs (SIMGPU_TOPO=dgx-h100).",
        op->op.name, simgpu_site_text(op->op.node.site, at, sizeof at),
        topo_name(simgpu_proc()->topo));
}

/* Set op's cost if it is declared, now or where the kernel was captured. A
 * kernel without data has to have a cost, since it is not run. */
static void declare(struct launch_op *op, const struct declared *captured,
                    struct declares *d)
{
    struct declared cost;
    op->declared = captured || declared_cost(&cost);
    if (captured)
        cost = *captured;
    if (op->declared) {
        const int32_t place = simgpu_proc_place(op->launch.device);
        check_units(op, &cost);
        d->move = (struct graph_move){place, place, (uint64_t)cost.nbytes};
        op->op.node.flops = cost.flops;
        op->op.node.math = cost.math;
        op->op.node.nmoves = cost.nbytes > 0;
        op->op.moves = &d->move;
    }
    if (dataless_limit() == UINT64_MAX || !gets(&op->launch, is_dataless))
        return;
    op->op.run = NULL;
    if (!op->declared)
        simgpu_dataless_fault(
            op->op.name, op->op.node.site,
            "this kernel is passed memory without contents, so its "
            "cost can't be observed: declare it, by an NVTX range "
            "named \"cost: 2e9 flops, 8e6 bytes\" around the launch");
    declare_touches(op, &cost, d);
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
    if (err == cudaSuccess)
        node->is_declared = declared_cost(&node->declared);
    return err;
}

/* Apply the attributes of a launch. Returns an error if they are impossible. */
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
    const struct simgpu_kernel *const k = kernel_find(func);
    if (!k)
        return image_missing(func, c->site);
    cudaError_t err =
        look_at_attributes(c, func, device, &cooperative, &cluster);
    if (err == cudaSuccess)
        err =
            launch_check_on(func, c->grid, c->block, c->shared_nbytes, device);
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
        .params = launch_copy_params(k, c->args),
        .op = &op->op,
        .device = device,
        .site = c->site,
        .frame = __builtin_frame_address(0),
        .cooperative = cooperative,
    };
    host_code_replace(k, op->launch.params);
    struct declares d;
    declare(op, c->declared, &d);
    if (pending_exists() && gets(&op->launch, is_shown))
        pending_signal();
    simgpu_stream_enqueue(s, &op->op);
    return cudaSuccess;
}

/* A kernel is launched into streams of the current device. */
static cudaError_t check_device(const struct launch_call *c)
{
    char where[256];
    const int current = simgpu_device_current();
    const int device = simgpu_stream_device(c->stream);
    if (device == current)
        return cudaSuccess;
    simgpu_check_note(
        c->site,
        "between devices: the launch at %s is into a stream of device "
        "%d, while device %d is current: no kernel runs. Call "
        "cudaSetDevice(%d) first",
        simgpu_site_text(c->site, where, sizeof where), device, current,
        device);
    return cudaErrorInvalidResourceHandle;
}

cudaError_t launch_on(struct launch_call *c, cudaStream_t stream)
{
    cudaError_t err = api_stream(stream, &c->stream);
    if (err == cudaSuccess)
        err = check_device(c);
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
    return api_return(launch_on(&c, stream));
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
    return api_return(launch_on(&c, stream));
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
    return api_return(launch_on(&c, config->stream));
}
