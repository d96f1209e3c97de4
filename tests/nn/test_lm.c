/*
 * The transformer's reference: its gradients, compared with finite differences
 * of its loss (tests/torch compares its losses with PyTorch's). And the
 * transformer on a device, compared with the reference.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "nn/lm_reference.h"
#include "nn/shape.h" /* nn_data_seed */
#include "suite.h"

static const struct lm_shape shapes[] = {
    {7, 4, 1, 5, 1, 3, 1, LM_FP32},
    {5, 6, 3, 4, 2, 4, 2, LM_FP32},
    {3, 4, 2, 7, 3, 2, 3, LM_FP32},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static double loss_at(struct lm_reference *r, size_t i, double delta)
{
    const double kept = r->w[i];
    r->w[i] += delta;
    const double loss = lm_reference_pass_seed(r, 7, 0);
    r->w[i] = kept;
    return loss;
}

START_TEST(gradients_are_the_slopes_of_the_loss)
{
    const struct lm_shape *const s = &shapes[_i];
    const double h = 1e-5;
    struct lm_reference *const r = lm_reference_new(s, 42);
    ck_assert_ptr_nonnull(r);
    lm_reference_pass_seed(r, 7, 3);
    for (int p = 0; p < lm_params(s); p++)
        for (size_t k = 0; k < lm_param_count(s, p); k++) {
            const size_t i = lm_param_at(s, p) + k;
            const double slope =
                3 * (loss_at(r, i, h) - loss_at(r, i, -h)) / (2 * h);
            ck_assert_msg(fabs(r->grad[i] - slope) < 2e-8,
                          "parameter %d element %zu: gradient %g, slope %g", p,
                          k, r->grad[i], slope);
        }
    lm_reference_free(r);
}
END_TEST

START_TEST(passes_add_up)
{
    struct lm_reference *const a = lm_reference_new(&shapes[1], 1);
    struct lm_reference *const b = lm_reference_new(&shapes[1], 1);
    lm_reference_pass_seed(a, 5, 1);
    lm_reference_pass_seed(b, 5, 0.25);
    lm_reference_pass_seed(b, 5, 0.75);
    for (size_t i = 0; i < a->count; i++)
        ck_assert_double_eq_tol(a->grad[i], b->grad[i], 1e-14);
    lm_reference_zero_grad(a);
    ck_assert_double_eq(a->grad[0], 0);
    lm_reference_free(a);
    lm_reference_free(b);
}
END_TEST

/*
 * A token's loss may depend on those up to it alone: rows 0 to 2 have the loss
 * that they have without row 3, so what remains of the whole loss is row 3's,
 * and the probabilities of all its targets add up to 1.
 */
START_TEST(a_token_does_not_see_later_ones)
{
    const uint8_t token[] = {0, 1, 2, 3};
    struct lm_shape four = shapes[1], three = shapes[1];
    four.sequences = three.sequences = 1;
    three.context = 3;
    struct lm_reference *const a = lm_reference_new(&three, 1);
    struct lm_reference *const b = lm_reference_new(&four, 1);
    double sum = 0;
    for (int v = 0; v < four.vocabulary; v++) {
        const uint8_t target[] = {4, 0, 1, (uint8_t)v};
        sum += exp(3 * lm_reference_pass(a, token, target, 0) -
                   4 * lm_reference_pass(b, token, target, 0));
    }
    ck_assert_double_eq_tol(sum, 1, 1e-12);
    lm_reference_free(a);
    lm_reference_free(b);
}
END_TEST

START_TEST(bf16_rounds_and_is_near)
{
    struct lm_shape narrow = shapes[1];
    narrow.precision = LM_BF16;
    struct lm_reference *const a = lm_reference_new(&shapes[1], 1);
    struct lm_reference *const b = lm_reference_new(&narrow, 1);
    const double off =
        fabs(lm_reference_pass_seed(a, 5, 1) - lm_reference_pass_seed(b, 5, 1));
    ck_assert_double_gt(off, 1e-6);
    ck_assert_double_lt(off, 1e-1);
    lm_reference_free(a);
    lm_reference_free(b);
}
END_TEST

START_TEST(a_shape_that_cannot_be_is_refused)
{
    static const struct {
        struct lm_shape shape;
        const char *problem;
    } impossible[] = {
        {{7, 4, 1, 5, 0, 3, 1, LM_FP32}, "layers"},
        {{257, 4, 1, 5, 1, 3, 1, LM_FP32}, "byte"},
        {{7, 4, 1, 5, 1, 0, 1, LM_FP32}, "context"},
        {{7, 4, 3, 5, 1, 3, 1, LM_FP32}, "multiple"},
    };
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        const char *const problem = lm_shape_problem(&impossible[i].shape);
        ck_assert_ptr_nonnull(problem);
        ck_assert_msg(strstr(problem, impossible[i].problem) != NULL, "%s",
                      problem);
        ck_assert_ptr_null(lm_reference_new(&impossible[i].shape, 1));
    }
}
END_TEST

START_TEST(the_device_agrees_with_the_reference)
{
    static const char *const schedules[] = {"eager", "late", "random:1"};
    struct child c = child_run(120, "SIMGPU_SCHEDULE=%s %s/tests/nn/prog_lm",
                               schedules[_i], child_build());
    char *const bad = strstr(c.out, "FAILED");
    ck_assert_msg(!bad && c.status == 0, "status %d\n%.500s\n%s", c.status,
                  bad ? bad : "", c.err);
    ck_assert_ptr_nonnull(strstr(c.out, "ok    "));
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("lm");
    TCase *const t = tcase_create("lm");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, gradients_are_the_slopes_of_the_loss, 0, SHAPES);
    tcase_add_test(t, passes_add_up);
    tcase_add_test(t, a_token_does_not_see_later_ones);
    tcase_add_test(t, bf16_rounds_and_is_near);
    tcase_add_test(t, a_shape_that_cannot_be_is_refused);
    tcase_add_loop_test(t, the_device_agrees_with_the_reference, 0, 3);
    suite_add_tcase(s, t);
    return suite_run(s);
}
