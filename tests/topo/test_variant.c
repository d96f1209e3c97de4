/* Machines derived by a seed: shuffled GPUs, a degraded cable. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "suite.h"
#include "topo/copies.h"
#include "topo/machine.h"

enum { SEEDS = 1000 };

static const char *const unequal[] = {"a100-cubemesh", "dgx-1v", "pcie-4090"};
enum { UNEQUAL = sizeof unequal / sizeof *unequal };

static struct topo *variant(const char *kind, int seed, const char *name)
{
    char text[200];
    snprintf(text, sizeof text, "%s:%d:%s", kind, seed, name);
    return machine_load(text);
}

struct matrix { /* of link names */
    char at[8][8][8];
};

static struct matrix links_of(const struct topo *t)
{
    struct matrix m;
    memset(&m, 0, sizeof m);
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            topo_link(t, a, b, m.at[a][b]);
    return m;
}

/* Bandwidth of one copy, alone, in bytes/s. */
static double rate_of(const struct topo *t, int from, int to)
{
    struct topo_path path;
    double rate = 0;
    ck_assert_int_eq(topo_path(t, from, to, 1, &path), 0);
    ck_assert_int_eq(copies_share(t, &path, 1, &rate), 0);
    return rate;
}

START_TEST(a_shuffled_machine_has_the_same_links_in_another_order)
{
    struct topo *const plain = machine_load(unequal[_i]);
    int moved = 0;
    for (int seed = 0; seed < 50; seed++) {
        struct topo *const t = variant("shuffled", seed, unequal[_i]);
        const int *const number = t->number;
        for (int a = 0; a < 8; a++) {
            moved += number[a] != a;
            for (int b = 0; b < 8; b++) {
                char link[8], want[8];
                ck_assert_str_eq(topo_link(t, number[a], number[b], link),
                                 topo_link(plain, a, b, want));
                ck_assert_int_eq(topo_p2p(t, number[a], number[b]),
                                 topo_p2p(plain, a, b));
                ck_assert(rate_of(t, number[a], number[b]) ==
                          rate_of(plain, a, b));
            }
        }
        topo_free(t);
    }
    ck_assert_int_gt(moved, 300); // of 400; 50 stay by chance
    topo_free(plain);
}
END_TEST

START_TEST(a_seed_gives_the_same_machine_every_time)
{
    for (int seed = 0; seed < 20; seed++) {
        struct topo *const a = variant("shuffled", seed, unequal[_i]);
        struct topo *const b = variant("shuffled", seed, unequal[_i]);
        const struct matrix x = links_of(a), y = links_of(b);
        ck_assert(memcmp(&x, &y, sizeof x) == 0);
        topo_free(a);
        topo_free(b);
    }
}
END_TEST

/* A seed must give the same numbering in every version: a student's machine
 * must not change during a course. */
START_TEST(what_a_seed_means_does_not_change)
{
    static const int want[8] = {3, 4, 7, 6, 5, 0, 2, 1};
    struct topo *const t = machine_load("shuffled:ada:a100-cubemesh");
    char got[64] = "", expected[64] = "";
    for (int i = 0; i < 8; i++) {
        snprintf(got + strlen(got), 8, "%d ", t->number[i]);
        snprintf(expected + strlen(expected), 8, "%d ", want[i]);
    }
    ck_assert_str_eq(got, expected);
    topo_free(t);
}
END_TEST

/* Different numberings can give the same machine: a cube mesh has symmetries,
 * eight GPUs on two sockets have many. */
START_TEST(two_students_machines_differ)
{
    static struct matrix seen[SEEDS];
    static const int least[UNEQUAL] = {850, 850, 35};
    int ndifferent = 0, same_as_next = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        struct topo *const t = variant("shuffled", seed, unequal[_i]);
        seen[seed] = links_of(t);
        topo_free(t);
        int known = 0;
        for (int i = 0; i < seed && !known; i++)
            known = memcmp(&seen[i], &seen[seed], sizeof seen[0]) == 0;
        ndifferent += !known;
        same_as_next += seed > 0 && memcmp(&seen[seed - 1], &seen[seed],
                                           sizeof seen[0]) == 0;
    }
    printf("%s: %d different machines from %d seeds\n", unequal[_i], ndifferent,
           SEEDS);
    ck_assert_int_ge(ndifferent, least[_i]);
    ck_assert_int_lt(same_as_next, 50);
}
END_TEST

START_TEST(bus_ids_give_nothing_away)
{
    struct topo *const plain = machine_load(unequal[_i]);
    struct topo *const t = variant("shuffled", 7, unequal[_i]);
    for (int i = 1; i < 8; i++)
        ck_assert(strcmp(topo_gpu(t, i - 1)->bus_id, topo_gpu(t, i)->bus_id) <
                  0);
    ck_assert_str_eq(topo_gpu(t, 0)->bus_id, topo_gpu(plain, 0)->bus_id);
    topo_free(plain);
    topo_free(t);
}
END_TEST

static uint64_t time_of(const struct topo *t, enum topo_op op,
                        const int32_t *place, int n)
{
    struct topo_coll c;
    char err[200];
    ck_assert_int_eq(topo_collective(t, op, place, n, 1 << 26, TOPO_ANY,
                                     TOPO_ANY, &c, err, sizeof err),
                     0);
    const uint64_t time = c.time_ps;
    topo_coll_release(&c); // clears it
    ck_assert_uint_gt(time, 0);
    return time;
}

START_TEST(collectives_and_messages_take_as_long_as_between_the_same_gpus)
{
    struct topo *const plain = machine_load(machines_shipped[_i].name);
    for (int seed = 0; seed < 20; seed++) {
        struct topo *const t =
            variant("shuffled", seed, machines_shipped[_i].name);
        const int32_t all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        ck_assert_uint_eq(time_of(t, TOPO_OP_ALLREDUCE, all, 8),
                          time_of(plain, TOPO_OP_ALLREDUCE, all, 8));
        for (int b = 1; b < 8; b++) {
            const int32_t here[2] = {0, b};
            const int32_t there[2] = {t->number[0], t->number[b]};
            ck_assert_uint_eq(time_of(t, TOPO_OP_SENDRECV, there, 2),
                              time_of(plain, TOPO_OP_SENDRECV, here, 2));
        }
        topo_free(t);
    }
    topo_free(plain);
}
END_TEST

START_TEST(a_sick_machine_has_one_degraded_cable)
{
    struct topo *const plain = machine_load(machines_shipped[_i].name);
    for (int seed = 0; seed < 200; seed++) {
        struct topo *const t = variant("sick", seed, machines_shipped[_i].name);
        int n = 0;
        for (int r = 0; r < topo_nresources(t); r++) {
            const double left =
                topo_resource(t, r)->rate / topo_resource(plain, r)->rate;
            n += left != 1;
            ck_assert_msg(left == 1 || (left >= .6 && left <= .8500001),
                          "seed %d: %s has %g of its rate", seed,
                          topo_resource(t, r)->name, left);
        }
        ck_assert_int_eq(n, 2); // both ways
        topo_free(t);
    }
    topo_free(plain);
}
END_TEST

START_TEST(any_cable_may_be_sick)
{
    char seen[2048] = {0};
    int n = 0;
    for (int seed = 0; seed < 500; seed++) {
        struct topo *const t = variant("sick", seed, machines_shipped[_i].name);
        n += !seen[t->sick[0]]++;
        topo_free(t);
    }
    ck_assert_int_eq(n, machines_shipped[_i].ncables);
}
END_TEST

/* A student's cable is to be the same in each release: its seed is in grades
 * and answers. */
static const struct {
    const char *machine, *cable;
    double left;
} sick[] = {
    {"sick:1:a100-cubemesh", "nvlink G4->G3", .7022},
    {"sick:2:dgx-a100", "nvlink G7 up", .6032},
    {"sick:3:dgx-h100", "nvlink G5 up", .7320},
};

START_TEST(a_seed_stands_for_a_cable)
{
    struct topo *const t = machine_load(sick[_i].machine);
    ck_assert_str_eq(topo_resource(t, t->sick[0])->name, sick[_i].cable);
    ck_assert_double_eq_tol(t->sick_left, sick[_i].left, 1e-4);
    topo_free(t);
}
END_TEST

START_TEST(a_sick_cable_slows_only_what_takes_it)
{
    struct topo *const plain = machine_load("a100-cubemesh");
    struct topo *const t = machine_load("sick:1:a100-cubemesh");
    int slower = 0;
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            slower += rate_of(t, a, b) < .92 * rate_of(plain, a, b);
    ck_assert_int_eq(slower, 2);
    const int32_t all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    ck_assert_uint_ge(time_of(t, TOPO_OP_ALLREDUCE, all, 8),
                      time_of(plain, TOPO_OP_ALLREDUCE, all, 8));
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++) {
            const int32_t pair[2] = {a, b};
            if (a != b)
                ck_assert_uint_ge(time_of(t, TOPO_OP_SENDRECV, pair, 2),
                                  time_of(plain, TOPO_OP_SENDRECV, pair, 2));
        }
    topo_free(plain);
    topo_free(t);
}
END_TEST

/* ---- NICs ---------------------------------------------------------------- */

/* Bytes of an operation on each resource, per byte of its size. */
static double *loads_of(const struct topo *t, enum topo_algo algo)
{
    double *const work = calloc((size_t)topo_nresources(t), sizeof *work);
    struct topo_coll c;
    int32_t all[32];
    char err[200];
    for (int i = 0; i < 32; i++)
        all[i] = i;
    ck_assert_int_eq(topo_collective(t, TOPO_OP_ALLREDUCE, all, topo_ngpus(t),
                                     1 << 26, 1 << algo, TOPO_ANY, &c, err,
                                     sizeof err),
                     0);
    for (int i = 0; i < c.nloads; i++)
        work[c.loads[i].resource] = c.loads[i].work / (1 << 26);
    topo_coll_release(&c);
    return work;
}

START_TEST(without_a_nic_collectives_use_the_others_equally)
{
    static const enum topo_algo algos[] = {TOPO_RING, TOPO_TREE, TOPO_NVLSTREE};
    struct topo *const t = machine_load("2x:dgx-h100@ndr,no-nic:3");
    double *const work = loads_of(t, algos[_i]);
    double nic = 0;
    int n = 0;
    ck_assert_int_eq(topo_nnics(t), 7);
    for (int r = 0; r < topo_nresources(t); r++) {
        const char *const name = topo_resource(t, r)->name;
        ck_assert_msg(strstr(name, "mlx5_5") == NULL, "%s", name);
        ck_assert_msg(strncmp(name, "host ", 5) != 0 || work[r] == 0, "%s",
                      name);
        if (strncmp(name, "out ", 4) != 0)
            continue;
        nic = n++ ? nic : work[r];
        ck_assert_double_eq_tol(work[r], nic, 1e-9);
    }
    ck_assert_int_eq(n, 14);
    ck_assert_double_gt(nic, 0);
    free(work);
    topo_free(t);
}
END_TEST

START_TEST(a_gpu_without_a_nic_shares_that_of_a_neighbour)
{
    struct topo *const t = machine_load("2x:dgx-h100@ndr,no-nic:3");
    for (int gpu = 0; gpu < 8; gpu++) {
        struct topo_path own, other;
        int shared = 0;
        ck_assert_int_eq(topo_path(t, gpu, 8 + gpu, 1, &own), 0);
        ck_assert_int_eq(topo_path(t, 3, 11, 1, &other), 0);
        for (int i = 0; i < own.nresources; i++)
            for (int k = 0; k < other.nresources; k++)
                shared += own.resource[i] == other.resource[k] &&
                          strncmp(topo_resource(t, own.resource[i])->name,
                                  "out ", 4) == 0;
        ck_assert_int_eq(shared, gpu == 0 || gpu == 3);
    }
    topo_free(t);
}
END_TEST

START_TEST(a_slow_nic_slows_only_what_takes_it)
{
    struct topo *const plain = machine_load("2x:dgx-h100@ndr");
    struct topo *const t = machine_load("2x:dgx-h100@ndr,slow-nic:3");
    for (int a = 0; a < 16; a++)
        for (int b = 0; b < 16; b++) {
            const int through = a / 8 != b / 8 && (a == 3 || b == 3);
            ck_assert_double_eq_tol(
                rate_of(t, a, b), rate_of(plain, a, b) / (through ? 4 : 1), 1);
        }
    int32_t all[16];
    for (int i = 0; i < 16; i++)
        all[i] = i;
    ck_assert_uint_gt(time_of(t, TOPO_OP_ALLREDUCE, all, 16),
                      2 * time_of(plain, TOPO_OP_ALLREDUCE, all, 16));
    ck_assert_uint_eq(time_of(t, TOPO_OP_ALLREDUCE, all, 8),
                      time_of(plain, TOPO_OP_ALLREDUCE, all, 8));
    topo_free(plain);
    topo_free(t);
}
END_TEST

START_TEST(variants_combine_in_one_order)
{
    struct topo *const t = machine_load("2x:sick:a:shuffled:b.c@d:dgx-a100");
    ck_assert_str_eq(topo_name(t), "2x:sick:a:shuffled:b.c@d:dgx-a100");
    ck_assert_int_eq(topo_nnodes(t), 2);
    ck_assert(t->sick_left < 1);
    topo_free(t);
}
END_TEST

/* Of 8 MiB over all GPUs of a machine. */
static uint64_t all_reduce_ps(const char *name, enum topo_algo algo,
                              enum topo_proto proto)
{
    struct topo *const t = machine_load(name);
    int32_t place[16];
    struct topo_coll c;
    char err[300] = "";
    const int n = topo_ngpus(t);
    for (int i = 0; i < n; i++)
        place[i] = i;
    ck_assert_msg(topo_collective(t, TOPO_OP_ALLREDUCE, place, n, 8 << 20,
                                  1 << algo, 1 << proto, &c, err,
                                  sizeof err) == 0,
                  "%s", err);
    const uint64_t ps = c.time_ps;
    topo_coll_release(&c);
    topo_free(t);
    return ps;
}

static const struct {
    const char *process, *thread; /* for each GPU, and for all of a node */
    enum topo_algo algo;
    enum topo_proto proto;
    double least, most; /* times as long */
} threads[] = {
    {"dgx-a100", "dgx-a100@one-thread", TOPO_RING, TOPO_LL, 1.1, 1.25},
    {"dgx-a100", "dgx-a100@one-thread", TOPO_RING, TOPO_LL128, 1.1, 1.25},
    {"dgx-a100", "dgx-a100@one-thread", TOPO_TREE, TOPO_LL128, 1.1, 1.25},
    {"dgx-a100", "dgx-a100@one-thread", TOPO_RING, TOPO_SIMPLE, 1, 1},
    {"dgx-h200", "dgx-h200@one-thread", TOPO_NVLS, TOPO_SIMPLE, 1, 1},
    {"2x:dgx-a100@roce", "2x:dgx-a100@roce,one-thread", TOPO_TREE, TOPO_LL, 1,
     1},
    {"pcie-4090", "pcie-4090@one-thread", TOPO_RING, TOPO_LL, 1, 1},
};

START_TEST(one_thread_for_all_gpus_slows_lines_over_nvlinks)
{
    const uint64_t process =
        all_reduce_ps(threads[_i].process, threads[_i].algo, threads[_i].proto);
    const uint64_t thread =
        all_reduce_ps(threads[_i].thread, threads[_i].algo, threads[_i].proto);
    const double times = (double)thread / (double)process;
    ck_assert_msg(times >= threads[_i].least && times <= threads[_i].most,
                  "%s: %.3f times as long", threads[_i].thread, times);
}
END_TEST

START_TEST(me_is_the_student_or_who_is_logged_in)
{
    setenv("COMMLAB_STUDENT", "grace h:1", 1);
    struct topo *t = machine_load("shuffled:me:dgx-1v");
    ck_assert_str_eq(topo_name(t), "shuffled:grace-h-1:dgx-1v");
    topo_free(t);
    unsetenv("COMMLAB_STUDENT");
    t = machine_load("sick:me:dgx-1v");
    ck_assert_ptr_null(strstr(topo_name(t), ":me:"));
    struct topo *const again = machine_load(topo_name(t));
    ck_assert_int_eq(t->sick[0], again->sick[0]);
    topo_free(t);
    topo_free(again);
}
END_TEST

static const struct {
    const char *name, *err;
} wrong[] = {
    {"shuffled:dgx-1v", "use shuffled:SEED:MACHINE"},
    {"shuffled::dgx-1v", "use shuffled:SEED:MACHINE"},
    {"sick:a b:dgx-1v", "use sick:SEED:MACHINE"},
    {"shuffled:1:sick:2:dgx-1v", "there is no machine \"sick:2:dgx-1v\""},
    {"dgx-1v@ndr,two-threads", "one-thread, no-nic:NUMBER and slow-nic:NUMBER"},
    {"sick:1:dgx-2v", "there is no machine \"dgx-2v\""},
    {"2x:dgx-h100@ndr,no-nic:8", "its nodes have no NIC 8, but 8"},
    {"2x:dgx-h100@slow-nic:8", "its nodes have no NIC 8, but 8"},
    {"2x:dgx-h100@ndr,no-nic:-1", "\"no-nic:-1\" is none"},
    {"2x:dgx-h100@no-nic:1000", "its nodes have no NIC 1000, but 8"},
    {"2x:dgx-h100@no-nic:10000", "\"no-nic:10000\" is none"},
    {"2x:dgx-h100@ndr,slow-nic:x", "\"slow-nic:x\" is none"},
    {"2x:dgx-h100@no-nic:1,slow-nic:2", "neither with sick nor with no-nic"},
    {"2x:sick:1:dgx-h100@slow-nic:2", "neither with sick nor with no-nic"},
};

START_TEST(a_wrong_name_says_what_is_right)
{
    char err[600] = "";
    ck_assert_ptr_null(topo_load(wrong[_i].name, err, sizeof err));
    ck_assert_msg(strstr(err, wrong[_i].err) != NULL, "%s", err);
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("variant");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(
        tc, a_shuffled_machine_has_the_same_links_in_another_order, 0, UNEQUAL);
    tcase_add_loop_test(tc, a_seed_gives_the_same_machine_every_time, 0,
                        UNEQUAL);
    tcase_add_test(tc, what_a_seed_means_does_not_change);
    tcase_add_loop_test(tc, two_students_machines_differ, 0, UNEQUAL);
    tcase_add_loop_test(tc, bus_ids_give_nothing_away, 0, UNEQUAL);
    tcase_add_loop_test(
        tc, collectives_and_messages_take_as_long_as_between_the_same_gpus, 0,
        nmachines_shipped);
    tcase_add_loop_test(tc, a_sick_machine_has_one_degraded_cable, 0,
                        nmachines_shipped);
    tcase_add_loop_test(tc, any_cable_may_be_sick, 0, nmachines_shipped);
    tcase_add_loop_test(tc, a_seed_stands_for_a_cable, 0,
                        sizeof sick / sizeof *sick);
    tcase_add_test(tc, a_sick_cable_slows_only_what_takes_it);
    tcase_add_loop_test(tc, without_a_nic_collectives_use_the_others_equally, 0,
                        3);
    tcase_add_test(tc, a_gpu_without_a_nic_shares_that_of_a_neighbour);
    tcase_add_test(tc, a_slow_nic_slows_only_what_takes_it);
    tcase_add_test(tc, variants_combine_in_one_order);
    tcase_add_loop_test(tc, one_thread_for_all_gpus_slows_lines_over_nvlinks, 0,
                        sizeof threads / sizeof *threads);
    tcase_add_test(tc, me_is_the_student_or_who_is_logged_in);
    tcase_add_loop_test(tc, a_wrong_name_says_what_is_right, 0,
                        sizeof wrong / sizeof *wrong);
    Suite *const s = suite_create("topo: variant");
    suite_add_tcase(s, tc);
    return suite_run(s);
}
