/*
 * probe.h: small programs that each use one feature of CUDA and check it
 *
 *     PROBE(overloads)
 *     {
 *         ...
 *         CHECK(h[0] == 1);
 *     }
 *
 * A file holds those of one family, so that it is compiled once. Without
 * arguments the program runs all and prints a line for each; with names, those.
 */
#ifndef COMMLAB_TESTS_PROBES_PROBE_H
#define COMMLAB_TESTS_PROBES_PROBE_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct probe {
    const char *name;
    void (*run)();
    probe *next;
    static probe *&first()
    {
        static probe *list;
        return list;
    }
    probe(const char *name, void (*run)()) : name(name), run(run), next(first())
    {
        first() = this;
    }
};

// simgpu has a promise of its own there: GPUs do as they like, or it refuses
// what NVIDIA's library lets pass.
extern "C" void simgpu_arrive(void) __attribute__((weak));
static inline bool on_simgpu()
{
    return &simgpu_arrive != NULL;
}

static int wrong;    // failed checks of the running probe
static bool skipped; // 1: the running probe lacks GPUs

#define PROBE(name)                                                            \
    static void name##_run();                                                  \
    static probe name##_probe(#name, name##_run);                              \
    static void name##_run()

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);             \
            wrong++;                                                           \
        }                                                                      \
    } while (0)

#define OK(call) CHECK((call) == cudaSuccess)

/* The first lines of a probe that needs several GPUs. */
#define NEEDS_GPUS(n)                                                          \
    do {                                                                       \
        int here = 0;                                                          \
        OK(cudaGetDeviceCount(&here));                                         \
        skipped = here < (n);                                                  \
        if (skipped) {                                                         \
            printf("needs %d GPUs, here are %d\n", n, here);                   \
            return;                                                            \
        }                                                                      \
    } while (0)

/* n elements of device memory, zeroed, and their copy on the host. */
template <class T> struct array {
    T *d, *h;
    size_t n;
    explicit array(size_t n) : n(n)
    {
        OK(cudaMalloc((void **)&d, n * sizeof(T)));
        OK(cudaMemset(d, 0, n * sizeof(T)));
        h = (T *)calloc(n, sizeof(T));
    }
    ~array()
    {
        cudaFree(d);
        free(h);
    }
    /* Write what the host has; read what the device has. */
    void put()
    {
        OK(cudaMemcpy(d, h, n * sizeof(T), cudaMemcpyHostToDevice));
    }
    T *get()
    {
        OK(cudaMemcpy(h, d, n * sizeof(T), cudaMemcpyDeviceToHost));
        return h;
    }
};

#ifndef PROBE_BEGIN /* around all probes, for programs with ranks */
#define PROBE_BEGIN()
#define PROBE_END()
#endif

int main(int argc, char **argv)
{
    int failed = 0;
    PROBE_BEGIN();
    for (probe *p = probe::first(); p; p = p->next) {
        bool asked = argc == 1;
        for (int i = 1; i < argc; i++)
            asked |= strcmp(argv[i], p->name) == 0;
        if (!asked)
            continue;
        wrong = 0;
        skipped = false;
        p->run();
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        printf("%s %s\n", wrong ? "FAIL" : skipped ? "skip" : "pass", p->name);
        fflush(stdout);
        failed += wrong != 0;
    }
    PROBE_END();
    return failed != 0;
}

#endif
