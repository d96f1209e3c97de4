// Streams, events, copies and the host, in one process. Each case is a short
// program; the fix is under `if (fixed)`.
#include <cuda.h>
#include <cuda_runtime.h>

#include <pthread.h>
#include <stdlib.h>

#include "case.h"
#include "kernels.cuh"

// Non-blocking streams, events, device and host buffers, all written to.
static cudaStream_t s1, s2, s3;
static cudaEvent_t e1, e2;
static float *d1, *d2, *d3, *h1, *h2;

static void setup(void)
{
    cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&s3, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e1, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&e2, cudaEventDisableTiming);
    cudaMalloc(&d1, BYTES);
    cudaMalloc(&d2, BYTES);
    cudaMalloc(&d3, BYTES);
    cudaMemset(d1, 0, BYTES);
    cudaMemset(d2, 0, BYTES);
    cudaMemset(d3, 0, BYTES);
    cudaDeviceSynchronize();
    cudaMallocHost(&h1, BYTES);
    memset(h1, 0, BYTES);
    h2 = (float *)calloc(N, sizeof *h2);
}

static void teardown(void)
{
    cudaSetDevice(0);
    cudaDeviceSynchronize();
    cudaFree(d1);
    cudaFree(d2);
    cudaFree(d3);
    cudaFreeHost(h1);
}

// ---- streams and the host ---------------------------------------------------

static void two_streams(int fixed)
{
    FIRST FILL(d1, s1);
    SECOND SCALE(d2, d1, fixed ? s1 : s2);
}

static void write_after_read(int fixed)
{
    FIRST SCALE(d2, d1, s1);
    if (fixed) {
        cudaEventRecord(e1, s1);
        cudaStreamWaitEvent(s2, e1, 0);
    }
    SECOND FILL(d1, s2);
}

static void host_reads_early(int fixed)
{
    FIRST cudaMemcpyAsync(h1, d1, BYTES, cudaMemcpyDeviceToHost, s1);
    if (fixed)
        cudaStreamSynchronize(s1);
    SECOND cudaMemcpy(d2, h1, BYTES, cudaMemcpyHostToDevice);
}

static void new_stream(int fixed)
{
    cudaStream_t s;
    FIRST FILL(d1, s1);
    if (fixed)
        cudaStreamSynchronize(s1);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    SECOND SCALE(d2, d1, s);
}

static void *in_thread(void *unused)
{
    cudaSetDevice(0);
    SECOND SCALE(d2, d1, s2);
    cudaStreamSynchronize(s2);
    return unused;
}

static void new_thread(int fixed)
{
    pthread_t thread;
    FIRST FILL(d1, s1);
    if (fixed)
        cudaStreamSynchronize(s1);
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
}

static void wrong_stream_synchronised(int fixed)
{
    FIRST FILL(d1, s1);
    cudaStreamSynchronize(fixed ? s1 : s2);
    SECOND cudaMemcpyAsync(h1, d1, BYTES, cudaMemcpyDeviceToHost, s3);
}

static void default_stream_synchronised(int fixed)
{
    cudaStream_t blocking;
    cudaStreamCreate(&blocking);
    FIRST FILL(d1, fixed ? blocking : s1);
    cudaStreamSynchronize(0);
    SECOND SCALE(d2, d1, s2);
}

static void wrong_device_synchronised(int fixed)
{
    FIRST FILL(d1, s1);
    cudaSetDevice(fixed ? 0 : 1);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    SECOND SCALE(d2, d1, s2);
}

static void stream_destroyed(int fixed)
{
    FIRST FILL(d1, s1);
    if (fixed)
        cudaStreamSynchronize(s1);
    cudaStreamDestroy(s1);
    SECOND SCALE(d2, d1, s2);
}

// ---- events -----------------------------------------------------------------

static void event_recorded_early(int fixed)
{
    if (!fixed)
        cudaEventRecord(e1, s1);
    FIRST FILL(d1, s1);
    if (fixed)
        cudaEventRecord(e1, s1);
    cudaStreamWaitEvent(s2, e1, 0);
    SECOND SCALE(d2, d1, s2);
}

static void event_recorded_again(int fixed)
{
    FIRST FILL(d1, s1);
    cudaEventRecord(e1, s1);
    cudaEventRecord(fixed ? e2 : e1, s3); // replaces its earlier state
    cudaStreamWaitEvent(s2, e1, 0);
    SECOND SCALE(d2, d1, s2);
}

static void event_never_recorded(int fixed)
{
    FIRST FILL(d1, s1);
    cudaEventRecord(fixed ? e1 : e2, s1);
    cudaStreamWaitEvent(s2, e1, 0);
    SECOND SCALE(d2, d1, s2);
}

static void event_waited_on_elsewhere(int fixed)
{
    FIRST FILL(d1, s1);
    cudaEventRecord(e1, s1);
    cudaStreamWaitEvent(fixed ? s2 : s3, e1, 0);
    SECOND SCALE(d2, d1, s2);
}

static void event_waited_on_late(int fixed)
{
    FIRST FILL(d1, s1);
    cudaEventRecord(e1, s1);
    if (fixed)
        cudaStreamWaitEvent(s2, e1, 0);
    SECOND SCALE(d2, d1, s2);
    if (!fixed)
        cudaStreamWaitEvent(s2, e1, 0);
}

static void event_of_earlier_work_synchronised(int fixed)
{
    FILL(d3, s1);
    cudaEventRecord(e1, s1);
    FIRST FILL(d1, s1);
    cudaEventRecord(e2, s1);
    cudaEventSynchronize(fixed ? e2 : e1);
    SECOND SCALE(d2, d1, s2);
}

static void event_polled(int fixed)
{
    FIRST FILL(d1, s1);
    cudaEventRecord(e1, s1);
    while (fixed && cudaEventQuery(e1) == cudaErrorNotReady)
        ;
    SECOND SCALE(d2, d1, s2);
}

static void event_destroyed(int fixed)
{
    FIRST FILL(d1, s1);
    cudaEventRecord(e1, s1);
    if (fixed)
        cudaStreamWaitEvent(s2, e1, 0);
    cudaEventDestroy(e1);
    SECOND SCALE(d2, d1, s2);
}

static void chain_broken(int fixed)
{
    FIRST FILL(d1, s1);
    cudaEventRecord(e1, s1);
    cudaStreamWaitEvent(s2, e1, 0);
    if (!fixed)
        cudaEventRecord(e2, s3); // on a stream that waits for nothing
    else
        cudaEventRecord(e2, s2);
    cudaStreamWaitEvent(s3, e2, 0);
    SECOND SCALE(d2, d1, s3);
}

// ---- the default stream -----------------------------------------------------

static void default_stream_follows(int fixed)
{
    cudaStream_t blocking;
    cudaStreamCreate(&blocking);
    FIRST FILL(d1, fixed ? blocking : s1);
    SECOND SCALE(d2, d1, 0);
}

static void default_stream_is_followed(int fixed)
{
    cudaStream_t blocking;
    cudaStreamCreate(&blocking);
    FIRST FILL(d1, 0);
    SECOND SCALE(d2, d1, fixed ? blocking : s1);
}

static void stream_of_the_thread(int fixed)
{
    cudaStream_t blocking;
    cudaStreamCreate(&blocking);
    FIRST FILL(d1, cudaStreamPerThread);
    SECOND SCALE(d2, d1, fixed ? cudaStreamLegacy : blocking);
}

static void default_stream_of_another_device(int fixed)
{
    cudaStream_t blocking;
    float *far;
    cudaStreamCreate(&blocking);
    cudaSetDevice(1);
    cudaMalloc(&far, BYTES);
    cudaSetDevice(0);
    FIRST FILL(d1, blocking);
    if (!fixed)
        cudaSetDevice(1);
    SECOND cudaMemcpyPeerAsync(far, 1, d1, 0, BYTES, 0);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    cudaDeviceSynchronize();
    cudaFree(far);
}

// ---- copies -----------------------------------------------------------------

static void memset_is_asynchronous(int fixed)
{
    FIRST cudaMemset(d1, 0, BYTES);
    if (fixed)
        cudaDeviceSynchronize();
    SECOND SCALE(d2, d1, s1);
}

static void copy_within_the_device(int fixed)
{
    FIRST cudaMemcpy(d2, d1, BYTES, cudaMemcpyDeviceToDevice);
    if (fixed)
        cudaStreamSynchronize(0);
    SECOND SCALE(d3, d2, s1);
}

static void pageable_source(int fixed)
{
    float *pinned;
    cudaMallocHost(&pinned, BYTES);
    memset(pinned, 0, BYTES);
    // From pinned memory the copy is done when the call returns.
    FIRST cudaMemcpy(d1, fixed ? pinned : h2, BYTES, cudaMemcpyHostToDevice);
    SECOND SCALE(d2, d1, s1);
    cudaDeviceSynchronize();
    cudaFreeHost(pinned);
}

// The driver stages a pageable source during the call.
static void source_reused(int fixed)
{
    float *const h = fixed ? h2 : h1;
    FIRST cudaMemcpyAsync(d1, h, BYTES, cudaMemcpyHostToDevice, s1);
    SECOND cudaMemcpy(h, d2, BYTES, cudaMemcpyDeviceToHost);
}

static void staged_source_reused(int fixed)
{
    // The same with cudaMemcpy, which returns when the source can be reused.
    if (fixed)
        cudaMemcpy(d1, h1, BYTES, cudaMemcpyHostToDevice);
    FIRST cudaMemcpyAsync(d3, fixed ? h2 : h1, BYTES, cudaMemcpyDefault, s1);
    SECOND cudaMemcpyAsync(h1, d2, BYTES, cudaMemcpyDeviceToHost, s2);
}

static void pinned_target_reused(int fixed)
{
    float *pinned;
    cudaMallocHost(&pinned, 2 * BYTES);
    FIRST cudaMemcpyAsync(pinned, d1, BYTES, cudaMemcpyDeviceToHost, s1);
    float *const to = fixed ? pinned + N : pinned;
    SECOND cudaMemcpyAsync(to, d2, BYTES, cudaMemcpyDeviceToHost, s2);
    cudaDeviceSynchronize();
    cudaFreeHost(pinned);
}

static void peer_copy(int fixed)
{
    float *far;
    cudaStream_t there;
    cudaSetDevice(1);
    cudaMalloc(&far, BYTES);
    cudaStreamCreateWithFlags(&there, cudaStreamNonBlocking);
    cudaSetDevice(0);
    FIRST cudaMemcpyPeerAsync(far, 1, d1, 0, BYTES, s1);
    cudaEventRecord(e1, s1);
    cudaSetDevice(1);
    if (fixed)
        cudaStreamWaitEvent(there, e1, 0); // valid across devices
    SECOND FILL(far, there);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    cudaDeviceSynchronize();
    cudaFree(far);
}

static void columns_overlap(int fixed)
{
    enum { ROWS = 10, PITCH = 400 };
    const int width = fixed ? PITCH / 2 : PITCH / 2 + 4;
    char *const to = (char *)d1, *const from = (char *)d2;
    const cudaMemcpyKind kind = cudaMemcpyDefault;
    const int pitch = PITCH;
    FIRST cudaMemcpy2DAsync(to, pitch, from, pitch, width, ROWS, kind, s1);
    char *const half = to + pitch / 2;
    SECOND cudaMemcpy2DAsync(half, pitch, from, pitch, 100, ROWS, kind, s2);
}

// ---- exact ranges -----------------------------------------------------------

static void halves_overlap_by_one(int fixed)
{
    const int half = N / 2;
    FIRST fill<<<4, 256, 0, s1>>>(d1, fixed ? half : half + 1, 1);
    SECOND fill<<<4, 256, 0, s2>>>(d1 + half, half, 2);
}

__global__ void every_other(float *x, int n, int first)
{
    const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + first;
    if (i < n)
        x[i] = 1;
}

static void interleaved(int fixed)
{
    FIRST every_other<<<2, 256, 0, s1>>>(d1, N, 0);
    SECOND every_other<<<2, 256, 0, s2>>>(d1, N, fixed ? 1 : 2);
}

static void buffers_of_a_pipeline(int fixed)
{
    float *const buffer[2] = {d1, d2};
    for (int i = 0; i < 6; i++) {
        float *const b = buffer[i % 2];
        if (fixed && i >= 2)
            cudaStreamWaitEvent(s1, i % 2 ? e2 : e1, 0);
        SECOND FILL(b, s1);
        cudaStreamSynchronize(s1);
        FIRST SCALE(d3, b, s2);
        cudaEventRecord(i % 2 ? e2 : e1, s2);
    }
}

__global__ void count(int *counter, int plain)
{
    if (plain)
        *counter += 1;
    else
        atomicAdd(counter, 1);
}

static void counter_without_atomics(int fixed)
{
    FIRST count<<<1, 1, 0, s1>>>((int *)d1, 0);
    SECOND count<<<1, 1, 0, s2>>>((int *)d1, !fixed);
}

static void flag_used_again(int fixed)
{
    // The wait is for "at least 1", which the flag of the first turn still is.
    const CUdeviceptr flag = (CUdeviceptr)d3;
    for (int turn = 0; turn < 2; turn++) {
        FIRST FILL(d1, s1);
        cuStreamWriteValue32(s1, flag, 1, 0);
        cuStreamWaitValue32(s2, flag, 1, CU_STREAM_WAIT_VALUE_GEQ);
        SECOND SCALE(d2, d1, s2);
        if (fixed)
            cudaMemsetAsync(d3, 0, sizeof(int), s2);
        cudaStreamSynchronize(s2);
    }
}

__global__ void fill_and_count(float *x, unsigned *count, int fenced)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        x[i] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (fenced)
            __threadfence();
        atomicAdd(count, 1u);
    }
}

__global__ void scale_when_counted(float *y, const float *x, unsigned *count,
                                   int fenced)
{
    if (threadIdx.x == 0) {
        while (atomicAdd(count, 0u) < 1)
            ;
        if (fenced)
            __threadfence();
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        y[i] = 2 * x[i];
}

static void counted_without_a_fence(int fixed)
{
    unsigned *const count = (unsigned *)d3;
    FIRST fill_and_count<<<1, 64, 0, s1>>>(d1, count, fixed);
    SECOND scale_when_counted<<<1, 64, 0, s2>>>(d2, d1, count, fixed);
}

// Rows of 40 floats: one kernel reads columns again and again, by different
// instructions, while another one writes those behind them.
enum { ROW = 40 };

__global__ void sum_columns(float *y, const float *x, int end)
{
    float sum = 0;
    for (int round = 0; round < 3; round++)
        for (int i = threadIdx.x; i < N / ROW; i += blockDim.x) {
            for (int c = 0; c < end; c++)
                sum += x[i * ROW + c];
            for (int c = end - 1; c > 0; c--)
                sum += x[i * ROW + c] - x[i * ROW + c - 1];
        }
    y[threadIdx.x] = sum;
}

__global__ void fill_columns(float *x, int first)
{
    for (int i = threadIdx.x; i < N / ROW; i += blockDim.x)
        for (int c = first; c < ROW; c++)
            x[i * ROW + c] = 1;
}

static void columns_are_read_to_the_end(int fixed)
{
    FIRST sum_columns<<<1, 8, 0, s1>>>(d2, d1, fixed ? 18 : 19);
    SECOND fill_columns<<<1, 8, 0, s2>>>(d1, 18);
}

// The share of a window's accesses that persist, in percent.
static void window(int fixed)
{
    cudaStreamAttrValue v = {};
    cudaStream_t s;
    cudaStreamCreate(&s);
    v.accessPolicyWindow.hitRatio = fixed ? 0.6f : 60;
    v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    FIRST cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v);
    cudaStreamDestroy(s);
}

static const struct hazard_case cases[] = {
    {"window-in-percent", 0, "ignored~failure:~cudaStreamSetAttribute", window},
    {"two-streams", 0, "an~event~recorded~on~stream", two_streams},
    {"write-after-read", 0, "Nothing~orders~scale~before~fill",
     write_after_read},
    {"host-reads-early", 0, "cudaMemcpy~reads~them", host_reads_early},
    {"new-stream", 0, "Nothing~orders~fill~before~scale", new_stream},
    {"new-thread", 0, "Nothing~orders~fill~before~scale", new_thread},
    {"wrong-stream-synchronised", 0, "race", wrong_stream_synchronised},
    {"default-stream-synchronised", 0, "race", default_stream_synchronised},
    {"wrong-device-synchronised", 0, "race", wrong_device_synchronised},
    {"stream-destroyed", 0, "race", stream_destroyed},
    {"event-recorded-early", 0, "race", event_recorded_early},
    {"event-recorded-again", 0, "race", event_recorded_again},
    {"event-never-recorded", 0, "race", event_never_recorded},
    {"event-waited-on-elsewhere", 0, "race", event_waited_on_elsewhere},
    {"event-waited-on-late", 0, "race", event_waited_on_late},
    {"event-of-earlier-work", 0, "race", event_of_earlier_work_synchronised},
    {"event-polled", 0, "race", event_polled},
    {"event-destroyed", 0, "race", event_destroyed},
    {"chain-broken", 0, "race", chain_broken},
    {"default-stream-follows", 0, "the~default~stream", default_stream_follows},
    {"default-stream-is-followed", 0, "the~default~stream",
     default_stream_is_followed},
    {"stream-of-the-thread", 0, "race", stream_of_the_thread},
    {"default-stream-of-another-device", 0, "the~default~stream~of~device~1",
     default_stream_of_another_device},
    {"memset-is-asynchronous", 0, "cudaMemset~writes~them",
     memset_is_asynchronous},
    {"copy-within-the-device", 0, "cudaMemcpy~writes~them",
     copy_within_the_device},
    {"pageable-source", 0, "cudaMemcpy~writes~them", pageable_source},
    {"source-reused", 0, "in~host~memory", source_reused},
    {"staged-source-reused", 0, "in~host~memory", staged_source_reused},
    {"pinned-target-reused", 0, "in~host~memory", pinned_target_reused},
    {"peer-copy", 0, "cudaMemcpyPeerAsync~writes~them", peer_copy},
    {"columns-overlap", 0, "bytes~200~to", columns_overlap},
    {"halves-overlap-by-one", 0, "bytes~2000~to~2003", halves_overlap_by_one},
    {"interleaved", 0, "race", interleaved},
    {"columns-are-read-to-the-end", 0, "bytes~72~to~3915",
     columns_are_read_to_the_end},
    {"buffers-of-a-pipeline", 0, "Nothing~orders~scale~before~fill",
     buffers_of_a_pipeline},
    {"flag-used-again", 0, "Nothing~orders~fill~before~scale", flag_used_again},
    {"counted-without-a-fence", 0,
     "Nothing~orders~fill_and_count~before~scale_when_counted",
     counted_without_a_fence},
    {"counter-without-atomics", 0, "count~updates~them",
     counter_without_atomics},
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
