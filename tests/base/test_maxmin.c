/*
 * Fair shares: by hand, by the definition of max-min fairness, and against
 * SimGrid, an independent implementation.
 */
#define _GNU_SOURCE
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/maxmin.h"
#include "child.h"
#include "suite.h"

enum { LINKS = 12, FLOWS = 16, USES = 4, SETS = 1000 };

struct set {
    int nlinks, nflows;
    double rate[LINKS];
    double bytes[FLOWS];
    struct maxmin_use use[FLOWS][USES];
    struct maxmin_flow flow[FLOWS];
};

static void share(struct set *s, struct maxmin_flow *const *flow, int n)
{
    struct maxmin_resource resource[LINKS] = {{0}};
    int touched[LINKS];
    for (int i = 0; i < s->nlinks; i++) {
        resource[i].rate = s->rate[i];
        touched[i] = i;
    }
    maxmin_share(flow, n, resource, touched, s->nlinks);
}

static void share_all(struct set *s)
{
    struct maxmin_flow *flow[FLOWS];
    for (int i = 0; i < s->nflows; i++)
        flow[i] = &s->flow[i];
    share(s, flow, s->nflows);
}

static void add_flow(struct set *s, double cap, int nuses, const int *links)
{
    const int i = s->nflows++;
    for (int k = 0; k < nuses; k++)
        s->use[i][k] = (struct maxmin_use){links[k], 1};
    s->flow[i] =
        (struct maxmin_flow){.use = s->use[i], .nuses = nuses, .cap = cap};
}

START_TEST(flows_of_one_link_get_equal_shares)
{
    struct set s = {.nlinks = 1, .rate = {90}};
    for (int i = 0; i < 3; i++)
        add_flow(&s, 0, 1, (int[]){0});
    share_all(&s);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq(s.flow[i].rate, 30);
        ck_assert_int_eq(s.flow[i].bound, 0);
    }
}
END_TEST

START_TEST(what_a_capped_flow_leaves_goes_to_the_others)
{
    struct set s = {.nlinks = 1, .rate = {90}};
    add_flow(&s, 10, 1, (int[]){0});
    add_flow(&s, 0, 1, (int[]){0});
    add_flow(&s, 1000, 1, (int[]){0});
    share_all(&s);
    ck_assert_double_eq(s.flow[0].rate, 10);
    ck_assert_int_eq(s.flow[0].bound, MAXMIN_CAP);
    ck_assert_double_eq(s.flow[1].rate, 40);
    ck_assert_double_eq(s.flow[2].rate, 40);
}
END_TEST

START_TEST(a_flow_is_as_fast_as_its_slowest_link_lets_it)
{
    // The textbook example: one long flow over both links, a short one on each.
    struct set s = {.nlinks = 2, .rate = {10, 30}};
    add_flow(&s, 0, 2, (int[]){0, 1});
    add_flow(&s, 0, 1, (int[]){0});
    add_flow(&s, 0, 1, (int[]){1});
    share_all(&s);
    ck_assert_double_eq(s.flow[0].rate, 5);
    ck_assert_double_eq(s.flow[1].rate, 5);
    ck_assert_double_eq(s.flow[2].rate, 25);
    ck_assert_int_eq(s.flow[0].bound, 0);
}
END_TEST

START_TEST(weights_count_a_resource_more_than_once)
{
    struct set s = {.nlinks = 1, .rate = {90}};
    add_flow(&s, 0, 1, (int[]){0});
    add_flow(&s, 0, 1, (int[]){0});
    s.use[1][0].weight = 2;
    share_all(&s);
    ck_assert_double_eq(s.flow[0].rate, 30);
    ck_assert_double_eq(s.flow[1].rate, 30);
}
END_TEST

/* ---- random sets --------------------------------------------------------- */

static uint32_t next_random(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    return *x ^= *x << 5;
}

static void random_set(struct set *s, uint32_t *seed)
{
    *s = (struct set){.nlinks = 1 + (int)(next_random(seed) % LINKS)};
    for (int i = 0; i < s->nlinks; i++)
        s->rate[i] = 1e9 * (1 + next_random(seed) % 400);
    const int nflows = 1 + (int)(next_random(seed) % FLOWS);
    for (int i = 0; i < nflows; i++) {
        int links[USES], n = 0;
        for (uint32_t k = 1 + next_random(seed) % USES; k > 0; k--) {
            const int l = (int)(next_random(seed) % (uint32_t)s->nlinks);
            int known = 0;
            for (int j = 0; j < n; j++)
                known |= links[j] == l;
            if (!known)
                links[n++] = l;
        }
        const double cap =
            next_random(seed) % 3 ? 0 : 1e9 * (1 + next_random(seed) % 100);
        s->bytes[i] = 1e6 * (1 + next_random(seed) % 1000);
        add_flow(s, cap, n, links);
    }
}

/* No flow can grow: each is at its cap, or one of its links is full and no flow
 * on that link is faster. */
static void check_fair(const struct set *s)
{
    double used[LINKS] = {0}, fastest[LINKS] = {0};
    for (int i = 0; i < s->nflows; i++)
        for (int k = 0; k < s->flow[i].nuses; k++) {
            const int l = s->use[i][k].resource;
            used[l] += s->flow[i].rate;
            fastest[l] = fmax(fastest[l], s->flow[i].rate);
        }
    for (int l = 0; l < s->nlinks; l++)
        ck_assert_double_le(used[l], s->rate[l] * (1 + 1e-9));
    for (int i = 0; i < s->nflows; i++) {
        const struct maxmin_flow *const f = &s->flow[i];
        int stopped = f->cap > 0 && f->rate >= f->cap * (1 - 1e-9);
        for (int k = 0; k < f->nuses; k++) {
            const int l = s->use[i][k].resource;
            stopped |= used[l] >= s->rate[l] * (1 - 1e-9) &&
                       f->rate >= fastest[l] * (1 - 1e-9);
        }
        ck_assert_msg(stopped, "flow %d could be faster", i);
    }
}

START_TEST(no_flow_of_a_random_set_can_grow_at_the_cost_of_faster_ones)
{
    uint32_t seed = 1;
    for (int i = 0; i < SETS; i++) {
        struct set s;
        random_set(&s, &seed);
        share_all(&s);
        check_fair(&s);
    }
}
END_TEST

/* Run a set to its end: shares, next end, shares ... */
static void run_set(struct set *s, double *end)
{
    struct maxmin_flow *flow[FLOWS];
    double left[FLOWS], now = 0;
    for (int i = 0; i < s->nflows; i++) {
        left[i] = s->bytes[i];
        end[i] = -1;
    }
    for (;;) {
        int n = 0;
        double step = INFINITY;
        for (int i = 0; i < s->nflows; i++)
            if (end[i] < 0)
                flow[n++] = &s->flow[i];
        if (n == 0)
            return;
        share(s, flow, n);
        for (int i = 0; i < s->nflows; i++)
            if (end[i] < 0)
                step = fmin(step, left[i] / s->flow[i].rate);
        now += step;
        for (int i = 0; i < s->nflows; i++)
            if (end[i] < 0 &&
                (left[i] -= step * s->flow[i].rate) <= 1e-9 * s->bytes[i])
                end[i] = now;
    }
}

static void write_set(FILE *f, const struct set *s)
{
    fprintf(f, "%d", s->nlinks);
    for (int i = 0; i < s->nlinks; i++)
        fprintf(f, " %.17g", s->rate[i]);
    fprintf(f, "\n%d\n", s->nflows);
    for (int i = 0; i < s->nflows; i++) {
        fprintf(f, "%.17g %.17g %d", s->flow[i].cap, s->bytes[i],
                s->flow[i].nuses);
        for (int k = 0; k < s->flow[i].nuses; k++)
            fprintf(f, " %d", s->use[i][k].resource);
        fprintf(f, "\n");
    }
}

START_TEST(ends_of_1000_random_sets_agree_with_simgrid_within_1_percent)
{
    char path[] = "/tmp/commlab-flows-XXXXXX";
    FILE *const f = fdopen(mkstemp(path), "w");
    ck_assert_ptr_nonnull(f);
    uint32_t seed = 42;
    for (int i = 0; i < SETS; i++) {
        struct set s;
        random_set(&s, &seed);
        write_set(f, &s);
    }
    fclose(f);
    struct child c = child_run(600, "%s/tests/base/prog_simgrid_flows < %s",
                               child_build(), path);
    unlink(path);
    ck_assert_msg(c.status == 0, "%s", c.err);

    const char *at = c.out;
    double worst = 0;
    seed = 42;
    for (int i = 0; i < SETS; i++) {
        struct set s;
        random_set(&s, &seed);
        double end[FLOWS];
        run_set(&s, end);
        for (int k = 0; k < s.nflows; k++) {
            char *after;
            const double theirs = strtod(at, &after);
            ck_assert_msg(after != at, "SimGrid ended after %d sets", i);
            at = after;
            worst = fmax(worst, fabs(end[k] / theirs - 1));
        }
    }
    ck_assert_msg(worst <= 0.01, "the worst flow differs by %.3f %%",
                  100 * worst);
    printf("largest difference to SimGrid: %.6f %%\n", 100 * worst);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("maxmin");
    TCase *const t = tcase_create("maxmin");
    tcase_add_test(t, flows_of_one_link_get_equal_shares);
    tcase_add_test(t, what_a_capped_flow_leaves_goes_to_the_others);
    tcase_add_test(t, a_flow_is_as_fast_as_its_slowest_link_lets_it);
    tcase_add_test(t, weights_count_a_resource_more_than_once);
    tcase_add_test(t,
                   no_flow_of_a_random_set_can_grow_at_the_cost_of_faster_ones);
    tcase_add_test(
        t, ends_of_1000_random_sets_agree_with_simgrid_within_1_percent);
    tcase_set_timeout(t, 600);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
