/* judge.c: which function judges which kind of case, and lab 0's hints */
#include "judge0.h"

#include "judge/data.h"

void judge0_floats(const struct judge_task *t, int rank, int iteration,
                   const char *name, const float *want, size_t n,
                   struct judge_verdict *v)
{
    const void *const got =
        judge_output(t, rank, iteration, name, n * sizeof *want, v);
    if (got)
        data_compare(got, want, n, DATA_FLOAT, rank, v);
}

static const struct judge_kind kinds[] = {
    {.name = "message", .judge = judge0_message},
    {.name = "share", .judge = judge0_share},
    {.name = "ring", .judge = judge0_ring},
    {.name = "trip", .judge = judge0_trip},
    {.name = "axpy", .judge = judge0_axpy},
    {.name = "order", .judge = judge0_order, .several_streams = 1},
    {.name = "overlap", .judge = judge0_overlap, .several_streams = 1},
    {.name = "comm", .judge = judge0_comm},
    {.name = "swap", .judge = judge0_swap},
    {.name = "collectives", .judge = judge0_collectives},
    {.name = NULL},
};

/* Where a student should look when a case fails. */
static const struct judge_student students[] = {
    {"message", "first_message() in mpi.c", NULL, NULL},
    {"share", "first_share() in mpi.c", NULL, NULL},
    {"ring", "first_ring() in mpi.c", NULL, NULL},
    {"trip", "first_trip() in cuda.cu", NULL, NULL},
    {"axpy", "first_axpy() in cuda.cu", NULL, NULL},
    {"order", "first_order() in cuda.cu", NULL, NULL},
    {"overlap", "first_overlap() in cuda.cu", NULL, NULL},
    {"comm", "first_comm() in nccl.c", NULL, NULL},
    {"swap", "first_swap() in nccl.c", NULL, NULL},
    {"collectives", "first_collectives() in nccl.c", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

extern const struct judge_lab judge_lab0;
const struct judge_lab judge_lab0 = {
    .lab = "lab0-first-steps", .kinds = kinds, .students = students};
