// Memory: bounds, lifetime, ownership and initialisation.
#include <cuda_runtime.h>
#include <nccl.h>

#include <stdlib.h>

#include "case.h"
#include "kernels.cuh"

__global__ void add_to(float *y, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += x[i];
}

__global__ void count(int *counter)
{
    atomicAdd(counter, 1);
}

static float *array(void)
{
    float *d;
    cudaMalloc(&d, BYTES);
    return d;
}

static cudaStream_t stream(void)
{
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    return s;
}

// ---- bounds -----------------------------------------------------------------

static void kernel_out_of_bounds(int fixed)
{
    float *const d = array();
    fill<<<4, 256>>>(d, fixed ? N : N + 1, 1);
    cudaFree(d);
}

static void copy_out_of_bounds(int fixed)
{
    float *const d = array(), *const h = (float *)malloc(2 * BYTES);
    FILL(d, 0);
    FIRST cudaMemcpy(h, d, fixed ? BYTES : BYTES + 4, cudaMemcpyDeviceToHost);
    cudaFree(d);
}

static void offset_out_of_bounds(int fixed)
{
    float *const d = array(), *const h = (float *)calloc(N, sizeof *h);
    float *const to = d + (fixed ? N / 2 : N / 2 + 1);
    FIRST cudaMemcpy(to, h, BYTES / 2, cudaMemcpyHostToDevice);
    cudaFree(d);
}

// One byte too many for one of the buffers.
static void reduce(size_t send_nbytes, size_t recv_nbytes)
{
    const int device = 0;
    ncclComm_t comm;
    char *send, *recv;
    ncclCommInitAll(&comm, 1, &device);
    cudaMalloc(&send, send_nbytes);
    cudaMalloc(&recv, recv_nbytes);
    cudaMemset(send, 1, send_nbytes);
    FIRST ncclAllReduce(send, recv, BYTES, ncclInt8, ncclSum, comm, NULL);
    cudaDeviceSynchronize();
    ncclCommDestroy(comm);
    cudaFree(send);
    cudaFree(recv);
}

static void send_out_of_bounds(int fixed)
{
    reduce(fixed ? BYTES : BYTES - 1, BYTES);
}

static void receive_out_of_bounds(int fixed)
{
    reduce(BYTES, fixed ? BYTES : BYTES - 1);
}

// ---- life -------------------------------------------------------------------

static void kernel_uses_freed(int fixed)
{
    float *const d = array();
    if (!fixed)
        cudaFree(d);
    FILL(d, 0);
    if (fixed)
        cudaFree(d);
}

static void copy_uses_freed(int fixed)
{
    float *const d = array(), *const h = (float *)malloc(BYTES);
    FILL(d, 0);
    if (!fixed)
        cudaFree(d);
    FIRST cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost);
    if (fixed)
        cudaFree(d);
}

static void freed_twice(int fixed)
{
    float *const d = array(), *const other = array();
    cudaFree(d);
    FIRST cudaFree(fixed ? other : d);
    if (!fixed)
        cudaFree(other);
}

static void freed_in_use(int fixed)
{
    const cudaStream_t s1 = stream(), s2 = stream();
    cudaEvent_t e;
    float *d;
    cudaEventCreate(&e);
    cudaMallocAsync(&d, BYTES, s1);
    FILL(d, s1); // too early to be freed, or too late to be used
    cudaEventRecord(e, s1);
    if (fixed)
        cudaStreamWaitEvent(s2, e, 0);
    cudaFreeAsync(d, s2);
}

static void used_before_it_is_there(int fixed)
{
    const cudaStream_t s1 = stream(), s2 = stream();
    cudaEvent_t e;
    float *d;
    cudaEventCreate(&e);
    FIRST cudaMallocAsync(&d, BYTES, s1);
    cudaEventRecord(e, s1);
    if (fixed)
        cudaStreamWaitEvent(s2, e, 0);
    SECOND FILL(d, s2);
    cudaStreamSynchronize(s2);
    cudaFree(d);
}

static void used_by_another_device(int fixed)
{
    const cudaStream_t s0 = stream();
    cudaDeviceEnablePeerAccess(1, 0);
    cudaSetDevice(1);
    float *const far = array();
    cudaSetDevice(0);
    FILL(far, s0);
    if (fixed)
        cudaStreamSynchronize(s0);
    cudaSetDevice(1);
    cudaFree(far); // waits for device 1; the kernel may crash, or be too late
}

// ---- whose ------------------------------------------------------------------

static void no_peer_access(int fixed)
{
    cudaSetDevice(1);
    float *const far = array();
    cudaSetDevice(0);
    if (fixed)
        cudaDeviceEnablePeerAccess(1, 0);
    FILL(far, 0);
    cudaDeviceSynchronize();
    cudaFree(far);
}

static void peer_access_the_other_way(int fixed)
{
    cudaSetDevice(1);
    float *const far = array();
    if (!fixed)
        cudaDeviceEnablePeerAccess(0, 0);
    cudaSetDevice(0);
    if (fixed)
        cudaDeviceEnablePeerAccess(1, 0);
    FILL(far, 0);
    cudaDeviceSynchronize();
    cudaFree(far);
}

static void host_reads_device(int fixed)
{
    float *const d = array(), h = 0;
    FILL(d, 0);
    cudaDeviceSynchronize(); // until then d may be open to the host (fault.h)
    if (fixed)
        cudaMemcpy((void *)&h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", fixed ? h : d[3]);
    cudaFree(d);
}

// Block by block, the last one first.
__global__ void take_turns(int *turn)
{
    const int me = (int)(gridDim.x - 1 - blockIdx.x);
    while (atomicAdd(turn, 0) != me)
        __nanosleep(20);
    atomicAdd(turn, 1);
}

static void host_reads_after_turns(int fixed)
{
    int *turn, h = 0;
    cudaMalloc(&turn, sizeof *turn);
    cudaMemset(turn, 0, sizeof *turn);
    take_turns<<<4, 1>>>(turn);
    cudaDeviceSynchronize();
    if (fixed)
        cudaMemcpy(&h, turn, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", fixed ? h : *turn);
    cudaFree(turn);
}

// ---- what is in it ----------------------------------------------------------

static void never_written(int fixed)
{
    float *const x = array(), *const y = array();
    if (fixed)
        cudaMemset(x, 0, BYTES);
    FIRST SCALE(y, x, 0);
    cudaFree(x);
    cudaFree(y);
}

static void partly_written(int fixed)
{
    float *const x = array(), *const y = array();
    fill<<<4, 256>>>(x, fixed ? N : N - 1, 1);
    FIRST SCALE(y, x, 0);
    cudaFree(x);
    cudaFree(y);
}

static void sum_never_begun(int fixed)
{
    float *const x = array(), *const y = array();
    FILL(x, 0);
    if (fixed)
        cudaMemset(y, 0, BYTES);
    FIRST add_to<<<4, 256>>>(y, x, N);
    cudaFree(x);
    cudaFree(y);
}

static void counter_never_zeroed(int fixed)
{
    int *c;
    cudaMalloc(&c, sizeof *c);
    if (fixed)
        cudaMemset(c, 0, sizeof *c);
    FIRST count<<<2, 32>>>(c);
    cudaFree(c);
}

static void copied_before_it_was_written(int fixed)
{
    float *const x = array(), *const y = array(), *const z = array();
    if (fixed)
        FILL(x, 0);
    cudaMemcpy(y, x, BYTES, cudaMemcpyDeviceToDevice);
    if (!fixed)
        FILL(x, 0);
    FIRST SCALE(z, y, 0);
    cudaFree(x);
    cudaFree(y);
    cudaFree(z);
}

static void written_by_the_host(int fixed)
{
    float *x, *const y = array();
    if (fixed) {
        cudaMallocManaged(&x, BYTES);
        for (int i = 0; i < N; i++)
            x[i] = 1;
    } else {
        x = array();
    }
    FIRST SCALE(y, x, 0);
    cudaFree(x);
    cudaFree(y);
}

static const struct hazard_case cases[] = {
    {"kernel-out-of-bounds", 0, "0~bytes~past~the~end~of~the~4000-byte",
     kernel_out_of_bounds},
    {"copy-out-of-bounds", 0, "out~of~bounds:~cudaMemcpy", copy_out_of_bounds},
    {"offset-out-of-bounds", 0, "writes~2000~bytes,~starting~at~byte~2004",
     offset_out_of_bounds},
    {"send-out-of-bounds", 0, "sendbuff~must~hold~4000~bytes",
     send_out_of_bounds},
    {"receive-out-of-bounds", 0, "recvbuff~must~hold~4000~bytes",
     receive_out_of_bounds},
    {"kernel-uses-freed", 0, "of~the~freed", kernel_uses_freed},
    {"copy-uses-freed", 0, "use~after~free:~cudaMemcpy", copy_uses_freed},
    {"freed-twice", 0, "double~free:~cudaFree", freed_twice},
    {"freed-in-use", 0, "made~at~prog_memory.cu", freed_in_use},
    {"used-before-it-is-there", 0, "fill~does~not~wait",
     used_before_it_is_there},
    {"used-by-another-device", 0, "made~at~prog_memory.cu",
     used_by_another_device},
    {"no-peer-access", 0, "cudaDeviceEnablePeerAccess(1,~0)", no_peer_access},
    {"peer-access-the-other-way", 0, "with~device~0~current",
     peer_access_the_other_way},
    {"host-reads-device", 0, "host~code~at", host_reads_device},
    {"host-reads-after-turns", 0, "host~code~at", host_reads_after_turns},
    {"never-written", 0, "uninitialised~read~on~bytes~0~to~3999",
     never_written},
    {"partly-written", 0, "uninitialised~read~on~bytes~3996~to~3999",
     partly_written},
    {"sum-never-begun", 0, "uninitialised~read", sum_never_begun},
    {"counter-never-zeroed", 0, "uninitialised~read", counter_never_zeroed},
    {"copied-before-it-was-written", 0, "uninitialised~read",
     copied_before_it_was_written},
    {"written-by-the-host", 0, "uninitialised~read", written_by_the_host},
};

int main(int argc, char **argv)
{
    const int status =
        run_case(cases, sizeof cases / sizeof *cases, argc, argv);
    cudaDeviceSynchronize();
    return status;
}
