/*
 * xorwow.c: skipping ahead in XORWOW's sequence
 *
 * A step of the generator (Marsaglia, "Xorshift RNGs", 2003), without its
 * counter, is linear in the 160 bits of its state. n steps are therefore the
 * power of a bit matrix; the powers with exponents 1, 2, 4, ... are computed
 * once. A subsequence has 2^67 steps, as in cuRAND.
 */
#include <pthread.h> /* pthread_once */
#include <stdint.h>  /* uint32_t */
#include <string.h>  /* memcpy */

enum {
    WORDS = 5,
    BITS = 32 * WORDS,
    SUBSEQUENCE = 67,
    POWERS = SUBSEQUENCE + 64
};

struct state {
    uint32_t v[WORDS];
};

struct matrix {
    struct state of[BITS]; /* the state that each bit becomes */
};

static struct matrix power[POWERS]; /* power[i]: 2^i steps */

static struct state step(struct state s)
{
    const uint32_t t = s.v[0] ^ s.v[0] >> 2, last = s.v[4];
    return (struct state){
        {s.v[1], s.v[2], s.v[3], last, last ^ last << 4 ^ t ^ t << 1}};
}

static struct state apply(const struct matrix *m, struct state s)
{
    struct state out = {{0}};
    for (int i = 0; i < BITS; i++)
        if (s.v[i / 32] >> i % 32 & 1)
            for (int w = 0; w < WORDS; w++)
                out.v[w] ^= m->of[i].v[w];
    return out;
}

static void make_powers(void)
{
    for (int i = 0; i < BITS; i++) {
        struct state bit = {{0}};
        bit.v[i / 32] = 1u << i % 32;
        power[0].of[i] = step(bit);
    }
    for (int p = 1; p < POWERS; p++)
        for (int i = 0; i < BITS; i++)
            power[p].of[i] = apply(&power[p - 1], power[p - 1].of[i]);
}

/* Called by kernels, through curand_kernel.h. */
void simgpu_xorwow_skip(unsigned int v[WORDS], unsigned long long n,
                        int subsequences);
void simgpu_xorwow_skip(unsigned int v[WORDS], unsigned long long n,
                        int subsequences)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct state s;
    if (n == 0)
        return;
    pthread_once(&once, make_powers);
    memcpy(s.v, v, sizeof s.v);
    for (int i = 0; i < 64; i++)
        if (n >> i & 1)
            s = apply(&power[i + (subsequences ? SUBSEQUENCE : 0)], s);
    memcpy(v, s.v, sizeof s.v);
}
