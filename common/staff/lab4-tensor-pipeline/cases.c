/*
 * cases.c: the cases and commands of lab 4. Given: nothing to edit here.
 */
#include "cases.h"

#include "report.h"

extern const struct judge_lab judge_lab4;
const struct judge_lab *const judge_labs[] = {&judge_lab4, NULL};

static const struct lab_kind kinds[] = {
    {"split", case_split},
    {"column", case_column},
    {"row", case_row},
    {"gather", case_gather},
    {"block_forward", case_block_forward},
    {"block_backward", case_block_backward},
    {"sp_gather", case_sp_gather},
    {"sp_scatter", case_sp_scatter},
    {"sp_speed", case_sp_speed},
    {"schedule", case_schedule},
    {"zero", case_schedule},
    {"pipe", case_pipe},
    {"bubble", case_bubble},
    {"grid", case_grid},
    {"hybrid", case_hybrid},
    {"speed", case_speed},
    {NULL, NULL},
};

static const struct lab_command commands[] = {
    {"--benchmark",
     "[--tp-size N --pp-size N --microbatches N --schedule S --checkpoint "
     "--iterations N --warmup N]: a step, measured",
     report_benchmark},
    {"--scaling", "[--microbatches N]: one network on 1, 2, 4, ... ranks",
     report_scaling},
    {"--bubble", "all ranks as stages: idle time, measured and predicted",
     report_bubble},
    {"--draw", "[--schedule S --microbatches N -o FILE]: a step as a picture",
     report_drawing},
    {"--zero",
     "[--microbatches N --schedule S -o FILE]: idle time without a bubble; "
     "with "
     "-o, a step as a picture",
     report_zero},
    {"--dualpipe",
     "[--microbatches N --forward N --inputs N --weights N --both N]: bubbles, "
     "measured and published",
     report_dual},
    {"--pieces",
     "[--rows N]: a sequence-parallel layer, its collectives whole and in "
     "pieces",
     report_pieces},
    {"--share",
     "[--ctas N,N,... --chunks N --rows N --width N --hidden N]: products next "
     "to collectives in chunks, by the CTAs that these may use",
     report_share},
    {"--placement", "[--tp-size N]: tensor parallel near and far",
     report_placement},
    {NULL, NULL, NULL},
};

const struct lab lab = {
    .name = "lab4-tensor-pipeline",
    .brief = "one network on many GPUs: tensor, pipeline and data parallel",
    .kinds = kinds,
    .commands = commands,
    .dataless = "1M", // buffers that large occur only where time is judged
};
