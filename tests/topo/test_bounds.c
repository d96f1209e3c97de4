/* Bounds of machines: nothing beats them, and they can be reached. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "scarce.h"
#include "suite.h"
#include "topo/bounds.h"

static struct topo *load(const char *name)
{
    char err[600] = "";
    struct topo *const t = topo_load(name, err, sizeof err);
    ck_assert_msg(t != NULL, "%s", err);
    return t;
}

typedef double demand[BOUNDS_GPUS][BOUNDS_GPUS];

static void all_to_all(demand d, int n, double nbytes)
{
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            d[a][b] = a == b ? 0 : nbytes;
}

static const struct {
    const char *machine;
    enum bounds_ways ways;
    double sec; /* by hand, for 1 GB from each GPU to each other */
} exchanges[] = {
    // 16 blocks cross the middle over 12 links of 23.4 GB/s
    {"a100-cubemesh", BOUNDS_NVLINKS, 16 / (12 * 23.4)},
    // ... over 6 links of 24 GB/s
    {"dgx-1v", BOUNDS_NVLINKS, 16 / (6 * 24.)},
    // 7 blocks enter and 7 leave a GPU, whose copies reach 419, 757 GB/s
    {"dgx-a100", BOUNDS_ANY, 14 / 419.},
    {"dgx-h100", BOUNDS_ANY, 14 / 757.},
    // 7 blocks enter a GPU over PCIe Gen4
    {"pcie-4090", BOUNDS_ANY, 7 / (32 * .82)},
};

START_TEST(an_all_to_all_takes_what_its_bottleneck_does)
{
    struct topo *const t = load(exchanges[_i].machine);
    demand d = {{0}};
    double reached = 0;
    all_to_all(d, 8, 1e9);
    const double sec = bounds_move(t, exchanges[_i].ways, d, &reached);
    ck_assert_double_eq_tol(sec, exchanges[_i].sec, .01 * sec);
    ck_assert(sec <= exchanges[_i].sec * (1 + 1e-9));
    ck_assert(reached >= sec * (1 - 1e-9) && reached < 1.02 * sec);
    topo_free(t);
}
END_TEST

START_TEST(a_copy_may_take_all_links_of_its_gpu)
{
    struct topo *const t = load("a100-cubemesh");
    demand d = {{0}};
    d[0][2] = 1e9;
    const double sec = bounds_move(t, BOUNDS_NVLINKS, d, NULL);
    ck_assert_double_eq_tol(1 / sec, 12 * 23.4, 3); // all of its 12 NVLinks
    ck_assert(bounds_move(t, BOUNDS_ANY, d, NULL) < sec);
    ck_assert_double_eq_tol(bounds_alone(t, 0, 2, 1), 7.5e9, 1);
    ck_assert_double_eq_tol(bounds_alone(t, 0, 2, 0), 10.8e9, 1);
    topo_free(t);
}
END_TEST

START_TEST(twice_the_bytes_take_twice_as_long)
{
    struct topo *const t = load("dgx-1v");
    demand d = {{0}}, twice = {{0}};
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++) {
            d[a][b] = a == b ? 0 : 1e8 * (1 + (a * 5 + b * 3) % 7);
            twice[a][b] = 2 * d[a][b];
        }
    const double once = bounds_move(t, BOUNDS_ANY, d, NULL);
    ck_assert_double_eq_tol(bounds_move(t, BOUNDS_ANY, twice, NULL), 2 * once,
                            1e-6 * once);
    topo_free(t);
}
END_TEST

START_TEST(where_there_is_no_way_there_is_no_bound)
{
    struct topo *const t = load("pcie-4090");
    demand d = {{0}};
    d[0][1] = 1;
    ck_assert(isnan(bounds_move(t, BOUNDS_NVLINKS, d, NULL)));
    topo_free(t);
}
END_TEST

START_TEST(a_path_that_is_not_there_has_no_rate)
{
    struct topo *const t = load("pcie-4090");
    ck_assert(bounds_alone(t, 0, TOPO_HOST_PLACE(0), 0) > 0);
    ck_assert_double_eq(bounds_alone(t, 0, 8, 1), 0);
    topo_free(t);
}
END_TEST

START_TEST(nothing_to_move_takes_no_time)
{
    struct topo *const t = load("2x:gh200");
    demand d = {{0}};
    double reached = 1;
    d[0][0] = d[0][4] = d[4][0] = 1e9; // a node has GPUs 0 to 3
    ck_assert_double_eq(bounds_move(t, BOUNDS_ANY, d, &reached), 0);
    ck_assert(isnan(reached) || reached == 0);
    topo_free(t);
}
END_TEST

START_TEST(a_node_has_at_most_16_gpus)
{
    struct topo *const t = load("gb200-nvl72");
    demand d = {{0}};
    ck_assert(isnan(bounds_move(t, BOUNDS_ANY, d, NULL)));
    topo_free(t);
}
END_TEST

static struct topo *machine;

static int move_nothing(void)
{
    demand d = {{0}};
    const double sec = bounds_move(machine, BOUNDS_ANY, d, NULL);
    return isnan(sec) || bounds_alone(machine, 0, -1, 0) == 0 ? -1 : 0;
}

START_TEST(a_bound_needs_its_memory_and_returns_it)
{
    machine = load("gh200");
    scarce_each(move_nothing, 100);
    topo_free(machine);
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("bounds");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, an_all_to_all_takes_what_its_bottleneck_does, 0,
                        sizeof exchanges / sizeof *exchanges);
    tcase_add_test(tc, a_copy_may_take_all_links_of_its_gpu);
    tcase_add_test(tc, twice_the_bytes_take_twice_as_long);
    tcase_add_test(tc, where_there_is_no_way_there_is_no_bound);
    tcase_add_test(tc, a_path_that_is_not_there_has_no_rate);
    tcase_add_test(tc, nothing_to_move_takes_no_time);
    tcase_add_test(tc, a_node_has_at_most_16_gpus);
    tcase_add_test(tc, a_bound_needs_its_memory_and_returns_it);
    Suite *const s = suite_create("topo: bounds");
    suite_add_tcase(s, tc);
    return suite_run(s);
}
