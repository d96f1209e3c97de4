/* NVSHMEM: calls on streams. links: -lnvshmem_host */
#include "shmem.h"

enum { COUNT = 2000 };

__global__ void fill(float *p, int n, float v)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        p[i] = v + i;
}

PROBE(put_behind_a_kernel)
{
    symmetric<float> to(COUNT), from(COUNT);
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    fill<<<4, 128, 0, s>>>(from.d, COUNT, 10000.f * me);
    nvshmemx_float_put_on_stream(to.d, from.d, COUNT, after, s);
    nvshmemx_quiet_on_stream(s);
    nvshmemx_barrier_all_on_stream(s);
    OK(cudaStreamSynchronize(s));
    to.get();
    CHECK(to.h[0] == 10000.f * before && to.h[1999] == 10000.f * before + 1999);
    OK(cudaStreamDestroy(s));
}

PROBE(get_and_flush)
{
    symmetric<float> to(COUNT), from(COUNT);
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    fill<<<4, 128, 0, s>>>(from.d, COUNT, 10.f * me);
    nvshmemx_barrier_all_on_stream(s);
    nvshmemx_getmem_on_stream(to.d, from.d, COUNT * sizeof(float), before, s);
    nvshmemx_flush_on_stream(s);
    nvshmemx_barrier_all_on_stream(s);
    OK(cudaStreamSynchronize(s));
    CHECK(to.get()[5] == 10.f * before + 5);
    OK(cudaStreamDestroy(s));
}

PROBE(signals_between_streams)
{
    symmetric<float> to(COUNT), from(COUNT);
    symmetric<uint64_t> signal(2);
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    fill<<<4, 128, 0, s>>>(from.d, COUNT, 100.f * me);
    nvshmemx_float_put_signal_on_stream(to.d, from.d, COUNT, signal.d, 9,
                                        NVSHMEM_SIGNAL_SET, after, s);
    nvshmemx_signal_wait_until_on_stream(signal.d, NVSHMEM_CMP_EQ, 9, s);
    OK(cudaMemcpyAsync(to.h, to.d, COUNT * sizeof(float),
                       cudaMemcpyDeviceToHost, s));
    nvshmemx_signal_op_on_stream(signal.d + 1, 1, NVSHMEM_SIGNAL_ADD, after, s);
    nvshmemx_uint64_wait_until_on_stream(signal.d + 1, NVSHMEM_CMP_GE, 1, s);
    OK(cudaStreamSynchronize(s));
    CHECK(to.h[0] == 100.f * before && to.h[1999] == 100.f * before + 1999);
    nvshmem_barrier_all();
    OK(cudaStreamDestroy(s));
}

PROBE(scalars_on_a_stream)
{
    symmetric<int> x(2);
    symmetric<float> y(1);
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    nvshmemx_int_p_on_stream(x.d, 3 * me, after, s);
    nvshmemx_float_p_on_stream(y.d, 0.5f + me, after, s);
    nvshmemx_barrier_all_on_stream(s);
    OK(cudaStreamSynchronize(s));
    CHECK(x.get()[0] == 3 * before && y.get()[0] == 0.5f + before);
    CHECK(nvshmemx_float_g_on_stream(y.d, after, s) == 0.5f + me);
    nvshmem_barrier_all();
    OK(cudaStreamDestroy(s));
}

PROBE(collectives_on_a_stream)
{
    symmetric<float> x(COUNT), y(COUNT * n);
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    fill<<<4, 128, 0, s>>>(x.d, COUNT, (float)me);
    nvshmemx_float_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, y.d, x.d, COUNT, s);
    nvshmemx_barrier_all_on_stream(s);
    OK(cudaStreamSynchronize(s));
    y.get();
    CHECK(y.h[0] == n * (n - 1) / 2 && y.h[9] == 9 * n + n * (n - 1) / 2);
    nvshmemx_float_fcollect_on_stream(NVSHMEM_TEAM_WORLD, y.d, x.d, COUNT, s);
    nvshmemx_team_sync_on_stream(NVSHMEM_TEAM_WORLD, s);
    OK(cudaStreamSynchronize(s));
    y.get();
    for (int pe = 0; pe < n; pe++)
        CHECK(y.h[pe * COUNT] == pe && y.h[pe * COUNT + 9] == pe + 9);
    OK(cudaStreamDestroy(s));
}

PROBE(captured_in_a_graph)
{
    symmetric<float> to(COUNT), from(COUNT);
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fill<<<4, 128, 0, s>>>(from.d, COUNT, 7.f * me);
    nvshmemx_float_put_on_stream(to.d, from.d, COUNT, after, s);
    nvshmemx_barrier_all_on_stream(s);
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(to.get()[3] == 7.f * before + 3);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(s));
}
