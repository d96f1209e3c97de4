/*
 * An all-to-all over many GPUs: the traffic of all its messages, found without
 * going through their pairs, and in time.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine.h"
#include "suite.h"
#include "topo/fabric.h"
#include "topo/nccl/traffic.h"
#include "topo/route.h"

/* skip: of the machine's GPUs, take those whose number leaves a remainder
 * smaller than `keep` when divided by `of`: nodes then have unequal shares. */
static const struct {
    const char *machine, *env[2];
    int keep, of;
} cases[] = {
    {"2x-dgx-h100", {NULL}, 1, 1},
    {"dgx-1v", {NULL}, 1, 1},
    {"3x:dgx-1v@ndr", {NULL}, 2, 3},
    {"8x:dgx-h100@ndr,fat-tree:2", {NULL}, 1, 1},
    {"8x:dgx-h100@ndr,fat-tree:2,seed:b", {NULL}, 5, 7},
    {"40x:dgx-h100@roce,rail:4", {NULL}, 1, 1},
    {"40x:dgx-h100@ndr,rail:4", {NULL}, 10, 13},
    {"9x:gh200@slingshot", {NULL}, 1, 1},
    {"9x:gh200@slingshot", {NULL}, 3, 5},
    {"12x:dgx-h100@efa,fat-tree:3", {NULL}, 11, 12},
    {"12x:dgx-h100@efa,rail:2", {NULL}, 11, 12},
    {"2x:shuffled:a:pcie-4090@ndr", {NULL}, 3, 4},
    {"2x:sick:a:a100-cubemesh@roce", {NULL}, 1, 1},
    {"3x:dgx-a100@roce", {"NCCL_IB_DISABLE=1"}, 5, 6},
    {"3x:dgx-h100@ndr", {"NCCL_NET_GDR_LEVEL=LOC"}, 5, 6},
    {"2x:gb200-nvl72@ndr", {NULL}, 4, 5},
    {"3x:dgx-h100@ndr,no-nic:3", {NULL}, 1, 1},
    {"3x:dgx-h100@ndr,slow-nic:3", {NULL}, 5, 6},
};
enum { NCASES = sizeof cases / sizeof *cases };

/* The places of a case, last one first: ranks need not be in order. */
static int take_places(const struct topo *t, int keep, int of, int32_t *place)
{
    int n = 0;
    for (int i = topo_ngpus(t) - 1; i >= 0; i--)
        if (i % of < keep)
            place[n++] = i;
    return n;
}

/* What each message loads, one by one. Returns the longest's time. */
static double one_by_one(const struct topo *t, const int32_t *place, int n,
                         double *work)
{
    double sec = 0;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            struct topo_path path;
            if (a == b ||
                route_find(t, place[a], place[b], ROUTE_NCCL, &path) != 0)
                continue;
            for (int i = 0; i < path.nresources; i++)
                work[path.resource[i]] += 1. / n;
            if (place[a] / t->ngpus != place[b] / t->ngpus)
                fabric_load(t, place[a], place[b], 1. / n, work);
            if (path.rate_cap > 0)
                sec = fmax(sec, 1. / n / path.rate_cap);
        }
    return sec;
}

START_TEST(an_all_to_all_is_all_of_its_messages)
{
    struct topo *const t = machine_load(cases[_i].machine);
    char err[300], *env[] = {(char *)(uintptr_t)cases[_i].env[0], NULL};
    topo_settings(t, env, NULL, NULL);
    const size_t count = (size_t)topo_nresources(t);
    int32_t *const place = calloc((size_t)topo_ngpus(t), sizeof *place);
    double *const work = calloc(count, sizeof *work);
    ck_assert(place && work);
    const int n = take_places(t, cases[_i].keep, cases[_i].of, place);
    double sec = one_by_one(t, place, n, work);
    struct shape *const s = shape_of(t, place, n, err, sizeof err);
    ck_assert_msg(s != NULL, "%s", err);
    const struct traffic *const f =
        traffic_of(t, s, TOPO_OP_ALLTOALL, TOPO_P2P);
    ck_assert_ptr_nonnull(f);
    for (int i = 0; i < f->n; i++) {
        const struct topo_load *const l = &f->load[i];
        const double expected = work[l->resource];
        ck_assert_msg(fabs(l->work - expected) < 1e-9 * expected, "%s: %g, %g",
                      topo_resource(t, l->resource)->name, l->work, expected);
        sec = fmax(sec, expected / topo_resource(t, l->resource)->rate);
        work[l->resource] = 0;
    }
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(work[i] == 0, "%s: left out",
                      topo_resource(t, (int)i)->name);
    ck_assert_double_eq_tol(f->sec / sec, 1, 1e-9);
    free(work);
    free(place);
    topo_free(t);
}
END_TEST

static const struct {
    const char *machine;
    enum topo_op op;
} large[] = {
    {"512x:dgx-h100@ndr", TOPO_OP_ALLTOALL},
    {"512x:dgx-h100@ndr,fat-tree:2", TOPO_OP_ALLTOALL},
    {"512x:dgx-h100@ndr,rail:2", TOPO_OP_ALLTOALL},
    {"1024x:gh200@slingshot", TOPO_OP_ALLTOALL},
    {"512x:dgx-h100@efa,rail:2", TOPO_OP_ALLREDUCE},
    {"512x:dgx-h100@ndr,rail:2", TOPO_OP_SENDRECV},
};
enum { NLARGE = sizeof large / sizeof *large };

START_TEST(a_query_of_4096_ranks_takes_no_second)
{
    struct topo *const t = machine_load(large[_i].machine);
    int32_t place[4096];
    char err[300];
    struct topo_coll c;
    for (int i = 0; i < 4096; i++)
        place[i] = i;
    const clock_t begin = clock(); // of this process: others don't count
    ck_assert_msg(topo_collective(t, large[_i].op, place, 4096, 1 << 28,
                                  TOPO_ANY, TOPO_ANY, &c, err, sizeof err) == 0,
                  "%s", err);
    const double sec = (double)(clock() - begin) / CLOCKS_PER_SEC;
    ck_assert_msg(sec < 1, "%g s", sec);
    topo_coll_release(&c);
    topo_free(t);
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("exchange");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, an_all_to_all_is_all_of_its_messages, 0, NCASES);
    tcase_add_loop_test(tc, a_query_of_4096_ranks_takes_no_second, 0, NLARGE);
    Suite *const s = suite_create("topo: exchange");
    suite_add_tcase(s, tc);
    return suite_run(s);
}
