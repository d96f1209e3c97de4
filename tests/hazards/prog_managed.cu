// Managed memory that host code uses while a kernel is pending. A fixed case
// waits in one of the ways in which a program may, or uses other bytes.
#include <cuda_runtime.h>

#include "case.h"
#include "kernels.cuh"

static cudaStream_t s1, s2;
static cudaEvent_t event;
static float *m; // 2 * N floats
static volatile float sink;

static void setup(void)
{
    cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMallocManaged(&m, 2 * BYTES);
    for (int i = 0; i < 2 * N; i++)
        m[i] = 1;
}

static void teardown(void)
{
    cudaDeviceSynchronize();
    cudaFree(m);
}

__global__ void total(float *out, const float *x, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    *out = sum;
}

// The flag is written after the data, and the host waits for it.
__global__ void fill_and_tell(float *x, int n, int *flag)
{
    for (int i = 0; i < n; i++)
        x[i] = 2;
    __threadfence_system();
    *(volatile int *)flag = 1;
}

static void result_is_read(int fixed)
{
    FIRST fill<<<4, 256>>>(m, N, 3);
    if (fixed)
        cudaDeviceSynchronize();
    SECOND sink = m[7];
}

static void input_is_written(int fixed)
{
    float *out;
    cudaMalloc(&out, sizeof *out);
    FIRST total<<<1, 1, 0, s1>>>(out, m, N);
    if (fixed)
        cudaStreamSynchronize(s1);
    SECOND m[N - 1] = 0;
    cudaDeviceSynchronize();
    cudaFree(out);
}

// Both read: no race.
static void input_is_updated(int fixed)
{
    float *out;
    cudaMalloc(&out, sizeof *out);
    FIRST total<<<1, 1, 0, s1>>>(out, m, N);
    for (int i = 0; i < N; i++)
        sink = m[i];
    if (fixed) {
        cudaEventRecord(event, s1);
        cudaEventSynchronize(event);
    }
    SECOND m[3] += 1;
    cudaDeviceSynchronize();
    cudaFree(out);
}

// A loop begins in the half that the kernel does not use.
static void other_half(int fixed)
{
    FIRST fill<<<4, 256, 0, s1>>>(m + N, N, 3);
    SECOND for (int i = 0; i < (fixed ? N : N + 1); i++) m[i] = 1;
}

static void the_wrong_stream(int fixed)
{
    FIRST fill<<<4, 256, 0, s1>>>(m, N, 3);
    fill<<<4, 256, 0, s2>>>(m + N, N, 3);
    cudaStreamSynchronize(s2);
    SECOND sink = m[fixed ? N : N - 1];
}

static void polled(int fixed)
{
    FIRST fill<<<4, 256, 0, s1>>>(m, N, 3);
    while (fixed && cudaStreamQuery(s1) != cudaSuccess)
        ;
    SECOND sink = m[9];
}

static void told_by_the_kernel(int fixed)
{
    int *flag;
    cudaMallocManaged(&flag, sizeof *flag);
    *flag = 0;
    if (fixed) {
        fill_and_tell<<<1, 1, 0, s1>>>(m, N, flag);
        while (*(volatile int *)flag == 0)
            ;
    } else {
        FIRST fill<<<4, 256, 0, s1>>>(m, N, 3);
    }
    SECOND sink = m[5];
    cudaDeviceSynchronize();
    cudaFree(flag);
}

// The signal follows the kernel that it is about.
static void told_by_the_next_kernel(int fixed)
{
    int *flag;
    cudaMallocManaged(&flag, sizeof *flag);
    *flag = 0;
    FIRST fill<<<4, 256, 0, s1>>>(m, N, 3);
    if (fixed) {
        fill_and_tell<<<1, 1, 0, s1>>>(m + N, 1, flag);
        while (*(volatile int *)flag == 0)
            ;
    }
    SECOND sink = m[5];
    cudaDeviceSynchronize();
    cudaFree(flag);
}

static void kernel_of_a_graph(int fixed)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal);
    FIRST fill<<<4, 256, 0, s1>>>(m, N, 3);
    cudaStreamEndCapture(s1, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    m[0] = 1; // nothing is pending yet
    cudaGraphLaunch(exec, s1);
    if (fixed)
        cudaStreamSynchronize(s1);
    SECOND sink = m[2];
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

// The calls that wait are complete for the host, too.
static void filled_and_copied(int fixed)
{
    static float mine[N];
    float *d;
    cudaMalloc(&d, BYTES);
    cudaMemcpy(m + N, mine, BYTES, cudaMemcpyHostToDevice);
    m[N] = 1;
    cudaMemcpy(d, m + N, BYTES, cudaMemcpyDeviceToDevice);
    m[N] = 2;
    if (fixed) {
        cudaMemset(m, 0, BYTES);
    } else {
        FIRST cudaMemsetAsync(m, 0, BYTES);
    }
    SECOND m[0] = 1;
    cudaMemcpy(m, d, BYTES, cudaMemcpyDefault);
    sink = m[1];
    cudaFree(d);
}

static void tell(void *told)
{
    *(volatile int *)told = 1;
}

static void told_by_a_host_function(int fixed)
{
    volatile int told = !fixed;
    FIRST fill<<<4, 256, 0, s1>>>(m, N, 3);
    if (fixed)
        cudaLaunchHostFunc(s1, tell, (void *)&told);
    while (!told)
        ;
    SECOND sink = m[7];
}

// Pinned memory, which kernels reach without a copy.
static void pinned_result_is_read(int fixed)
{
    float *h;
    cudaMallocHost(&h, BYTES);
    h[7] = 1;
    FIRST fill<<<4, 256, 0, s1>>>(h, N, 3);
    if (fixed)
        cudaStreamSynchronize(s1);
    SECOND sink = h[7];
    cudaDeviceSynchronize();
    cudaFreeHost(h);
}

static void pinned_input_is_written(int fixed)
{
    float *h, *out;
    cudaHostAlloc(&h, 2 * BYTES, cudaHostAllocMapped);
    cudaMalloc(&out, sizeof *out);
    for (int i = 0; i < 2 * N; i++)
        h[i] = 1;
    FIRST total<<<1, 1, 0, s1>>>(out, h, N);
    h[N] = 2;
    SECOND h[fixed ? N + 1 : N - 1] = 2;
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    cudaFree(out);
}

// The kernel tells by a flag in pinned memory.
static void pinned_flag(int fixed)
{
    float *h;
    int *flag;
    cudaMallocHost(&h, BYTES);
    cudaMallocHost(&flag, sizeof *flag);
    *flag = 0;
    if (fixed) {
        fill_and_tell<<<1, 1, 0, s1>>>(h, N, flag);
        while (*(volatile int *)flag == 0)
            ;
    } else {
        FIRST fill<<<4, 256, 0, s1>>>(h, N, 3);
    }
    SECOND sink = h[5];
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    cudaFreeHost(flag);
}

static const struct hazard_case cases[] = {
    {"result-is-read", 0, "host~code~reads~them", result_is_read},
    {"input-is-written", 0, "host~code~writes~them", input_is_written},
    {"input-is-updated", 0, "host~code~writes~them", input_is_updated},
    {"other-half", 0, "bytes~4000~to~4003~of", other_half},
    {"the-wrong-stream", 0, "host~code~reads~them", the_wrong_stream},
    {"told-by-a-host-function", 0, "host~code~reads~them",
     told_by_a_host_function},
    {"pinned-result-is-read", 0, "host~code~reads~them", pinned_result_is_read},
    {"pinned-input-is-written", 0, "host~code~writes~them",
     pinned_input_is_written},
    {"pinned-flag", 0, "host~code~reads~them", pinned_flag},
    {"polled", 0, "host~code~reads~them", polled},
    {"told-by-the-kernel", 0, "host~code~reads~them", told_by_the_kernel},
    {"told-by-the-next-kernel", 0, "host~code~reads~them",
     told_by_the_next_kernel},
    {"filled-and-copied", 0, "cudaMemsetAsync~writes~them", filled_and_copied},
    {"kernel-of-a-graph", 0, "host~code~reads~them", kernel_of_a_graph},
};

int main(int argc, char **argv)
{
    if (argc > 2)
        setup();
    const int status =
        run_case(cases, sizeof cases / sizeof *cases, argc, argv);
    if (argc > 2)
        teardown();
    return status;
}
