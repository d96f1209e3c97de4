/* Names that tell the writers of a word apart (device/parts.h). */
#include <check.h>
#include <stdint.h> /* uintptr_t */
#include <stdlib.h> /* qsort */

#include "core/heap/heap_space.h"
#include "device/parts.h"
#include "suite.h"

enum { MOST = 4096 };

static uintptr_t names[MOST];
static size_t nnames;

static int by_value(const void *a, const void *b)
{
    const uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

static void add(const void *name)
{
    ck_assert_uint_lt(nnames, MOST);
    names[nnames++] = (uintptr_t)name;
}

static void all_differ(void)
{
    qsort(names, nnames, sizeof *names, by_value);
    for (size_t i = 1; i < nnames; i++)
        ck_assert_msg(names[i - 1] != names[i], "%#lx names two of %zu",
                      (unsigned long)names[i], nnames);
}

/* 1 << i; 0 if a number of nbits bits has no bit i. */
static uint32_t bit(uint32_t i, uint32_t nbits)
{
    return i < nbits ? UINT32_C(1) << i : 0;
}

/* Each bit that counts makes another name: 8 of the rank, 20 of the node and
 * 20 of the part. */
START_TEST(no_two_parts_aside_share_a_name_and_none_is_an_address)
{
    for (uint32_t rank = 0; rank <= 8; rank++)
        for (uint32_t index = 0; index <= 20; index++)
            for (uint32_t part = 0; part <= 20; part++) {
                const struct flag_source by = {
                    .part = {bit(rank, 8), bit(index, 20), bit(part, 20)},
                    .is_aside = 1};
                const void *const name = parts_name(NULL, by);
                ck_assert_int_eq(space_slot(name), -1);
                add(name);
            }
    all_differ();
}
END_TEST

START_TEST(a_word_has_a_name_for_each_writer_that_keeps_its_address)
{
    const uintptr_t word = (uintptr_t)(SPACE_BASE + 4096);
    add((const void *)word); // of a writer that is the only one
    for (uint32_t i = 0; i <= 9; i++)
        for (uint32_t index = 1; index <= 128; index++) {
            const uint32_t rank = i < 9 ? bit(i, 8) : 255;
            const struct flag_source by = {.part = {rank, index, 0}};
            const void *const name = parts_name((const void *)word, by);
            ck_assert_uint_eq((uintptr_t)name << 16, word << 16);
            add(name);
        }
    all_differ();
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("parts");
    TCase *const t = tcase_create("names");
    tcase_add_test(t, no_two_parts_aside_share_a_name_and_none_is_an_address);
    tcase_add_test(t, a_word_has_a_name_for_each_writer_that_keeps_its_address);
    suite_add_tcase(s, t);
    return suite_run(s);
}
