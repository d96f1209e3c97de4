/*
 * The reference network: its gradients, compared with finite differences of its
 * loss; its optimizers, with published results. And the network on a device,
 * compared with the reference.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "nn/reference.h"
#include "suite.h"

static const struct nn_shape shapes[] = {
    {1, 3, 9, 2, 4, NN_MEAN_SQUARES, 0, 0, 0, 0, 0, 0},
    {3, 4, 5, 3, 2, NN_MEAN_SQUARES, 0, 0, 0, 0, 0, 0},
    {4, 3, 4, 6, 3, NN_MSE, 1, 2, 0, 0, 0, 0},
    {4, 6, 5, 7, 2, NN_CROSS_ENTROPY, 0, 0, 1u << 2, 0, 0, 0},
    {5, 4, 4, 4, 3, NN_MSE, 1, 3, 1u << 2, 0, 0, 0},
    {2, 18, 33, 17, 19, NN_CROSS_ENTROPY, 0, 0, 0, 0, 0,
     0},                                                 // larger than a block
    {4, 1, 4, 7, 6, NN_CROSS_ENTROPY, 0, 0, 0, 2, 3, 5}, // a transformer
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* The loss with element i of all parameters moved by delta. */
static double loss_at(struct reference *r, size_t i, double delta,
                      uint64_t skip)
{
    const double kept = r->w[i];
    r->w[i] += delta;
    const double loss = reference_pass_seed(r, 7, 0, skip);
    r->w[i] = kept;
    return loss;
}

static void check_gradient(const struct nn_shape *s, uint64_t skip)
{
    const double h = 1e-5;
    struct reference *const r = reference_new(s, 42);
    ck_assert_ptr_nonnull(r);
    reference_pass_seed(r, 7, 3, skip);
    for (int l = 0; l < s->depth; l++)
        for (size_t k = 0; k < nn_layer_count(s, l); k++) {
            const size_t i = reference_at(r, l) + k;
            const double slope =
                nn_is_frozen(s, l)
                    ? 0
                    : 3 * (loss_at(r, i, h, skip) - loss_at(r, i, -h, skip)) /
                          (2 * h);
            ck_assert_msg(fabs(r->grad[i] - slope) < 1e-8,
                          "layer %d element %zu: gradient %g, slope %g", l, k,
                          r->grad[i], slope);
        }
    reference_free(r);
}

START_TEST(gradients_are_the_slopes_of_the_loss)
{
    check_gradient(&shapes[_i], 0);
}
END_TEST

START_TEST(gradients_are_the_slopes_of_the_loss_with_a_layer_skipped)
{
    check_gradient(&shapes[_i], 1u << 2);
    check_gradient(&shapes[_i], 1u << 1);
}
END_TEST

START_TEST(passes_add_up)
{
    struct reference *const a = reference_new(&shapes[1], 1);
    struct reference *const b = reference_new(&shapes[1], 1);
    reference_pass_seed(a, 5, 1, 0);
    reference_pass_seed(b, 5, 0.25, 0);
    reference_pass_seed(b, 5, 0.75, 0);
    for (size_t i = 0; i < a->count; i++)
        ck_assert_double_eq_tol(a->grad[i], b->grad[i], 1e-15);
    reference_zero_grad(a);
    ck_assert_double_eq(a->grad[0], 0);
    reference_free(a);
    reference_free(b);
}
END_TEST

START_TEST(the_first_step_of_adamw_is_as_long_as_its_rate)
{
    struct reference *const r = reference_new(&shapes[1], 1);
    double *const before = malloc(r->count * sizeof *before);
    memcpy(before, r->w, r->count * sizeof *before);
    for (size_t i = 0; i < r->count; i++)
        r->grad[i] = i % 2 ? 0.5 : -2;
    reference_adamw(r, 0.01, 0.9, 0.999, 0, 0.1);
    for (size_t i = 0; i < r->count; i++)
        ck_assert_double_eq_tol(
            r->w[i], before[i] * (1 - 0.01 * 0.1) - (i % 2 ? 0.01 : -0.01),
            1e-12);
    free(before);
    reference_free(r);
}
END_TEST

START_TEST(clipping_keeps_the_direction)
{
    struct reference *const r = reference_new(&shapes[1], 1);
    for (size_t i = 0; i < r->count; i++)
        r->grad[i] = i < 2 ? 3.0 + (double)i : 0; // 3 and 4: norm 5
    reference_clip(r, 5.5);
    ck_assert_double_eq(r->grad[0], 3);
    reference_clip(r, 2.5);
    ck_assert_double_eq_tol(r->grad[0], 1.5, 1e-15);
    ck_assert_double_eq_tol(r->grad[1], 2, 1e-15);
    reference_free(r);
}
END_TEST

START_TEST(frozen_parameters_stay)
{
    const struct nn_shape *const s = &shapes[3];
    struct reference *const r = reference_new(s, 1);
    const size_t at = reference_at(r, 2);
    const double kept = r->w[at], moves = r->w[0];
    for (size_t i = 0; i < r->count; i++)
        r->grad[i] = 1;
    reference_sgd(r, 0.1);
    reference_adamw(r, 0.1, 0.9, 0.999, 1e-8, 0.1);
    ck_assert_double_eq(r->w[at], kept);
    ck_assert_double_ne(r->w[0], moves);
    reference_free(r);
}
END_TEST

/*
 * Losses of five steps of SGD (weights of seed 3, data of seed 9, rate 0.05),
 * computed by a second, independent implementation: plain Python, with its own
 * loops, hash and derivatives. All digits agree.
 */
static const struct {
    struct nn_shape shape;
    double loss[5];
} known[] = {
    {{6, 12, 16, 8, 6, NN_MEAN_SQUARES, 0, 0, 0, 0, 0, 0},
     {0.330937960879, 0.168130700427, 0.283636218470, 0.115582400611,
      0.018621895747}},
    {{6, 12, 16, 8, 6, NN_MSE, 1, 4, 1u << 2, 0, 0, 0},
     {0.706964034810, 0.465529411017, 0.644238380273, 0.778941594700,
      0.357844421091}},
    {{4, 16, 24, 200, 7, NN_CROSS_ENTROPY, 0, 0, 0, 0, 0, 0},
     {5.650294987905, 5.640543365610, 5.281754393906, 6.054268459183,
      5.720686030707}},
};

START_TEST(losses_are_those_of_another_implementation)
{
    struct reference *const r = reference_new(&known[_i].shape, 3);
    for (int step = 0; step < 5; step++) {
        reference_zero_grad(r);
        ck_assert_double_eq_tol(
            reference_pass_seed(r, nn_data_seed(9, step, 0), 1, 0),
            known[_i].loss[step], 2e-12);
        reference_sgd(r, 0.05);
    }
    reference_free(r);
}
END_TEST

static const struct {
    struct nn_shape shape;
    const char *problem;
} impossible[] = {
    {{0, 1, 1, 1, 1, NN_MSE, 0, 0, 0, 0, 0, 0}, "depth"},
    {{65, 1, 1, 1, 1, NN_MSE, 0, 0, 0, 0, 0, 0}, "depth"},
    {{2, 1, 0, 1, 1, NN_MSE, 0, 0, 0, 0, 0, 0}, "widths"},
    {{2, 1, 1, 300, 1, NN_CROSS_ENTROPY, 0, 0, 0, 0, 0, 0}, "byte"},
    {{3, 4, 4, 4, 1, NN_MSE, 2, 1, 0, 0, 0, 0}, "in order"},
    {{3, 5, 4, 4, 1, NN_MSE, 0, 1, 0, 0, 0, 0}, "one size"},
    {{2, 1, 4, 7, 6, NN_CROSS_ENTROPY, 0, 0, 0, 2, 3, 5}, "3 layers"},
    {{4, 1, 4, 7, 6, NN_CROSS_ENTROPY, 0, 0, 0, 2, 4, 5}, "sequences"},
    {{4, 1, 4, 7, 6, NN_CROSS_ENTROPY, 0, 0, 0, 2, 0, 5}, "sequences"},
    {{4, 1, 4, 7, 6, NN_MSE, 0, 0, 0, 2, 3, 5}, "cross entropy"},
    {{4, 1, 4, 7, 6, NN_CROSS_ENTROPY, 0, 2, 0, 2, 3, 5}, "tied"},
    {{4, 1, 4, 7, 6, NN_CROSS_ENTROPY, 0, 0, 2, 2, 3, 5}, "frozen"},
    {{4, 1, 4, 7, 6, NN_CROSS_ENTROPY, 0, 0, 0, 3, 3, 5}, "heads"},
};

START_TEST(a_shape_that_cannot_be_is_refused)
{
    const char *const problem = nn_shape_problem(&impossible[_i].shape);
    ck_assert_ptr_nonnull(problem);
    ck_assert_msg(strstr(problem, impossible[_i].problem) != NULL, "%s",
                  problem);
    ck_assert_ptr_null(reference_new(&impossible[_i].shape, 1));
}
END_TEST

static void check_program(const char *name, int schedule)
{
    static const char *const schedules[] = {"eager", "late", "random:1"};
    struct child c = child_run(120, "SIMGPU_SCHEDULE=%s %s/tests/nn/%s",
                               schedules[schedule], child_build(), name);
    char *const bad = strstr(c.out, "FAILED");
    ck_assert_msg(!bad && c.status == 0, "status %d\n%.500s\n%s", c.status,
                  bad ? bad : "", c.err);
    ck_assert_ptr_nonnull(strstr(c.out, "ok    "));
    child_clear(&c);
}

START_TEST(the_device_agrees_with_the_reference)
{
    check_program("prog_nn", _i);
}
END_TEST

START_TEST(blocks_of_attention_agree_with_one_softmax)
{
    check_program("prog_attend", _i);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("nn");
    TCase *const t = tcase_create("nn");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, gradients_are_the_slopes_of_the_loss, 0, SHAPES);
    tcase_add_loop_test(
        t, gradients_are_the_slopes_of_the_loss_with_a_layer_skipped, 1,
        SHAPES);
    tcase_add_loop_test(t, losses_are_those_of_another_implementation, 0,
                        sizeof known / sizeof *known);
    tcase_add_test(t, passes_add_up);
    tcase_add_test(t, the_first_step_of_adamw_is_as_long_as_its_rate);
    tcase_add_test(t, clipping_keeps_the_direction);
    tcase_add_test(t, frozen_parameters_stay);
    tcase_add_loop_test(t, a_shape_that_cannot_be_is_refused, 0,
                        sizeof impossible / sizeof *impossible);
    tcase_add_loop_test(t, the_device_agrees_with_the_reference, 0, 3);
    tcase_add_loop_test(t, blocks_of_attention_agree_with_one_softmax, 0, 3);
    suite_add_tcase(s, t);
    return suite_run(s);
}
