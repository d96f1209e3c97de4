/* links: -lnvshmem_host */
/* NVSHMEM: the symmetric heap, put and get, by the host and by kernels. */
#include "shmem.h"

enum { COUNT = 300 };

PROBE(pe_and_teams)
{
    int major = 0, minor = 0;
    char name[NVSHMEM_MAX_NAME_LEN];
    nvshmem_info_get_version(&major, &minor);
    nvshmem_info_get_name(name);
    CHECK(major == 1 && minor == 3 && strstr(name, "NVSHMEM v3"));
    CHECK(nvshmem_team_my_pe(NVSHMEM_TEAM_WORLD) == me);
    CHECK(nvshmem_team_n_pes(NVSHMEM_TEAM_WORLD) == n);
    CHECK(nvshmem_team_n_pes(NVSHMEM_TEAM_INVALID) == -1);
    CHECK(nvshmemx_init_status() >= NVSHMEM_STATUS_IS_BOOTSTRAPPED);
}

PROBE(allocations)
{
    char *const a = (char *)nvshmem_malloc(1000);
    char *const b = (char *)nvshmem_align(256, 1 << 20);
    CHECK(a && b && (uintptr_t)b % 256 == 0);
    CHECK(nvshmem_malloc(0) == NULL);
    CHECK(nvshmem_ptr(a + 10, me) == a + 10);
    int local;
    CHECK(nvshmem_ptr(&local, me) == NULL);
    nvshmem_free(a);
    nvshmem_free(b);
    nvshmem_free(NULL);
}

PROBE(host_put_and_get)
{
    symmetric<int> to(COUNT), from(COUNT);
    for (int i = 0; i < COUNT; i++)
        from.h[i] = 1000 * me + i;
    from.put();
    nvshmem_int_put(to.d, from.d, COUNT, after);
    nvshmem_barrier_all();
    CHECK(to.get()[0] == 1000 * before &&
          to.h[COUNT - 1] == 1000 * before + 299);
    nvshmem_getmem(to.d, from.d, COUNT * sizeof(int), after);
    CHECK(to.get()[7] == 1000 * after + 7);
    nvshmem_put32_nbi(to.d, from.d + 1, COUNT - 1, after);
    nvshmem_quiet();
    nvshmem_barrier_all();
    CHECK(to.get()[0] == 1000 * before + 1);
    nvshmem_int_iput(to.d, from.d, 2, 3, 10, after);
    nvshmem_barrier_all();
    CHECK(to.get()[0] == 1000 * before && to.h[2] == 1000 * before + 3 &&
          to.h[3] == 1000 * before + 4 && to.h[18] == 1000 * before + 27);
    nvshmem_int_iget(to.d, from.d, 2, 3, 10, after);
    CHECK(to.get()[0] == 1000 * after && to.h[2] == 1000 * after + 3 &&
          to.h[3] == 1000 * before + 4 && to.h[18] == 1000 * after + 27);
}

PROBE(host_p_and_g)
{
    symmetric<double> x(4);
    symmetric<short> y(4);
    nvshmem_double_p(x.d + 1, me + 0.5, after);
    nvshmem_short_p(y.d + 3, (short)(me - 5), after);
    nvshmem_barrier_all();
    x.get(), y.get();
    CHECK(x.h[1] == before + 0.5 && y.h[3] == before - 5);
    CHECK(nvshmem_double_g(x.d + 1, after) == me + 0.5);
    CHECK(nvshmem_short_g(y.d + 3, me) == before - 5);
    nvshmem_barrier_all();
}

__global__ void shift(int *x)
{
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    nvshmem_int_p(x, me, (me + 1) % n);
}

PROBE(simple_shift)
{
    symmetric<int> x(1);
    shift<<<1, 1>>>(x.d);
    nvshmemx_barrier_all_on_stream(0);
    CHECK(x.get()[0] == before);
}

__global__ void rotate(float *to, const float *from, int count)
{
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        nvshmem_float_p(to + i, from[i], (me + 1) % n);
}

PROBE(each_thread_puts_a_float)
{
    symmetric<float> to(COUNT), from(COUNT);
    for (int i = 0; i < COUNT; i++)
        from.h[i] = 1000 * me + i;
    from.put();
    rotate<<<1, 128>>>(to.d, from.d, COUNT);
    nvshmemx_barrier_all_on_stream(0);
    to.get();
    for (int i = 0; i < COUNT; i++)
        CHECK(to.h[i] == 1000 * before + i);
}

__global__ void to_itself(int *x, int pe)
{
    const int i = threadIdx.x;
    nvshmem_int_p(x + i, i + nvshmem_int_g(x + COUNT + i, pe), pe);
}
/* On the own PE, memory need not be symmetric. */
PROBE(own_memory)
{
    int *x, h[2 * COUNT];
    for (int i = 0; i < 2 * COUNT; i++)
        h[i] = 1000 * i;
    cudaMalloc(&x, sizeof h);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    to_itself<<<1, COUNT>>>(x, me);
    cudaDeviceSynchronize();
    nvshmem_int_put(x + COUNT, x, COUNT, me);
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < COUNT; i++)
        CHECK(h[i] == i + 1000 * (COUNT + i) && h[COUNT + i] == h[i]);
    cudaFree(x);
}

__global__ void groups(char *to, const char *from, int block)
{
    const int after = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
    if (block)
        nvshmemx_putmem_block(to, from, 512, after);
    else
        nvshmemx_char_put_nbi_warp(to + threadIdx.x / 32 * 128,
                                   from + threadIdx.x / 32 * 128, 128, after);
    nvshmem_quiet();
}

PROBE(warps_and_blocks_put)
{
    for (int block = 0; block < 2; block++) {
        symmetric<char> to(512), from(512);
        for (int i = 0; i < 512; i++)
            from.h[i] = (char)(i * 7 + me);
        from.put();
        groups<<<1, 128>>>(to.d, from.d, block);
        nvshmemx_barrier_all_on_stream(0);
        int same = 0;
        to.get();
        for (int i = 0; i < 512; i++)
            same += to.h[i] == (char)(i * 7 + before);
        CHECK(same == 512);
    }
}

__global__ void collect(long *to, const long *from)
{
    nvshmem_barrier_all();
    for (int pe = 0; pe < nvshmem_n_pes(); pe++)
        nvshmem_long_get_nbi(to + pe, from, 1, pe);
    nvshmem_quiet();
    long sum = 0;
    for (int pe = 0; pe < nvshmem_n_pes(); pe++)
        sum += to[pe];
    to[nvshmem_n_pes()] = sum;
    nvshmem_barrier_all();
}

PROBE(kernels_get)
{
    symmetric<long> to(2 * n + 1), from(2);
    from.h[0] = 10 + me;
    from.h[1] = 20 + me;
    from.put();
    run_all(collect, 1, 1, to.d, (const long *)from.d);
    long sum = 0;
    to.get();
    for (int pe = 0; pe < n; pe++) {
        CHECK(to.h[pe] == 10 + pe);
        sum += 10 + pe;
    }
    CHECK(to.h[n] == sum);
}

PROBE(peers_memory_by_pointer)
{
    symmetric<int> x(4);
    int *const p = (int *)nvshmem_ptr(x.d, after);
    if (p) { // a PE of this node
        const int v = 77 + me;
        OK(cudaMemcpy(p, &v, sizeof v, cudaMemcpyHostToDevice));
        OK(cudaDeviceSynchronize());
    } else {
        nvshmem_int_p(x.d, 77 + me, after);
    }
    nvshmem_barrier_all();
    CHECK(x.get()[0] == 77 + before);
    nvshmem_barrier_all();
}

__global__ void by_queue_pairs(int *to, const int *from, uint64_t *signal,
                               nvshmemx_qp_handle_t qp)
{
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), after = (me + 1) % n;
    nvshmemx_qp_int_put_nbi_block(to, from, 32, after, qp);
    if (threadIdx.x == 0) {
        nvshmemx_qp_int_p(to + 32, 5 + me, after, qp);
        nvshmemx_qp_fence(after, &qp, 1);
        nvshmemx_qp_signal_op(signal, 1, NVSHMEM_SIGNAL_SET, after, qp);
        nvshmem_signal_wait_until(signal, NVSHMEM_CMP_EQ, 1);
        to[33] = nvshmemx_qp_int_g(from + 1, after, qp);
        nvshmemx_qp_quiet(after, &qp, 1);
    }
}

PROBE(queue_pairs)
{
    nvshmemx_qp_handle_t *qp = NULL;
    symmetric<int> to(34), from(32);
    symmetric<uint64_t> signal(1);
    for (int i = 0; i < 32; i++)
        from.h[i] = 100 * me + i;
    from.put();
    CHECK(nvshmemx_qp_create(2, &qp) == 0 && qp);
    run_all(by_queue_pairs, 1, 64, to.d, (const int *)from.d, signal.d, qp[0]);
    to.get();
    CHECK(to.h[0] == 100 * before && to.h[31] == 100 * before + 31);
    CHECK(to.h[32] == 5 + before && to.h[33] == 100 * after + 1);
    free(qp);
}

__device__ unsigned load_reduced(const unsigned *p)
{
    unsigned sum;
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.u32 %0, [%1];"
                 : "=r"(sum)
                 : "l"(p)
                 : "memory");
    return sum;
}

__global__ void through_the_switch(const unsigned *all, unsigned *sum)
{
    nvshmem_barrier_all();
    *sum = load_reduced(all);
    nvshmem_barrier_all();
}

PROBE(multicast_addresses)
{
    symmetric<unsigned> x(4), sum(1);
    for (int i = 0; i < 4; i++)
        x.h[i] = 10 * i + me;
    x.put();
    unsigned *const all =
        (unsigned *)nvshmemx_mc_ptr(NVSHMEM_TEAM_WORLD, x.d + 2);
    if (all) { // a switch that reduces connects all PEs
        run_all(through_the_switch, 1, 1, (const unsigned *)all, sum.d);
        CHECK(sum.get()[0] == (unsigned)(20 * n + n * (n - 1) / 2));
    }
    CHECK(getenv("SIMGPU_TOPO") || all);
}

PROBE(launches_with_attributes)
{
    symmetric<int> x(1);
    nvshmemx_collective_launch_attr_t attr = {};
    cudaLaunchAttribute priority = {};
    priority.id = cudaLaunchAttributePriority;
    attr.cuda_config.gridDim = dim3(1);
    attr.cuda_config.blockDim = dim3(1);
    attr.cuda_config.attrs = &priority;
    attr.cuda_config.numAttrs = 1;
    void *args[] = {&x.d};
    CHECK(nvshmemx_collective_launch_attr(&attr, (const void *)shift, args) ==
          0);
    nvshmemx_barrier_all_on_stream(0);
    CHECK(x.get()[0] == before);
}
