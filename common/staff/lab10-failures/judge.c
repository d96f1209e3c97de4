/*
 * judge.c: the judges of lab 10's cases
 *
 * Everything that fails follows from the case and rank 0's seed (drawn.h), so
 * the judge knows which rank is at fault, and what the others compute without
 * it.
 */
#include "judge/judge.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "judge/graph/calls.h"
#include "judge/graph/spans.h"
#include "judge/needs.h"
#include "judge10.h"

double judge10_metric(const struct judge_task *t, int rank, int iteration,
                      const char *name)
{
    return evidence_metric(t->evidence, rank, t->case_no, (unsigned)iteration,
                           name);
}

double judge10_metric_at(const struct judge_task *t, int rank, int iteration,
                         const char *name, int i)
{
    char text[EVIDENCE_NAME];
    snprintf(text, sizeof text, "%s.%d", name, i);
    return judge10_metric(t, rank, iteration, text);
}

void judge10_floats(const struct judge_task *t, int rank, int iteration,
                    const char *name, const float *want, size_t count,
                    struct judge_verdict *v)
{
    const void *const got =
        judge_output(t, rank, iteration, name, count * sizeof *want, v);
    if (got)
        data_compare(got, want, count, DATA_FLOAT, rank, v);
}

void judge10_train(const struct judge_task *t, int iteration, size_t count,
                   int nsteps, const int *until, float *state)
{
    memset(state, 0, 2 * count * sizeof *state);
    for (int s = 0; s < nsteps; s++)
        for (size_t i = 0; i < count; i++) {
            float sum = 0;
            int n = 0;
            for (int r = 0; r < t->nranks; r++) {
                if (s >= until[r])
                    continue;
                const float pull =
                    drawn_float(judge_input_seed(t, r, iteration), i);
                sum += drawn_gradient(state[i], pull, s);
                n++;
            }
            drawn_update(&state[i], &state[count + i], sum, n);
        }
}

/* ---- part 1 -------------------------------------------------------------- */

static void judge_record(const struct judge_task *t, struct judge_verdict *v)
{
    struct drawn_flight *const f = malloc(sizeof *f);
    struct drawn_call call[DRAWN_CALLS], slot[DRAWN_SLOTS];
    for (int n = 0; n < t->iterations * t->nranks * DRAWN_TRIALS; n++) {
        const int trial = n % DRAWN_TRIALS, r = n / DRAWN_TRIALS % t->nranks;
        const int i = n / DRAWN_TRIALS / t->nranks;
        const uint64_t seed = judge_input_seed(t, 0, i);
        drawn_flight(t->c, seed, trial, t->nranks, f);
        drawn_calls(t->c, seed, trial, r, f, call);
        drawn_record(slot, call, f->ncalls[r]);
        if (judge10_metric_at(t, r, i, "digest", trial) !=
            drawn_digest(slot, f->ncalls[r]))
            judge_fail(v,
                       "after %d calls, the recorder of rank %d does not have "
                       "the last %d in their slots, with their numbers: the "
                       "first call has number 0, and call n goes to slot n mod "
                       "16",
                       f->ncalls[r], r, DRAWN_SLOTS);
    }
    free(f);
}

static const char *fault_text(double fault, double rank, double number,
                              char *out, size_t nbytes)
{
    static const char *const name[] = {"FINE", "DIFFERS", "ABSENT"};
    const int known = fault >= 0 && fault <= 2;
    snprintf(out, nbytes, "FLIGHT_%s, rank %.0f, call %.0f",
             known ? name[(int)fault] : "?", rank, number);
    return out;
}

/* The calls about a number, by rank: R, G or S, their count and type. */
static void calls_text(const struct judge_task *t, uint64_t seed, int trial,
                       const struct drawn_flight *f, int number, char *out,
                       size_t nbytes)
{
    struct drawn_call call[DRAWN_CALLS];
    size_t at = (size_t)snprintf(out, nbytes, "  call");
    for (int r = 0; r < t->nranks && at < nbytes; r++)
        at += (size_t)snprintf(out + at, nbytes - at, "  rank %-*d",
                               r < t->nranks - 1 ? 9 : 0, r);
    for (int n = number > 0 ? number - 1 : 0; n <= number + 1; n++) {
        if (at < nbytes)
            at += (size_t)snprintf(out + at, nbytes - at, "\n  %4d", n);
        for (int r = 0; r < t->nranks && at < nbytes; r++) {
            char cell[24] = "";
            drawn_calls(t->c, seed, trial, r, f, call);
            if (n < f->ncalls[r])
                snprintf(cell, sizeof cell, "%c %d %s", "RGS"[call[n].op],
                         (int)call[n].count,
                         call[n].type == DATA_FLOAT ? "fp32" : "bf16");
            at += (size_t)snprintf(out + at, nbytes - at, "  %-*s",
                                   r < t->nranks - 1 ? 14 : 0, cell);
        }
    }
}

/* What a wrong report overlooks about the numbers of calls; "" if nothing. */
static const char *overlooked(const struct drawn_flight *f, int nranks,
                              double fault, double number)
{
    int most = 0, fewest = DRAWN_CALLS;
    for (int r = 0; r < nranks; r++) {
        most = f->ncalls[r] > most ? f->ncalls[r] : most;
        fewest = f->ncalls[r] < fewest ? f->ncalls[r] : fewest;
    }
    if (fault == DRAWN_DIFFERS && number + DRAWN_SLOTS < most)
        return ":\na rank has made so many calls that a later one is in this "
               "call's slot";
    if (fault == DRAWN_DIFFERS && number >= fewest)
        return ":\na rank has not made this call, so there is nothing to "
               "compare";
    if (f->fault == DRAWN_DIFFERS && f->number + DRAWN_SLOTS == most)
        return ":\nthis call is the oldest that all recorders still have";
    return "";
}

static void judge_diagnose(const struct judge_task *t, struct judge_verdict *v)
{
    struct drawn_flight *const f = malloc(sizeof *f);
    for (int n = 0; n < t->iterations * t->nranks * DRAWN_TRIALS; n++) {
        const int trial = n % DRAWN_TRIALS, r = n / DRAWN_TRIALS % t->nranks;
        const int i = n / DRAWN_TRIALS / t->nranks;
        char text[2][80], calls[600];
        drawn_flight(t->c, judge_input_seed(t, 0, i), trial, t->nranks, f);
        const double fault = judge10_metric_at(t, r, i, "fault", trial);
        const double rank = judge10_metric_at(t, r, i, "rank", trial);
        const double number = judge10_metric_at(t, r, i, "number", trial);
        if (fault == f->fault && rank == f->rank && number == f->number)
            continue;
        calls_text(t, judge_input_seed(t, 0, i), trial, f,
                   f->fault == DRAWN_FINE ? f->ncalls[0] - 1 : f->number, calls,
                   sizeof calls);
        judge_fail(v,
                   "hang %d of 0 to %d: the report is %s; should be %s%s\n%s",
                   trial, DRAWN_TRIALS - 1,
                   fault_text(fault, rank, number, text[0], 80),
                   fault_text(f->fault, f->rank, f->number, text[1], 80),
                   overlooked(f, t->nranks, fault, number), calls);
    }
    free(f);
}

/* ---- part 5 -------------------------------------------------------------- */

/* Time for each second of training, up to a factor. */
static double cost_of(const struct drawn_rates *d, double interval)
{
    return expm1((interval * d->step + d->save) / d->mtbf) / interval;
}

static double best_interval(const struct drawn_rates *d)
{
    double k = 1;
    while (cost_of(d, k + 1) < cost_of(d, k))
        k++;
    return k;
}

/* What a wrong interval is instead; "" if that is not known. */
static const char *interval_advice(const struct drawn_rates *d, double got,
                                   double best)
{
    const double young = sqrt(2 * d->save * d->mtbf) / d->step;
    if (fabs(got - young) <= 1)
        return ":\nthis is Young's formula, which holds only while step and "
               "save are much shorter than the\ntime between failures";
    if (fabs(got - best * d->step) <= 1)
        return ":\nthis is the interval in seconds; return steps";
    return "";
}

static void judge_interval(const struct judge_task *t, struct judge_verdict *v)
{
    for (int n = 0; n < t->iterations * t->nranks * DRAWN_TRIALS; n++) {
        const int trial = n % DRAWN_TRIALS, r = n / DRAWN_TRIALS % t->nranks;
        const int i = n / DRAWN_TRIALS / t->nranks;
        struct drawn_rates d;
        drawn_rates(t->c, judge_input_seed(t, 0, i), trial, &d);
        const double got = judge10_metric_at(t, r, i, "interval", trial);
        const double best = best_interval(&d);
        if (!(got >= 1 && cost_of(&d, got) <= 1.005 * cost_of(&d, best)))
            judge_fail_method(
                v,
                "step %.2f s, save %.1f s, a failure every %.0f s: a "
                "save every %.0f steps takes %.4g times as long as one every "
                "%.0f%s",
                d.step, d.save, d.mtbf, got,
                cost_of(&d, got) / cost_of(&d, best), best,
                interval_advice(&d, got, best));
    }
}

/* ---- part 6 -------------------------------------------------------------- */

/* Only the last two saves are there to compare: the others have to have been
 * copied to the host, too. */
static void judge_all_saves(const struct judge_task *t, double nsaves,
                            size_t count, struct judge_verdict *v)
{
    const double want = nsaves * 2 * (double)count * sizeof(float);
    for (int n = 0; n < t->iterations * t->nranks; n++) {
        const int i = n / t->nranks, r = n % t->nranks;
        struct spans_window w;
        double bytes = 0;
        if (spans_window(t, r, i, &w) != 0)
            continue;
        for (uint32_t at = w.first; at <= w.last; at++) {
            const struct graph_view *const op = &t->graph->nodes[at];
            for (size_t k = 0; k < op->nmoves; k++)
                if (op->moves[k].from >= 0 && op->moves[k].to < 0)
                    bytes += (double)op->moves[k].nbytes;
        }
        if (bytes < want)
            judge_fail(v,
                       "rank %d copies %.0f bytes to the host, and %.0f saves "
                       "have %.0f: a save is missing",
                       r, bytes, nsaves, want);
    }
}

static void judge_save(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t count = (size_t)plan_int(t->c, "count", 1000);
    const int nsteps = (int)plan_int(t->c, "steps", 6);
    const int every = (int)plan_int(t->c, "every", 1);
    const int nsaves = nsteps / every;
    float *const want = malloc(2 * count * sizeof *want);
    int *const until = malloc((size_t)t->nranks * sizeof *until);
    for (int r = 0; r < t->nranks; r++)
        until[r] = nsteps;
    for (int n = 0; n < t->iterations * 2; n++) {
        const int i = n / 2, save = nsaves - 1 - n % 2; // the last two
        char name[EVIDENCE_NAME];
        snprintf(name, sizeof name, "file.%d", save % 2);
        judge10_train(t, i, count, (save + 1) * every, until, want);
        for (int r = 0; r < t->nranks; r++) {
            const double step = judge10_metric_at(t, r, i, "step", save % 2);
            if (step < 0) {
                judge_fail(v,
                           "c->step[%d] of rank %d is still -1: save number i "
                           "goes to file[i %% 2], sets c->step[i %% 2] and "
                           "counts in c->nsaved",
                           save % 2, r);
                continue;
            }
            judge10_floats(t, r, i, name, want, 2 * count, v);
            if (step != (save + 1) * every)
                judge_fail(v,
                           "c->step[%d] is %.0f on rank %d, should be %d: "
                           "file[%d] has save %d",
                           save % 2, step, r, (save + 1) * every, save % 2,
                           save);
        }
    }
    free(until);
    free(want);
    judge_all_saves(t, nsaves, count, v);
    judge_no_waits(t, "only events order the streams", v);
}

static void judge_save_time(const struct judge_task *t, struct judge_verdict *v)
{
    const int every = (int)plan_int(t->c, "every", 2);
    const int nsaves = (int)plan_int(t->c, "steps", 8) / every;
    for (int n = 0; n < t->iterations * t->nranks * 2; n++) {
        const int i = n / 2 / t->nranks, r = n / 2 % t->nranks;
        const int file = (nsaves - 1 - n % 2) % 2;
        const int want = (nsaves - n % 2) * every;
        const double step = judge10_metric_at(t, r, i, "step", file);
        const double wrong = judge10_metric_at(t, r, i, "wrong", file);
        if (step != want)
            judge_fail(v, "c->step[%d] is %.0f on rank %d, should be %d", file,
                       step, r, want);
        else if (wrong != 0)
            judge_fail(v,
                       "%.0f bytes of file[%d] on rank %d are not those of "
                       "step %d",
                       wrong, file, r, want);
    }
    judge_all_saves(t, nsaves, (size_t)plan_int(t->c, "count", 1 << 20), v);
    judge_no_waits(t, "only events order the streams", v);
}

/* -------------------------------------------------------------------------- */

static const struct judge_kind kinds[] = {
    {.name = "record", .judge = judge_record},
    {.name = "diagnose", .judge = judge_diagnose},
    {.name = "wait", .judge = judge10_wait},
    {.name = "shrink", .judge = judge10_shrink},
    {.name = "agree", .judge = judge10_agree},
    {.name = "train", .judge = judge10_trained},
    {.name = "rebuild", .judge = judge10_rebuild},
    {.name = "interval", .judge = judge_interval},
    {.name = "save", .judge = judge_save, .several_streams = 1},
    {.name = "save_time", .judge = judge_save_time, .several_streams = 1},
    {.name = "straggler", .judge = judge10_straggler},
    {.name = "leave", .judge = judge10_leave},
    {.name = "seal", .judge = judge10_seal},
    {.name = NULL},
};

/* Where a student should look when a case fails. */
static const struct judge_student students[] = {
    {"record", "flight_add() in record.c", NULL, NULL},
    {"diagnose", "flight_diagnose() in record.c", NULL, NULL},
    {"wait", "team_wait() in recover.c", NULL, NULL},
    {"shrink", "team_shrink() in recover.c", NULL, NULL},
    {"agree", "state_agree() in recover.c", NULL, NULL},
    {"train", "team_train() in recover.c", NULL, NULL},
    {"rebuild", "shares_rebuild() in reshard.c", NULL, NULL},
    {"interval", "checkpoint_interval() in checkpoint.c", NULL, NULL},
    {"save", "checkpoint_save() in checkpoint.c", NULL, NULL},
    {"save_time", "checkpoint_save() in checkpoint.c", NULL, NULL},
    {"straggler", "straggler_find() in straggler.c", NULL, NULL},
    {"leave", "straggler_leave_out() in straggler.c", NULL, NULL},
    {"seal", "seal_sum() in seal.c", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

static const struct draw_row draws[] = {
    [DRAWN_FLOATS] = {drawn_make_floats, 1},
    [DRAWN_FLIGHT] = {drawn_make_flight, 1},
    [DRAWN_RATES] = {drawn_make_rates, 1},
    [DRAWN_TIMES] = {drawn_make_times, 1},
    [DRAWN_FLIPS] = {drawn_make_flips, 1},
    [DRAWN_AHEAD] = {drawn_make_ahead, 1},
    {NULL, 0},
};

static int needs(const struct plan_case *c, const struct judge_place *p,
                 char *text, size_t nbytes)
{
    const int is_hang = strcmp(c->kind, "diagnose") == 0;
    const int a = (int)plan_int(c, "victim", 0);
    const int b = (int)plan_int(c, "victim2", 0);
    int least = (a > b ? a : b) + 1;
    least = least < 2 + is_hang ? 2 + is_hang : least;
    if (strcmp(c->kind, "interval") == 0 || p->nranks >= least)
        return 0;
    snprintf(text, nbytes, "at least %d ranks: %s", least,
             is_hang ? "two have to agree" : "one fails, others live on");
    return 1;
}

extern const struct judge_lab judge_lab10;
const struct judge_lab judge_lab10 = {.lab = "lab10-failures",
                                      .kinds = kinds,
                                      .students = students,
                                      .draws = draws,
                                      .needs = needs};
