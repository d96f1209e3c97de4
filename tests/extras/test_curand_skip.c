/* A long way in a generator's sequence at once is the same as step by step
 * (device/mrg32k3a.c, device/xorwow.c). */
#include <check.h>
#include <stdint.h>
#include <string.h> /* memcmp */

#include "suite.h"

void simgpu_mrg32k3a_skip(unsigned s1[3], unsigned s2[3], unsigned long long n,
                          int log2_steps);
void simgpu_xorwow_skip(unsigned v[5], unsigned long long n, int subsequences);

enum { WORDS = 6 };

struct generator {
    const char *name;
    void (*step)(uint32_t s[WORDS]);
    /* n times 2^log2 steps; XORWOW has 0 and 67 only */
    void (*skip)(uint32_t s[WORDS], unsigned long long n, int log2);
    int largest; /* log2 */
};

/* The recurrences of L'Ecuyer (1999). */
static void mrg_step(uint32_t s[WORDS])
{
    const uint64_t m1 = 4294967087, m2 = 4294944443;
    const uint64_t a = (1403580ULL * s[1] + m1 * 810728 - 810728ULL * s[0]);
    const uint64_t b = (527612ULL * s[5] + m2 * 1370589 - 1370589ULL * s[3]);
    s[0] = s[1], s[1] = s[2], s[2] = (uint32_t)(a % m1);
    s[3] = s[4], s[4] = s[5], s[5] = (uint32_t)(b % m2);
}

static void mrg_skip(uint32_t s[WORDS], unsigned long long n, int log2)
{
    simgpu_mrg32k3a_skip(s, s + 3, n, log2);
}

/* Marsaglia's xorshift (2003), of five words. */
static void xorwow_step(uint32_t s[WORDS])
{
    const uint32_t t = s[0] ^ s[0] >> 2;
    memmove(s, s + 1, 4 * sizeof *s);
    s[4] = s[3] ^ s[3] << 4 ^ t ^ t << 1;
}

static void xorwow_skip(uint32_t s[WORDS], unsigned long long n, int log2)
{
    simgpu_xorwow_skip(s, n, log2 != 0);
}

static const struct generator generators[] = {
    {"MRG32k3a", mrg_step, mrg_skip, 127},
    {"XORWOW", xorwow_step, xorwow_skip, 67},
};
static const uint32_t seed[WORDS] = {123456789, 362436069, 521288629,
                                     88675123,  5783321,   6615241};

START_TEST(skipping_is_as_many_steps)
{
    const struct generator *const g = &generators[_i];
    static const unsigned lengths[] = {0, 1, 2, 3, 5, 64, 1000, 100003};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        uint32_t a[WORDS], b[WORDS];
        memcpy(a, seed, sizeof a);
        memcpy(b, seed, sizeof b);
        for (unsigned k = 0; k < lengths[i]; k++)
            g->step(a);
        g->skip(b, lengths[i], 0);
        ck_assert_msg(memcmp(a, b, sizeof a) == 0, "%s: %u", g->name,
                      lengths[i]);
    }
}
END_TEST

/* Each power is twice the one before, up to the last. */
START_TEST(two_skips_are_one_of_twice_the_length)
{
    const struct generator *const g = &generators[_i];
    for (int large = 0; large < 2; large++)
        for (int bit = 0; bit < 63; bit++) {
            const int log2 = large ? g->largest : 0;
            uint32_t a[WORDS], b[WORDS];
            memcpy(a, seed, sizeof a);
            memcpy(b, seed, sizeof b);
            g->skip(a, 1ULL << bit, log2);
            g->skip(a, 1ULL << bit, log2);
            g->skip(b, 2ULL << bit, log2);
            ck_assert_msg(memcmp(a, b, sizeof a) == 0, "%s: 2^%d times 2^%d",
                          g->name, bit, log2);
            ck_assert_msg(memcmp(a, seed, sizeof a) != 0, "%s: no step",
                          g->name);
        }
}
END_TEST

START_TEST(a_large_step_is_that_many_small_ones)
{
    const struct generator *const g = &generators[_i];
    uint32_t a[WORDS], b[WORDS];
    memcpy(a, seed, sizeof a);
    memcpy(b, seed, sizeof b);
    g->skip(a, 1, 67);
    for (int i = 0; i < 16; i++) // 2^67
        g->skip(b, 1ULL << 63, 0);
    ck_assert_msg(memcmp(a, b, sizeof a) == 0, "%s", g->name);
}
END_TEST

int main(void)
{
    enum { N = sizeof generators / sizeof *generators };
    Suite *const s = suite_create("skip");
    TCase *const t = tcase_create("skip");
    tcase_add_loop_test(t, skipping_is_as_many_steps, 0, N);
    tcase_add_loop_test(t, two_skips_are_one_of_twice_the_length, 0, N);
    tcase_add_loop_test(t, a_large_step_is_that_many_small_ones, 0, N);
    suite_add_tcase(s, t);
    return suite_run(s);
}
