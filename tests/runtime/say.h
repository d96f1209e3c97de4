/* say.h: calls and what they return, values and what they are, a line each
 *
 * A wrong call that simgpu refuses may crash CUDA. With SAY_CRASHES, in builds
 * for GPUs, the program prints "crash" for it and continues. */
#ifndef COMMLAB_TESTS_SAY_H
#define COMMLAB_TESTS_SAY_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef SAY_CRASHES
static sigjmp_buf behind_crash;
static volatile sig_atomic_t calling;

static void leave_call(int number)
{
    if (calling)
        siglongjmp(behind_crash, number);
    signal(number, SIG_DFL); // dies behind this handler
}

__attribute__((constructor)) static void survive_crashes(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGSEGV, leave_call);
}
#define CRASHES() (calling = 1, sigsetjmp(behind_crash, 1))
#define CALLED()  (void)(calling = 0)
#else
#define CRASHES() 0
#define CALLED()  (void)0
#endif

#define SAID(name, ...)                                                        \
    (CRASHES() ? printf("%s: crash\n", name) : printf(__VA_ARGS__), CALLED())
#define SAY(call)    SAID(#call, "%s: %s\n", #call, cudaGetErrorName(call))
#define DRIVER(call) SAID(#call, "%s: %d\n", #call, (int)(call))

/* A call that would leave CUDA, or the program's memory, broken for all that
 * follows: not made on GPUs. */
#ifdef SAY_CRASHES
#define UNDEFINED(call) ((void)sizeof(call), printf("%s: undefined\n", #call))
#else
#define UNDEFINED(call) SAID(#call, "%s: %d\n", #call, (int)(call))
#endif
#define IS(value) printf("%s = %lld\n", #value, (long long)(value))

#endif
