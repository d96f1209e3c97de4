/* The rings that NCCL would form for a communicator. */
#include <check.h>
#include <stdlib.h> /* EXIT_FAILURE */

#include "machine.h"
#include "suite.h"
#include "topo/nccl/ring.h"

enum { MOST = 16 };

static const struct {
    const char *machine;
    int n, channels;
} cases[] = {
    {"dgx-h100", 1, 2},  {"dgx-h100", 2, 12},     {"dgx-h100", 8, 12},
    {"dgx-b200", 2, 16}, {"dgx-b200", 3, 16},     {"dgx-b200", 8, 16},
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

/* ---- rings of GPUs that are linked by hand ------------------------------- */

static struct topo hand;

static void link_pair(int a, int b, int n)
{
    hand.nvlinks[a][b] = hand.nvlinks[b][a] = (unsigned char)n;
}

/* The links of a hop over all rings. */
static int links_of(int n)
{
    struct ring ring[RING_MAX];
    int local[RING_GPUS + 1], links = 0;
    for (int i = 0; i < n; i++)
        local[i] = i;
    const int nrings = ring_find(&hand, local, n, ring);
    for (int i = 0; i < nrings; i++)
        links += ring[i].width;
    return links;
}

START_TEST(rings_take_most_of_the_links)
{
    link_pair(0, 1, 3);
    ck_assert_int_eq(links_of(2), 3);
    link_pair(0, 2, 3);
    ck_assert_int_eq(links_of(3), 0); // a chain
    link_pair(1, 2, 2);
    ck_assert_int_eq(links_of(3), 2);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++)
            link_pair(a, b, 2);
    ck_assert_int_eq(links_of(4), 3); // of 2 each, if bundles are split
}
END_TEST

/* Of 7 GPUs that are linked to 8 others only, no ring has all: finding that out
 * takes more steps than one search may. A link between two of the 8 closes a
 * narrower one. */
START_TEST(a_search_gives_up)
{
    for (int a = 0; a < 8; a++)
        for (int b = 8; b < 15; b++)
            link_pair(a, b, 2);
    ck_assert_int_eq(links_of(15), 0);
    link_pair(0, 1, 1);
    ck_assert_int_eq(links_of(15), 1);
}
END_TEST

START_TEST(a_ring_has_at_most_64_gpus)
{
    for (int n = RING_GPUS; n <= RING_GPUS + 1; n++) {
        for (int i = 0; i < n; i++)
            link_pair(i, (i + 1) % n, 1);
        ck_assert_int_eq(links_of(n), n == RING_GPUS);
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("channels");
    TCase *const t = tcase_create("rings");
    tcase_add_loop_test(t, a_ring_visits_every_rank_once, 0,
                        sizeof cases / sizeof *cases);
    tcase_add_test(t, what_is_no_communicator_has_no_channels);
    tcase_add_test(t, rings_take_most_of_the_links);
    tcase_add_test(t, a_search_gives_up);
    tcase_add_test(t, a_ring_has_at_most_64_gpus);
    suite_add_tcase(s, t);
    return suite_run(s);
}
