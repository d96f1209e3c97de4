/* The C library's clocks show modelled time; C++11; inline PTX. The output is
 * the same on every run. */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

typedef std::chrono::steady_clock steady;

static int nfailed;

#define CHECK(x) (void)((x) || (nfailed++, printf("%d: %s\n", __LINE__, #x)))

__global__ void count(unsigned long long *n, unsigned long long by)
{
    asm volatile("red.global.add.u64 [%0],%1;" ::"l"(n), "l"(by));
    __asm__ __volatile__("red.add.u64 "
                         "[%0], %1;"
                         :
                         : "l"(n), "l"(by)
                         : "memory");
}

static long steady_ns()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               steady::now().time_since_epoch())
        .count();
}

static long clock_ns()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static long day_ns()
{
    struct timeval t;
    gettimeofday(&t, NULL);
    return (t.tv_sec * 1000000 + t.tv_usec) * 1000;
}

/* The time of a copy, by three clocks and by events. */
static void work_takes_its_modelled_time(char *to, const char *from)
{
    const size_t nbytes = 64 << 20;
    cudaEvent_t begin, end;
    float ms;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    const long s0 = steady_ns(), c0 = clock_ns(), d0 = day_ns();
    cudaEventRecord(begin, 0);
    cudaMemcpyAsync(to, from, nbytes, cudaMemcpyDeviceToDevice, 0);
    cudaEventRecord(end, 0);
    cudaStreamSynchronize(0);
    const long s = steady_ns() - s0, c = clock_ns() - c0, d = day_ns() - d0;
    cudaEventElapsedTime(&ms, begin, end);
    printf("copy %.3f us, %ld ns %ld ns %ld ns\n", ms * 1e3, s, c, d);
    CHECK(s > ms * 1e6 && s < ms * 1e6 + 20e3);
    CHECK(c > ms * 1e6 && c < ms * 1e6 + 20e3);
    CHECK(d > ms * 1e6 - 1e3 && d < ms * 1e6 + 20e3);
}

/* A program may read the clock each time its work has not ended. */
static void polling_costs_nothing(char *to, const char *from)
{
    const long t0 = steady_ns();
    long before = 0, now = t0;
    cudaMemcpyAsync(to, from, 64 << 20, cudaMemcpyDeviceToDevice, 0);
    while (cudaStreamQuery(0) == cudaErrorNotReady) {
        now = steady_ns();
        CHECK(now >= before);
        before = now;
    }
    printf("polled %ld ns\n", steady_ns() - t0);
}

/* Sleeping and waiting in vain take what they are asked to. */
static void sleeping_takes_time()
{
    const long t0 = steady_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const long t1 = steady_ns();
    usleep(1000);
    const long t2 = steady_ns();
    std::mutex m;
    std::condition_variable c;
    std::unique_lock<std::mutex> lock(m);
    const auto until =
        std::chrono::system_clock::now() + std::chrono::milliseconds(3);
    CHECK(c.wait_for(lock, std::chrono::milliseconds(2)) ==
          std::cv_status::timeout);
    const long t3 = steady_ns();
    CHECK(!c.wait_until(lock, until, [] { return false; }));
    const long t4 = steady_ns();
    printf("slept %ld ns %ld ns %ld ns %ld ns\n", t1 - t0, t2 - t1, t3 - t2,
           t4 - t3);
    CHECK(t1 - t0 >= 2000000 && t1 - t0 < 2100000);
    CHECK(t2 - t1 >= 1000000 && t2 - t1 < 1100000);
    CHECK(t3 - t2 >= 2000000 && t3 - t2 < 2100000);
    CHECK(t4 - t3 >= 900000 && t4 - t3 < 1100000);
}

int main(void)
{
    unsigned long long *n, got;
    char *a, *b;
    cudaMalloc(&n, sizeof *n);
    cudaMalloc(&a, 64 << 20);
    cudaMalloc(&b, 64 << 20);
    cudaMemset(n, 0, sizeof *n);
    cudaDeviceSynchronize();
    work_takes_its_modelled_time(a, b);
    polling_costs_nothing(a, b);
    sleeping_takes_time();
    const long t0 = steady_ns(), until = t0 + 100000;
    while (steady_ns() < until) // ends
        ;
    count<<<2, 64>>>(n, 3);
    cudaMemcpy(&got, n, sizeof got, cudaMemcpyDefault);
    CHECK(got == 2 * 64 * 2 * 3);
    int three = 0;
#ifdef __x86_64__
    asm volatile("movl $3,%0" : "=r"(three)); // the host's own
    CHECK(three == 3);
#endif
    (void)three;
    return nfailed != 0;
}
