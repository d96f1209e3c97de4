/*
 * NCCL's search and tuner (topo_nccl()): the choices that NCCL 2.28.9 made,
 * recorded in nccl.txt; what its search is known to find; what is refused; and
 * the same answers in any order of asking. oracle.sh compares many more draws,
 * with NCCL's own code.
 */
#define _GNU_SOURCE
#include <check.h>
#include <inttypes.h> /* SCNu64 */
#include <stdio.h>    /* sscanf */
#include <stdlib.h>   /* atoi */
#include <string.h>   /* strcmp */

#include "machine.h"
#include "suite.h"
#include "topo/fit/nccltests.h"

enum { MOST = 2048 };

struct record {
    char machine[60], gpus[300], op[20], algo[12], proto[12];
    int nodes, channels;
    uint64_t nbytes;
};

static int place_ranks(const struct topo *t, const struct record *r,
                       int32_t place[MOST])
{
    const int each = topo_ngpus(t) / topo_nnodes(t);
    int n = 0;
    for (int node = 0; node < r->nodes; node++) {
        char list[300];
        memcpy(list, r->gpus, sizeof list);
        for (char *rest = list, *gpu; (gpu = strsep(&rest, ","));)
            place[n++] = node * each + atoi(gpu);
    }
    return n;
}

static void check_record(const struct topo *t, const struct record *r)
{
    static int32_t place[MOST];
    struct topo_nccl got;
    char err[300];
    const int n = place_ranks(t, r, place);
    ck_assert_msg(topo_nccl(t, nccltests_op(r->op, strlen(r->op)), place, n,
                            r->nbytes, TOPO_ANY, TOPO_ANY, &got, err,
                            sizeof err) == 0,
                  "%s", err);
    ck_assert_msg(strcmp(topo_algo_name(got.algo), r->algo) == 0 &&
                      strcmp(topo_proto_name(got.proto), r->proto) == 0 &&
                      got.channels == r->channels,
                  "%s, %d x %s, %s of %" PRIu64 " bytes: NCCL takes %s/%s on "
                  "%d channels, we %s/%s on %d",
                  r->machine, r->nodes, r->gpus, r->op, r->nbytes, r->algo,
                  r->proto, r->channels, topo_algo_name(got.algo),
                  topo_proto_name(got.proto), got.channels);
}

START_TEST(choices_are_those_that_nccl_made)
{
    FILE *const f = fopen("tests/topo/nccl.txt", "re");
    ck_assert_msg(f != NULL, "run tests in the repository's root");
    struct topo *t = NULL;
    struct record r;
    char line[500], last[60] = "";
    int n = 0;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%59s %d %299s %19s %" SCNu64 " %11s %11s %d",
                   r.machine, &r.nodes, r.gpus, r.op, &r.nbytes, r.algo,
                   r.proto, &r.channels) != 8 ||
            line[0] == '#')
            continue;
        if (strcmp(last, r.machine) != 0) {
            topo_free(t);
            t = machine_load(r.machine);
            memcpy(last, r.machine, sizeof last);
        }
        check_record(t, &r);
        n++;
    }
    topo_free(t);
    fclose(f);
    ck_assert_int_ge(n, 400);
}
END_TEST

/* What NCCL_DEBUG_SUBSYS=GRAPH prints on such machines: channels, and GB/s of
 * each. */
static const struct {
    const char *machine;
    int ranks;
    struct topo_channel ring, tree, nvls;
} found[] = {
    {"dgx-a100", 8, {12, 20, 0}, {12, 20, 0}, {0, 0, 0}},
    {"dgx-h100", 8, {12, 30, 0}, {12, 30, 0}, {8, 40, 0}},
    {"dgx-h100", 2, {12, 30, 0}, {12, 60, 0}, {2, 60, 0}},
    {"dgx-1v", 8, {6, 20, 0}, {6, 20, 0}, {0, 0, 0}},
    {"2x:dgx-h100@ndr", 16, {8, 48, 48}, {8, 48, 48}, {8, 40, 48}},
};

static void check_channel(const struct topo_channel *got,
                          const struct topo_channel *want, int i,
                          const char *what)
{
    ck_assert_msg(got->n == want->n &&
                      (got->n == 0 || (got->GBps == want->GBps &&
                                       got->net_GBps == want->net_GBps)),
                  "%s, %d ranks, %s: %d x %g/%g, expected %d x %g/%g",
                  found[i].machine, found[i].ranks, what, got->n, got->GBps,
                  got->net_GBps, want->n, want->GBps, want->net_GBps);
}

START_TEST(channels_are_those_of_nccls_logs)
{
    struct topo *const t = machine_load(found[_i].machine);
    int32_t place[16];
    struct topo_nccl got;
    char err[300];
    for (int i = 0; i < found[_i].ranks; i++)
        place[i] = i;
    ck_assert_int_eq(topo_nccl(t, TOPO_OP_ALLREDUCE, place, found[_i].ranks, 8,
                               TOPO_ANY, TOPO_ANY, &got, err, sizeof err),
                     0);
    check_channel(&got.ring, &found[_i].ring, _i, "rings");
    check_channel(&got.tree, &found[_i].tree, _i, "trees");
    check_channel(&got.nvls, &found[_i].nvls, _i, "NVLS");
    topo_free(t);
}
END_TEST

START_TEST(only_what_is_allowed_is_chosen)
{
    struct topo *const t = machine_load("dgx-h100");
    const int32_t place[] = {0, 1, 2, 3};
    struct topo_nccl got;
    char err[300];
    ck_assert_int_eq(topo_nccl(t, TOPO_OP_ALLREDUCE, place, 4, 1 << 30,
                               1 << TOPO_TREE, 1 << TOPO_LL | 1 << TOPO_LL128,
                               &got, err, sizeof err),
                     0);
    ck_assert_int_eq(got.algo, TOPO_TREE);
    ck_assert_int_eq(got.proto, TOPO_LL128);
    ck_assert_int_eq(topo_nccl(t, TOPO_OP_BROADCAST, place, 4, 8,
                               1 << TOPO_NVLS, TOPO_ANY, &got, err, sizeof err),
                     -1);
    ck_assert_str_eq(err, "NCCL would use no pair that NCCL_ALGO and "
                          "NCCL_PROTO allow over 4 GPUs of dgx-h100");
    topo_free(t);
}
END_TEST

START_TEST(what_has_no_choice_is_refused)
{
    struct topo *const t = machine_load("dgx-h100");
    struct topo *const apart = machine_load("2x:pcie-4090");
    const int32_t place[] = {0, 1}, far[] = {0, 8}, twice[] = {1, 1};
    struct topo_nccl got;
    char err[300];
    const struct {
        const struct topo *t;
        enum topo_op op;
        const int32_t *place;
        int n;
        const char *message;
    } cases[] = {
        {t, TOPO_OP_ALLREDUCE, place, 1,
         "NCCL chooses nothing for a single rank"},
        {t, TOPO_OP_ALLTOALL, place, 2,
         "NCCL chooses no algorithm for this operation"},
        {t, TOPO_OP_ALLREDUCE, twice, 2, "two ranks on GPU 1"},
        {apart, TOPO_OP_ALLREDUCE, far, 2,
         "2x:pcie-4090 has no <net>: its nodes aren't connected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(topo_nccl(cases[i].t, cases[i].op, cases[i].place,
                                   cases[i].n, 8, TOPO_ANY, TOPO_ANY, &got, err,
                                   sizeof err),
                         -1);
        ck_assert_str_eq(err, cases[i].message);
    }
    topo_free(t);
    topo_free(apart);
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("nccl");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, choices_are_those_that_nccl_made);
    tcase_add_loop_test(tc, channels_are_those_of_nccls_logs, 0,
                        sizeof found / sizeof *found);
    tcase_add_test(tc, only_what_is_allowed_is_chosen);
    tcase_add_test(tc, what_has_no_choice_is_refused);
    Suite *const s = suite_create("topo: nccl");
    suite_add_tcase(s, tc);
    return suite_run(s);
}
