/* SipHash of a word: the vector of its authors' reference code. */
#include <check.h>

#include "base/siphash.h"
#include "suite.h"

START_TEST(a_word_has_the_hash_of_the_reference_code)
{
    // key 00 01 ... 0f, message 00 01 ... 07, all little-endian
    const uint64_t key[] = {UINT64_C(0x0706050403020100),
                            UINT64_C(0x0f0e0d0c0b0a0908)};
    ck_assert_uint_eq(siphash(key, UINT64_C(0x0706050403020100)),
                      UINT64_C(0x93f5f5799a932462));
}
END_TEST

START_TEST(each_word_and_key_has_its_own)
{
    const uint64_t key[] = {1, 2}, other[] = {1, 3};
    ck_assert_uint_ne(siphash(key, 0), siphash(key, 1));
    ck_assert_uint_ne(siphash(key, 0), siphash(other, 0));
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("base: siphash");
    TCase *const t = tcase_create("siphash");
    tcase_add_test(t, a_word_has_the_hash_of_the_reference_code);
    tcase_add_test(t, each_word_and_key_has_its_own);
    suite_add_tcase(s, t);
    return suite_run(s);
}
