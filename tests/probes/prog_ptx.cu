// Inline PTX: each instruction's result, as the PTX manual defines it.
#include <cuda_runtime.h>
#include <stdint.h>

#include "probe.h"

/* A kernel that one thread runs, with results in u[] and f[]. */
#define ONE(name)                                                              \
    static __global__ void name##_kernel(uint32_t *u, float *f);               \
    PROBE(name)                                                                \
    {                                                                          \
        array<uint32_t> u(32), want(32);                                       \
        array<float> f(32);                                                    \
        name##_kernel<<<1, 1>>>(u.d, f.d);                                     \
        u.get();                                                               \
        f.get();                                                               \
        name##_check(u.h, f.h);                                                \
    }                                                                          \
    static __global__ void name##_kernel(uint32_t *u, float *f)

static void arithmetic_check(const uint32_t *u, const float *f)
{
    CHECK(u[0] == 0xfffffffe && u[1] == 1);
    CHECK(u[2] == 7 * 6 + 5 && u[3] == 0xfffffffd);
    CHECK(u[4] == 0x7fffffff && u[5] == 4 && u[6] == 5);
    CHECK(u[7] == 0 && u[8] == 1); // add.cc, addc
    CHECK(u[9] == 0xfffffff6);     // mul24 of -5 and 2
    CHECK(u[10] == 1 * 5 + 2 * 6 + 3 * 7 + 4 * 8 + 100);
    CHECK(f[0] == 7 && f[1] == 1 && f[2] == 0.5f && f[3] == 3);
}
ONE(arithmetic)
{
    uint64_t wide;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(~0u), "r"(2));
    u[0] = (uint32_t)wide;
    u[1] = (uint32_t)(wide >> 32);
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(u[2]) : "r"(7), "r"(6), "r"(5));
    asm volatile("mul.hi.u32 %0, %1, %2;" : "=r"(u[3]) : "r"(~0u), "r"(~1u));
    asm("add.sat.s32 %0, %1, 1;" : "=r"(u[4]) : "r"(0x7fffffff));
    asm("min.s32 %0, %1, %2;" : "=r"(u[5]) : "r"(4), "r"(9));
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(u[6]) : "r"(3u), "r"(7u), "r"(1u));
    asm("add.cc.u32 %0, %2, 1;\n\t"
        "addc.u32 %1, 0, 0;"
        : "=r"(u[7]), "=r"(u[8])
        : "r"(~0u));
    asm("mul24.lo.s32 %0, %1, %2;" : "=r"(u[9]) : "r"(-5), "r"(2));
    asm("dp4a.u32.u32 %0, %1, %2, %3;"
        : "=r"(u[10])
        : "r"(0x04030201), "r"(0x08070605), "r"(100));
    asm("fma.rn.f32 %0, %1, %2, %3;"
        : "=f"(f[0])
        : "f"(2.f), "f"(3.f), "f"(1.f));
    asm("add.sat.f32 %0, %1, 0f40000000;" : "=f"(f[1]) : "f"(1.f));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(f[2]) : "f"(2.f));
    asm("sqrt.rn.f32 %0, %1;" : "=f"(f[3]) : "f"(9.f));
}

static void bits_check(const uint32_t *u, const float *)
{
    CHECK(u[0] == 0x00000056 && u[1] == 0xfffffffa); // bfe
    CHECK(u[2] == 0xffffabff);                       // bfi
    CHECK(u[3] == 12 && u[4] == 19 && u[5] == ~0u);  // bfind
    CHECK(u[6] == 0x33221177 && u[7] == 0xffff0080); // prmt
    CHECK(u[8] == ((0xf0f0f0f0 & 0xcccccccc) ^ 0xaaaaaaaa));
    CHECK(u[9] == 0x23456789 && u[10] == 0x91234567); // shf
    CHECK(u[11] == 8 && u[12] == 19 && u[13] == 0x1e6a2c48);
    CHECK(u[14] == 0xffffffff && u[15] == 0);
}
ONE(bits)
{
    (void)f;
    asm("bfe.u32 %0, %1, 8, 8;" : "=r"(u[0]) : "r"(0x12345678));
    asm("bfe.s32 %0, %1, 4, 4;" : "=r"(u[1]) : "r"(0x123456a8));
    asm("bfi.b32 %0, %1, %2, 8, 8;" : "=r"(u[2]) : "r"(0xab), "r"(~0u));
    asm("bfind.u32 %0, %1;" : "=r"(u[3]) : "r"(0x1000));
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(u[4]) : "r"(0x1000));
    asm("bfind.u32 %0, %1;" : "=r"(u[5]) : "r"(0));
    asm("prmt.b32 %0, %1, %2, %3;"
        : "=r"(u[6])
        : "r"(0x33221100), "r"(0x77665544), "r"(0x3217));
    asm("prmt.b32 %0, %1, %2, 0x8840;" : "=r"(u[7]) : "r"(0x80), "r"(0x0));
    asm("lop3.b32 %0, %1, %2, %3, 0x6a;"
        : "=r"(u[8])
        : "r"(0xf0f0f0f0), "r"(0xcccccccc), "r"(0xaaaaaaaa));
    asm("shf.l.wrap.b32 %0, %1, %2, 4;"
        : "=r"(u[9])
        : "r"(0x9abcdef0), "r"(0x12345678));
    asm("shf.r.clamp.b32 %0, %1, %2, 4;"
        : "=r"(u[10])
        : "r"(0x12345678), "r"(0x9));
    asm("popc.b32 %0, %1;" : "=r"(u[11]) : "r"(0xf0f));
    asm("clz.b32 %0, %1;" : "=r"(u[12]) : "r"(0x1000));
    asm("brev.b32 %0, %1;" : "=r"(u[13]) : "r"(0x12345678));
    asm("shr.s32 %0, %1, 40;" : "=r"(u[14]) : "r"(-8));
    asm("shl.b32 %0, %1, 32;" : "=r"(u[15]) : "r"(1));
}

static void predicates_check(const uint32_t *u, const float *)
{
    CHECK(u[0] == 10 && u[1] == 1 && u[2] == 20 && u[3] == 0 && u[4] == 5);
}
ONE(predicates)
{
    (void)f;
    u[1] = u[3] = 0;
    asm volatile("{\n\t"
                 ".reg .pred p, q;\n\t"
                 "setp.lt.s32 p|q, %2, %3; // less\n\t"
                 "selp.u32 %0, 10, 20, p;\n\t"
                 "@p add.u32 %1, %1, 1;\n\t"
                 "@q add.u32 %1, %1, 100;\n\t"
                 "}"
                 : "=r"(u[0]), "+r"(u[1])
                 : "r"(-1), "r"(1));
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %2, %3;"
                 " selp.u32 %0, 10, 20, p; @p add.u32 %1, %1, 1; }"
                 : "=r"(u[2]), "+r"(u[3])
                 : "r"(-1), "r"(1));
    asm volatile("{\n"
                 ".reg .pred more;\n"
                 ".reg .u32 t<2>;\n"
                 "mov.u32 t0, 0;\n"
                 "again:\n"
                 "add.u32 t0, t0, 1;\n"
                 "setp.ne.u32 more, t0, 5;\n"
                 "@more bra again;\n"
                 "mov.u32 %0, t0;\n"
                 "}"
                 : "=r"(u[4]));
}

static void conversions_check(const uint32_t *u, const float *f)
{
    CHECK(u[0] == 2 && u[1] == 4 && u[2] == 0xfffffffd);
    CHECK(u[3] == 0xffffff80 && u[4] == 0x80 && u[5] == 0x3f800000);
    CHECK(u[6] == 0xaabbccdd && u[7] == 0x11223344 && u[8] == 255);
    CHECK(f[0] == 7 && f[1] == 1);
}
ONE(conversions)
{
    uint64_t both;
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(u[0]) : "f"(2.5f));
    asm("cvt.rpi.s32.f32 %0, %1;" : "=r"(u[1]) : "f"(3.1f));
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(u[2]) : "f"(-3.9f));
    asm("cvt.s32.s8 %0, %1;" : "=r"(u[3]) : "r"(0x180));
    asm("cvt.u32.u8 %0, %1;" : "=r"(u[4]) : "r"(0x180));
    asm("mov.b32 %0, %1;" : "=r"(u[5]) : "f"(1.f));
    asm("mov.b64 %0, {%1, %2};"
        : "=l"(both)
        : "r"(0xaabbccdd), "r"(0x11223344));
    asm("mov.b64 {%0, %1}, %2;" : "=r"(u[6]), "=r"(u[7]) : "l"(both));
    asm("cvt.sat.u8.s32 %0, %1;" : "=r"(u[8]) : "r"(1000));
    asm("cvt.rn.f32.u32 %0, %1;" : "=f"(f[0]) : "r"(7));
    asm("mov.f32 %0, 0f3F800000;" : "=f"(f[1]));
}

static void memory_check(const uint32_t *u, const float *)
{
    for (int i = 8; i < 16; i++)
        CHECK(u[i] == (uint32_t)i - 7);
    CHECK(u[16] == 30 && u[17] == 30 && u[18] == 32 && u[19] == 9);
    CHECK(u[20] == 41);
}
ONE(memory)
{
    (void)f;
    uint32_t a, b, c, d;
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(u + 8),
                 "r"(1), "r"(2), "r"(3), "r"(4)
                 : "memory");
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(u + 8)
                 : "memory");
    asm volatile("st.volatile.global.u32 [%0+16], %1;" ::"l"(u + 8), "r"(a + 4)
                 : "memory");
    asm volatile("st.relaxed.gpu.global.u32 [%0 + 20], %1;" ::"l"(u + 8),
                 "r"(b + 4)
                 : "memory");
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(u + 14), "r"(c + 4)
                 : "memory");
    asm volatile("st.u32 [%0], %1;" ::"l"(u + 15), "r"(d + 4) : "memory");
    u[16] = 10;
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(u + 16), "r"(20)
                 : "memory");
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(u[17])
                 : "l"(u + 16)
                 : "memory");
    u[18] = 5;
    asm volatile("atom.global.cas.b32 %0, [%1], 5, 32;"
                 : "=r"(a)
                 : "l"(u + 18)
                 : "memory");
    u[19] = 3;
    asm volatile("atom.acq_rel.gpu.global.max.u32 %0, [%1], %2;"
                 : "=r"(b)
                 : "l"(u + 19), "r"(9)
                 : "memory");
    asm volatile("fence.acq_rel.gpu; membar.sys;" ::: "memory");
    u[20] = 40;
    asm volatile("atom.sys.add.u32 %0, [%1], 1;"
                 : "=r"(c)
                 : "l"(u + 20)
                 : "memory");
}

/* ld.global.nc is for memory that no thread writes while the kernel runs. */
static __global__ void load_constant(const uint8_t *from, uint32_t *to)
{
    asm("ld.global.nc.s8 %0, [%1];" : "=r"(*to) : "l"(from));
}

PROBE(memory_that_is_only_read)
{
    array<uint8_t> from(1);
    array<uint32_t> to(1);
    from.h[0] = 0x85;
    from.put();
    load_constant<<<1, 1>>>(from.d, to.d);
    CHECK(to.get()[0] == 0xffffff85);
}

static __global__ void lanes(uint32_t *u, uint64_t *l)
{
    uint32_t lane, mask, got, inside;
    uint64_t clock;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    u[threadIdx.x] = lane | mask << 8;
    asm volatile("shfl.sync.down.b32 %0, %1, 1, 31, 0xffffffff;"
                 : "=r"(got)
                 : "r"(lane));
    u[64 + threadIdx.x] = got;
    asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 2, 0, -1;"
                 " selp.u32 %1, 1, 0, p; }"
                 : "=r"(got), "=r"(inside)
                 : "r"(lane));
    u[128 + threadIdx.x] = got | inside << 8;
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 3;"
                 " vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                 : "=r"(got)
                 : "r"(lane));
    u[192 + threadIdx.x] = got;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(clock));
    l[0] = clock;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock));
    asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("bar.warp.sync 0xffffffff;");
}

PROBE(warps)
{
    array<uint32_t> u(256);
    array<uint64_t> l(1);
    lanes<<<1, 64>>>(u.d, l.d);
    u.get();
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t lane = i % 32;
        CHECK(u.h[i] == (lane | ((1u << lane) - 1) << 8));
        CHECK(u.h[64 + i] == (lane == 31 ? 31 : lane + 1));
        CHECK(u.h[128 + i] == (lane < 2 ? lane : (lane - 2) | 256));
        CHECK(u.h[192 + i] == 7);
    }
}

/* Threads that ended neither run on nor hold up a barrier, a vote or those not
 * yet started. */
static __global__ void leavers(uint32_t *u)
{
    const uint32_t t = threadIdx.x;
    u[t] = 1;
    if (t % 3 == 0)
        asm volatile("exit;");
    u[t] = 2;
    __syncthreads();
    if (t % 3 == 1)
        asm volatile(
            "{ .reg .pred p; setp.lt.u32 p, %0, 32; @p exit; }" ::"r"(t));
    __syncthreads();
    u[t] = 3;
}

static __global__ void leave_at_once(uint32_t *u)
{
    atomicAdd(&u[0], 1);
    asm volatile("exit;");
    u[1] = 1;
}

PROBE(exits)
{
    array<uint32_t> u(96), all(2);
    leavers<<<1, 96>>>(u.d);
    leave_at_once<<<3, 1024>>>(all.d);
    OK(cudaDeviceSynchronize());
    u.get();
    all.get();
    CHECK(all.h[0] == 3 * 1024 && all.h[1] == 0);
    for (uint32_t t = 0; t < 96; t++) {
        if (t % 3 == 0)
            CHECK(u.h[t] == 1);
        else if (t % 3 == 1 && t < 32)
            CHECK(u.h[t] == 2);
        else
            CHECK(u.h[t] == 3);
    }
}

static __constant__ int constant = 3;

static __global__ void masks(uint32_t *out)
{
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(out[0]) : "r"(4), "r"(8));
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(out[1]) : "r"(1), "r"(99));
    asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(out[2]) : "r"(33), "r"(34));
}

PROBE(bit_masks)
{
    array<uint32_t> a(3);
    masks<<<1, 1>>>(a.d);
    CHECK(a.get()[0] == 0xff0 && a.h[1] == 0xfffffffe && a.h[2] == 6);
}

static __global__ void converts(int *ok)
{
    __shared__ int word;
    int own = 4;
    word = 2;
    *ok = 1;
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(&word);
    const size_t c = __cvta_generic_to_constant(&constant);
    *ok &= *(int *)__cvta_shared_to_generic(at) == 2;
    *ok &= __cvta_shared_to_generic(at) == &word;
    *ok &= __cvta_global_to_generic(__cvta_generic_to_global(ok)) == ok;
    *ok &= *(int *)__cvta_constant_to_generic(c) == 3;
    *ok &= __cvta_local_to_generic(__cvta_generic_to_local(&own)) == &own;
}

PROBE(address_spaces)
{
    array<int> ok(1);
    converts<<<1, 1>>>(ok.d);
    CHECK(ok.get()[0] == 1);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define MBARRIER_WAIT "mbarrier.test_wait.parity.shared.b64"
#else
#define MBARRIER_WAIT "mbarrier.try_wait.parity.shared.b64"
#endif

static __global__ void staged(const int *from, int *to)
{
    __shared__ __align__(16) int tile[128];
    __shared__ uint64_t bar;
    const uint32_t t = threadIdx.x;
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(&tile[4 * t]);
    const uint32_t word = (uint32_t)__cvta_generic_to_shared(&bar);
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(word), "r"(32));
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at),
                 "l"(from + 4 * t)
                 : "memory");
    asm volatile("cp.async.commit_group;\n" ::: "memory");
    asm volatile("cp.async.wait_group %0;\n" ::"n"(0) : "memory");
    asm volatile("{\n"
                 ".reg .b64 state;\n"
                 "mbarrier.arrive.shared.b64 state, [%0];\n"
                 "}" ::"r"(word)
                 : "memory");
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "wait:\n" MBARRIER_WAIT " done, [%0], %1;\n"
                 "@done bra ready;\n"
                 "bra wait;\n"
                 "ready:\n"
                 "}" ::"r"(word),
                 "r"(0)
                 : "memory");
    int got;
    asm volatile("ld.shared.s32 %0, [%1];"
                 : "=r"(got)
                 : "r"((uint32_t)__cvta_generic_to_shared(&tile[127 - t])));
    to[t] = got;
}

PROBE(asynchronous_copies)
{
    array<int> from(128), to(32);
    for (int i = 0; i < 128; i++)
        from.h[i] = 3 * i;
    from.put();
    staged<<<1, 32>>>(from.d, to.d);
    to.get();
    for (int i = 0; i < 32; i++)
        CHECK(to.h[i] == 3 * (127 - i));
}
