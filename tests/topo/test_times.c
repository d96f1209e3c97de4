/*
 * Modelled times are the same, to the last digit, as when they were last looked
 * at: times.txt has a line "machine op ranks bytes: algorithm protocol, ps" for
 * each collective, over two GPUs and over all, small, middling and large.
 */
#include <check.h>
#include <inttypes.h> /* PRIu64 */
#include <stdio.h>    /* fprintf */

#include "golden.h"
#include "machine.h"
#include "suite.h"

static const char *const machines[] = {"a100-cubemesh",
                                       "dgx-1v",
                                       "dgx-a100",
                                       "dgx-h100",
                                       "pcie-4090",
                                       "2x-dgx-h100",
                                       "2x:dgx-1v",
                                       "gh200",
                                       "hgx-b300",
                                       "2x:dgx-h100@efa",
                                       "4x:gh200@slingshot,fat-tree:2"};
enum { NMACHINES = sizeof machines / sizeof *machines, MAX_RANKS = 16 };

static void print_times(FILE *out, const struct topo *t, const char *machine,
                        enum topo_op op, int n)
{
    static const uint64_t sizes[] = {8, 3000000, 1 << 30};
    int32_t place[MAX_RANKS];
    char err[400] = "";
    for (int i = 0; i < n; i++)
        place[i] = i;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct topo_coll c;
        ck_assert_msg(topo_collective(t, op, place, n, sizes[i], TOPO_ANY,
                                      TOPO_ANY, &c, err, sizeof err) == 0,
                      "%s", err);
        fprintf(out, "%s %d %d %" PRIu64 ": %s %s, %" PRIu64 "\n", machine, op,
                n, sizes[i], topo_algo_name(c.algo), topo_proto_name(c.proto),
                c.time_ps);
        topo_coll_release(&c);
    }
}

START_TEST(modelled_times_are_what_they_were)
{
    FILE *const out = golden_begin();
    for (int m = 0; m < NMACHINES; m++) {
        struct topo *const t = machine_load(machines[m]);
        for (int op = TOPO_OP_NONE + 1; op < TOPO_OPS; op++)
            for (int n = 2; n <= topo_ngpus(t) && op != TOPO_OP_BARRIER;
                 n += topo_ngpus(t) - 2)
                print_times(out, t, machines[m], (enum topo_op)op, n);
        topo_free(t);
    }
    golden_end(out, "tests/topo/times.txt");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("topo: times");
    TCase *const t = tcase_create("times");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, modelled_times_are_what_they_were);
    suite_add_tcase(s, t);
    return suite_run(s);
}
