/* Sizes as people write them in settings. */
#include <check.h>

#include "base/size.h"
#include "suite.h"

static const struct {
    const char *text;
    uint64_t nbytes;
} sizes[] = {{"0", 0},           {"9", 9},        {"1048576", 1048576},
             {"1024K", 1048576}, {"1M", 1048576}, {"3G", UINT64_C(3) << 30}};

START_TEST(a_size_has_a_number_and_perhaps_a_unit)
{
    uint64_t nbytes = 7;
    ck_assert_int_eq(size_parse(sizes[_i].text, &nbytes), 0);
    ck_assert_uint_eq(nbytes, sizes[_i].nbytes);
}
END_TEST

static const char *const others[] = {"",    "M",  "-1", " 1", "1m",
                                     "1KB", "1T", ":",  "/"};

START_TEST(anything_else_is_no_size)
{
    uint64_t nbytes;
    ck_assert_int_eq(size_parse(others[_i], &nbytes), -1);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("size");
    TCase *const t = tcase_create("size");
    tcase_add_loop_test(t, a_size_has_a_number_and_perhaps_a_unit, 0,
                        sizeof sizes / sizeof *sizes);
    tcase_add_loop_test(t, anything_else_is_no_size, 0,
                        sizeof others / sizeof *others);
    suite_add_tcase(s, t);
    return suite_run(s);
}
