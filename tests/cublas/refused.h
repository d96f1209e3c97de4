/*
 * refused.h: calls with a wrong argument, and what is said of them
 *
 * A program prints each call with the status that it returns, after what the
 * library says of it. Calls are made in a process of their own, because one
 * whose memory is too short ends it.
 */
#ifndef COMMLAB_TESTS_CUBLAS_REFUSED_H
#define COMMLAB_TESTS_CUBLAS_REFUSED_H

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHOW(call) printf("%d %s\n", (int)(call), #call)

/* A function of one call. */
#define SHORT(name, call)                                                      \
    static void name(void)                                                     \
    {                                                                          \
        SHOW(call);                                                            \
    }

enum { ROOM = 1024 };
static cublasHandle_t h;
static float *a, *b, *c; /* each of ROOM numbers */
static float *end;       /* the last of another such room's */

static float *device_memory(void)
{
    float *p;
    if (cudaMalloc((void **)&p, ROOM * sizeof *p) ||
        cudaMemset(p, 0, ROOM * sizeof *p))
        exit(1);
    return p;
}

static void begin(void)
{
    if (cublasCreate(&h))
        exit(1);
    a = device_memory(), b = device_memory(), c = device_memory();
    end = device_memory() + ROOM - 1;
}

/* What the process writes, to either stream, is one text in its order. */
static void apart(void (*calls)(void))
{
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(STDOUT_FILENO, STDERR_FILENO);
        begin();
        calls();
        cudaDeviceSynchronize();
        exit(cublasDestroy(h));
    }
    int status = -1;
    waitpid(pid, &status, 0);
    printf("exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

#endif
