/* Paths of copies: links, staging, networks, and nvidia-smi's matrix. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "suite.h"

static struct topo_path path_of(const struct topo *t, int32_t from, int32_t to,
                                int direct)
{
    struct topo_path p;
    ck_assert_int_eq(topo_path(t, from, to, direct, &p), 0);
    return p;
}

static int uses(const struct topo *t, const struct topo_path *p,
                const char *name)
{
    for (int i = 0; i < p->nresources; i++)
        if (strcmp(topo_resource(t, p->resource[i])->name, name) == 0)
            return 1;
    return 0;
}

/* The rate of a path alone. */
static double rate_of(const struct topo *t, const struct topo_path *p)
{
    double rate = p->rate_cap;
    for (int i = 0; i < p->nresources; i++) {
        const double r = topo_resource(t, p->resource[i])->rate;
        if (rate == 0 || r < rate)
            rate = r;
    }
    return rate;
}

START_TEST(routes_there_and_back_are_alike)
{
    struct topo *const t = machine_load(machines_shipped[_i].name);
    for (int a = 0; a < topo_ngpus(t); a++)
        for (int b = 0; b < topo_ngpus(t); b++)
            for (int direct = 0; direct < 2; direct++) {
                const struct topo_path p = path_of(t, a, b, direct);
                const struct topo_path q = path_of(t, b, a, direct);
                ck_assert_str_eq(p.kind, q.kind);
                ck_assert_uint_eq(p.latency_ps, q.latency_ps);
                ck_assert_int_eq(p.nresources, q.nresources);
                ck_assert(rate_of(t, &p) == rate_of(t, &q));
                ck_assert_int_eq(topo_p2p(t, a, b), topo_p2p(t, b, a));
            }
    topo_free(t);
}
END_TEST

START_TEST(a_path_names_each_resource_once)
{
    struct topo *const t = machine_load(machines_shipped[_i].name);
    const int n = topo_ngpus(t), hosts = topo_nnodes(t);
    for (int a = -hosts; a < n; a++)
        for (int b = -hosts; b < n; b++) {
            const struct topo_path p = path_of(t, a, b, 1);
            ck_assert(p.nresources >= 1 && rate_of(t, &p) > 0);
            if (a == b)
                continue;
            for (int i = 0; i < p.nresources; i++)
                for (int k = 0; k < i; k++)
                    ck_assert_int_ne(p.resource[i], p.resource[k]);
        }
    topo_free(t);
}
END_TEST

START_TEST(a_copy_within_a_memory_reads_and_writes_it)
{
    struct topo *const t = machine_load(machines_shipped[_i].name);
    for (int a = -1; a < 1; a++) { // the host's, and GPU 0's
        const struct topo_path p = path_of(t, a, a, 1);
        ck_assert_int_eq(p.nresources, 2);
        ck_assert_int_eq(p.resource[0], topo_memory(t, a));
        ck_assert_int_eq(p.resource[1], topo_memory(t, a));
    }
    topo_free(t);
}
END_TEST

static const char *const cube_mesh[8] = {
    "X NV4 SYS SYS NV2 NV2 SYS NV4", "NV4 X SYS SYS NV4 NV2 NV2 SYS",
    "SYS SYS X NV4 SYS NV4 NV2 NV2", "SYS SYS NV4 X NV2 SYS NV4 NV2",
    "NV2 NV4 SYS NV2 X NV4 SYS SYS", "NV2 NV2 NV4 SYS NV4 X SYS SYS",
    "SYS NV2 NV2 NV4 SYS SYS X NV4", "NV4 SYS NV2 NV2 SYS SYS NV4 X"};

START_TEST(puzzler_1s_matrix_is_the_published_one)
{
    struct topo *const t = machine_load("a100-cubemesh");
    for (int a = 0; a < 8; a++) {
        char row[80] = "", link[8];
        for (int b = 0; b < 8; b++) {
            strcat(row, b ? " " : "");
            strcat(row, topo_link(t, a, b, link));
            ck_assert_int_eq(topo_p2p(t, a, b), a != b); // SYS too
            if (a != b)
                ck_assert_str_eq(path_of(t, a, b, 1).kind, link);
        }
        ck_assert_str_eq(row, cube_mesh[a]);
    }
    topo_free(t);
}
END_TEST

START_TEST(dgx_1v_has_the_published_links)
{
    struct topo *const t = machine_load("dgx-1v");
    int links[8][8] = {{0}}, a, b, n;
    char file[256], link[8], want[8];
    const int dir = (int)(strrchr(__FILE__, '/') - __FILE__);
    snprintf(file, sizeof file, "%.*s/measured/cubemesh-8xV100-links.csv", dir,
             __FILE__);
    FILE *const f = fopen(file, "r");
    ck_assert_msg(f != NULL, "%s", file);
    ck_assert_int_eq(fscanf(f, "gpu_a,gpu_b,nvlinks\n"), 0);
    while (fscanf(f, "%d,%d,%d\n", &a, &b, &n) == 3)
        links[a][b] = links[b][a] = n;
    fclose(f);
    for (a = 0; a < 8; a++)
        for (b = 0; b < 8; b++) {
            if (a == b)
                continue;
            snprintf(want, sizeof want, links[a][b] ? "NV%d" : "SYS",
                     links[a][b]);
            ck_assert_str_eq(topo_link(t, a, b, link), want);
            ck_assert_int_eq(topo_p2p(t, a, b), links[a][b] > 0);
        }
    topo_free(t);
}
END_TEST

START_TEST(links_of_gpus_and_nics_are_named_as_nvidia_smi_does)
{
    char link[8];
    struct topo *t = machine_load("dgx-h100");
    ck_assert_str_eq(topo_link(t, 0, 7, link), "NV18");
    ck_assert_str_eq(topo_link(t, 0, 8, link), "PIX"); // its own NIC
    ck_assert_str_eq(topo_link(t, 0, 9, link), "PHB");
    ck_assert_str_eq(topo_link(t, 0, 12, link), "SYS");
    ck_assert_str_eq(topo_nic_name(t, 1), "mlx5_3");
    ck_assert_ptr_null(topo_link(t, 0, 16, link));
    topo_free(t);
    t = machine_load("pcie-4090");
    ck_assert_str_eq(topo_link(t, 0, 3, link), "PHB");
    ck_assert_str_eq(topo_link(t, 0, 4, link), "SYS");
    topo_free(t);
}
END_TEST

START_TEST(a_peer_copy_takes_its_bundle_and_both_copy_engines)
{
    struct topo *const t = machine_load("a100-cubemesh");
    const struct topo_path p = path_of(t, 0, 1, 1);
    ck_assert(uses(t, &p, "nvlink G0->G1") && !uses(t, &p, "nvlink G1->G0"));
    ck_assert(uses(t, &p, "copy engines G0") && uses(t, &p, "copy engines G1"));
    ck_assert(uses(t, &p, "hbm G0") && uses(t, &p, "hbm G1"));
    ck_assert_int_eq(p.nresources, 5);
    const struct topo_path sys = path_of(t, 0, 2, 1);
    ck_assert(uses(t, &sys, "pcie G0 up") && uses(t, &sys, "pcie G2 down"));
    ck_assert(uses(t, &sys, "socket 0->1 n0"));
    ck_assert(!uses(t, &sys, "host n0"));
    topo_free(t);
}
END_TEST

START_TEST(without_peer_access_a_copy_goes_through_the_host)
{
    struct topo *const t = machine_load("a100-cubemesh");
    const struct topo_path p = path_of(t, 0, 1, 0);
    ck_assert(uses(t, &p, "host n0") && uses(t, &p, "pcie G0 up") &&
              uses(t, &p, "pcie G1 down"));
    ck_assert(!uses(t, &p, "nvlink G0->G1"));
    ck_assert_uint_gt(p.latency_ps, path_of(t, 0, 1, 1).latency_ps);
    topo_free(t);
    // on a machine without peer access, `direct` makes no difference
    struct topo *const v = machine_load("dgx-1v");
    const struct topo_path q = path_of(v, 0, 4, 1);
    ck_assert(uses(v, &q, "host n0"));
    topo_free(v);
}
END_TEST

START_TEST(a_copy_between_nodes_takes_the_nearest_nics)
{
    struct topo *const t = machine_load("2x-dgx-h100");
    const struct topo_path p = path_of(t, 1, 11, 1); // G1 of n0, G3 of n1
    ck_assert_str_eq(p.kind, "NET");
    ck_assert(uses(t, &p, "out mlx5_3 n0") && uses(t, &p, "in mlx5_5 n1"));
    ck_assert_double_eq_tol(rate_of(t, &p), 48.5e9, 1e6);
    ck_assert_int_eq(topo_p2p(t, 1, 11), 0);
    const struct topo_path h =
        path_of(t, TOPO_HOST_PLACE(0), TOPO_HOST_PLACE(1), 0);
    ck_assert(uses(t, &h, "host n0") && uses(t, &h, "host n1"));
    topo_free(t);
    struct topo *const none = machine_load("2x:pcie-4090");
    struct topo_path q;
    ck_assert_int_eq(topo_path(none, 0, 8, 1, &q), -1); // it has no NIC
    topo_free(none);
}
END_TEST

/* The bandwidth of GPU 0's reads of NUMA node `numa`, by copies or by loads. */
static double from_numa(const struct topo *t, int numa, int way,
                        const char *kind)
{
    int32_t place;
    struct topo_path p;
    ck_assert_int_eq(topo_numa_place(t, 0, numa, &place), 0);
    ck_assert_int_eq(topo_path(t, place, 0, way, &p), 0);
    ck_assert_str_eq(p.kind, kind);
    return rate_of(t, &p) * p.share;
}

START_TEST(memory_of_another_socket_is_farther)
{
    static const struct {
        const char *machine;
        int near, far;
        double near_GBps, far_GBps; // PCIe or C2C; .83 of the narrowest link
    } rows[] = {{"pcie-4090", 0, 1, 26.24, 21.82},
                {"dgx-h100", 0, 1, 55.04, 45.76},
                {"dgx-a100", 3, 5, 24.96, 20.75},
                {"gh200", 0, 3, 337.64, 49.88}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct topo *const t = machine_load(rows[i].machine);
        for (int way = TOPO_DIRECT; way <= TOPO_LOADS; way++) {
            ck_assert_double_eq_tol(from_numa(t, rows[i].near, way, "PHB"),
                                    rows[i].near_GBps * 1e9, 1e7);
            ck_assert_double_eq_tol(from_numa(t, rows[i].far, way, "SYS"),
                                    rows[i].far_GBps * 1e9, 1e7);
        }
        topo_free(t);
    }
}
END_TEST

START_TEST(numa_nodes_belong_to_a_host)
{
    int32_t place, other;
    struct topo_path p;
    struct topo *const t = machine_load("2x:dgx-h100");
    ck_assert_int_eq(topo_numa_place(t, 9, 1, &place), 0);
    ck_assert_int_eq(place, TOPO_CPU_PLACE(1, 1));
    ck_assert_int_eq(topo_numa_place(t, 9, 2, &other), -1);
    ck_assert_int_eq(topo_numa_place(t, 16, 0, &other), -1);
    ck_assert_int_eq(topo_path(t, place, 9, TOPO_DIRECT, &p), 0);
    ck_assert(uses(t, &p, "host n1 memory 1"));
    ck_assert(uses(t, &p, "socket 1->0 n1"));
    ck_assert_int_eq(topo_path(t, TOPO_CPU_PLACE(2, 0), 0, 1, &p), -1);
    ck_assert_int_eq(topo_path(t, TOPO_CPU_PLACE(0, 2), 0, 1, &p), -1);
    topo_free(t);
    // in a rack, another host's memory is behind the network
    struct topo *const rack = machine_load("gb200-nvl72");
    ck_assert_int_eq(topo_numa_place(rack, 0, 0, &place), 0);
    ck_assert_int_eq(topo_numa_place(rack, 71, 0, &other), 0);
    ck_assert_int_ne(place, other);
    ck_assert_int_eq(topo_path(rack, other, 0, TOPO_DIRECT, &p), 0);
    ck_assert_str_eq(p.kind, "NET");
    topo_free(rack);
}
END_TEST

START_TEST(places_that_are_not_there_are_refused)
{
    struct topo *const t = machine_load("dgx-h100");
    struct topo_path p;
    ck_assert_int_eq(topo_path(t, 0, 8, 1, &p), -1);
    ck_assert_int_eq(topo_path(t, TOPO_HOST_PLACE(1), 0, 1, &p), -1);
    ck_assert_int_eq(topo_p2p(t, 0, 8), 0);
    ck_assert_int_eq(topo_p2p(t, 3, 3), 0);
    ck_assert_int_eq(topo_compute(t, 8, TOPO_FP32), -1);
    ck_assert_int_eq(topo_memory(t, 8), -1);
    ck_assert_int_eq(topo_memory(t, TOPO_HOST_PLACE(1)), -1);
    ck_assert_int_ge(topo_memory(t, TOPO_HOST_PLACE(0)), 0);
    topo_free(t);
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("route");
    tcase_add_loop_test(tc, routes_there_and_back_are_alike, 0,
                        nmachines_shipped);
    tcase_add_loop_test(tc, a_path_names_each_resource_once, 0,
                        nmachines_shipped);
    tcase_add_loop_test(tc, a_copy_within_a_memory_reads_and_writes_it, 0,
                        nmachines_shipped);
    tcase_add_test(tc, puzzler_1s_matrix_is_the_published_one);
    tcase_add_test(tc, dgx_1v_has_the_published_links);
    tcase_add_test(tc, links_of_gpus_and_nics_are_named_as_nvidia_smi_does);
    tcase_add_test(tc, a_peer_copy_takes_its_bundle_and_both_copy_engines);
    tcase_add_test(tc, without_peer_access_a_copy_goes_through_the_host);
    tcase_add_test(tc, a_copy_between_nodes_takes_the_nearest_nics);
    tcase_add_test(tc, memory_of_another_socket_is_farther);
    tcase_add_test(tc, numa_nodes_belong_to_a_host);
    tcase_add_test(tc, places_that_are_not_there_are_refused);
    Suite *const s = suite_create("topo: route");
    suite_add_tcase(s, tc);
    return suite_run(s);
}
