/*
 * Modelled times are the same, to the last digit, as when they were last looked
 * at: times.txt has a line "machine op ranks bytes: algorithm protocol, ps" for
 * each collective, over two GPUs and over all, small, middling and large.
 */
#include <check.h>
#include <inttypes.h> /* PRIu64 */
#include <stdio.h>    /* fprintf */
#include <string.h>   /* strstr */

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

/* ---- times grow with the size -------------------------------------------- */

static const char *const growing[] = {"gh200",
                                      "4x-a100-pcie",
                                      "gb200-nvl4",
                                      "2x:h100-nvl@ndr",
                                      "2x:gb200-nvl4@slingshot",
                                      "gb300-nvl72",
                                      "2x:hgx-b300@xdr",
                                      "2x:8x-l40s@tcp100",
                                      "2x:pcie-4090@tcp10",
                                      "2x:4x-a100-pcie@tcp25",
                                      "2x:dgx-a100@p4d",
                                      "2x:dgx-h100@roce400",
                                      "2x:dgx-h100@efa-1.5",
                                      "3x:dgx-h100@efa-p5en",
                                      "3x:dgx-h100@a3-high",
                                      "2x:dgx-h100@no-nic:3",
                                      "gb200-nvl72",
                                      "2x:dgx-a100@roce",
                                      "2x:dgx-h100@tcpxo",
                                      "2x:dgx-h100@efa",
                                      "4x:dgx-h100@ndr,fat-tree:2",
                                      "4x:gh200@slingshot",
                                      "4x:dgx-h100@tcpxo",
                                      "2x:gb200-nvl72@ndr",
                                      "2x:dgx-h100@ndr,floor:40",
                                      "dgx-h100@one-thread",
                                      "sick:a:dgx-a100"};
enum { NGROWING = sizeof growing / sizeof *growing, STEPS = 2 };

/* The time in ps, and what was chosen; 0 if the algorithm or the protocol can't
 * do it. */
static uint64_t time_of(const struct topo *t, enum topo_op op,
                        const int32_t *place, int n, uint64_t nbytes, int algo,
                        int proto, int *chosen)
{
    struct topo_coll c;
    char err[600];
    const int algos = algo < 0 ? TOPO_ANY : 1 << algo;
    const int protos = proto < 0 ? TOPO_ANY : 1 << proto;
    if (topo_collective(t, op, place, n, nbytes, algos, protos, &c, err,
                        sizeof err) != 0)
        return 0;
    const uint64_t ps = c.time_ps;
    *chosen = (int)c.algo * TOPO_PROTOS + (int)c.proto;
    topo_coll_release(&c);
    return ps;
}

/* From 1 byte to 64 GiB, in STEPS sizes for each doubling. NCCL may choose the
 * faster of two late, so a free choice may fall where it changes. */
static void must_grow(const struct topo *t, enum topo_op op,
                      const int32_t *place, int n, int algo, int proto)
{
    uint64_t last = 0, lastbytes = 0;
    int was = -1, chosen;
    for (int i = 0; i <= 36 * STEPS; i++) {
        const uint64_t power = (uint64_t)1 << i / STEPS;
        const uint64_t nbytes = power + power * (uint64_t)(i % STEPS) / STEPS;
        if (nbytes == lastbytes)
            continue;
        const uint64_t ps =
            time_of(t, op, place, n, nbytes, algo, proto, &chosen);
        if (ps == 0)
            return;
        ck_assert_msg(
            ps > last || chosen != was || (ps == last && lastbytes < 1 << 20),
            "%s, operation %d, %d ranks, algorithm %d, protocol %d: %" PRIu64
            " bytes take %" PRIu64 " ps, %" PRIu64 " bytes %" PRIu64 " ps",
            topo_name(t), (int)op, n, algo, proto, lastbytes, last, nbytes, ps);
        last = ps;
        lastbytes = nbytes;
        was = chosen;
    }
}

/* All of the machine, two of its GPUs, or one of each node. */
static void must_grow_on(const char *name)
{
    static int32_t place[8192];
    struct topo *const t = machine_load(name);
    const int all = topo_ngpus(t), each = all / topo_nnodes(t);
    const int steps[] = {1, all - 1, each};
    for (int k = 0; k < (topo_nnodes(t) > 1 ? 3 : 2); k++) {
        int n = 0;
        for (int i = 0; i < all; i += steps[k])
            place[n++] = i;
        for (int op = TOPO_OP_NONE + 1; op < TOPO_OPS; op++)
            for (int a = -1; a < TOPO_P2P && op != TOPO_OP_BARRIER; a++)
                for (int p = -1; p < TOPO_PROTOS; p++)
                    if ((a < 0) == (p < 0))
                        must_grow(t, (enum topo_op)op, place, n, a, p);
    }
    topo_free(t);
}

/* True if a name is one of those tested, or a part of it ("@roce,"). */
static int is_tested(const char *name)
{
    int found = 0;
    for (int i = 0; i < nmachines_shipped; i++)
        found |= strcmp(machines_shipped[i].name, name) == 0;
    for (int i = 0; i < NGROWING; i++) {
        const char *const at = strstr(growing[i], name);
        found |= at && (at == growing[i] || strchr(":@", at[-1])) &&
                 strchr("@,", at[strlen(name)]);
    }
    return found;
}

START_TEST(all_machines_and_networks_are_tested)
{
    char list[600], err[900], *rest;
    topo_list(list, sizeof list);
    ck_assert_ptr_null(topo_load("dgx-a100@none", err, sizeof err));
    char *const nets = strstr(err, "are: ");
    ck_assert_ptr_nonnull(nets);
    *strstr(nets, ". For") = 0;
    for (char *at = strtok_r(list, ", ", &rest); at;
         at = strtok_r(NULL, ", ", &rest))
        ck_assert_msg(is_tested(at), "machine %s", at);
    for (char *at = strtok_r(nets + 5, ", ", &rest); at;
         at = strtok_r(NULL, ", ", &rest))
        ck_assert_msg(is_tested(at), "network %s", at);
}
END_TEST

START_TEST(times_never_fall_as_bytes_grow)
{
    must_grow_on(_i < nmachines_shipped ? machines_shipped[_i].name
                                        : growing[_i - nmachines_shipped]);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("topo: times");
    TCase *const t = tcase_create("times");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, modelled_times_are_what_they_were);
    tcase_add_test(t, all_machines_and_networks_are_tested);
    tcase_add_loop_test(t, times_never_fall_as_bytes_grow, 0,
                        nmachines_shipped + NGROWING);
    suite_add_tcase(s, t);
    return suite_run(s);
}
