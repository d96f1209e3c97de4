#include "extras/curand/sequence.h"

/* Skip n numbers, or n subsequences (device/xorwow.c). */
extern void simgpu_xorwow_skip(unsigned int v[XORWOW_WORDS],
                               unsigned long long n, int subsequences);

enum { WEYL = 362437 }; /* how much a step adds to d */

/* ---- XORWOW -------------------------------------------------------------- */

static uint32_t step(struct lane *l)
{
    uint32_t *const v = l->v;
    const uint32_t t = v[0] ^ v[0] >> 2, last = v[4];
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = last;
    v[4] = last ^ last << 4 ^ t ^ t << 1;
    l->d += WEYL;
    return v[4] + l->d;
}

static struct lane first_lane(uint64_t seed)
{
    const uint32_t low = (uint32_t)seed ^ 0xaad26b49u;
    const uint32_t high = (uint32_t)(seed >> 32) ^ 0xf7dcefddu;
    const uint32_t a = 1099087573u * low, b = 2591861531u * high;
    return (struct lane){6615241u + b + a,
                         {123456789u + a, 362436069u ^ a, 521288629u + b,
                          88675123u ^ b, 5783321u + a}};
}

static void start_lanes(struct sequence *s, uint64_t offset)
{
    struct lane l = first_lane(s->seed);
    const uint64_t turns = offset / XORWOW_LANES;
    s->next = (uint32_t)(offset % XORWOW_LANES);
    s->turns = 0;
    simgpu_xorwow_skip(l.v, turns, 0);
    l.d += WEYL * (uint32_t)turns;
    for (uint32_t i = 0; i < XORWOW_LANES; i++) {
        s->lanes[i] = l;
        if (i < s->next)
            step(&s->lanes[i]);
        simgpu_xorwow_skip(l.v, 1, 1); // d is the same after 2^32 numbers
    }
}

void sequence_turn(struct sequence *s, uint32_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = step(&s->lanes[s->next]);
    s->next = (s->next + 1) % XORWOW_LANES;
    s->turns++;
}

uint64_t sequence_turns(const struct sequence *s)
{
    return s->is_philox ? (s->at - s->start) / 4 : s->turns;
}

/* ---- Philox -------------------------------------------------------------- */

/* Philox has ten rounds of two products each (Salmon et al., "Parallel Random
 * Numbers: As Easy as 1, 2, 3", 2011). */
static void philox(uint32_t c[4], uint64_t key)
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; round++) {
        const uint64_t x = UINT64_C(0xD2511F53) * c[0];
        const uint64_t z = UINT64_C(0xCD9E8D57) * c[2];
        c[0] = (uint32_t)(z >> 32) ^ c[1] ^ k0;
        c[1] = (uint32_t)z;
        c[2] = (uint32_t)(x >> 32) ^ c[3] ^ k1;
        c[3] = (uint32_t)x;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

uint32_t sequence_number(const struct sequence *s, uint64_t i)
{
    const uint64_t turn = i / 4 / PHILOX_LANES;
    uint32_t c[] = {(uint32_t)turn, (uint32_t)(turn >> 32),
                    (uint32_t)(i / 4 % PHILOX_LANES), 0};
    philox(c, s->seed);
    return c[i % 4];
}

void sequence_start(struct sequence *s, uint64_t offset)
{
    s->start = s->at = offset;
    if (!s->is_philox)
        start_lanes(s, offset);
}
