/* links: lab judge graph topo base
 * A lab whose verdicts say how a case was run: on what, with which options and
 * in which environment.
 */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* getenv */

#include "lab/lab.h"

static int ncalls;

static ncclResult_t says(struct lab_run *r)
{
    lab_begin(r);
    lab_end(r);
    lab_metric(r, "calls", ++ncalls);
    return ncclSuccess;
}

static int none = 0;

static ncclResult_t crashes(struct lab_run *r)
{
    if (r->rank == 1)
        *(none ? &none : (int *)NULL) = 5;
    return ncclSuccess;
}

static const struct lab_kind kinds[] = {
    {"says", says}, {"crashes", crashes}, {NULL, NULL}};
const struct lab lab = {.name = "again", .brief = "says how", .kinds = kinds};

static void judge_says(const struct judge_task *t, struct judge_verdict *v)
{
    static const char *const names[] = {
        "SIMGPU_TOPO",          "SIMGPU_SCHEDULE",   "SIMGPU_FILL",
        "SIMGPU_CORES",         "SIMGPU_FAIL",       "CUDA_MODULE_LOADING",
        "CUDA_VISIBLE_DEVICES", "NCCL_ALGO",         "NCCL_PROTO",
        "NCCL_MAX_NCHANNELS",   "NCCL_MIN_NCHANNELS"};
    char set[1000] = "";
    size_t at = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        at +=
            (size_t)snprintf(set + at, sizeof set - at, ", %s=%.80s", names[i],
                             getenv(names[i]) ? getenv(names[i]) : "");
    judge_fail(v, "%d ranks, %d iterations, %g calls, seed %llx%s", t->nranks,
               t->iterations,
               evidence_metric(t->evidence, 0, t->case_no,
                               (unsigned)t->iterations - 1, "calls"),
               (unsigned long long)t->seed[0], set);
}

static const struct judge_kind judge_kinds[] = {
    {.name = "says", .judge = judge_says},
    {.name = "crashes", .judge = judge_says},
    {.name = NULL}};
static const struct judge_lab judge = {.lab = "again", .kinds = judge_kinds};
const struct judge_lab *const judge_labs[] = {&judge, NULL};
