// Pinned memory, which the host uses while a copy is pending. A fixed case
// waits in one of the ways in which a program may, or uses other bytes.
#include <cuda.h>
#include <cuda_runtime.h>

#include <fstream>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "case.h"
#include "kernels.cuh"

static cudaStream_t s1, s2;
static cudaEvent_t event;
static float *d, *pinned; // N floats, 2 * N floats
static volatile float sink;

static void setup(void)
{
    cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMalloc(&d, BYTES);
    cudaMemset(d, 0, BYTES);
    cudaMallocHost(&pinned, 2 * BYTES);
    cudaDeviceSynchronize();
}

static void teardown(void)
{
    cudaDeviceSynchronize();
    cudaFree(d);
    cudaFreeHost(pinned);
}

static void fetch(float *to)
{
    cudaMemcpyAsync(to, d, BYTES, cudaMemcpyDeviceToHost, s1);
}

// ---- accesses ---------------------------------------------------------------

static void target_is_read(int fixed)
{
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost, s1);
    if (fixed)
        cudaStreamSynchronize(s1);
    SECOND sink = pinned[7];
}

static void target_is_written(int fixed)
{
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost, s1);
    if (fixed) {
        cudaEventRecord(event, s1);
        cudaEventSynchronize(event);
    }
    SECOND pinned[N - 1] = 1;
}

// Reading the source is allowed at any time.
static void source_is_written(int fixed)
{
    FIRST cudaMemcpyAsync(d, pinned, BYTES, cudaMemcpyHostToDevice, s1);
    sink = pinned[0];
    while (fixed && cudaStreamQuery(s1) != cudaSuccess)
        ;
    SECOND pinned[0] = 1;
}

static void target_is_copied_by_libc(int fixed)
{
    float mine[N];
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost, s1);
    if (fixed)
        cudaDeviceSynchronize();
    SECOND memcpy(mine, pinned, BYTES);
    sink = mine[1];
}

static void target_is_rmw(int fixed)
{
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost, s1);
    if (fixed)
        cudaStreamSynchronize(s1);
    SECOND pinned[3] += 1;
}

static float sum_of(const float *x, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

// The halves share a page.
static void other_half(int fixed)
{
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost, s1);
    for (int i = N; i < 2 * N; i++)
        pinned[i] = 1;
    sink = sum_of(pinned + N, N);
    SECOND sink = pinned[fixed ? N : N - 1];
}

static void gaps_between_rows(int fixed)
{
    enum { ROWS = 10, PITCH = 40, WIDTH = 16 };
    char *const at = (char *)pinned;
    FIRST cudaMemcpy2DAsync(at, PITCH, d, WIDTH, WIDTH, ROWS,
                            cudaMemcpyDeviceToHost, s1);
    at[PITCH + WIDTH] = 1;
    SECOND at[3 * PITCH + (fixed ? WIDTH : WIDTH - 1)] = 1;
}

static void fill_of_the_host(int fixed)
{
    FIRST cudaMemsetAsync(pinned, 0, BYTES, s1);
    if (fixed)
        cudaStreamSynchronize(s1);
    SECOND sink = pinned[0];
}

static void driver_copy(int fixed)
{
    FIRST cuMemcpyHtoDAsync((CUdeviceptr)d, pinned, BYTES, s1);
    if (fixed)
        cuStreamSynchronize(s1);
    SECOND pinned[1] = 1;
}

static void registered(int fixed)
{
    enum { MANY = 100000 };
    float *const h = (float *)malloc(MANY * sizeof *h), *far;
    cudaMalloc(&far, MANY * sizeof *far);
    cudaMemset(far, 0, MANY * sizeof *far);
    cudaHostRegister(h, MANY * sizeof *h, cudaHostRegisterDefault);
    cudaDeviceSynchronize();
    // The memory is open while a copy runs, so let it be short.
    FIRST cudaMemcpyAsync(h, far, BYTES, cudaMemcpyDeviceToHost, s1);
    if (fixed)
        cudaStreamSynchronize(s1);
    SECOND sink = h[0];
    cudaStreamSynchronize(s1);
    cudaHostUnregister(h);
    cudaFree(far);
    free(h);
}

// ---- system calls -----------------------------------------------------------

static char name_of_file[] = "/tmp/prog_pinned-XXXXXX";

static int file_of(const void *contents, size_t nbytes)
{
    const int fd = mkstemp(strcpy(name_of_file, "/tmp/prog_pinned-XXXXXX"));
    unlink(name_of_file);
    if (pwrite(fd, contents, nbytes, 0) != (ssize_t)nbytes)
        abort();
    return fd;
}

static void target_is_written_to_a_file(int fixed)
{
    const int fd = file_of("", 1);
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost, s1);
    if (fixed)
        cudaStreamSynchronize(s1);
    SECOND if (write(fd, pinned, BYTES) != BYTES) abort();
    close(fd);
}

static void target_is_printed(int fixed)
{
    FILE *const f = fopen("/dev/null", "w");
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost, s1);
    if (fixed)
        cudaDeviceSynchronize();
    SECOND if (fwrite(pinned, sizeof *pinned, N, f) != N) abort();
    fclose(f);
}

static void source_is_read_from_a_file(int fixed)
{
    static char contents[BYTES];
    const int fd = file_of(contents, BYTES);
    FIRST cudaMemcpyAsync(d, pinned, BYTES, cudaMemcpyHostToDevice, s1);
    if (write(fd, pinned, BYTES) != BYTES) // reading it is allowed
        abort();
    if (fixed)
        cudaStreamSynchronize(s1);
    SECOND if (pread(fd, pinned, BYTES, 0) != BYTES) abort();
    close(fd);
}

static void need(int holds)
{
    if (!holds)
        abort();
}

// Other bytes of the copy's page.
static void other_half_and_files(int fixed)
{
    static const char text[] = "some text";
    char back[sizeof text] = "";
    const ssize_t n = sizeof text;
    char *const at = (char *)(pinned + N);
    int pair[2];
    const int fd = file_of(text, sizeof text);
    FILE *const f = fdopen(dup(fd), "r+");
    setvbuf(f, NULL, _IONBF, 0);
    std::ofstream out("/dev/null");
    need(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost, s1);
    need(pread(fd, at, n, 0) == n && memcmp(at, text, n) == 0);
    need(write(fd, at, n) == n && pwrite(fd, at, n, 0) == n);
    need(lseek(fd, 0, SEEK_SET) == 0 && read(fd, at, n) == n);
    need(fseek(f, 0, SEEK_SET) == 0 && fread(at, 1, n, f) == sizeof text);
    need(fseek(f, 0, SEEK_SET) == 0 && fwrite(at, 1, n, f) == sizeof text);
    need((bool)out.write(at, BYTES));
    iovec pieces[] = {{at, 4}, {at + 4, (size_t)n - 4}};
    msghdr m = {};
    m.msg_iov = pieces;
    m.msg_iovlen = 2;
    need(writev(pair[0], pieces, 2) == n && recv(pair[1], at, n, 0) == n);
    need(send(pair[0], at, n, 0) == n && readv(pair[1], pieces, 2) == n);
    need(sendmsg(pair[0], &m, 0) == n && recvmsg(pair[1], &m, 0) == n);
    need(pread(fd, back, n, 0) == n && memcmp(back, text, n) == 0);
    SECOND need(write(fd, fixed ? at : at - 1, n) == n);
    cudaStreamSynchronize(s1);
    close(pair[0]);
    close(pair[1]);
    fclose(f);
    close(fd);
}

static void save(void *file)
{
    SECOND need(write(*(int *)file, pinned, BYTES) == BYTES);
}

// What a host function does comes after the copies before it in its stream.
static void saved_by_a_host_function(int fixed)
{
    int fd = file_of("", 1);
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost, s1);
    if (fixed)
        cudaLaunchHostFunc(s1, save, &fd);
    else
        save(&fd);
    cudaStreamSynchronize(s1);
    close(fd);
}

// ---- waits ------------------------------------------------------------------

// Another stream waits for the copy, and the host for that stream.
static void waits_for_a_follower(int fixed)
{
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost, s1);
    cudaEventRecord(event, s1);
    if (fixed)
        cudaStreamWaitEvent(s2, event, 0);
    cudaStreamSynchronize(s2);
    SECOND sink = pinned[0];
}

static void waits_for_a_copy(int fixed)
{
    cudaStream_t blocking;
    cudaStreamCreate(&blocking);
    float mine[N];
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost,
                          fixed ? blocking : s1);
    cudaMemcpy(mine, d, BYTES, cudaMemcpyDeviceToHost);
    SECOND sink = pinned[0];
}

static void events_of_the_wrong_copy(int fixed)
{
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost, s1);
    if (fixed)
        cudaEventRecord(event, s1);
    fetch(pinned + N);
    cudaEventSynchronize(event);
    SECOND sink = pinned[0];
}

static void tell(void *told)
{
    *(volatile int *)told = 1;
}

static void told_by_a_host_function(int fixed)
{
    volatile int told = !fixed;
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost, s1);
    if (fixed)
        cudaLaunchHostFunc(s1, tell, (void *)&told);
    while (!told)
        sched_yield();
    SECOND sink = pinned[0];
}

__global__ void raise_flag(volatile int *flag)
{
    *flag = 1;
}

static void told_by_a_kernel(int fixed)
{
    volatile int *flag;
    cudaMallocHost((void **)&flag, sizeof *flag);
    *flag = !fixed;
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost, s1);
    if (fixed)
        raise_flag<<<1, 1, 0, s1>>>(flag);
    while (!*flag)
        sched_yield();
    SECOND sink = pinned[0];
    cudaStreamSynchronize(s1);
    cudaFreeHost((void *)flag);
}

// ---- the end of the memory --------------------------------------------------

static void freed(int fixed)
{
    float *own;
    cudaMallocHost(&own, BYTES);
    memset(own, 0, BYTES);
    FIRST cudaMemcpyAsync(d, own, BYTES, cudaMemcpyHostToDevice, s1);
    if (fixed)
        cudaStreamSynchronize(s1);
    SECOND cudaFreeHost(own);
}

static void unregistered(int fixed)
{
    static char own[3 * 4096];
    cudaHostRegister(own, sizeof own, cudaHostRegisterDefault);
    FIRST cudaMemcpyAsync(d, own + 4096, BYTES, cudaMemcpyHostToDevice, s1);
    if (fixed)
        cudaStreamSynchronize(s1);
    SECOND cudaHostUnregister(own);
}

// ---- graphs -----------------------------------------------------------------

static void copy_in_a_graph(int fixed)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s1, cudaStreamCaptureModeRelaxed);
    FIRST cudaMemcpyAsync(pinned, d, BYTES, cudaMemcpyDeviceToHost, s1);
    cudaStreamEndCapture(s1, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    sink = pinned[0]; // a captured copy has not been enqueued
    cudaGraphLaunch(exec, s2);
    if (fixed)
        cudaStreamSynchronize(s2);
    SECOND sink = pinned[0];
    cudaStreamSynchronize(s2);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

static const struct hazard_case cases[] = {
    {"target-is-read", 0, "host~code~reads~them", target_is_read},
    {"target-is-written", 0, "host~code~writes~them", target_is_written},
    {"source-is-written", 0, "host~code~writes~them", source_is_written},
    {"target-is-copied-by-libc", 0, "host~code~reads~them",
     target_is_copied_by_libc},
    {"target-is-rmw", 0, "host~code~reads~them", target_is_rmw},
    {"other-half", 0, "host~code~reads~them", other_half},
    {"gaps-between-rows", 0, "byte~135~of", gaps_between_rows},
    {"fill-of-the-host", 0, "cudaMemsetAsync~writes~them", fill_of_the_host},
    {"driver-copy", 0, "host~code~writes~them", driver_copy},
    {"registered", 0, "host~code~reads~them", registered},
    {"target-is-written-to-a-file", 0, "write~reads~them",
     target_is_written_to_a_file},
    {"target-is-printed", 0, "fwrite~reads~them", target_is_printed},
    {"source-is-read-from-a-file", 0, "pread~writes~them",
     source_is_read_from_a_file},
    {"other-half-and-files", 0, "write~reads~them", other_half_and_files},
    {"saved-by-a-host-function", 0, "write~reads~them",
     saved_by_a_host_function},
    {"waits-for-a-follower", 0, "host~code~reads~them", waits_for_a_follower},
    {"waits-for-a-copy", 0, "host~code~reads~them", waits_for_a_copy},
    {"events-of-the-wrong-copy", 0, "host~code~reads~them",
     events_of_the_wrong_copy},
    {"told-by-a-host-function", 0, "host~code~reads~them",
     told_by_a_host_function},
    {"told-by-a-kernel", 0, "host~code~reads~them", told_by_a_kernel},
    {"freed", 0, "cudaFreeHost~does~not~wait~for~cudaMemcpyAsync", freed},
    {"unregistered", 0, "cudaHostUnregister", unregistered},
    {"copy-in-a-graph", 0, "host~code~reads~them", copy_in_a_graph},
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
