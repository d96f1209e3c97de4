/*
 * judge.c: the judges of lab 4's cases, and the right answers
 */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

#include "judge/needs.h"
#include "judge_model.h"
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
    {.name = "sp_gather", .judge = judge_sp_gather},
    {.name = "sp_scatter", .judge = judge_sp_scatter},
    {.name = "sp_speed", .judge = judge_sp_speed, .limit_us = sp_speed_limit},
    {.name = "zero", .judge = judge_zero},
    {.name = "pipe", .judge = judge_pipe},
    {.name = "bubble", .judge = judge_bubble},
    {.name = "grid", .judge = judge_grid},
    {.name = "hybrid", .judge = judge_hybrid},
    {.name = "speed", .judge = judge_speed, .limit_us = speed_limit},
    {.name = NULL},
};

/* Where a student should look when a case fails. */
static const struct judge_student students[] = {
    {"split", "tp_split_columns() and tp_split_rows() in tensor.c", NULL, NULL},
    {"column", "tp_column_forward() and tp_column_backward() in tensor.c", NULL,
     NULL},
    {"row", "tp_row_forward() and tp_row_backward() in tensor.c", NULL, NULL},
    {"gather", "tp_gather_forward() and tp_gather_backward() in tensor.c", NULL,
     NULL},
    {"block_forward", "tp_block_forward() in tensor.c", NULL, NULL},
    {"block_backward", "tp_block_backward() in tensor.c", NULL, NULL},
    {"schedule", "schedule_fill_drain() in schedule.c", "schedule",
     "fill-drain"},
    {"schedule", "schedule_interleaved() in schedule.c", "schedule",
     "interleaved"},
    {"schedule", "schedule_1f1b() in schedule.c", NULL, NULL},
    {"sp_gather", "sp_gather_product() in pieces.c", NULL, NULL},
    {"sp_scatter", "sp_product_scatter() in pieces.c", NULL, NULL},
    {"sp_speed", "sp_gather_product() and sp_product_scatter() in pieces.c",
     NULL, NULL},
    {"zero", "schedule_zero_h1() in zero.c", "schedule", "zero-h1"},
    {"zero", "schedule_zero_v() in zero.c", NULL, NULL},
    {"pipe", "zero_inputs(), zero_weights() and zero_run() in zero.c",
     "schedule", "zero-h1"},
    {"pipe", "schedule_zero_v() and zero_run() in zero.c", "schedule",
     "zero-v"},
    {"bubble", "zero_run() in zero.c", "schedule", "zero-h1"},
    {"bubble", "zero_run() in zero.c", "schedule", "zero-v"},
    {"pipe", "checkpoint_slot() and checkpoint_backward() in checkpoint.c",
     "checkpoint", "1"},
    {"pipe", "pipe_run_interleaved() in pipeline.c", "schedule", "interleaved"},
    {"pipe", "pipe_exchange() and pipe_run() in pipeline.c", NULL, NULL},
    {"bubble", "pipe_run_interleaved() in pipeline.c", "schedule",
     "interleaved"},
    {"bubble", "pipe_exchange() and pipe_run() in pipeline.c", NULL, NULL},
    {"grid", "grid_of() and grid_split() in hybrid.c", NULL, NULL},
    {"hybrid", "hybrid_step() in hybrid.c", NULL, NULL},
    {"speed", "hybrid_step() in hybrid.c", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

/* All ranks draw from rank 0's seed. */
static const struct draw_row draws[] = {[NN_DRAW_FLOATS] = {nn_draw_floats, 1},
                                        [NN_DRAW_BYTES] = {nn_draw_bytes, 1},
                                        [MODEL_DRAW_INTEGERS] = {draw_data, 1},
                                        {0}};

/* Every stage of a pipeline, and every chunk of a stage, has a block of two
 * layers. */
static int needs(const struct plan_case *c, const struct judge_place *p,
                 char *text, size_t nbytes)
{
    static const char *const trained[] = {"pipe", "bubble", "hybrid", "speed"};
    const struct model m = model_of(c, p->nranks);
    const int blocks = m.task.shape.depth / 2;
    int is_trained = 0;
    for (size_t i = 0; i < sizeof trained / sizeof *trained; i++)
        is_trained |= strcmp(c->kind, trained[i]) == 0;
    if (!is_trained || m.pp * m.chunks <= blocks)
        return 0;
    snprintf(text, nbytes,
             "at most %d stages: its network has %d blocks, and a stage holds "
             "%d or more",
             blocks / m.chunks, blocks, m.chunks);
    return 1;
}

extern const struct judge_lab judge_lab4;
const struct judge_lab judge_lab4 = {.lab = "lab4-tensor-pipeline",
                                     .kinds = kinds,
                                     .students = students,
                                     .draws = draws,
                                     .needs = needs};
