/*
 * slow.h: slow work, to show which calls wait for it
 *
 * The programs here use only the real API and print what they observe, one fact
 * per line: the same on simgpu, under every schedule, and on GPUs.
 */
#ifndef COMMLAB_TESTS_SLOW_H
#define COMMLAB_TESTS_SLOW_H

#include <cuda_runtime_api.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLOW_MS = 100, SLOW_LOOK_MS = 5, SLOW_THREADS = 256 };

static void must(cudaError_t err, int line)
{
    if (err != cudaSuccess)
        printf("line %d: %s\n", line, cudaGetErrorName(err));
}
#define MUST(call) must(call, __LINE__)

static inline void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

/* True if a thread is ready to run, or stopped, and has not run since the last
 * look, when it had run for *ran nanoseconds. */
static inline int lacks_a_core(const char *tid, long long *ran)
{
    char path[64], state = 'S';
    long long now = -1;
    snprintf(path, sizeof path, "/proc/self/task/%.16s/schedstat", tid);
    FILE *f = fopen(path, "r");
    const int known = f && fscanf(f, "%lld", &now) == 1;
    if (f)
        fclose(f);
    snprintf(path, sizeof path, "/proc/self/task/%.16s/stat", tid);
    f = fopen(path, "r");
    const int lacks = f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1 &&
                      strchr("RDTt", state) && known && now == *ran;
    if (f)
        fclose(f);
    *ran = now;
    return lacks;
}

/* The same of any thread of this process; ran[] is the last look's. */
static inline int a_core_is_lacking(long long ran[SLOW_THREADS])
{
    int lacking = 0;
    DIR *const threads = opendir("/proc/self/task");
    for (struct dirent *d; threads && (d = readdir(threads));)
        if (d->d_name[0] != '.')
            lacking |=
                lacks_a_core(d->d_name, &ran[atoi(d->d_name) % SLOW_THREADS]);
    if (threads)
        closedir(threads);
    return lacking;
}

/* Time in which a thread that could run has no core does not count: what others
 * see of this work does not depend on how busy the machine is. */
static void CUDART_CB take_time(void *done)
{
    long long ran[SLOW_THREADS] = {0};
    for (int ms = 0; ms < SLOW_MS;) {
        sleep_ms(SLOW_LOOK_MS);
        if (!a_core_is_lacking(ran))
            ms += SLOW_LOOK_MS;
    }
    *(volatile int *)done = 1;
}

/* Enqueue slow work; *done becomes 1 at its end. */
static inline void slow(cudaStream_t s, volatile int *done)
{
    *done = 0;
    MUST(cudaLaunchHostFunc(s, take_time, (void *)done));
}

static inline void *device_bytes(size_t nbytes, int value)
{
    void *p = NULL;
    MUST(cudaMalloc(&p, nbytes));
    MUST(cudaMemset(p, value, nbytes));
    MUST(cudaDeviceSynchronize());
    return p;
}

/* Flags of slow work that sights can have: in pinned memory, cleared. */
static inline volatile int *new_flags(size_t n)
{
    volatile int *flags = NULL;
    MUST(cudaMallocHost((void **)&flags, n * sizeof *flags));
    for (size_t i = 0; i < n; i++)
        flags[i] = 0;
    return flags;
}

/* What one piece of work sees of another. It is a copy, not a host function:
 * GPUs run the host functions of a process one after another, so that each
 * would see all that were enqueued before it done. */
struct sight {
    int *at; // in the device's memory
};

static inline struct sight new_sight(void)
{
    return (struct sight){(int *)device_bytes(sizeof(int), 0)};
}

/* Work that keeps what *of, one of new_flags(), is when it runs. */
static inline void look(cudaStream_t s, struct sight sight,
                        const volatile int *of)
{
    MUST(cudaMemcpyAsync(sight.at, (const void *)of, sizeof *of,
                         cudaMemcpyHostToDevice, s));
}

/* Slow work of the device, which keeps that it was done. */
static inline void slow_copy(cudaStream_t s, struct sight mark,
                             volatile int *done)
{
    slow(s, done);
    look(s, mark, done);
}

/* Work that keeps what a sight has kept when it runs. */
static inline void look_at(cudaStream_t s, struct sight sight,
                           struct sight mark)
{
    MUST(cudaMemcpyAsync(sight.at, mark.at, sizeof *mark.at,
                         cudaMemcpyDeviceToDevice, s));
}

/* What it kept. */
static inline int seen(struct sight sight)
{
    int h = -1;
    MUST(cudaMemcpy(&h, sight.at, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}

static inline void say(const char *what, int done)
{
    printf("%s: %s\n", what, done ? "done" : "not done");
}

static inline cudaStream_t new_stream(unsigned flags)
{
    cudaStream_t s = 0;
    MUST(cudaStreamCreateWithFlags(&s, flags));
    return s;
}

static inline int byte_at(const void *device)
{
    unsigned char h = 0;
    MUST(cudaMemcpy(&h, device, 1, cudaMemcpyDeviceToHost));
    return h;
}

static inline int has_two_devices(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess && n > 1;
}

#endif
