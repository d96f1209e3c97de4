/* NVSHMEM: collectives and teams. links: -lnvshmem_host */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "shmem.h"

PROBE(broadcast_from_each)
{
    for (int root = 0; root < n; root++) {
        symmetric<int> to(10), from(10);
        for (int i = 0; i < 10; i++)
            from.h[i] = 100 * me + i;
        from.put();
        nvshmem_int_broadcast(NVSHMEM_TEAM_WORLD, to.d, from.d, 10, root);
        CHECK(to.get()[9] == 100 * root + 9 && to.h[0] == 100 * root);
    }
}

PROBE(alltoall_and_fcollect)
{
    symmetric<short> to(3 * n), from(3 * n);
    for (int i = 0; i < 3 * n; i++)
        from.h[i] = (short)(100 * me + i);
    from.put();
    nvshmem_short_alltoall(NVSHMEM_TEAM_WORLD, to.d, from.d, 3);
    to.get();
    for (int pe = 0; pe < n; pe++)
        CHECK(to.h[3 * pe + 2] == 100 * pe + 3 * me + 2);
    nvshmem_fcollectmem(NVSHMEM_TEAM_WORLD, to.d, from.d, 6);
    to.get();
    for (int pe = 0; pe < n; pe++)
        CHECK(to.h[3 * pe + 1] == 100 * pe + 1);
}

/* One reduction of three elements, me + 1, -me and 1, in place. */
#define REDUCES(NAME, T, OP, A, B)                                             \
    {                                                                          \
        symmetric<T> x(3);                                                     \
        x.h[0] = (T)(me + 1);                                                  \
        x.h[1] = (T)(2 * (me % 2) + 1);                                        \
        x.h[2] = (T)1;                                                         \
        x.put();                                                               \
        nvshmem_##NAME##_##OP##_reduce(NVSHMEM_TEAM_WORLD, x.d, x.d, 3);       \
        x.get();                                                               \
        CHECK(x.h[0] == (T)(A) && x.h[1] == (T)(B));                           \
    }

PROBE(reductions_of_integers)
{
    int product = 1, both = 1, either = 0, odd = 0;
    for (int pe = 0; pe < n; pe++) {
        product *= 2 * (pe % 2) + 1;
        either |= pe + 1;
        odd ^= pe + 1;
        both &= pe + 1;
    }
    REDUCES(int, int, sum, n *(n + 1) / 2, n + 2 * (n / 2))
    REDUCES(long, long, max, n, 3)
    REDUCES(short, short, min, 1, 1)
    REDUCES(uint8, uint8_t, max, n, 3)
    REDUCES(longlong, long long, prod,
            0 * 1 + (n == 2   ? 2
                     : n == 4 ? 24
                              : 40320),
            product)
    REDUCES(uint, unsigned, or, either, 3)
    REDUCES(uint64, uint64_t, xor, odd, (n / 2) % 2 ? 2 : 0)
    REDUCES(ushort, unsigned short, and, both, 1)
}

PROBE(reductions_of_floats)
{
    REDUCES(double, double, sum, n *(n + 1) / 2, n + 2 * (n / 2))
    REDUCES(float, float, prod,
            n == 2   ? 2
            : n == 4 ? 24
                     : 40320,
            n == 2   ? 3
            : n == 4 ? 9
                     : 81)
    REDUCES(float, float, min, 1, 1)
    symmetric<__half> h(1);
    symmetric<__nv_bfloat16> b(1);
    h.h[0] = __float2half(0.5f + me);
    b.h[0] = __float2bfloat16(2.f * me);
    h.put(), b.put();
    nvshmem_half_sum_reduce(NVSHMEM_TEAM_WORLD, h.d, h.d, 1);
    nvshmem_bfloat16_max_reduce(NVSHMEM_TEAM_WORLD, b.d, b.d, 1);
    CHECK(__half2float(h.get()[0]) == 0.5f * n + n * (n - 1) / 2);
    CHECK(__bfloat162float(b.get()[0]) == 2.f * (n - 1));
}

PROBE(reduce_and_scatter)
{
    symmetric<int> from(5 * n), to(5);
    for (int i = 0; i < 5 * n; i++)
        from.h[i] = i + 1000 * me;
    from.put();
    nvshmem_int_sum_reducescatter(NVSHMEM_TEAM_WORLD, to.d, from.d, 5);
    to.get();
    for (int i = 0; i < 5; i++)
        CHECK(to.h[i] == n * (5 * me + i) + 1000 * n * (n - 1) / 2);
}

__global__ void in_kernel(float *x, float *all, int *seen)
{
    const nvshmem_team_t team = NVSHMEM_TEAM_WORLD;
    const int me = nvshmem_team_my_pe(team), n = nvshmem_team_n_pes(team);
    if (threadIdx.x < 4)
        x[threadIdx.x] = me + threadIdx.x;
    __syncthreads();
    nvshmemx_float_sum_reduce_block(team, x + 4, x, 4);
    nvshmemx_float_fcollect_block(team, all, x, 4);
    nvshmemx_barrier_all_block();
    if (threadIdx.x == 0) {
        int right = 0;
        for (int i = 0; i < 4; i++)
            right += x[4 + i] == n * i + n * (n - 1) / 2;
        for (int i = 0; i < 4 * n; i++)
            right += all[i] == i / 4 + i % 4;
        *seen = right;
    }
    if (threadIdx.x < 32)
        nvshmemx_barrier_warp(team);
    if (threadIdx.x == 0)
        nvshmem_sync_all();
}

PROBE(collectives_of_a_block)
{
    symmetric<float> x(8), all(4 * n);
    symmetric<int> seen(1);
    run_all(in_kernel, 1, 64, x.d, all.d, seen.d);
    CHECK(seen.get()[0] == 4 + 4 * n);
}

/* ---- teams --------------------------------------------------------------- */

PROBE(even_and_odd)
{
    nvshmem_team_t even, odd;
    symmetric<int> x(2);
    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 2, n / 2, NULL, 0,
                                     &even) == 0);
    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 1, 2, n / 2, NULL, 0,
                                     &odd) == 0);
    CHECK((even == NVSHMEM_TEAM_INVALID) == (me % 2 == 1));
    const nvshmem_team_t mine = me % 2 ? odd : even;
    CHECK(nvshmem_team_my_pe(mine) == me / 2);
    CHECK(nvshmem_team_n_pes(mine) == n / 2);
    CHECK(nvshmem_team_translate_pe(mine, 0, NVSHMEM_TEAM_WORLD) == me % 2);
    CHECK(nvshmem_team_translate_pe(NVSHMEM_TEAM_WORLD, me, mine) == me / 2);
    CHECK(nvshmem_team_translate_pe(NVSHMEM_TEAM_WORLD, after, mine) == -1);
    x.h[0] = me;
    x.put();
    nvshmem_int_sum_reduce(mine, x.d + 1, x.d, 1);
    int sum = 0;
    for (int pe = me % 2; pe < n; pe += 2)
        sum += pe;
    CHECK(x.get()[1] == sum);
    nvshmem_barrier(mine);
    nvshmem_team_destroy(mine);
    CHECK(nvshmem_team_n_pes(mine) == -1);
    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n + 1, NULL, 0,
                                     &even) != 0);
}

PROBE(rows_and_columns)
{
    nvshmem_team_t row, column;
    symmetric<int> x(4);
    CHECK(nvshmem_team_split_2d(NVSHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0,
                                &column) == 0);
    CHECK(nvshmem_team_my_pe(row) == me % 2 && nvshmem_team_n_pes(row) == 2);
    CHECK(nvshmem_team_my_pe(column) == me / 2 &&
          nvshmem_team_n_pes(column) == n / 2);
    x.h[0] = me;
    x.put();
    nvshmem_int_fcollect(row, x.d + 1, x.d, 1);
    CHECK(x.get()[1] == me / 2 * 2 && x.h[2] == me / 2 * 2 + 1);
    nvshmem_int_max_reduce(column, x.d + 3, x.d, 1);
    CHECK(x.get()[3] == n - 2 + me % 2);
    nvshmem_team_destroy(row);
    nvshmem_team_destroy(column);
}
