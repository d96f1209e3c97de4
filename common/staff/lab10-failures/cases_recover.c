/*
 * cases_recover.c: runs the cases in which ranks fail, or are left out. Given:
 * nothing to edit here.
 */
#include <stdio.h>  /* snprintf */
#include <string.h> /* explicit_bzero, strcmp */

#include "base/must.h"
#include "cases.h"
#include "judge/data.h"
#include "lab/meter.h"

static struct cluster cluster;
static struct state trial[DRAWN_AGREES]; /* for agreements */

void recover_release(void)
{
    for (int i = 0; i < CLUSTER_FAULTS; i++)
        if (cluster.fault[i].alive != MPI_COMM_NULL && cluster.nranks > 0)
            MPI_MUST(MPI_Comm_free(&cluster.fault[i].alive));
    memset(&cluster, 0, sizeof cluster);
    for (int k = 0; k < DRAWN_AGREES; k++)
        state_release(&trial[k]);
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
        f->is_silent = f->victim == r->rank && plan_int(r->c, "silent", 0) != 0;
        MPI_MUST(MPI_Comm_split(r->mpi_comm, lives ? 0 : MPI_UNDEFINED, r->rank,
                                &f->alive));
        lives = lives && f->victim != r->rank;
    }
}

/* ---- part 2 -------------------------------------------------------------- */

enum { BUSY = 60 }; /* copies of LOAD_NBYTES: more than half of a deadline */

/* Wait number i of a case. */
static ncclResult_t wait_once(struct lab_run *r, int i)
{
    const double deadline_us = (double)plan_int(r->c, "deadline_us", 2000);
    enum team_end end = (enum team_end) - 1;
    const double begin = MPI_Wtime();
    const ncclResult_t err = team_wait(&cases_team, deadline_us, &end);
    if (err != ncclSuccess && end == TEAM_BROKEN)
        return lab_note_wrong("team_wait() sets *end to TEAM_BROKEN, and "
                              "returns the communicator's error, too:\nreturn "
                              "ncclSuccess, since the wait itself has worked");
    LAB_TRY(err);
    cases_metric(r, "error", i, (int)cudaGetLastError());
    cases_metric(r, "is_idle", i, cudaStreamQuery(r->stream) == cudaSuccess);
    cases_metric(r, "took_us", i, (MPI_Wtime() - begin) * 1e6);
    cases_metric(r, "end", i, end);
    (void)cudaGetLastError();
    return ncclSuccess;
}

/* All ranks wait for work that is done in time. Then rank `victim` doesn't make
 * the call that the others wait for. */
ncclResult_t run_wait(struct lab_run *r)
{
    const size_t count = (size_t)plan_int(r->c, "count", 1000);
    ncclResult_t err = ncclSuccess;
    LAB_TRY(cases_begin(r));
    plan_faults(r);
    float *const data = lab_input(r, count, DATA_FLOAT);
    char *const load = lab_buffer(r, 2 * LOAD_NBYTES);
    struct cluster_fault *const f = &cluster.fault[0];
    lab_begin(r);
    for (int i = 0; i < BUSY; i++)
        LAB_TRY_CUDA(cudaMemcpyAsync(load, load + LOAD_NBYTES, LOAD_NBYTES,
                                     cudaMemcpyDeviceToDevice, r->stream));
    LAB_TRY(ncclAllReduce(data, data, count, ncclFloat, ncclSum,
                          cases_team.comm, r->stream));
    err = wait_once(r, 0);
    if (strcmp(plan_text(r->c, "what", "done"), "done") != 0) {
        if (f->victim != r->rank)
            LAB_TRY(ncclAllReduce(data, data, count, ncclFloat, ncclSum,
                                  cases_team.comm, r->stream));
        (void)cluster_strike(&cases_team, f);
        if (!cluster.is_dead && err == ncclSuccess)
            err = wait_once(r, 1);
    }
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

/* How many communicators the student's function has ended. */
static void show_ended(struct lab_run *r, const struct meter *before)
{
    const uint64_t aborted = meter.aborted - before->aborted;
    const uint64_t destroyed = meter.destroyed - before->destroyed;
    lab_metric(r, "aborted", (double)aborted);
    lab_metric(r, "ended", (double)(aborted + destroyed));
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
        const struct meter before = meter;
        err = team_shrink(&cases_team);
        show_ended(r, &before);
        lab_metric(r, "is_idle", cudaStreamQuery(r->stream) == cudaSuccess);
        (void)cudaGetLastError();
        show_team(r);
        if (err == ncclSuccess)
            err = ncclAllReduce(data, sum, count, ncclFloat, ncclSum,
                                cases_team.comm, r->stream);
    }
    if (err == ncclSuccess) {
        CUDA_MUST(cudaStreamSynchronize(r->stream));
    } else if (cases_team.comm) { // else the stream would never be idle
        ncclCommAbort(cases_team.comm);
        cases_team.comm = NULL;
    }
    lab_end(r);
    lab_output(r, "sum", sum, count * sizeof *sum);
    return err;
}

/* The others sum something without the rank that is left out. The case may
 * begin by leaving out none. */
ncclResult_t run_leave_out(struct lab_run *r)
{
    const size_t count = (size_t)plan_int(r->c, "count", 1000);
    const int slow = (int)plan_int(r->c, "slow", -1);
    LAB_TRY(cases_begin(r));
    float *const data = lab_input(r, count, DATA_FLOAT);
    float *const sum = lab_buffer(r, count * sizeof *sum);
    lab_begin(r);
    if (plan_int(r->c, "first_none", 0))
        LAB_TRY(straggler_leave_out(&cases_team, -1));
    const struct meter before = meter;
    LAB_TRY(straggler_leave_out(&cases_team, slow));
    show_ended(r, &before);
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

static void fill(struct lab_run *r, float *out, size_t count, int k, int what)
{
    const struct draw_ask d = {.what = DRAWN_FLOATS,
                               .of_root = 1,
                               .npath = 2,
                               .path = {(uint64_t)k, (uint64_t)what}};
    lab_fill(r, &d, out, count * sizeof *out);
}

static void show_state(struct lab_run *r, const struct state *s, int k)
{
    const size_t nbytes = s->count * sizeof *s->param;
    float *const copy = lab_buffer(r, 2 * nbytes);
    char name[EVIDENCE_NAME];
    CUDA_MUST(cudaMemcpyAsync(copy, s->param, nbytes, cudaMemcpyDeviceToDevice,
                              r->stream));
    CUDA_MUST(cudaMemcpyAsync(copy + s->count, s->moment, nbytes,
                              cudaMemcpyDeviceToDevice, r->stream));
    snprintf(name, sizeof name, "state.%d", k);
    lab_output(r, name, copy, 2 * nbytes);
    cases_metric(r, "step", k, s->step);
}

/* A trial: some ranks have made one more step. */
static ncclResult_t draw_trial(struct lab_run *r, int k)
{
    const struct draw_ask d = {.what = DRAWN_AHEAD, .of_root = 1, .arg = {k}};
    struct state *const s = &trial[k];
    struct drawn_ahead drawn;
    LAB_TRY(state_init(s, (size_t)plan_int(r->c, "count", 1000), r->stream));
    lab_draw(r, &d, &drawn, sizeof drawn);
    const int ahead = drawn.mask >> r->rank & 1;
    s->step = drawn.step + ahead;
    explicit_bzero(&drawn, sizeof drawn);
    fill(r, s->old_param, s->count, k, 2 * ahead);
    fill(r, s->old_moment, s->count, k, 2 * ahead + 1);
    fill(r, s->param, s->count, k, 2 * ahead + 2);
    fill(r, s->moment, s->count, k, 2 * ahead + 3);
    return ncclSuccess;
}

ncclResult_t run_agree(struct lab_run *r)
{
    LAB_TRY(cases_begin(r));
    lab_share_seed(r);
    for (int k = 0; k < DRAWN_AGREES; k++)
        LAB_TRY(draw_trial(r, k));
    lab_begin(r);
    for (int k = 0; k < DRAWN_AGREES; k++)
        LAB_TRY(state_agree(&cases_team, &trial[k]));
    lab_end(r);
    for (int k = 0; k < DRAWN_AGREES; k++)
        show_state(r, &trial[k], k);
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
    const double begin = MPI_Wtime();
    if (!cluster.is_dead)
        err = team_train(&cases_team, s, nsteps,
                         (double)plan_int(r->c, "deadline_us", 5000));
    if (cluster.is_dead)
        err = ncclSuccess;
    lab_metric(r, "took_us", (MPI_Wtime() - begin) * 1e6);
    if (err == ncclSuccess)
        meter_forget_failure(); // a failed call is what team_train() survives
    lab_end(r);
    show_team(r);
    show_state(r, s, 0);
    return err;
}
