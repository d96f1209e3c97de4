#define _GNU_SOURCE
/*
 * services.c: device code's calls that concern only its own thread
 */
#include <cuda_runtime_api.h> /* cudaErrorLaunchFailure */
#include <dlfcn.h>            /* dlsym */
#include <stdio.h>            /* fprintf */
#include <stdlib.h>           /* abort */
#include <time.h>             /* clock_t */

#include "device/grid.h"
#include "simgpu/kernel.h"

static __thread long long cycles; /* clock() of device code */

unsigned simgpu_peek(const volatile unsigned *p)
{
    return *p;
}

unsigned simgpu_smid(void)
{
    const struct simgpu_uint3 b = simgpu_block_idx, g = simgpu_grid_dim;
    return (b.x + g.x * (b.y + g.y * b.z)) % 132;
}

long long simgpu_clock(void)
{
    return cycles += 64;
}

/* clock() in device code counts cycles. Host code calls the same function, and
 * gets the C library's. */
clock_t clock(void)
{
    static _Atomic(clock_t(*)(void)) real;
    if (!simgpu_outside)
        return simgpu_clock();
    if (!real)
        real = (clock_t(*)(void))dlsym(RTLD_NEXT, "clock");
    return real();
}

void simgpu_trap(void)
{
    op_fail(grid_launch()->op, cudaErrorLaunchFailure);
    simgpu_leave();
}

/*
 * assert() in device code prints a message and makes the next synchronisation
 * return an error. Host code's asserts are passed on to the C library.
 */
void __assert_fail(const char *what, const char *file, unsigned line,
                   const char *function)
{
    typedef void fails(const char *, const char *, unsigned, const char *);
    if (simgpu_outside) {
        fails *const real = (fails *)dlsym(RTLD_NEXT, "__assert_fail");
        real(what, file, line, function);
        abort();
    }
    const struct simgpu_uint3 b = simgpu_block_idx, t = simgpu_thread_idx;
    fflush(stdout);
    fprintf(stderr,
            "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` "
            "failed.\n",
            file, line, function, b.x, b.y, b.z, t.x, t.y, t.z, what);
    op_fail(grid_launch()->op, cudaErrorAssert);
    simgpu_leave();
}
