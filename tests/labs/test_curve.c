/*
 * One transformer, trained in parallel in four ways, has one loss curve: in
 * data parallel (lab 3), with split matrices (lab 4), in shards (lab 8) and
 * with sequences that extend over all ranks (lab 9). It is that of one device
 * in double, to six digits.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "child.h"
#include "curve.h"
#include "labtest.h"
#include "nn/lm_reference.h"
#include "suite.h"

static const struct {
    const char *name;
    int nranks;
} ways[] = {{"ddp", 1},    {"ddp", 2},   {"ddp", 4},   {"tensor", 2},
            {"tensor", 4}, {"shard", 1}, {"shard", 2}, {"shard", 4},
            {"ring", 2},   {"ring", 4}};

/* The losses of one device in double. */
static void reference_curve(double loss[CURVE_STEPS])
{
    const struct nn_hyper *const h = &curve_hyper;
    struct lm_reference *const r = lm_reference_new(&curve_shape, CURVE_SEED);
    ck_assert_ptr_nonnull(r);
    for (int step = 0; step < CURVE_STEPS; step++) {
        lm_reference_zero_grad(r);
        loss[step] = lm_reference_pass_seed(r, curve_batch(step), 1);
        lm_reference_adamw(r, h->lr, h->beta1, h->beta2, h->eps, h->decay);
    }
    lm_reference_free(r);
}

START_TEST(every_way_to_train_has_the_loss_curve_of_one_device)
{
    double want[CURVE_STEPS];
    char source[400];
    snprintf(source, sizeof source, "%s/tests/labs/prog_curve_%s.c",
             labtest_root(), ways[_i].name);
    if (access(source, F_OK) != 0)
        return; // the lab was removed from this tree, and its program with it
    reference_curve(want);
    struct child c = child_run(60, "mpirun -n %d %s/tests/labs/prog_curve_%s",
                               ways[_i].nranks, child_build(), ways[_i].name);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    const char *at = c.out;
    for (int step = 0; step < CURVE_STEPS; step++) {
        char *end;
        const double got = strtod(at, &end);
        ck_assert_msg(end > at && fabs(got - want[step]) < 5e-7 * want[step],
                      "%s on %d ranks: the loss of step %d is %.9f, should be "
                      "%.9f:\n%s",
                      ways[_i].name, ways[_i].nranks, step, got, want[step],
                      c.out);
        at = end;
    }
    child_clear(&c);
}
END_TEST

START_TEST(the_loss_falls)
{
    double loss[CURVE_STEPS];
    reference_curve(loss);
    ck_assert_double_lt(loss[CURVE_STEPS - 1], loss[0] / 2);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("curve");
    TCase *const t = tcase_create("curve");
    tcase_add_test(t, the_loss_falls);
    SUITE_LOOP(t, every_way_to_train_has_the_loss_curve_of_one_device, ways);
    suite_add_tcase(s, t);
    return suite_run(s);
}
