/*
 * curand_kernel.h: cuRAND's random numbers in kernels
 *
 * XORWOW, Philox and MRG32k3a.
 *
 * The numbers are cuRAND's: for the same seed, subsequence and offset, a
 * generator returns the same integers, and uniform numbers with the same bits.
 * Normal numbers differ in their last digits, as between any two mathematical
 * libraries. Other generators (MTGP32, Sobol) are not implemented.
 */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "cuda_runtime.h"
#include "curand.h" // for programs: cuRAND's own has it

#include <math.h> /* sqrtf */

#include "simgpu/poisson.h"

#define SIMGPU_CURAND static inline __host__ __device__

struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double; /* 0: no extra number */
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
    uint4 ctr, output; /* output: for ctr, whose number STATE is next */
    uint2 key;
    unsigned int STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

/* ---- XORWOW -------------------------------------------------------------- */

/* Advance v by n numbers, or by n subsequences of 2^67 (device/xorwow.c). */
extern "C" void simgpu_xorwow_skip(unsigned int v[5], unsigned long long n,
                                   int subsequences);

SIMGPU_CURAND unsigned int curand(curandStateXORWOW_t *state)
{
    unsigned int *const v = state->v;
    const unsigned int t = v[0] ^ (v[0] >> 2), last = v[4];
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = last;
    v[4] = last ^ (last << 4) ^ t ^ (t << 1);
    state->d += 362437;
    return v[4] + state->d;
}

SIMGPU_CURAND void simgpu_curand_skip(curandStateXORWOW_t *state,
                                      unsigned long long n, int subsequences)
{
    unsigned int v[5];
    for (int i = 0; i < 5; i++)
        v[i] = state->v[i];
    simgpu_xorwow_skip(v, n, subsequences);
    for (int i = 0; i < 5; i++)
        state->v[i] = v[i];
}

/* Skip n numbers. */
SIMGPU_CURAND void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
    simgpu_curand_skip(state, n, 0);
    state->d += 362437 * (unsigned int)n;
}

/* Skip n subsequences. */
SIMGPU_CURAND void skipahead_sequence(unsigned long long n,
                                      curandStateXORWOW_t *state)
{
    simgpu_curand_skip(state, n, 1); // d is the same after 2^32 numbers
}

SIMGPU_CURAND void curand_init(unsigned long long seed,
                               unsigned long long subsequence,
                               unsigned long long offset,
                               curandStateXORWOW_t *state)
{
    const unsigned int low = (unsigned int)seed ^ 0xaad26b49u;
    const unsigned int high = (unsigned int)(seed >> 32) ^ 0xf7dcefddu;
    const unsigned int a = 1099087573u * low, b = 2591861531u * high;
    state->d = 6615241u + b + a;
    state->v[0] = 123456789u + a;
    state->v[1] = 362436069u ^ a;
    state->v[2] = 521288629u + b;
    state->v[3] = 88675123u ^ b;
    state->v[4] = 5783321u + a;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

/* ---- Philox -------------------------------------------------------------- */

/* Four numbers from a counter, by ten rounds of two products. */
SIMGPU_CURAND uint4 curand_Philox4x32_10(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        const unsigned long long x = 0xD2511F53ull * c.x;
        const unsigned long long z = 0xCD9E8D57ull * c.z;
        c = make_uint4((unsigned int)(z >> 32) ^ c.y ^ key.x, (unsigned int)z,
                       (unsigned int)(x >> 32) ^ c.w ^ key.y, (unsigned int)x);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return c;
}

/* Add n to the counter's lower half, with cuRAND's carry. */
SIMGPU_CURAND void simgpu_philox_add(uint4 *c, unsigned long long n)
{
    const unsigned int low = (unsigned int)n;
    unsigned int high = (unsigned int)(n >> 32);
    c->x += low;
    high += c->x < low;
    c->y += high;
    if (high > c->y && ++c->z == 0)
        ++c->w;
}

/* Advance the counter, and compute its numbers. */
SIMGPU_CURAND void simgpu_philox_next(curandStatePhilox4_32_10_t *state)
{
    uint4 *const c = &state->ctr;
    if (++c->x == 0 && ++c->y == 0 && ++c->z == 0)
        ++c->w;
    state->output = curand_Philox4x32_10(*c, state->key);
}

SIMGPU_CURAND unsigned int simgpu_philox_number(uint4 x, unsigned int i)
{
    return i == 0 ? x.x : i == 1 ? x.y : i == 2 ? x.z : x.w;
}

SIMGPU_CURAND unsigned int curand(curandStatePhilox4_32_10_t *state)
{
    const unsigned int x = simgpu_philox_number(state->output, state->STATE);
    if (++state->STATE == 4) {
        simgpu_philox_next(state);
        state->STATE = 0;
    }
    return x;
}

/* Four numbers from one counter. */
SIMGPU_CURAND uint4 curand4(curandStatePhilox4_32_10_t *state)
{
    unsigned int x[8];
    const unsigned int i = state->STATE;
    const uint4 first = state->output;
    simgpu_philox_next(state);
    for (unsigned int k = 0; k < 4; k++) {
        x[k] = simgpu_philox_number(first, k);
        x[4 + k] = simgpu_philox_number(state->output, k);
    }
    return make_uint4(x[i], x[i + 1], x[i + 2], x[i + 3]);
}

SIMGPU_CURAND void skipahead(unsigned long long n,
                             curandStatePhilox4_32_10_t *state)
{
    const unsigned int at = state->STATE + (unsigned int)(n & 3);
    state->STATE = at & 3;
    simgpu_philox_add(&state->ctr, n / 4 + (at > 3));
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

SIMGPU_CURAND void skipahead_sequence(unsigned long long n,
                                      curandStatePhilox4_32_10_t *state)
{
    const unsigned int low = (unsigned int)n;
    state->ctr.z += low;
    state->ctr.w += (unsigned int)(n >> 32) + (state->ctr.z < low);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

SIMGPU_CURAND void curand_init(unsigned long long seed,
                               unsigned long long subsequence,
                               unsigned long long offset,
                               curandStatePhilox4_32_10_t *state)
{
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    state->STATE = 0;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

/* ---- MRG32k3a ------------------------------------------------------------ */

/* Advance both recurrences by n * 2^log2_steps numbers (device/mrg32k3a.c). */
extern "C" void simgpu_mrg32k3a_skip(unsigned int s1[3], unsigned int s2[3],
                                     unsigned long long n, int log2_steps);

SIMGPU_CURAND void simgpu_mrg32k3a_later(curandStateMRG32k3a_t *state,
                                         unsigned long long n, int log2_steps)
{
    unsigned int s1[3], s2[3];
    for (int i = 0; i < 3; i++) {
        s1[i] = state->s1[i];
        s2[i] = state->s2[i];
    }
    simgpu_mrg32k3a_skip(s1, s2, n, log2_steps);
    for (int i = 0; i < 3; i++) {
        state->s1[i] = s1[i];
        state->s2[i] = s2[i];
    }
}

/* The next number, from 1 to 2^32 - 209. */
SIMGPU_CURAND double curand_MRG32k3a(curandStateMRG32k3a_t *state)
{
    const long long m1 = 4294967087, m2 = 4294944443;
    unsigned int *const s1 = state->s1, *const s2 = state->s2;
    long long a = (1403580ll * s1[1] - 810728ll * s1[0]) % m1;
    long long b = (527612ll * s2[2] - 1370589ll * s2[0]) % m2;
    a += a < 0 ? m1 : 0;
    b += b < 0 ? m2 : 0;
    s1[0] = s1[1], s1[1] = s1[2], s1[2] = (unsigned int)a;
    s2[0] = s2[1], s2[1] = s2[2], s2[2] = (unsigned int)b;
    return (double)(a - b + (a <= b ? m1 : 0));
}

/* The same, scaled to 32 bits. */
SIMGPU_CURAND unsigned int curand(curandStateMRG32k3a_t *state)
{
    return (unsigned int)(curand_MRG32k3a(state) * 1.000000048662);
}

SIMGPU_CURAND void skipahead(unsigned long long n, curandStateMRG32k3a_t *state)
{
    simgpu_mrg32k3a_later(state, n, 0);
}
SIMGPU_CURAND void skipahead_subsequence(unsigned long long n,
                                         curandStateMRG32k3a_t *state)
{
    simgpu_mrg32k3a_later(state, n, 76);
}
SIMGPU_CURAND void skipahead_sequence(unsigned long long n,
                                      curandStateMRG32k3a_t *state)
{
    simgpu_mrg32k3a_later(state, n, 127);
}

SIMGPU_CURAND void curand_init(unsigned long long seed,
                               unsigned long long subsequence,
                               unsigned long long offset,
                               curandStateMRG32k3a_t *state)
{
    const unsigned long long low = (unsigned int)seed ^ 0x55555555u;
    const unsigned long long high = (unsigned int)(seed >> 32) ^ 0xAAAAAAAAu;
    for (int i = 0; i < 3; i++) {
        const unsigned long long x = i % 2 ? high : low, y = low ^ high ^ x;
        state->s1[i] = seed ? (unsigned int)(x * 12345 % 4294967087u) : 12345u;
        state->s2[i] = seed ? (unsigned int)(y * 12345 % 4294944443u) : 12345u;
    }
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
}

SIMGPU_CURAND float curand_uniform(curandStateMRG32k3a_t *state)
{
    return (float)(curand_MRG32k3a(state) * 2.3283065498378288e-10);
}

SIMGPU_CURAND double curand_uniform_double(curandStateMRG32k3a_t *state)
{
    return curand_MRG32k3a(state) * 2.3283065498378288e-10;
}

SIMGPU_CURAND float2 curand_normal2(curandStateMRG32k3a_t *state)
{
    const float x = curand_uniform(state);
    const float angle = curand_uniform(state) * 6.2831855f;
    const float radius = sqrtf(-2.0f * logf(x));
    return make_float2(sinf(angle) * radius, cosf(angle) * radius);
}

SIMGPU_CURAND double2 curand_normal2_double(curandStateMRG32k3a_t *state)
{
    const double x = curand_uniform_double(state);
    const double angle = curand_uniform_double(state) * 2 * 3.141592653589793;
    const double radius = sqrt(-2.0 * log(x));
    return make_double2(sin(angle) * radius, cos(angle) * radius);
}

/* ---- uniform: above 0, at most 1 ----------------------------------------- */

SIMGPU_CURAND float simgpu_curand_float(unsigned int x)
{
    return (float)x * 2.3283064e-10f + 2.3283064e-10f / 2;
}

/* 53 bits from two numbers. */
SIMGPU_CURAND double simgpu_curand_double(unsigned int x, unsigned int y)
{
    const unsigned long long z = x ^ (unsigned long long)y << 21;
    return (double)z * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}

template <class State> SIMGPU_CURAND float curand_uniform(State *state)
{
    return simgpu_curand_float(curand(state));
}

SIMGPU_CURAND double curand_uniform_double(curandStateXORWOW_t *state)
{
    const unsigned int x = curand(state), y = curand(state);
    return simgpu_curand_double(x, y);
}

SIMGPU_CURAND double curand_uniform_double(curandStatePhilox4_32_10_t *state)
{
    return curand(state) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}

SIMGPU_CURAND float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    const uint4 x = curand4(state);
    return make_float4(simgpu_curand_float(x.x), simgpu_curand_float(x.y),
                       simgpu_curand_float(x.z), simgpu_curand_float(x.w));
}

SIMGPU_CURAND double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    const uint4 x = curand4(state);
    return make_double2(simgpu_curand_double(x.x, x.y),
                        simgpu_curand_double(x.z, x.w));
}

/* ---- normal: mean 0, standard deviation 1 -------------------------------- */

/* Two normal numbers from two uniform ones, by the Box-Muller transform. */
SIMGPU_CURAND float2 simgpu_box_muller(unsigned int x, unsigned int y)
{
    const float turn = 2.3283064e-10f * 6.2831855f;
    const float angle = (float)y * turn + turn / 2;
    const float radius = sqrtf(-2.0f * logf(simgpu_curand_float(x)));
    return make_float2(sinf(angle) * radius, cosf(angle) * radius);
}

SIMGPU_CURAND double2 simgpu_box_muller(uint4 x)
{
    const double turns = 2 * simgpu_curand_double(x.z, x.w);
    const double radius = sqrt(-2.0 * log(simgpu_curand_double(x.x, x.y)));
    // also in host code, which has no sinpi()
    const double angle = turns * 3.141592653589793;
    return make_double2(sin(angle) * radius, cos(angle) * radius);
}

SIMGPU_CURAND uint4 simgpu_curand4(curandStateXORWOW_t *state)
{
    uint4 x;
    x.x = curand(state);
    x.y = curand(state);
    x.z = curand(state);
    x.w = curand(state);
    return x;
}

SIMGPU_CURAND uint4 simgpu_curand4(curandStatePhilox4_32_10_t *state)
{
    return curand4(state);
}

template <class State> SIMGPU_CURAND float2 curand_normal2(State *state)
{
    const unsigned int x = curand(state), y = curand(state);
    return simgpu_box_muller(x, y);
}

template <class State> SIMGPU_CURAND double2 curand_normal2_double(State *state)
{
    return simgpu_box_muller(simgpu_curand4(state));
}

SIMGPU_CURAND float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
    const uint4 x = curand4(state);
    const float2 a = simgpu_box_muller(x.x, x.y);
    const float2 b = simgpu_box_muller(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}

enum { SIMGPU_EXTRA_NORMAL = 1, SIMGPU_EXTRA_LOG_NORMAL = 2 };

/* Numbers come in pairs; the second is kept for the next call. */
template <class State> SIMGPU_CURAND float curand_normal(State *state)
{
    if (state->boxmuller_flag == SIMGPU_EXTRA_NORMAL) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    const float2 pair = curand_normal2(state);
    state->boxmuller_extra = pair.y;
    state->boxmuller_flag = SIMGPU_EXTRA_NORMAL;
    return pair.x;
}

template <class State> SIMGPU_CURAND double curand_normal_double(State *state)
{
    if (state->boxmuller_flag_double == SIMGPU_EXTRA_NORMAL) {
        state->boxmuller_flag_double = 0;
        return state->boxmuller_extra_double;
    }
    const double2 pair = curand_normal2_double(state);
    state->boxmuller_extra_double = pair.y;
    state->boxmuller_flag_double = SIMGPU_EXTRA_NORMAL;
    return pair.x;
}

/* e to the power of a normal number with this mean and standard deviation. */
template <class State>
SIMGPU_CURAND float2 curand_log_normal2(State *state, float mean, float stddev)
{
    const float2 n = curand_normal2(state);
    return make_float2(expf(mean + stddev * n.x), expf(mean + stddev * n.y));
}

template <class State>
SIMGPU_CURAND float curand_log_normal(State *state, float mean, float stddev)
{
    if (state->boxmuller_flag == SIMGPU_EXTRA_LOG_NORMAL) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    const float2 pair = curand_log_normal2(state, mean, stddev);
    state->boxmuller_extra = pair.y;
    state->boxmuller_flag = SIMGPU_EXTRA_LOG_NORMAL;
    return pair.x;
}

template <class State>
SIMGPU_CURAND double curand_log_normal_double(State *state, double mean,
                                              double stddev)
{
    if (state->boxmuller_flag_double == SIMGPU_EXTRA_LOG_NORMAL) {
        state->boxmuller_flag_double = 0;
        return state->boxmuller_extra_double;
    }
    const double2 pair = curand_normal2_double(state);
    state->boxmuller_extra_double = exp(mean + stddev * pair.y);
    state->boxmuller_flag_double = SIMGPU_EXTRA_LOG_NORMAL;
    return exp(mean + stddev * pair.x);
}

template <class State>
SIMGPU_CURAND double2 curand_log_normal2_double(State *state, double mean,
                                                double stddev)
{
    const double2 n = curand_normal2_double(state);
    return make_double2(exp(mean + stddev * n.x), exp(mean + stddev * n.y));
}

/* A number with Poisson's distribution and this mean; it
 * differs from cuRAND's. */
template <class State>
SIMGPU_CURAND unsigned int curand_poisson(State *state, double lambda)
{
    return simgpu_poisson(curand_uniform_double(state), lambda);
}

SIMGPU_CURAND uint4 curand_poisson4(curandStatePhilox4_32_10_t *state,
                                    double lambda)
{
    uint4 n;
    n.x = curand_poisson(state, lambda);
    n.y = curand_poisson(state, lambda);
    n.z = curand_poisson(state, lambda);
    n.w = curand_poisson(state, lambda);
    return n;
}

#undef SIMGPU_CURAND
#endif
