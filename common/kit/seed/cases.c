/*
 * cases.c: runs the lab's cases
 *
 * For each kind of case in the plan: fill the inputs from the rank's seed, call
 * the student's function between lab_begin() and lab_end(), record the output.
 * judge.c computes the expected output.
 */
#include "@N@.h"

#include "judge/data.h" /* DATA_FLOAT */
#include "lab/lab.h"

extern const struct judge_lab judge_@N@;
const struct judge_lab *const judge_labs[] = {&judge_@N@, NULL};

static ncclResult_t run_shift(struct lab_run *r)
{
    const size_t count = (size_t)plan_int(r->c, "count", 1024);
    const struct ring ring = {r->comm, r->rank, r->nranks, r->stream};
    const float *const in = lab_input(r, count, DATA_FLOAT);
    float *const out = lab_buffer(r, count * sizeof *out);
    lab_begin(r);
    LAB_TRY(ring_shift(in, out, count, &ring));
    lab_end(r);
    lab_output(r, "recvbuf", out, count * sizeof *out);
    return ncclSuccess;
}

static const struct lab_kind kinds[] = {{"shift", run_shift}, {NULL, NULL}};

const struct lab lab = {
    .name = "@LAB@", .brief = "@TITLE@", .kinds = kinds};
