/*
 * staleness.c: what late gradients cost in loss, and save in time
 *
 * Each lateness runs the same training twice: once to time its steps, once to
 * read the loss after each step, for which the host has to wait. In every step
 * one rank, a different one each time, has more work than the others: it
 * repeats its forward pass. With gradients of the same step all ranks wait for
 * it; with late gradients they don't.
 */
#include "staleness.h"

#include <math.h>   /* isfinite */
#include <stdio.h>  /* printf */
#include <stdlib.h> /* calloc */

#include "base/must.h"
#include "cases.h"
#include "lab/flags.h"
#include "nn/exercise.h"
#include "plot.h"

enum { STEPS = 100, TIMED = 24, MORE = 12 /* forward passes */ };

static const int lates[] = {0, 1, 2, 4, 8};
enum { LATES = sizeof lates / sizeof *lates };

static struct symm *const heap = &cases_heap;

struct trial {
    int late;
    double even_us, uneven_us; /* time of a step */
    double loss[STEPS];        /* before each step */
};

struct setting {
    struct lab_run *r;
    struct nn_task task;
};

/* Start a training with the same weights on all ranks and different data on
 * each. */
static struct exercise *begin(const struct setting *s, int late, struct late *l)
{
    struct exercise *const e = exercise_of(s->r, &s->task);
    const size_t slots = ((size_t)late + 1) * (size_t)s->r->nranks;
    cases_same_weights(s->r, e);
    NCCL_MUST(cases_open(s->r, slots * e->m.count * sizeof(float) + (1 << 20)));
    NCCL_MUST(late_open(l, heap, &e->m, late));
    return e;
}

static void end(struct late *l)
{
    CUDA_MUST(cudaDeviceSynchronize());
    late_close(l);
    cases_close();
    exercise_release();
    lab_free_buffers();
}

static void step_on(struct late *l, struct exercise *e)
{
    NCCL_MUST(late_step(l, &e->m, exercise_batch(e, 0, 0), &e->optimizer));
}

/* The mean time of TIMED steps, on the slowest rank. */
static double time_steps(const struct setting *s, int late, int more)
{
    struct late l;
    struct exercise *const e = begin(s, late, &l);
    double begin_sec = 0;
    for (int i = -late - 1; i < TIMED; i++) { // some to warm up
        if (i == 0) {
            CUDA_MUST(cudaDeviceSynchronize());
            MPI_MUST(MPI_Barrier(s->r->mpi_comm));
            begin_sec = MPI_Wtime();
        }
        const int is_slow = i >= 0 && i % s->r->nranks == s->r->rank;
        for (int k = 0; k < more && is_slow; k++)
            CUDA_MUST(nn_forward(&e->m, exercise_batch(e, 0, 0)));
        step_on(&l, e);
    }
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(s->r->mpi_comm));
    double us = (MPI_Wtime() - begin_sec) * 1e6 / TIMED;
    MPI_MUST(MPI_Bcast(&us, 1, MPI_DOUBLE, 0, s->r->mpi_comm));
    end(&l);
    return us;
}

/* The mean of all ranks' losses before each step. */
static void read_losses(const struct setting *s, struct trial *t)
{
    struct late l;
    struct exercise *const e = begin(s, t->late, &l);
    for (int i = 0; i < STEPS; i++) {
        step_on(&l, e);
        CUDA_MUST(nn_read_loss(&e->m, &t->loss[i]));
        t->loss[i] /= s->r->nranks;
    }
    MPI_MUST(MPI_Allreduce(MPI_IN_PLACE, t->loss, STEPS, MPI_DOUBLE, MPI_SUM,
                           s->r->mpi_comm));
    end(&l);
}

/* The number of steps after which the loss is at most `goal`, or -1. */
static int steps_to(const struct trial *t, double goal)
{
    for (int i = 0; i < STEPS; i++)
        if (t->loss[i] <= goal)
            return i;
    return -1;
}

static void print_trial(const struct trial *t, double goal)
{
    const int steps = steps_to(t, goal);
    printf("%6d %10.1f %10.1f ", t->late, t->even_us, t->uneven_us);
    if (isfinite(t->loss[STEPS - 1]) && t->loss[STEPS - 1] < 10)
        printf("%10.3f", t->loss[STEPS - 1]);
    else
        printf("%10s", "diverges");
    if (steps >= 0)
        printf(" %10d %10.2f\n", steps, steps * t->uneven_us * 1e-3);
    else
        printf(" %10s %10s\n", "-", "-");
}

static int draw(const struct trial *trial, const struct setting *s,
                const char *path)
{
    struct plot *const p = calloc(1, sizeof *p);
    if (!p)
        must_stop(__FILE__, __LINE__, "calloc", "out of memory");
    p->title = "Loss by time, with gradients that arrive N steps late";
    p->x = "modelled time, ms";
    p->y = "loss";
    p->ncurves = LATES;
    for (int k = 0; k < LATES; k++) {
        struct plot_curve *const c = &p->curve[k];
        snprintf(c->name, sizeof c->name, "%d late", trial[k].late);
        for (int i = 0; i < STEPS; i++)
            plot_add(c, i * trial[k].uneven_us * 1e-3,
                     trial[k].loss[i] <= 1.2 * trial[k].loss[0]
                         ? trial[k].loss[i]
                         : NAN);
    }
    const int err = plot_write(p, s->r, path);
    free(p);
    return err ? 1 : 0;
}

int staleness_main(struct lab_run *r, int argc, char **argv)
{
    long rows = 64, percent = 200;
    const char *path = NULL;
    const struct flag flags[] = {
        {"--rows", FLAG_NUMBER, &rows, 1, 4096},
        {"--lr-percent", FLAG_NUMBER, &percent, 1, 10000},
        {"-o", FLAG_TEXT, &path, 0, 0},
        {NULL, 0, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    const struct setting s = {r,
                              {.shape = {.depth = 3,
                                         .in = 64,
                                         .hidden = 256,
                                         .out = 64,
                                         .rows = (int)rows,
                                         .loss = NN_MSE},
                               .steps = 1,
                               .micro = 1,
                               .optimizer = NN_SGD,
                               .hyper = {.lr = (float)percent / 100}}};
    static struct trial trial[LATES];
    r->seed = 1000 + (uint64_t)r->rank;
    for (int k = 0; k < LATES; k++) {
        trial[k].late = lates[k];
        trial[k].even_us = time_steps(&s, lates[k], 0);
        trial[k].uneven_us = time_steps(&s, lates[k], MORE);
        read_losses(&s, &trial[k]);
    }
    const double goal = trial[0].loss[0] / 2;
    if (r->rank == 0) {
        printf("# %d ranks, %ld rows each, %zu parameters, learning rate "
               "%.2f\n"
               "#       us per step, ranks       loss after      until the "
               "loss is %.3f\n"
               "#late       even     uneven  %3d steps      steps     ms, "
               "uneven\n",
               r->nranks, rows, nn_param_count(&s.task.shape),
               (double)percent / 100, goal, STEPS);
        for (int k = 0; k < LATES; k++)
            print_trial(&trial[k], goal);
    }
    return path ? draw(trial, &s, path) : 0;
}
