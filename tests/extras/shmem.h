/*
 * shmem.h: probes of NVSHMEM, on any number of PEs
 */
#ifndef COMMLAB_TESTS_PROBES_SHMEM_H
#define COMMLAB_TESTS_PROBES_SHMEM_H

#include <nvshmem.h>
#include <nvshmemx.h>

static int me, n, after, before; // this PE, how many, its neighbours

static void begin()
{
    nvshmem_init();
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    after = (me + 1) % n;
    before = (me + n - 1) % n;
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE));
}
#define PROBE_BEGIN() begin()
#define PROBE_END()   nvshmem_finalize()

#include "probe.h"

/* n elements on each PE, zeroed, and a copy of this PE's on the host, which all
 * PEs put and get together. */
template <class T> struct symmetric {
    T *d, *h;
    size_t count;
    explicit symmetric(size_t count) : count(count)
    {
        d = (T *)nvshmem_calloc(count, sizeof(T));
        h = (T *)calloc(count, sizeof(T));
        nvshmem_barrier_all();
    }
    ~symmetric()
    {
        nvshmem_free(d);
        free(h);
    }
    void put()
    {
        OK(cudaMemcpy(d, h, count * sizeof(T), cudaMemcpyHostToDevice));
        OK(cudaDeviceSynchronize());
        nvshmem_barrier_all();
    }
    T *get()
    {
        OK(cudaMemcpy(h, d, count * sizeof(T), cudaMemcpyDeviceToHost));
        nvshmem_barrier_all(); // a peer may overwrite them now
        return h;
    }
};

/* Launch on all PEs. */
template <class K, class... A>
static void run_all(K *kernel, int blocks, int threads, A... a)
{
    void *args[] = {(void *)&a..., nullptr};
    CHECK(nvshmemx_collective_launch((const void *)kernel, dim3(blocks),
                                     dim3(threads), args, 0, 0) == 0);
    OK(cudaDeviceSynchronize());
}

#endif
