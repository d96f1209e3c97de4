/*
 * plain.h: what programs need that compare cuBLAS with plain loops
 */
#ifndef COMMLAB_TESTS_CUBLAS_PLAIN_H
#define COMMLAB_TESTS_CUBLAS_PLAIN_H

#include <cublas_v2.h>
#include <math.h>
#include <stdio.h>
#include <vector>

static int failures;
static cublasHandle_t handle;

static void say(const char *type, const char *what, double off, double most)
{
    const bool holds = off <= most; // not so for a NaN
    failures += !holds;
    if (holds)
        printf("ok     %s%s\n", type, what);
    else
        printf("FAILED %s%s: off by %g\n", type, what, off);
}

template <class T> using vec = std::vector<T>;

static float noise()
{
    static unsigned state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / (float)(1 << 24) - 0.5f;
}

template <class T> static vec<T> random(size_t n)
{
    vec<T> v(n);
    for (T &x : v)
        x = (T)noise();
    return v;
}

template <class T> struct device { // a copy of a vector
    T *at;
    size_t n;
    device(const vec<T> &v) : n(v.size())
    {
        cudaMalloc((void **)&at, n * sizeof(T));
        cudaMemcpy(at, v.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~device()
    {
        cudaFree(at);
    }
    vec<T> host() const
    {
        vec<T> v(n);
        cudaMemcpy(v.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost);
        return v;
    }
};

/* Two functions of one name, for float and double, by their first argument. */
#define BY_TYPE(name)                                                          \
    template <class... A> static cublasStatus_t name(float, A... a)            \
    {                                                                          \
        return cublasS##name(handle, a...);                                    \
    }                                                                          \
    template <class... A> static cublasStatus_t name(double, A... a)           \
    {                                                                          \
        return cublasD##name(handle, a...);                                    \
    }

#endif
