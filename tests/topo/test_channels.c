/* The rings that NCCL would form for a communicator. */
#include <check.h>
#include <stdlib.h> /* EXIT_FAILURE */

#include "machine.h"
#include "suite.h"
#include "topo/topo.h"

enum { MOST = 16 };

static const struct {
    const char *machine;
    int n, channels;
} cases[] = {
    {"dgx-h100", 1, 2},  {"dgx-h100", 2, 12},     {"dgx-h100", 8, 12},
    {"dgx-a100", 8, 12}, {"dgx-1v", 8, 6},        {"a100-cubemesh", 4, 2},
    {"pcie-4090", 8, 2}, {"2x-dgx-h100", 16, 12},
};

/* Every channel's ring goes through each rank once. */
START_TEST(a_ring_visits_every_rank_once)
{
    int32_t place[MOST];
    struct topo *const t = machine_load(cases[_i].machine);
    const int n = cases[_i].n;
    for (int r = 0; r < n; r++)
        place[r] = n - 1 - r; // ranks need not be in the GPUs' order
    const int channels = topo_channels(t, place, n);
    ck_assert_int_eq(channels, cases[_i].channels);
    for (int c = 0; c < channels; c++) {
        int rank[MOST], seen[MOST] = {0};
        topo_ring(t, place, n, c, rank);
        for (int i = 0; i < n; i++) {
            ck_assert_msg(rank[i] >= 0 && rank[i] < n && !seen[rank[i]],
                          "%s, channel %d: rank %d at %d", cases[_i].machine, c,
                          rank[i], i);
            seen[rank[i]] = 1;
        }
    }
    topo_free(t);
}
END_TEST

START_TEST(what_is_no_communicator_has_no_channels)
{
    char err[256];
    struct topo *const t = topo_load("dgx-h100", err, sizeof err);
    ck_assert_msg(t != NULL, "%s", err);
    ck_assert_int_eq(topo_channels(t, (const int32_t[]){3, 3}, 2), 0);
    ck_assert_int_eq(topo_channels(t, (const int32_t[]){0, 99}, 2), 0);
    topo_free(t);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("channels");
    TCase *const t = tcase_create("rings");
    tcase_add_loop_test(t, a_ring_visits_every_rank_once, 0,
                        sizeof cases / sizeof *cases);
    tcase_add_test(t, what_is_no_communicator_has_no_channels);
    suite_add_tcase(s, t);
    return suite_run(s);
}
