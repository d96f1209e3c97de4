/* links: -lnvshmem_host */
/* NVSHMEM: every reduction of every type, and what teams, buffers and launches
 * refuse. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "shmem.h"

/* ---- reductions ---------------------------------------------------------- */

/* What PE `pe` gives: the last number is negative, if the type has a sign. */
template <class T> static T value(int pe, int i)
{
    return i < 2 ? T(3 * pe + 2 * i + 1) : T(-(pe + 2));
}

/* Ones and twos: exact in 16 bits. */
template <class T> static T small(int pe, int i)
{
    return T((float)((pe + i) % 2 + 1));
}

template <class T>
static void check_reduction(const char *name,
                            int (*call)(nvshmem_team_t, T *, const T *, size_t),
                            T (*of)(int, int), T (*op)(T, T))
{
    symmetric<T> from(3), to(4);
    for (int i = 0; i < 3; i++)
        from.h[i] = of(me, i);
    to.h[3] = T(7.0f);
    from.put(), to.put();
    CHECK(call(NVSHMEM_TEAM_WORLD, to.d, from.d, 3) == 0);
    from.get(), to.get();
    for (int i = 0; i < 3; i++) {
        T want = of(0, i);
        for (int pe = 1; pe < n; pe++)
            want = op(want, of(pe, i));
        const T is = to.h[i], own = of(me, i);
        if (memcmp(&is, &want, sizeof is) != 0)
            printf("%s, element %d\n", name, i);
        CHECK(memcmp(&is, &want, sizeof is) == 0);
        CHECK(memcmp(&from.h[i], &own, sizeof own) == 0);
    }
    CHECK((float)to.h[3] == 7);
}

#define REDUCTION(NAME, T, OP, VALUE, EXPRESSION)                              \
    check_reduction<T>(#NAME " " #OP, nvshmem_##NAME##_##OP##_reduce,          \
                       VALUE<T>, [](T a, T b) -> T { return EXPRESSION; })
#define ORDERED(NAME, T, VALUE)                                                \
    REDUCTION(NAME, T, min, VALUE, b < a ? b : a);                             \
    REDUCTION(NAME, T, max, VALUE, b > a ? b : a)
#define INTEGERS(NAME, T)                                                      \
    ORDERED(NAME, T, value);                                                   \
    REDUCTION(NAME, T, sum, value, (T)((uint64_t)a + (uint64_t)b));            \
    REDUCTION(NAME, T, prod, value, (T)((uint64_t)a * (uint64_t)b))
#define BITS(NAME, T)                                                          \
    REDUCTION(NAME, T, and, value, (T)(a & b));                                \
    REDUCTION(NAME, T, or, value, (T)(a | b));                                 \
    REDUCTION(NAME, T, xor, value, (T)(a ^ b))
#define REALS(NAME, T, VALUE)                                                  \
    ORDERED(NAME, T, VALUE);                                                   \
    REDUCTION(NAME, T, sum, VALUE, a + b);                                     \
    REDUCTION(NAME, T, prod, VALUE, a *b)

PROBE(every_reduction_of_signed_integers)
{
    INTEGERS(int8, int8_t);
    INTEGERS(int16, int16_t);
    INTEGERS(int32, int32_t);
    INTEGERS(int64, int64_t);
    BITS(int8, int8_t);
    BITS(int16, int16_t);
    BITS(int32, int32_t);
    BITS(int64, int64_t);
}

PROBE(every_reduction_of_unsigned_integers)
{
    INTEGERS(uint8, uint8_t);
    INTEGERS(uint16, uint16_t);
    INTEGERS(uint32, uint32_t);
    INTEGERS(uint64, uint64_t);
    BITS(uint8, uint8_t);
    BITS(uint16, uint16_t);
    BITS(uint32, uint32_t);
    BITS(uint64, uint64_t);
}

PROBE(every_reduction_of_floats)
{
    REALS(float, float, value);
    REALS(double, double, value);
    REALS(half, __half, small);
    REALS(bfloat16, __nv_bfloat16, small);
}

/* ---- teams --------------------------------------------------------------- */

PROBE(numbers_that_no_team_has)
{
    const nvshmem_team_t world = NVSHMEM_TEAM_WORLD;
    const nvshmem_team_t none = NVSHMEM_TEAM_INVALID;
    CHECK(nvshmem_team_my_pe(world) == me && nvshmem_team_n_pes(world) == n);
    CHECK(nvshmem_team_my_pe(none) == -1 && nvshmem_team_n_pes(none) == -1);
    CHECK(nvshmem_team_translate_pe(world, n - 1, world) == n - 1);
    CHECK(nvshmem_team_translate_pe(world, 0, world) == 0);
    CHECK(nvshmem_team_translate_pe(world, -1, world) == -1);
    CHECK(nvshmem_team_translate_pe(world, n, world) == -1);
    CHECK(nvshmem_team_translate_pe(none, 0, world) == -1);
    CHECK(nvshmem_team_translate_pe(world, 0, none) == -1);
    nvshmem_team_destroy(none);
}

static int split(int start, int stride, int size, nvshmem_team_t *team)
{
    return nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, start, stride, size,
                                      NULL, 0, team);
}

PROBE(splits_that_are_refused)
{
    const struct {
        int start, stride, size;
    } shapes[] = {{-1, 1, 1},    {n, 1, 1},          {0, 1, 0},  {0, 0, 2},
                  {0, 1, n + 1}, {n - 1, -1, n + 1}, {1, -1, 3}, {1, n - 1, 2}};
    nvshmem_team_t team, other;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        team = NVSHMEM_TEAM_WORLD;
        CHECK(split(shapes[i].start, shapes[i].stride, shapes[i].size, &team) ==
              -1);
        CHECK(team == NVSHMEM_TEAM_INVALID);
    }
    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0,
                                     &team) == -1);
    CHECK(nvshmem_team_split_2d(NVSHMEM_TEAM_WORLD, 0, NULL, 0, &team, NULL, 0,
                                &other) == -1);
    CHECK(nvshmem_team_split_2d(NVSHMEM_TEAM_INVALID, 1, NULL, 0, &team, NULL,
                                0, &other) == -1);
    CHECK(team == NVSHMEM_TEAM_INVALID && other == NVSHMEM_TEAM_INVALID);
}

PROBE(a_team_backwards_and_of_one)
{
    nvshmem_team_config_t config = {};
    nvshmem_team_t team;
    CHECK(split(n - 1, -1, n, &team) == 0);
    CHECK(nvshmem_team_my_pe(team) == n - 1 - me);
    nvshmem_team_destroy(team);
    CHECK(split(n - 1, 0, 1, &team) == 0);
    CHECK(nvshmem_team_n_pes(team) == (me == n - 1 ? 1 : -1));
    nvshmem_team_destroy(team);
    config.num_contexts = 3;
    CHECK(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, n, &config, 0,
                                     &team) == 0);
    config.num_contexts = 0;
    nvshmem_team_get_config(team, &config);
    CHECK(config.num_contexts == 3);
    nvshmem_team_destroy(team);
}

/* One row as wide as the team, and one wider. */
PROBE(a_single_row)
{
    for (int wide = n; wide <= n + 1; wide++) {
        nvshmem_team_t row, column;
        CHECK(nvshmem_team_split_2d(NVSHMEM_TEAM_WORLD, wide, NULL, 0, &row,
                                    NULL, 0, &column) == 0);
        CHECK(nvshmem_team_n_pes(row) == n && nvshmem_team_my_pe(row) == me);
        CHECK(nvshmem_team_n_pes(column) == 1);
        nvshmem_team_destroy(row);
        nvshmem_team_destroy(column);
    }
}

/* ---- buffers and launches ------------------------------------------------ */

PROBE(buffers)
{
    array<int> x(4);
    CHECK(nvshmemx_buffer_register(x.d, 16) == 0);
    CHECK(nvshmemx_buffer_register(NULL, 16) == -1);
    CHECK(nvshmemx_buffer_unregister(x.d) == 0);
    CHECK(nvshmemx_buffer_unregister(NULL) == -1);
    nvshmemx_buffer_unregister_all();
}

__global__ void count(int *threads)
{
    atomicAdd(threads, 1);
}

PROBE(a_grid_that_fits)
{
    int device, nsm, blocks, size = 0;
    const void *const kernel = (const void *)count;
    OK(cudaGetDevice(&device));
    OK(cudaDeviceGetAttribute(&nsm, cudaDevAttrMultiProcessorCount, device));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256,
                                                     1024));
    CHECK(nvshmemx_collective_launch_query_gridsize(kernel, dim3(8, 8, 4), NULL,
                                                    1024, &size) == 0);
    CHECK(size == nsm * blocks && blocks > 1);
}

/* A grid of no size at all is as large as fits; one of a part is none. */
PROBE(grids_of_no_size)
{
    enum { SHARED = 48 << 10 }; // few blocks of it fit
    int size = 0;
    array<int> x(1);
    void *args[] = {(void *)&x.d};
    const void *const kernel = (const void *)count;
    CHECK(nvshmemx_collective_launch_query_gridsize(kernel, dim3(32), NULL,
                                                    SHARED, &size) == 0);
    CHECK(nvshmemx_collective_launch(kernel, dim3(0, 0, 0), dim3(32), args,
                                     SHARED, 0) == 0);
    OK(cudaDeviceSynchronize());
    CHECK(x.get()[0] == 32 * size);
    for (int i = 0; i < 3; i++)
        CHECK(nvshmemx_collective_launch(kernel, dim3(i != 0, i != 1, i != 2),
                                         dim3(32), args, 0, 0) == -1);
    // of what is no kernel
    CHECK(nvshmemx_collective_launch_query_gridsize(args, dim3(32), NULL, 0,
                                                    &size) == -1);
    CHECK(nvshmemx_collective_launch(args, dim3(0, 0, 0), dim3(32), args, 0,
                                     0) == -1);
    cudaGetLastError();
}

PROBE(launches_with_attributes)
{
    array<int> x(1);
    void *args[] = {(void *)&x.d, nullptr};
    cudaLaunchAttribute ignored[33] = {};
    nvshmemx_collective_launch_attr_t a = {};
    const void *const kernel = (const void *)count;
    a.cuda_config.gridDim = dim3(2);
    a.cuda_config.blockDim = dim3(3);
    a.cuda_config.attrs = ignored;
    for (unsigned i = 0; i < 33; i++)
        ignored[i].id = cudaLaunchAttributeIgnore;
    for (unsigned attrs = 0; attrs <= 32; attrs += 16) {
        a.cuda_config.numAttrs = attrs;
        CHECK(nvshmemx_collective_launch_attr(&a, kernel, args) == 0);
    }
    ignored[1].id = cudaLaunchAttributeCooperative; // said already
    ignored[1].val.cooperative = 1;
    CHECK(nvshmemx_collective_launch_attr(&a, kernel, args) == 0);
    OK(cudaDeviceSynchronize());
    CHECK(x.get()[0] == 4 * 6);
    a.cuda_config.numAttrs = 33;
    CHECK(nvshmemx_collective_launch_attr(&a, kernel, args) == -1);
    CHECK(nvshmemx_collective_launch_attr(NULL, kernel, args) == -1);
    a.cuda_config.numAttrs = 0;
    a.cuda_config.blockDim = dim3(2048);
    CHECK(nvshmemx_collective_launch_attr(&a, kernel, args) == -1);
    CHECK(nvshmemx_collective_launch(kernel, dim3(1), dim3(2048), args, 0, 0) ==
          -1);
    cudaGetLastError();
    nvshmem_barrier_all();
}
