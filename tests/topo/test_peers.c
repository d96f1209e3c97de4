/*
 * The channels of a peer: NCCL takes few for each if there are many ranks, and
 * more only for large messages.
 */
#include <check.h>
#include <stdlib.h> /* EXIT_FAILURE */

#include "machine.h"
#include "suite.h"

enum { MIB = 1 << 20, MOST = 64 };

/* The time of each rank's message to the next. */
static double around_us(const struct topo *t, int n, uint64_t nbytes)
{
    int32_t place[MOST];
    struct topo_coll c;
    char err[400];
    for (int i = 0; i < n; i++)
        place[i] = i;
    ck_assert_msg(topo_collective(t, TOPO_OP_SENDRECV, place, n, nbytes,
                                  TOPO_ANY, TOPO_ANY, &c, err, sizeof err) == 0,
                  "%s", err);
    const double us = (double)c.time_ps * 1e-6;
    topo_coll_release(&c);
    return us;
}

/* Channels of 18 GB/s on Hopper, 21.5 on Blackwell, 13 on Ampere. Of 32, each
 * of 8 ranks takes 4 for a peer, each of 2 ranks 16, and each of 64 one, until
 * a channel's part exceeds 16 MiB. */
static const struct {
    const char *machine;
    int ranks, mib;
    double GBps; /* of the channels */
} cases[] = {
    {"dgx-b200", 8, 64, 4 * 21.5},  // measured: 793 us
    {"dgx-b200", 8, 128, 8 * 21.5}, // parts of 32 MiB: twice as many
    {"dgx-b200", 8, 256, 16 * 21.5}, {"dgx-b200", 4, 128, 8 * 21.5},
    {"dgx-b200", 2, 256, 16 * 21.5}, {"gb200-nvl72", 64, 16, 21.5},
};
enum { NCASES = sizeof cases / sizeof *cases };

START_TEST(a_message_takes_few_channels_of_many_ranks)
{
    struct topo *const t = machine_load(cases[_i].machine);
    const uint64_t nbytes = (uint64_t)cases[_i].mib * MIB;
    const double us = around_us(t, cases[_i].ranks, nbytes);
    const double channels_us = (double)nbytes / cases[_i].GBps * 1e-3;
    ck_assert_msg(us > channels_us && us < 1.06 * channels_us + 16,
                  "%s, %d ranks, %d MiB: %g us, and channels take %g",
                  cases[_i].machine, cases[_i].ranks, cases[_i].mib, us,
                  channels_us);
    topo_free(t);
}
END_TEST

/* Inside one of several nodes, a peer has the 4 channels that a NIC of 50 GB/s
 * needs. */
START_TEST(a_message_between_nodes_takes_as_long_as_its_nic)
{
    struct topo *const two = machine_load("2x:dgx-h100@ndr");
    struct topo *const eight = machine_load("8x:dgx-h100@ndr");
    const uint64_t nbytes = 512 * MIB;
    const double us = around_us(two, 16, nbytes);
    ck_assert_double_gt(us, (double)nbytes / 50e3);
    ck_assert_double_lt(us, 1.2 * (double)nbytes / 50e3);
    ck_assert_double_gt(around_us(eight, 64, nbytes),
                        (double)nbytes / (4 * 18e3));
    topo_free(two);
    topo_free(eight);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("topo: peers");
    TCase *const t = tcase_create("peers");
    tcase_add_loop_test(t, a_message_takes_few_channels_of_many_ranks, 0,
                        NCASES);
    tcase_add_test(t, a_message_between_nodes_takes_as_long_as_its_nic);
    suite_add_tcase(s, t);
    return suite_run(s);
}
