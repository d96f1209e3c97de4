/*
 * judge.c: the judges of lab 4's cases, and the right answers
 */
#include "judge/judge.h"
#include "judge/answers.h"
#include "judge_tensor.h"
#include "judge_train.h"

static const struct judge_kind kinds[] = {
    {.name = "split", .judge = judge_split},
    {.name = "column", .judge = judge_column},
    {.name = "row", .judge = judge_row},
    {.name = "gather", .judge = judge_gather},
    {.name = "block_forward", .judge = judge_block_forward},
    {.name = "block_backward", .judge = judge_block_backward},
    {.name = "schedule", .judge = judge_schedule},
    {.name = "pipe", .judge = judge_pipe},
    {.name = "bubble", .judge = judge_bubble},
    {.name = "grid", .judge = judge_grid},
    {.name = "hybrid", .judge = judge_hybrid},
    {.name = "speed", .judge = judge_speed, .limit_us = speed_limit},
    {.name = NULL},
};

static const struct judge_answer answers[] = {
    {.name = "tp_MB", .tolerance = 0.01},
    {.name = "bubble_percent", .tolerance = 0.01},
    {.name = "micro_batches", .tolerance = 0},
    {.name = "in_flight", .tolerance = 0},
    {.name = "checkpoint_ratio", .tolerance = 0.01},
    {.name = NULL},
};

extern const struct judge_lab judge_lab4;
const struct judge_lab judge_lab4 = {
    .lab = "lab4-tensor-pipeline", .kinds = kinds, .answers = answers};
