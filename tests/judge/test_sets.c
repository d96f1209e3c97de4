/* Sets of origins: one of each, and of ranks as many as there can be. */
#include <check.h>
#include <string.h> /* memset */

#include "judge/origin/sets.h"
#include "suite.h"

static struct sets s;

static void setup(void)
{
    memset(&s, 0, sizeof s);
}

static void teardown(void)
{
    ck_assert(!s.failed);
    sets_release(&s);
}

START_TEST(equal_sets_are_one)
{
    const struct origin_set *const a = sets_rank(&s, 63);
    const struct origin_set *const b = sets_rank(&s, 64);
    ck_assert_ptr_eq(a, sets_rank(&s, 63));
    ck_assert_ptr_ne(a, b);
    ck_assert_ptr_eq(sets_join(&s, a, b), sets_join(&s, b, a));
    ck_assert_ptr_eq(sets_join(&s, sets_join(&s, a, b), a),
                     sets_join(&s, a, b));
    ck_assert_ptr_eq(sets_join(&s, NULL, b), b);
    ck_assert_ptr_eq(sets_join(&s, a, NULL), a);
    ck_assert_ptr_null(sets_join(&s, NULL, NULL));
}
END_TEST

START_TEST(the_host_is_no_rank)
{
    const struct origin_set *all = sets_host(&s);
    for (int r = 0; r < LAB_MAX_RANKS; r++) {
        ck_assert(!rank_set_has(&all->ranks, r) && all->host);
        all = sets_join(&s, sets_rank(&s, r), all);
        ck_assert_int_eq(rank_set_lowest(&all->ranks), 0);
        ck_assert_int_eq(rank_set_count(&all->ranks), r + 1);
    }
    ck_assert_ptr_eq(sets_only_host(&s, all), sets_host(&s));
    ck_assert_ptr_null(sets_only_host(&s, sets_rank(&s, 63)));
    ck_assert_ptr_null(sets_only_host(&s, NULL));
}
END_TEST

/* As a ring leaves them: each run of neighbours. */
START_TEST(a_ring_makes_as_many_sets_as_it_has_runs)
{
    enum { RANKS = 100 };
    for (int first = 0; first < RANKS; first++) {
        const struct origin_set *run = NULL;
        for (int n = 0; n < RANKS; n++)
            run = sets_join(&s, run, sets_rank(&s, (first + n) % RANKS));
        ck_assert_int_eq(rank_set_count(&run->ranks), RANKS);
    }
    ck_assert_uint_eq(s.n, RANKS * (RANKS - 1) + 1);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("sets");
    TCase *const t = tcase_create("sets");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, equal_sets_are_one);
    tcase_add_test(t, the_host_is_no_rank);
    tcase_add_test(t, a_ring_makes_as_many_sets_as_it_has_runs);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
