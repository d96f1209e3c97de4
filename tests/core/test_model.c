/* The machine as NCCL sees it, compared with golden.txt. */
#define _GNU_SOURCE
#include <check.h>
#include <stdlib.h> /* setenv */
#include <string.h> /* strlen */

#include "core/clock/model.h"
#include "golden.h"
#include "ranks.h"
#include "suite.h"

enum { MIB = 1 << 20 };

/* Of two nodes of eight GPUs: all, two that are next to each other, two in
 * different nodes, and a GPU alone. */
static const struct places {
    const char *name;
    int n;
    int32_t place[16];
} groups[] = {
    {"all", 16, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
    {"near", 2, {2, 3}},
    {"far", 2, {0, 15}},
    {"mixed", 3, {9, 1, 8}},
    {"one", 1, {5}},
};
enum { GROUPS = sizeof groups / sizeof *groups, ALL = 0, NEAR, FAR };

static void show_estimate(const char *name, const struct model_op *ops, int n)
{
    char err[256];
    uint64_t ps = 0;
    if (simgpu_model_estimate(ops, n, &ps, err, sizeof err) == 0)
        fprintf(stderr, "%s: %.3f us\n", name, (double)ps * 1e-6);
    else
        fprintf(stderr, "%s: %s\n", name, err);
}

static void shows_groups(struct shared *s)
{
    (void)s;
    for (const struct places *p = groups; p < groups + GROUPS; p++) {
        int ring[16];
        const int n = simgpu_model_channels(p->place, p->n);
        fprintf(stderr, "%s: %d nodes, %d channels, ring", p->name,
                simgpu_model_nodes(p->place, p->n), n);
        simgpu_model_ring(p->place, p->n, n - 1, ring);
        for (int i = 0; i < p->n; i++)
            fprintf(stderr, " %d", ring[i]);
        fputs("\n", stderr);
    }
}

static void shows_choices(struct shared *s)
{
    (void)s;
    for (const struct places *p = groups; p < groups + GROUPS; p++)
        for (uint64_t nbytes = 8; nbytes <= 64 * MIB; nbytes *= 2896) {
            char err[256] = "";
            struct model_choice c = {"-", "-", 0};
            simgpu_model_choice(TOPO_OP_ALLREDUCE, p->place, p->n, nbytes, &c,
                                err, sizeof err);
            fprintf(stderr, "%s, %llu bytes: %s %s %.3f us%s\n", p->name,
                    (unsigned long long)nbytes, c.algo, c.proto, c.us, err);
        }
}

static void shows_estimates(struct shared *s)
{
    static const int32_t back[] = {3, 2};
    const struct model_op all = {1, TOPO_OP_ALLREDUCE, groups[ALL].place, 16,
                                 MIB},
                          there = {2, TOPO_OP_SENDRECV, groups[NEAR].place, 2,
                                   MIB},
                          again = {3, TOPO_OP_SENDRECV, groups[NEAR].place, 2,
                                   MIB},
                          other = {4, TOPO_OP_SENDRECV, back, 2, MIB},
                          far = {5, TOPO_OP_SENDRECV, groups[FAR].place, 2,
                                 MIB};
    (void)s;
    show_estimate("nothing", &all, 0);
    show_estimate("all", &all, 1);
    show_estimate("all, twice the same",
                  (const struct model_op[]){all, there, all}, 3);
    show_estimate("near", &there, 1);
    show_estimate("near, two", (const struct model_op[]){there, again}, 2);
    show_estimate("near, both ways", (const struct model_op[]){there, other},
                  2);
    show_estimate("far", &far, 1);
}

static void shows_gpus(struct shared *s)
{
    static const int32_t pairs[][2] = {{0, 0}, {0, 7}, {7, 8}, {15, 9}};
    char id[64];
    (void)s;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        fprintf(stderr, "%d to %d: %d\n", pairs[i][0], pairs[i][1],
                simgpu_model_reach(pairs[i][0], pairs[i][1]));
    for (int32_t place = 14; place <= 16; place++) {
        simgpu_model_bus_id(place, id, sizeof id);
        fprintf(stderr, "%d: \"%s\"\n", place, id);
    }
}

static void shows_remarks(struct shared *s)
{
    (void)s;
    simgpu_model_remarks();
    simgpu_model_remarks(); // says nothing more
}

static const struct view {
    const char *name;
    void (*body)(struct shared *);
    const char *machine, *key, *value; /* of the environment */
} views[] = {
    {"groups", shows_groups, "2x-dgx-h100", NULL, NULL},
    {"choices", shows_choices, "2x-dgx-h100", NULL, NULL},
    {"choices of rings", shows_choices, "2x-dgx-h100", "NCCL_ALGO", "RING"},
    {"choices of LL", shows_choices, "2x-dgx-h100", "NCCL_PROTO", "LL"},
    {"estimates", shows_estimates, "2x-dgx-h100", NULL, NULL},
    {"estimates of rings", shows_estimates, "2x-dgx-h100", "NCCL_ALGO", "RING"},
    {"estimates of LL", shows_estimates, "2x-dgx-h100", "NCCL_PROTO", "LL"},
    {"gpus", shows_gpus, "2x-dgx-h100", NULL, NULL},
    {"gpus of dgx-a100", shows_gpus, "2x:dgx-a100", NULL, NULL},
    {"remarks", shows_remarks, "dgx-h100", "NCCL_TOPO_FILE", "x.xml"},
};

START_TEST(a_machine_is_what_nccl_sees)
{
    char text[8192];
    const struct view *const v = &views[_i];
    setenv("SIMGPU_TOPO", v->machine, 1);
    if (v->key)
        setenv(v->key, v->value, 1);
    const struct rank r = rank_start(0, 1, v->body, shared_new());
    ck_assert_int_eq(rank_end(r, text, sizeof text), 0);
    golden_expect_part("tests/core/golden.txt#model", v->name, text);
}
END_TEST

START_TEST(settings_that_nccl_does_not_know_are_named)
{
    char err[400];
    ck_assert_int_eq(simgpu_model_sets(NULL, NULL, err, sizeof err), 0);
    setenv("NCCL_PROTO", "fast", 1);
    ck_assert_int_eq(simgpu_model_sets(NULL, NULL, err, sizeof err), -1);
    ck_assert_msg(strstr(err, "NCCL_PROTO: ") == err, "%s", err);
    setenv("NCCL_ALGO", "best", 1);
    ck_assert_int_eq(simgpu_model_sets(NULL, NULL, err, sizeof err), -1);
    ck_assert_msg(strstr(err, "NCCL_ALGO: ") == err, "%s", err);
    setenv("NCCL_ALGO", "Ring", 1);
    setenv("NCCL_PROTO", "Simple", 1);
    ck_assert_int_eq(simgpu_model_sets(NULL, NULL, err, sizeof err), 0);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("model");
    TCase *const t = tcase_create("model");
    tcase_add_loop_test(t, a_machine_is_what_nccl_sees, 0,
                        sizeof views / sizeof *views);
    tcase_add_test(t, settings_that_nccl_does_not_know_are_named);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
