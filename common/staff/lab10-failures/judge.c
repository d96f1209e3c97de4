/*
 * judge.c: the judges of lab 10's cases
 *
 * Everything that fails follows from the case and rank 0's seed (drawn.h), so
 * the judge knows which rank is at fault, what the others compute without it,
 * and how few bytes mend a sum.
 */
#include "judge/judge.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge/graph/spans.h"
#include "judge/needs.h"
#include "judge10.h"

double judge10_metric(const struct judge_task *t, int rank, int iteration,
                      const char *name)
{
    return evidence_metric(t->evidence, rank, t->case_no, (unsigned)iteration,
                           name);
}

static double metric_at(const struct judge_task *t, int rank, int iteration,
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
        if (metric_at(t, r, i, "digest", trial) !=
            drawn_digest(slot, f->ncalls[r]))
            judge_fail(v,
                       "after %d calls, the recorder of rank %d does not have "
                       "the last %d in their slots, with their numbers",
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

static void judge_diagnose(const struct judge_task *t, struct judge_verdict *v)
{
    struct drawn_flight *const f = malloc(sizeof *f);
    for (int n = 0; n < t->iterations * t->nranks * DRAWN_TRIALS; n++) {
        const int trial = n % DRAWN_TRIALS, r = n / DRAWN_TRIALS % t->nranks;
        const int i = n / DRAWN_TRIALS / t->nranks;
        char text[2][80];
        drawn_flight(t->c, judge_input_seed(t, 0, i), trial, t->nranks, f);
        const double fault = metric_at(t, r, i, "fault", trial);
        const double rank = metric_at(t, r, i, "rank", trial);
        const double number = metric_at(t, r, i, "number", trial);
        if (fault != f->fault || rank != f->rank || number != f->number)
            judge_fail(v, "hang %d: the report is %s; should be %s", trial,
                       fault_text(fault, rank, number, text[0], 80),
                       fault_text(f->fault, f->rank, f->number, text[1], 80));
    }
    free(f);
}

/* ---- part 4 -------------------------------------------------------------- */

struct reshard {
    size_t total, each, to_each; /* elements of an old and a new share */
    int nranks, lost;
};

static struct reshard reshard_of(const struct judge_task *t)
{
    const size_t n = (size_t)t->nranks;
    struct reshard s = {.total = (size_t)plan_int(t->c, "total", 12),
                        .nranks = t->nranks,
                        .lost = (int)plan_int(t->c, "lost", 1) % t->nranks};
    s.each = (s.total + n - 1) / n;
    s.to_each = (s.total + n - 2) / (n - 1);
    return s;
}

/* Elements that an old rank has to send, or to receive. */
static void fewest(const struct reshard *s, int rank, size_t *sent,
                   size_t *received)
{
    *sent = *received = 0;
    for (size_t i = 0; i < s->total; i++) {
        const int share = (int)(i / s->each);
        const int copy = (share + 1) % s->nranks;
        const int owner = share == s->lost ? copy : share;
        const int to = (int)(i / s->to_each);
        const int old_to = to + (to >= s->lost);
        if (old_to == share || old_to == copy)
            continue;
        *sent += owner == rank;
        *received += old_to == rank;
    }
}

static void judge_rebuild(const struct judge_task *t, struct judge_verdict *v)
{
    const struct reshard s = reshard_of(t);
    float *const want = malloc(s.to_each * sizeof *want);
    for (int n = 0; n < t->iterations * t->nranks * 2; n++) {
        const int i = n / 2 / t->nranks, r = n / 2 % t->nranks, array = n % 2;
        const size_t begin = (size_t)(r - (r > s.lost)) * s.to_each;
        const uint64_t seed =
            judge_seed(judge_input_seed(t, 0, i), (uint64_t)array);
        for (size_t k = 0; k < s.to_each; k++)
            want[k] = begin + k < s.total ? drawn_float(seed, begin + k) : 0;
        if (r != s.lost)
            judge10_floats(t, r, i, array ? "out.1" : "out.0", want, s.to_each,
                           v);
    }
    free(want);
    for (int r = 0; r < t->nranks && v->pass; r++) {
        size_t sent, received;
        fewest(&s, r, &sent, &received);
        const double bytes = judge_count(t, r, 0, "sent_bytes", v);
        const double least = 2.0 * sizeof(float) * (double)sent;
        if (bytes > least)
            judge_fail_method(
                v,
                "the result is right, but rank %d sends %.0f bytes; "
                "%.0f are enough",
                r, bytes, least);
        if (judge_count(t, r, 0, "collectives", v) > 0)
            judge_fail_method(
                v,
                "the result is right, but rank %d calls a collective: "
                "messages can carry what its receiver lacks, and no "
                "more",
                r);
        if (judge_count(t, r, 0, "rounds", v) > 1)
            judge_fail_method(
                v,
                "the result is right, but rank %d sends and receives "
                "in %.0f groups, should in one",
                r, judge_count(t, r, 0, "rounds", v));
    }
    judge_no_mpi(t, "NCCL moves what is in device memory", v);
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

static void judge_interval(const struct judge_task *t, struct judge_verdict *v)
{
    for (int n = 0; n < t->iterations * t->nranks * DRAWN_TRIALS; n++) {
        const int trial = n % DRAWN_TRIALS, r = n / DRAWN_TRIALS % t->nranks;
        const int i = n / DRAWN_TRIALS / t->nranks;
        struct drawn_rates d;
        drawn_rates(t->c, judge_input_seed(t, 0, i), trial, &d);
        const double got = metric_at(t, r, i, "interval", trial);
        const double best = best_interval(&d);
        if (!(got >= 1 && cost_of(&d, got) <= 1.005 * cost_of(&d, best)))
            judge_fail_method(
                v,
                "step %.2f s, save %.1f s, a failure every %.0f s: a "
                "save every %.0f steps trains %.1f %% slower than one "
                "every %.0f",
                d.step, d.save, d.mtbf, got,
                100 * (cost_of(&d, got) / cost_of(&d, best) - 1), best);
    }
}

/* ---- part 6 -------------------------------------------------------------- */

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
            const double step = metric_at(t, r, i, "step", save % 2);
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
        const double step = metric_at(t, r, i, "step", file);
        const double wrong = metric_at(t, r, i, "wrong", file);
        if (step != want)
            judge_fail(v, "c->step[%d] is %.0f on rank %d, should be %d", file,
                       step, r, want);
        else if (wrong != 0)
            judge_fail(v,
                       "%.0f bytes of file[%d] on rank %d are not those of "
                       "step %d",
                       wrong, file, r, want);
    }
    judge_no_waits(t, "only events order the streams", v);
}

/* ---- part 7 -------------------------------------------------------------- */

static void judge_straggler(const struct judge_task *t, struct judge_verdict *v)
{
    for (int n = 0; n < t->iterations * t->nranks; n++) {
        const int i = n / t->nranks, r = n % t->nranks;
        const int want = drawn_slow(t->c, judge_input_seed(t, 0, i), t->nranks);
        const double got = judge10_metric(t, r, i, "slow");
        if (got != want)
            judge_fail(v, "*slow is %.0f on rank %d, should be %d%s", got, r,
                       want, want < 0 ? " (none is)" : "");
    }
    judge_no_mpi(t, "NCCL gathers the times", v);
}

/* ---- part 8 -------------------------------------------------------------- */

/* The bytes of collectives that it takes: elements, seals and the blocks that
 * are bad, and the flags of each round. */
struct seal_bytes {
    double data, flags;
};

static struct seal_bytes seal_bytes(const struct judge_task *t, int iteration)
{
    const uint64_t count = (uint64_t)plan_int(t->c, "count", 5000);
    const uint64_t nblocks = (count + DRAWN_BLOCK - 1) / DRAWN_BLOCK;
    struct drawn_flip flip[DRAWN_FLIPS_MOST];
    const int n =
        drawn_flips(t->c, judge_input_seed(t, 0, iteration), t->nranks, flip);
    uint64_t bytes = count * sizeof(float) + nblocks * sizeof(double);
    int rounds = 1;
    for (int i = 0; i < n; i++) {
        const uint64_t left = count - flip[i].at / DRAWN_BLOCK * DRAWN_BLOCK;
        bytes += (left < DRAWN_BLOCK ? left : DRAWN_BLOCK) * sizeof(float);
        rounds = flip[i].round + 2 > rounds ? flip[i].round + 2 : rounds;
    }
    return (struct seal_bytes){(double)bytes,
                               (double)rounds * (double)nblocks * sizeof(int)};
}

static void judge_seal_bytes(const struct judge_task *t, int rank,
                             int iteration, struct judge_verdict *v)
{
    const struct seal_bytes want = seal_bytes(t, iteration);
    const double bytes = judge_collective_bytes(t, rank, iteration);
    if (bytes > want.data + want.flags)
        judge_fail_method(
            v,
            "the result is right, but rank %d's collectives have %.0f "
            "bytes; %.0f are enough: elements and seals once, flags, "
            "and the blocks that are bad",
            rank, bytes, want.data + want.flags);
    else if (t->graph && bytes < want.data)
        judge_fail_method(
            v,
            "the result is right, but rank %d's collectives have %.0f "
            "bytes, less than the %.0f of elements, seals and bad "
            "blocks: some are not summed",
            rank, bytes, want.data);
}

static void judge_seal(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t count = (size_t)plan_int(t->c, "count", 5000);
    float *const want = malloc(count * sizeof *want);
    for (int i = 0; i < t->iterations; i++) {
        memset(want, 0, count * sizeof *want);
        for (int r = 0; r < t->nranks; r++)
            for (size_t k = 0; k < count; k++)
                want[k] += drawn_float(judge_input_seed(t, r, i), k);
        for (int r = 0; r < t->nranks; r++) {
            judge10_floats(t, r, i, "sum", want, count, v);
            judge_seal_bytes(t, r, i, v);
        }
    }
    free(want);
    judge_no_mpi(t, "NCCL combines the flags", v);
}

/* -------------------------------------------------------------------------- */

static const struct judge_kind kinds[] = {
    {.name = "record", .judge = judge_record},
    {.name = "diagnose", .judge = judge_diagnose},
    {.name = "wait", .judge = judge10_wait},
    {.name = "shrink", .judge = judge10_shrink},
    {.name = "agree", .judge = judge10_agree},
    {.name = "train", .judge = judge10_trained},
    {.name = "rebuild", .judge = judge_rebuild},
    {.name = "interval", .judge = judge_interval},
    {.name = "save", .judge = judge_save, .several_streams = 1},
    {.name = "save_time", .judge = judge_save_time, .several_streams = 1},
    {.name = "straggler", .judge = judge_straggler},
    {.name = "leave", .judge = judge10_leave},
    {.name = "seal", .judge = judge_seal},
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
