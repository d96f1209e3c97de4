/* How many letters two words differ in. */
#include <check.h>
#include <string.h>

#include "base/near.h"
#include "suite.h"

#define TEN   "0123456789"
#define SIXTY TEN TEN TEN TEN TEN TEN

static const struct {
    const char *a, *b;
    int distance;
} words[] = {
    {"", "", 0},
    {"a", "", 1},
    {"", "abc", 3},
    {"abc", "abc", 0},
    {"abc", "abd", 1},
    {"abc", "bbc", 1},
    {"abc", "ab", 1},
    {"abc", "bc", 1},
    {"abc", "xabc", 1},
    {"abc", "abxc", 1},
    {"abc", "acb", 2},
    {"abcd", "bcda", 2},
    {"kitten", "sitting", 3},
    {"saturday", "sunday", 3},
    {"intention", "execution", 5},
    {"abc", "xyz", 3},
    {"ab", "wxyz", 4},
    // letters behind the 64th don't count
    {SIXTY "abcd", SIXTY "abcdefgh", 0},
    {SIXTY "abcx", SIXTY "abcd", 1},
    {SIXTY "abcd", SIXTY "abc", 1},
};

START_TEST(letters_to_change_are_counted_either_way)
{
    const char *const a = words[_i].a, *const b = words[_i].b;
    ck_assert_int_eq(near_distance(a, b), words[_i].distance);
    ck_assert_int_eq(near_distance(b, a), words[_i].distance);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("base: near");
    TCase *const t = tcase_create("near");
    tcase_add_loop_test(t, letters_to_change_are_counted_either_way, 0,
                        sizeof words / sizeof *words);
    suite_add_tcase(s, t);
    return suite_run(s);
}
