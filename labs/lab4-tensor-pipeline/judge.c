/*
 * judge.c: the judges of lab 4's cases, and what answers are right
 */
#include "judge/judge.h"
#include "judge/answers.h"
#include "judge_tensor.h"

static const struct judge_kind kinds[] = {
    {.name = "split", .judge = judge_split},
    {.name = "column", .judge = judge_column},
    {.name = "row", .judge = judge_row},
    {.name = "gather", .judge = judge_gather},
    {.name = "block_forward", .judge = judge_block_forward},
    {.name = "block_backward", .judge = judge_block_backward},
    {.name = NULL},
};

extern const struct judge_lab judge_lab4;
const struct judge_lab judge_lab4 = {.lab = "lab4-tensor-pipeline",
                                     .kinds = kinds};
