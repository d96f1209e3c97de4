/*
 * The hash map against an array, and splitmix64 against its published values.
 */
#include <check.h>

#include "base/map.h"
#include "base/mix.h"
#include "fds.h"
#include "heap.h"
#include "suite.h"

START_TEST(numbers_are_those_of_splitmix64)
{
    // seed 1234567, as printed by the author's code
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
        UINT64_C(16408922859458223821)};
    for (uint64_t n = 0; n < sizeof expected / sizeof *expected; n++)
        ck_assert_uint_eq(mix_nth(1234567, n), expected[n]);
    ck_assert_uint_eq(mix_hash(1234567), expected[0]);
    ck_assert_uint_eq(mix_finish(1234567 + MIX_STEP), expected[0]);
}
END_TEST

/* FNV-1a's published hashes, made another with each seed. */
START_TEST(texts_have_hashes_by_their_seed)
{
    static const struct {
        const char *text;
        uint64_t fnv;
    } texts[] = {{"", UINT64_C(0xcbf29ce484222325)},
                 {"a", UINT64_C(0xaf63dc4c8601ec8c)},
                 {"foobar", UINT64_C(0x85944171f73967e8)}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (uint64_t seed = 0; seed < 3; seed++)
            ck_assert_uint_eq(mix_text(seed, texts[i].text),
                              mix_nth(seed, texts[i].fnv));
}
END_TEST

START_TEST(an_empty_map_has_no_values)
{
    struct map m = {0};
    ck_assert_uint_eq(map_get(&m, 0), 0);
    ck_assert_uint_eq(map_get(&m, 7), 0);
    map_release(&m);
}
END_TEST

/* Keys that are spread out, or close to both ends of the range. */
static uint64_t key_of(int spread, uint32_t i)
{
    return spread ? mix_hash(i) : i % 2 ? UINT64_MAX - i / 2 : i / 2;
}

START_TEST(every_key_keeps_its_last_value)
{
    enum { KEYS = 1000, STEPS = 40000 };
    static uint64_t expected[KEYS];
    struct map m = {0};
    for (uint32_t i = 0; i < KEYS; i++)
        expected[i] = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint64_t r = mix_nth(42, step);
        const uint32_t i = (uint32_t)(r % KEYS);
        ck_assert_uint_eq(map_get(&m, key_of(_i, i)), expected[i]);
        expected[i] = r >> 32 & 1 ? r : 0; // half of them are removals
        *map_at(&m, key_of(_i, i)) = expected[i];
    }
    for (uint32_t i = 0; i < KEYS; i++)
        ck_assert_uint_eq(map_get(&m, key_of(_i, i)), expected[i]);
    map_release(&m);
    ck_assert_uint_eq(map_get(&m, key_of(_i, 1)), 0);
}
END_TEST

/* A table is filled to a half, and then at most a quarter of the next is. */
START_TEST(a_table_grows_when_half_of_it_is_used)
{
    static const struct {
        uint64_t nkeys;
        uint32_t nentries;
    } tables[] = {{1, 16}, {8, 16}, {9, 32}, {16, 32}, {17, 64}, {33, 128}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct map m = {0};
        for (uint64_t key = 1; key <= tables[i].nkeys; key++)
            *map_at(&m, key) = key;
        ck_assert_uint_eq(m.nentries, tables[i].nentries);
        ck_assert_uint_eq(m.count, tables[i].nkeys);
        map_release(&m);
        ck_assert_uint_eq(m.nentries, 0);
    }
}
END_TEST

START_TEST(a_new_key_has_the_value_0)
{
    struct map m = {0};
    for (uint64_t key = 0; key < 100; key++) {
        ck_assert_uint_eq(*map_at(&m, key), 0);
        *map_at(&m, key) = key + 1;
    }
    map_release(&m);
}
END_TEST

/* A program that allocates and frees device memory: ever new addresses, few at
 * a time. */
START_TEST(removed_keys_take_no_room)
{
    enum { ALIVE = 20 };
    struct map m = {0};
    for (uint64_t i = 0; i < 100000; i++) {
        *map_at(&m, mix_hash(i)) = i + 1;
        if (i >= ALIVE)
            *map_at(&m, mix_hash(i - ALIVE)) = 0;
    }
    ck_assert_uint_le(m.nentries, 8 * ALIVE);
    for (uint64_t i = 100000 - ALIVE; i < 100000; i++)
        ck_assert_uint_eq(map_get(&m, mix_hash(i)), i + 1);
    map_release(&m);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("base: map");
    TCase *const c = tcase_create("map");
    fds_watch(c);
    heap_watch(c);
    tcase_add_test(c, numbers_are_those_of_splitmix64);
    tcase_add_test(c, texts_have_hashes_by_their_seed);
    tcase_add_test(c, an_empty_map_has_no_values);
    tcase_add_loop_test(c, every_key_keeps_its_last_value, 0, 2);
    tcase_add_test(c, a_table_grows_when_half_of_it_is_used);
    tcase_add_test(c, a_new_key_has_the_value_0);
    tcase_add_test(c, removed_keys_take_no_room);
    suite_add_tcase(s, c);
    return suite_run(s);
}
