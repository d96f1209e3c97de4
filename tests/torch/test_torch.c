/*
 * The transformer, against PyTorch from the same weights: losses of five steps
 * of AdamW, and the digits that agree (lm.py). PyTorch is optional; PYTHON in
 * the environment names an interpreter that has it. Without, known losses of
 * PyTorch's are what the reference is held against. And what labs 8 and 9 make
 * of ranks, against PyTorch's in as many processes: sharded training
 * (shard.py), attention (seq.py).
 */
#define _GNU_SOURCE
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h> /* access */

#include "child.h"
#include "labtest.h" /* labtest_root */
#include "suite.h"

enum { STEPS = 5 };
enum { IMPORT_SEC = 300, LOSSES_SEC = 120, FSDP_SEC = 300 };

static const char *python(void)
{
    const char *const own = getenv("PYTHON");
    return own ? own : "python3";
}

static int has_torch(void)
{
    struct child c = child_run(
        IMPORT_SEC, "%s -c 'import torch, torch.distributed.fsdp' 2>/dev/null",
        python());
    const int found = c.status == 0;
    child_clear(&c);
    return found;
}

/* Torch 2.15.0, in double. */
static const struct {
    const char *precision;
    double loss[STEPS];
} known[] = {
    {"fp32",
     {4.0350651366765, 3.4468903902163, 4.1522392641793, 4.1351038793618,
      3.7042031740794}},
    {"bf16",
     {4.0377869207323, 3.4475557281055, 4.1532727103797, 4.1356535638392,
      3.7056678628995}},
};

START_TEST(the_reference_has_the_losses_of_pytorch)
{
    struct child c = child_run(60, "%s/tests/torch/prog_dump %s", child_build(),
                               known[_i].precision);
    ck_assert_msg(c.status == 0, "%s", c.err);
    const char *at = strstr(c.out, "\"reference\": [");
    ck_assert_ptr_nonnull(at);
    at = strchr(at, '[');
    for (int step = 0; step < STEPS; step++) {
        char *end;
        ck_assert_double_eq_tol(strtod(at + 1, &end), known[_i].loss[step],
                                2e-12);
        at = end;
    }
    child_clear(&c);
}
END_TEST

static void check_losses(int sec, const char *precision, const char *processes)
{
    struct child c = child_run(
        sec, "%s/tests/torch/prog_dump %s | %s %s/tests/torch/lm.py %s",
        child_build(), precision, python(), labtest_root(), processes);
    ck_assert_msg(c.status == 0 && !c.timed_out, "%s%s", c.out, c.err);
    ck_assert_ptr_nonnull(strstr(c.out, "step 4"));
    printf("%s%s%s\n%s", precision, *processes ? ", processes " : "", processes,
           c.out);
    child_clear(&c);
}

START_TEST(losses_are_those_of_pytorch)
{
    check_losses(LOSSES_SEC, known[_i].precision, "");
}
END_TEST

START_TEST(losses_are_those_of_pytorchs_fsdp)
{
    check_losses(FSDP_SEC, "fp32", _i == 0 ? "2" : "4");
}
END_TEST

static const struct {
    const char *name;
    int nranks;
} shards[] = {{"zero2", 4}, {"zero3", 2}, {"zero3", 4}, {"fsdp", 2},
              {"fsdp", 4},  {"mixed", 2}, {"mixed", 4}, {"hybrid", 4}};
enum { SHARDS = sizeof shards / sizeof *shards };

START_TEST(sharded_training_is_that_of_pytorchs_fsdp)
{
    struct child c = child_run(FSDP_SEC,
                               "mpirun -n %d %s/tests/torch/prog_shard %s | "
                               "%s %s/tests/torch/shard.py",
                               shards[_i].nranks, child_build(),
                               shards[_i].name, python(), labtest_root());
    ck_assert_msg(c.status == 0 && !c.timed_out, "%s%s", c.out, c.err);
    ck_assert_ptr_nonnull(strstr(c.out, "step 4"));
    printf("%s", c.out);
    child_clear(&c);
}
END_TEST

static const char *const orders[] = {"plain", "zigzag", "striped", "heads"};
enum { ORDERS = sizeof orders / sizeof *orders };

START_TEST(attention_over_ranks_is_that_of_pytorch)
{
    struct child c = child_run(FSDP_SEC,
                               "mpirun -n %d %s/tests/torch/prog_seq %s | "
                               "%s %s/tests/torch/seq.py",
                               _i < ORDERS ? 2 : 4, child_build(),
                               orders[_i % ORDERS], python(), labtest_root());
    ck_assert_msg(c.status == 0 && !c.timed_out, "%s%s", c.out, c.err);
    ck_assert_ptr_nonnull(strstr(c.out, "dv "));
    printf("%s", c.out);
    child_clear(&c);
}
END_TEST

/* False if its lab was removed (make remove-lab). */
static int has_program(const char *name)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/tests/torch/%s", child_build(), name);
    return access(path, X_OK) == 0;
}

int main(void)
{
    Suite *const s = suite_create("torch");
    TCase *const t = tcase_create("torch");
    tcase_set_timeout(t, FSDP_SEC + 60);
    tcase_add_loop_test(t, the_reference_has_the_losses_of_pytorch, 0, 2);
    if (has_torch()) {
        tcase_add_loop_test(t, losses_are_those_of_pytorch, 0, 2);
        tcase_add_loop_test(t, losses_are_those_of_pytorchs_fsdp, 0, 2);
        if (has_program("prog_shard"))
            tcase_add_loop_test(t, sharded_training_is_that_of_pytorchs_fsdp, 0,
                                SHARDS);
        if (has_program("prog_seq"))
            tcase_add_loop_test(t, attention_over_ranks_is_that_of_pytorch, 0,
                                2 * ORDERS);
    } else {
        printf(
            "skipped: PyTorch's losses, shards and attention (no torch in %s; "
            "PYTHON names another interpreter)\n",
            python());
    }
    suite_add_tcase(s, t);
    return suite_run(s);
}
