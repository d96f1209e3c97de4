/*
 * cases_reduce.c: lab 5's cases of parts 3 and 4, the all-reduces. Given:
 * nothing to edit here.
 */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

#include <nvtx3/nvToolsExt.h> /* nvtxRangePushA */

#include "base/must.h"
#include "cases.h"
#include "drawn.h" /* DRAWN_ROUGH */
#include "judge/data.h"
#include "nn/ops.h" /* nn_add */

enum {
    MORE = 1 << 20, /* bytes of a heap for all but the vectors */
    TUNE_CALLS = 2, /* calls per measurement, in measure_all() */
};

static enum symm_algo algo_of(const struct plan_case *c)
{
    return strcmp(plan_text(c, "algo", ""), "two_shot") == 0 ? SYMM_TWO_SHOT
                                                             : SYMM_ONE_SHOT;
}

static float *rough_input(struct lab_run *r, size_t count)
{
    return lab_draw_buffer(r, &(struct draw_ask){.what = DRAWN_ROUGH},
                           count * sizeof(float));
}

/* Several all-reduces in a row; the input of number i is i times the first one.
 * `limits: 1`: by symm_all_reduce(), with limits that the case sets. */
ncclResult_t run_reduce(struct lab_run *r)
{
    const size_t count = (size_t)plan_int(r->c, "count", 1000);
    const size_t nbytes = count * sizeof(float);
    const size_t calls = (size_t)plan_int(r->c, "calls", 3);
    float *send, *recv;
    struct symm_reducer a;
    const float *const in = plan_int(r->c, "rough", 0)
                                ? rough_input(r, count)
                                : lab_input(r, count, DATA_FLOAT);
    float *const out = lab_buffer(r, calls * nbytes);
    LAB_TRY(cases_open(r, 2 * nbytes + MORE));
    LAB_TRY(cases_input(r, count, &send));
    CUDA_MUST(
        cudaMemcpyAsync(send, in, nbytes, cudaMemcpyDeviceToDevice, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    LAB_TRY(cases_alloc(r, nbytes, (void **)&recv));
    LAB_TRY(symm_reducer_init(&a, &cases_heap, r->comm));
    a.one_shot_most = (size_t)plan_int(r->c, "one_shot_most", 0);
    a.two_shot_most = (size_t)plan_int(r->c, "two_shot_most", 0);
    lab_metric(r, "has_nccl", r->comm != NULL);
    lab_begin(r);
    for (size_t i = 0; i < calls; i++) {
        if (plan_int(r->c, "limits", 0))
            LAB_TRY(symm_all_reduce(&a, send, recv, count, r->stream));
        else
            LAB_TRY(symm_reduce_by(&a, algo_of(r->c), send, recv, count,
                                   r->stream));
        if (calls > 1) {
            CUDA_MUST(nn_add(send, in, count, r->stream));
            CUDA_MUST(cudaMemcpyAsync(out + i * count, recv, nbytes,
                                      cudaMemcpyDeviceToDevice, r->stream));
        }
    }
    lab_end(r);
    cases_show(r, "out", calls > 1 ? out : recv, calls * nbytes);
    cases_close();
    return ncclSuccess;
}

/* All-reduces by each algorithm at each size, in ranges that the judge finds in
 * the graph; on GPUs it uses the times recorded here. */
static ncclResult_t measure_all(struct lab_run *r, struct symm_reducer *a,
                                const float *send, float *recv, size_t most)
{
    char name[EVIDENCE_NAME];
    const int nalgos = a->nccl ? SYMM_ALGOS : SYMM_NCCL;
    const size_t one_shot_to =
        (size_t)plan_int(r->c, "one_shot_to", (int64_t)most);
    cudaEvent_t begin, end;
    float ms;
    CUDA_MUST(cudaEventCreate(&begin));
    CUDA_MUST(cudaEventCreate(&end));
    for (size_t nbytes = 1024; nbytes <= most; nbytes *= 2)
        for (int k = 0; k < nalgos; k++) {
            if (k == SYMM_ONE_SHOT && nbytes > one_shot_to)
                continue;
            snprintf(name, sizeof name, "algo%d.%zu", k, nbytes);
            MPI_MUST(MPI_Barrier(r->mpi_comm));
            nvtxRangePushA(name);
            CUDA_MUST(cudaEventRecord(begin, r->stream));
            for (int i = 0; i < TUNE_CALLS; i++)
                LAB_TRY(symm_reduce_by(a, (enum symm_algo)k, send, recv,
                                       nbytes / sizeof *send, r->stream));
            CUDA_MUST(cudaEventRecord(end, r->stream));
            nvtxRangePop();
            CUDA_MUST(cudaEventSynchronize(end));
            CUDA_MUST(cudaEventElapsedTime(&ms, begin, end));
            lab_metric(r, name, ms * 1000.0 / TUNE_CALLS);
        }
    CUDA_MUST(cudaEventDestroy(begin));
    CUDA_MUST(cudaEventDestroy(end));
    return ncclSuccess;
}

/*
 * Record the time that each rank gets of each algorithm. The judge expects the
 * same of all ranks, so the last rank is made slower than the others: it has
 * other work behind each all-reduce, which is part of what it measures.
 */
static ncclResult_t show_times(struct lab_run *r, struct symm_reducer *a,
                               const float *send, float *recv)
{
    enum { COUNT = 4096, MORE_WORK = 1 << 24 };
    char name[EVIDENCE_NAME];
    const int nalgos = a->nccl ? SYMM_ALGOS : SYMM_NCCL;
    if (r->rank == r->nranks - 1) {
        a->more = lab_buffer(r, MORE_WORK);
        a->more_nbytes = MORE_WORK;
    }
    for (int k = 0; k < nalgos; k++) {
        double us = 0;
        LAB_TRY(symm_reduce_time(a, (enum symm_algo)k, send, recv, COUNT,
                                 r->stream, &us));
        snprintf(name, sizeof name, "time%d", k);
        lab_metric(r, name, us);
    }
    return ncclSuccess;
}

ncclResult_t run_tune(struct lab_run *r)
{
    const size_t most = (size_t)plan_int(r->c, "most", 1 << 20);
    float *send, *recv;
    struct symm_reducer a;
    LAB_TRY(cases_open(r, 2 * most + MORE));
    LAB_TRY(cases_input(r, most / sizeof *send, &send));
    LAB_TRY(symm_alloc(&cases_heap, most, (void **)&recv));
    LAB_TRY(symm_reducer_init(&a, &cases_heap, r->comm));
    lab_metric(r, "has_nccl", a.nccl != NULL);
    lab_begin(r);
    LAB_TRY(symm_reduce_tune(&a, send, recv, most, r->stream));
    LAB_TRY(measure_all(r, &a, send, recv, most));
    lab_end(r);
    lab_metric(r, "one_shot_most", (double)a.one_shot_most);
    lab_metric(r, "two_shot_most", (double)a.two_shot_most);
    LAB_TRY(show_times(r, &a, send, recv));
    cases_close();
    return ncclSuccess;
}
