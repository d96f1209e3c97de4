/*
 * cases_recover.c: runs the cases in which ranks fail, or are left out. Given:
 * nothing to edit here.
 */
#include <string.h> /* strcmp */

#include "base/must.h"
#include "cases.h"
#include "judge/data.h"

static struct cluster cluster;

void recover_release(void)
{
    for (int i = 0; i < CLUSTER_FAULTS; i++)
        if (cluster.fault[i].alive != MPI_COMM_NULL && cluster.nranks > 0)
            MPI_MUST(MPI_Comm_free(&cluster.fault[i].alive));
    memset(&cluster, 0, sizeof cluster);
}

/* Plan the case's failures. */
static void plan_faults(struct lab_run *r)
{
    static const char *const victim[] = {"victim", "victim2"};
    static const char *const step[] = {"at", "at2"};
    int lives = 1;
    cluster = (struct cluster){.rank = r->rank, .nranks = r->nranks};
    cases_team.cluster = &cluster;
    for (int i = 0; i < CLUSTER_FAULTS; i++) {
        struct cluster_fault *const f = &cluster.fault[i];
        f->victim = (int)plan_int(r->c, victim[i], -1);
        f->step = (int)plan_int(r->c, step[i], -1); // -1: not by step
        f->is_silent = (int)plan_int(r->c, "silent", 0);
        MPI_MUST(MPI_Comm_split(r->mpi_comm, lives ? 0 : MPI_UNDEFINED, r->rank,
                                &f->alive));
        lives = lives && f->victim != r->rank;
    }
}

/* ---- part 2 -------------------------------------------------------------- */

/* Rank `victim` doesn't make the call that the others wait for. */
ncclResult_t run_wait(struct lab_run *r)
{
    const char *const what = plan_text(r->c, "what", "done");
    const double deadline_us = (double)plan_int(r->c, "deadline_us", 2000);
    const size_t count = (size_t)plan_int(r->c, "count", 1000);
    enum team_end end = (enum team_end) - 1;
    int is_idle = 0, error = 0;
    ncclResult_t err = ncclSuccess;
    LAB_TRY(cases_begin(r));
    plan_faults(r);
    float *const data = lab_input(r, count, DATA_FLOAT);
    struct cluster_fault *const f = &cluster.fault[0];
    lab_begin(r);
    if (f->victim != r->rank)
        LAB_TRY(ncclAllReduce(data, data, count, ncclFloat, ncclSum,
                              cases_team.comm, r->stream));
    if (strcmp(what, "done") != 0)
        (void)cluster_strike(&cases_team, f);
    const double begin = MPI_Wtime();
    if (!cluster.is_dead) {
        err = team_wait(&cases_team, deadline_us, &end);
        error = (int)cudaGetLastError();
        is_idle = cudaStreamQuery(r->stream) == cudaSuccess;
    }
    const double took_us = (MPI_Wtime() - begin) * 1e6;
    lab_metric(r, "end", end);
    lab_metric(r, "error", error);
    lab_metric(r, "is_idle", is_idle);
    lab_metric(r, "took_us", took_us);
    (void)cudaGetLastError();
    if (!cluster.is_dead) { // an abort would end the wait of the others
        MPI_MUST(MPI_Barrier(cluster.fault[1].alive));
        ncclCommAbort(cases_team.comm);
        cases_team.comm = NULL;
    }
    lab_end(r);
    return err;
}

/* ---- part 3 -------------------------------------------------------------- */

static void show_team(struct lab_run *r)
{
    lab_metric(r, "rank", cases_team.rank);
    lab_metric(r, "nranks", cases_team.nranks);
}

/* The others' all-reduce is under way when the victim fails. They shrink, and
 * sum something else. */
ncclResult_t run_shrink(struct lab_run *r)
{
    const size_t count = (size_t)plan_int(r->c, "count", 1000);
    ncclResult_t err = ncclSuccess;
    LAB_TRY(cases_begin(r));
    plan_faults(r);
    float *const data = lab_input(r, count, DATA_FLOAT);
    float *const old = lab_buffer(r, count * sizeof *old);
    float *const sum = lab_buffer(r, count * sizeof *sum);
    lab_begin(r);
    if (cluster.fault[0].victim != r->rank)
        LAB_TRY(ncclAllReduce(data, old, count, ncclFloat, ncclSum,
                              cases_team.comm, r->stream));
    (void)cluster_strike(&cases_team, &cluster.fault[0]);
    if (!cluster.is_dead) {
        err = team_shrink(&cases_team);
        lab_metric(r, "is_idle", cudaStreamQuery(r->stream) == cudaSuccess);
        (void)cudaGetLastError();
        show_team(r);
        if (err == ncclSuccess)
            err = ncclAllReduce(data, sum, count, ncclFloat, ncclSum,
                                cases_team.comm, r->stream);
    }
    if (err == ncclSuccess)
        CUDA_MUST(cudaStreamSynchronize(r->stream));
    lab_end(r);
    lab_output(r, "sum", sum, count * sizeof *sum);
    return err;
}

/* The others sum something without the rank that is left out. */
ncclResult_t run_leave_out(struct lab_run *r)
{
    const size_t count = (size_t)plan_int(r->c, "count", 1000);
    const int slow = (int)plan_int(r->c, "slow", -1);
    LAB_TRY(cases_begin(r));
    float *const data = lab_input(r, count, DATA_FLOAT);
    float *const sum = lab_buffer(r, count * sizeof *sum);
    lab_begin(r);
    LAB_TRY(straggler_leave_out(&cases_team, slow));
    if (r->rank != slow)
        LAB_TRY(ncclAllReduce(data, sum, count, ncclFloat, ncclSum,
                              cases_team.comm, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    lab_end(r);
    show_team(r);
    lab_metric(r, "has_comm", cases_team.comm != NULL);
    lab_output(r, "sum", sum, count * sizeof *sum);
    return ncclSuccess;
}

static void fill(struct lab_run *r, float *out, int what)
{
    const struct draw_ask d = {.what = DRAWN_FLOATS,
                               .of_root = 1,
                               .npath = 1,
                               .path = {(uint64_t)what}};
    lab_fill(r, &d, out, cases_state.count * sizeof *out);
}

static void show_state(struct lab_run *r, const struct state *s)
{
    const size_t nbytes = s->count * sizeof *s->param;
    float *const copy = lab_buffer(r, 2 * nbytes);
    CUDA_MUST(cudaMemcpyAsync(copy, s->param, nbytes, cudaMemcpyDeviceToDevice,
                              r->stream));
    CUDA_MUST(cudaMemcpyAsync(copy + s->count, s->moment, nbytes,
                              cudaMemcpyDeviceToDevice, r->stream));
    lab_output(r, "state", copy, 2 * nbytes);
    lab_metric(r, "step", s->step);
}

/* The ranks in `ahead`, a mask, have made one more step. */
ncclResult_t run_agree(struct lab_run *r)
{
    const int ahead = plan_int(r->c, "ahead", 0) >> r->rank & 1;
    struct state *const s = &cases_state;
    LAB_TRY(cases_begin(r));
    lab_share_seed(r);
    LAB_TRY(state_init(s, (size_t)plan_int(r->c, "count", 1000), r->stream));
    s->step = 5 + ahead;
    fill(r, s->old_param, 2 * ahead);
    fill(r, s->old_moment, 2 * ahead + 1);
    fill(r, s->param, 2 * ahead + 2);
    fill(r, s->moment, 2 * ahead + 3);
    lab_begin(r);
    LAB_TRY(state_agree(&cases_team, s));
    lab_end(r);
    show_state(r, s);
    return ncclSuccess;
}

/* Before the training of the case: all ranks make `before` steps, and those not
 * in `ahead` lose the last one, as the victim fails. */
static ncclResult_t train_before(struct lab_run *r, struct state *s)
{
    const int before = (int)plan_int(r->c, "before", 0);
    const size_t nbytes = s->count * sizeof *s->param;
    if (before == 0)
        return ncclSuccess;
    while (s->step < before) {
        LAB_TRY(state_gradient(s, &cases_team));
        LAB_TRY(ncclAllReduce(s->grad, s->grad, s->count, ncclFloat, ncclSum,
                              cases_team.comm, r->stream));
        LAB_TRY(state_update(s, &cases_team));
    }
    if (!(plan_int(r->c, "ahead", 0) >> r->rank & 1)) {
        CUDA_MUST(cudaMemcpyAsync(s->param, s->old_param, nbytes,
                                  cudaMemcpyDeviceToDevice, r->stream));
        CUDA_MUST(cudaMemcpyAsync(s->moment, s->old_moment, nbytes,
                                  cudaMemcpyDeviceToDevice, r->stream));
        s->step--;
    }
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    (void)cluster_strike(&cases_team, &cluster.fault[0]);
    return ncclSuccess;
}

ncclResult_t run_train(struct lab_run *r)
{
    const int nsteps = (int)plan_int(r->c, "steps", 8);
    struct state *const s = &cases_state;
    ncclResult_t err = ncclSuccess;
    LAB_TRY(cases_begin(r));
    plan_faults(r);
    LAB_TRY(state_init(s, (size_t)plan_int(r->c, "count", 1000), r->stream));
    s->pull = lab_draw_buffer(r, &(struct draw_ask){.what = DRAWN_FLOATS},
                              s->count * sizeof *s->pull);
    lab_begin(r);
    LAB_TRY(train_before(r, s));
    if (!cluster.is_dead)
        err = team_train(&cases_team, s, nsteps,
                         (double)plan_int(r->c, "deadline_us", 5000));
    if (cluster.is_dead)
        err = ncclSuccess;
    lab_end(r);
    show_team(r);
    show_state(r, s);
    return err;
}
