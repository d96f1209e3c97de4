/*
 * mrg32k3a.c: skipping ahead in MRG32k3a's sequence
 *
 * The generator (L'Ecuyer, "Good parameters and implementations for combined
 * multiple recursive random number generators", 1999) consists of two
 * recurrences of three numbers each, modulo a prime. n steps are therefore the
 * power of a matrix; the powers with exponents 1, 2, 4, ... are computed once.
 */
#include <pthread.h> /* pthread_once */
#include <stdint.h>  /* uint64_t */
#include <string.h>  /* memcpy */

enum { PARTS = 2, WORDS = 3, POWERS = 192 };

struct matrix {
    uint64_t at[WORDS][WORDS];
};

static const uint64_t modulus[PARTS] = {4294967087u, 4294944443u};
static struct matrix power[PARTS][POWERS]; /* power[part][i]: 2^i steps */

static struct matrix square(const struct matrix *a, uint64_t m)
{
    struct matrix out;
    for (int i = 0; i < WORDS; i++)
        for (int j = 0; j < WORDS; j++) {
            uint64_t sum = 0;
            for (int k = 0; k < WORDS; k++)
                sum += a->at[i][k] * a->at[k][j] % m;
            out.at[i][j] = sum % m;
        }
    return out;
}

static void make_powers(void)
{
    power[0][0] = (struct matrix){
        {{0, 1, 0}, {0, 0, 1}, {modulus[0] - 810728, 1403580, 0}}};
    power[1][0] = (struct matrix){
        {{0, 1, 0}, {0, 0, 1}, {modulus[1] - 1370589, 0, 527612}}};
    for (int part = 0; part < PARTS; part++)
        for (int i = 1; i < POWERS; i++)
            power[part][i] = square(&power[part][i - 1], modulus[part]);
}

static void apply(const struct matrix *a, uint64_t m, unsigned s[WORDS])
{
    unsigned out[WORDS];
    for (int i = 0; i < WORDS; i++) {
        uint64_t sum = 0;
        for (int k = 0; k < WORDS; k++)
            sum += a->at[i][k] * s[k] % m;
        out[i] = (unsigned)(sum % m);
    }
    memcpy(s, out, sizeof out);
}

/* Called by kernels, through curand_kernel.h: advance both recurrences by n
 * times 2^log2_steps numbers. */
void simgpu_mrg32k3a_skip(unsigned s1[WORDS], unsigned s2[WORDS],
                          unsigned long long n, int log2_steps);
void simgpu_mrg32k3a_skip(unsigned s1[WORDS], unsigned s2[WORDS],
                          unsigned long long n, int log2_steps)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (n == 0)
        return;
    pthread_once(&once, make_powers);
    for (int i = 0; i < 64; i++)
        if (n >> i & 1) {
            apply(&power[0][i + log2_steps], modulus[0], s1);
            apply(&power[1][i + log2_steps], modulus[1], s2);
        }
}
