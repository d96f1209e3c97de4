# Code that runs elsewhere, too: other systems' headers behind their macros.
cat > head.c <<'C'
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#if defined(_WIN32) || defined _MSC_VER
#include <windows.h>
#include <intrin.h>
#pragma comment(lib, "nccl.lib")
#define restrict __restrict
#elif defined(__APPLE__) && defined(__MACH__)
#include <mach/mach_time.h>
#import <Metal/Metal.h>
#elif (1 && !defined(__HIPCC__))
#include <time.h>
#else
#include <hip/hip_runtime.h>
#endif
#if 0
#include <immintrin.h>
#elif 0x0UL
#pragma acc parallel
#else
#include <stdint.h>
#endif
#if defined(__has_attribute) && __has_attribute(unused)
#define MAYBE_UNUSED __attribute__((unused))
#else
#define MAYBE_UNUSED
#endif
#if __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>
static _Atomic uint32_t calls MAYBE_UNUSED;
#endif
#ifdef DEBUG
#warning "debugging"
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma omp declare simd
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
#pragma GCC diagnostic pop
C
cat head.c nccl.c > new.c && mv new.c nccl.c && rm head.c
sed -i '0,/    LAB_TRY(ncclGroupStart());/s//    atomic_fetch_add(\&calls, 1);\n    (void)now;\n    LAB_TRY(ncclGroupStart());/' nccl.c
