/*
 * Machines with settings that no shipped one has: flows hashed onto few paths,
 * and curves that were measured elsewhere.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "topo/nccl/settings.h"
#include "topo/nccl/traffic.h"

static struct topo *load(const char *name, const struct topo_setting *s)
{
    char err[600] = "";
    struct topo *const t = topo_load_with(name, s, 1, err, sizeof err);
    ck_assert_msg(t != NULL, "%s", err);
    return t;
}

/* Bytes per byte of a message on links with this in their names, and how many
 * of them it uses. */
static double on_links(const struct topo *t, const struct traffic *f,
                       const char *name, int *n)
{
    double sum = 0;
    *n = 0;
    for (int i = 0; i < f->n; i++) {
        const char *const link = topo_resource(t, f->load[i].resource)->name;
        if (strncmp(link, "leaf", 4) != 0 || !strstr(link, name))
            continue;
        sum += f->load[i].work;
        ++*n;
    }
    return sum;
}

/* All of a flow's bytes go up, and down again, in equal parts. */
START_TEST(a_flow_is_hashed_onto_its_paths)
{
    static const char *const paths[] = {"1", "2", "3"};
    for (int i = 0; i < 3; i++) {
        const char *const atts[] = {"ports", "8", "paths", paths[i], NULL};
        struct topo *const t = load("2x:dgx-a100@roce,fat-tree:2",
                                    &(struct topo_setting){"fabric", atts});
        struct traffic *const f = traffic_message(t, 0, 8);
        int nup, ndown;
        ck_assert_ptr_nonnull(f);
        ck_assert_double_eq_tol(on_links(t, f, " up ", &nup), 1, 1e-9);
        ck_assert_double_eq_tol(on_links(t, f, " down ", &ndown), 1, 1e-9);
        ck_assert(nup >= 1 && nup <= i + 1 && ndown == nup);
        traffic_free(f);
        topo_free(t);
    }
}
END_TEST

/* The time of an all-reduce on three nodes whose curve was measured so. */
static uint64_t time_with(const char *ranks, const char *nodes)
{
    const char *const atts[] = {"op",     "all_reduce", "ranks", ranks,
                                "nodes",  nodes,        "a_us",  "999999",
                                "B_GBps", "1",          NULL};
    static const int32_t place[] = {0, 1, 8, 9, 16, 17};
    char err[600] = "";
    struct topo_coll c;
    struct topo *const t =
        load("3x:dgx-a100@roce", &(struct topo_setting){"curve", atts});
    ck_assert_int_eq(topo_collective(t, TOPO_OP_ALLREDUCE, place, 6, 1 << 20,
                                     TOPO_ANY, TOPO_ANY, &c, err, sizeof err),
                     0);
    const uint64_t time_ps = c.time_ps;
    topo_coll_release(&c);
    topo_free(t);
    return time_ps;
}

START_TEST(a_curve_counts_if_the_machine_could_have_measured_it)
{
    static const struct {
        const char *ranks, *nodes;
        int counts;
    } cases[] = {{"2", "2", 1}, {"3", "3", 1},  {"24", "3", 1},
                 {"2", "3", 0}, {"27", "3", 0}, {"4", "4", 0}};
    const uint64_t without_ps = time_with("32", "4");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg((time_with(cases[i].ranks, cases[i].nodes) !=
                       without_ps) == cases[i].counts,
                      "%s ranks on %s nodes", cases[i].ranks, cases[i].nodes);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("given");
    TCase *const t = tcase_create("settings");
    tcase_add_test(t, a_flow_is_hashed_onto_its_paths);
    tcase_add_test(t, a_curve_counts_if_the_machine_could_have_measured_it);
    suite_add_tcase(s, t);
    return suite_run(s);
}
