/*
 * judge_drawn.c: draws the inputs of cases
 */
#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "drawn.h"
#include "judge/data.h"

/* The i-th number below n of a trial. */
static int below(uint64_t seed, int trial, int i, int n)
{
    return (int)(judge_seed(seed, (uint64_t)trial * 4096 + (uint64_t)i) %
                 (uint64_t)n);
}

/* True in every other trial. The seed says in which ones. */
static int is_other(uint64_t seed, int trial, int which)
{
    return (trial + below(seed, 0, which, 2)) % 2;
}

/* ---- part 1 -------------------------------------------------------------- */

enum {
    AT = 1,
    FIELD = 4,
    CALL = 64,
    OF_RANK = 2048,
    HANGS = 3001,
    EVEN = 3002,
    MASK = 3003,
    ALSO = 3004,
    TURN = 3100
};

/* The rank at fault in a trial. Each is at fault in turn, in an order that the
 * seed shuffles: a report that counts trials and compares nothing is right for
 * one seed in 2,520 (4 ranks) or in 560 (3 ranks). */
static int rank_at_fault(uint64_t seed, int trial, int nranks)
{
    int order[DRAWN_TRIALS];
    for (int i = 0; i < DRAWN_TRIALS; i++) {
        const int j = below(seed, 0, TURN + i, i + 1);
        order[i] = order[j];
        order[j] = i % nranks;
    }
    return order[trial];
}

/* True if this happened to the ranks of a trial. A report that never finds a
 * fault is right in half of the trials of hang: nothing. */
static int has(const struct plan_case *c, uint64_t seed, int trial,
               const char *what)
{
    const char *const hang = plan_text(c, "hang", "differs");
    const int nothing = strcmp(hang, "nothing") == 0;
    return strcmp(nothing && is_other(seed, trial, HANGS) ? "absent" : hang,
                  what) == 0;
}

void drawn_flight(const struct plan_case *c, uint64_t seed, int trial,
                  int nranks, struct drawn_flight *out)
{
    const int spread = (int)plan_int(c, "spread", 3);
    const int at = 8 + below(seed, trial, AT, 30);
    const int rank = rank_at_fault(seed, trial, nranks);
    *out = (struct drawn_flight){DRAWN_FINE, -1, 0, {0}};
    for (int r = 0; r < nranks; r++)
        out->ncalls[r] = at + 1 + below(seed, trial, OF_RANK + r, spread + 1);
    out->ncalls[(rank + 1) % nranks] = at + 1 + spread; // the one ahead
    if (has(c, seed, trial, "nothing")) {
        for (int r = 0; r < nranks; r++)
            out->ncalls[r] = at;
        return;
    }
    out->rank = rank;
    out->number = at;
    out->fault = has(c, seed, trial, "absent") ? DRAWN_ABSENT : DRAWN_DIFFERS;
    if (out->fault == DRAWN_ABSENT)
        out->ncalls[rank] = at;
    if (has(c, seed, trial, "skipped"))
        out->ncalls[rank] = at + 1;
}

void drawn_calls(const struct plan_case *c, uint64_t seed, int trial, int rank,
                 const struct drawn_flight *f,
                 struct drawn_call out[DRAWN_CALLS])
{
    for (int i = 0; i < f->ncalls[rank]; i++) {
        // A rank that skips a call makes the next one in its place.
        const int k = i + (has(c, seed, trial, "skipped") && rank == f->rank &&
                           i >= f->number);
        out[i] = (struct drawn_call){
            .number = (uint64_t)i,
            .op = below(seed, trial, CALL + 3 * k, 3),
            .type = below(seed, trial, CALL + 3 * k + 1, 2) ? DATA_BFLOAT16
                                                            : DATA_FLOAT,
            .count =
                256 * (uint64_t)(8 * below(seed, trial, CALL + 3 * k + 2, 100) +
                                 k % 8 + 1)};
    }
    if (!has(c, seed, trial, "differs") || rank != f->rank)
        return;
    struct drawn_call *const odd = &out[f->number];
    switch (below(seed, trial, FIELD, 3)) {
    case 0: odd->op = (odd->op + 1) % 3; break;
    case 1: odd->count += 256; break;
    default: odd->type = odd->type == DATA_FLOAT ? DATA_BFLOAT16 : DATA_FLOAT;
    }
}

void drawn_record(struct drawn_call slot[DRAWN_SLOTS],
                  const struct drawn_call *call, int n)
{
    memset(slot, 0, DRAWN_SLOTS * sizeof *slot);
    for (int i = 0; i < n; i++)
        slot[i % DRAWN_SLOTS] = call[i];
}

double drawn_digest(const struct drawn_call slot[DRAWN_SLOTS], int ncalls)
{
    uint64_t sum = judge_seed((uint64_t)ncalls, 0);
    for (int i = 0; i < DRAWN_SLOTS; i++) {
        const uint64_t part[] = {slot[i].number, (uint64_t)slot[i].op,
                                 slot[i].count, (uint64_t)slot[i].type};
        for (int j = 0; j < 4; j++)
            sum = judge_seed(sum, part[j]);
    }
    return (double)(sum >> 12);
}

int drawn_make_flight(const struct draw_from *from, const int64_t *arg,
                      void *out, size_t nbytes)
{
    struct drawn_flight *const f = malloc(sizeof *f);
    struct drawn_call call[DRAWN_CALLS] = {{0}};
    const int fits = f && nbytes == sizeof call && arg[0] >= 0 && arg[1] >= 0 &&
                     arg[0] < DRAWN_TRIALS && arg[1] < from->nranks;
    if (fits) {
        const int trial = (int)arg[0];
        drawn_flight(from->c, from->seed, trial, from->nranks, f);
        drawn_calls(from->c, from->seed, trial, (int)arg[1], f, call);
        for (int i = f->ncalls[arg[1]]; i < DRAWN_CALLS; i++)
            call[i].op = -1; // no call
        memcpy(out, call, sizeof call);
    }
    free(f);
    return fits ? 0 : -1;
}

/* ---- the others ---------------------------------------------------------- */

int drawn_make_floats(const struct draw_from *from, const int64_t *arg,
                      void *out, size_t nbytes)
{
    (void)arg;
    for (size_t i = 0; i < nbytes / sizeof(float); i++)
        ((float *)out)[i] = drawn_float(from->seed, i);
    return nbytes % sizeof(float) ? -1 : 0;
}

void drawn_rates(const struct plan_case *c, uint64_t seed, int trial,
                 struct drawn_rates *out)
{
    const char *const how = plan_text(c, "failures", "rare");
    const double a = below(seed, trial, 1, 1000) / 1000.0;
    const double b = below(seed, trial, 2, 1000) / 1000.0;
    const double d = below(seed, trial, 3, 1000) / 1000.0;
    *out = (struct drawn_rates){.step = 1 + 4 * a,
                                .save = 20 + 60 * b,
                                .restart = 100 + 200 * a,
                                .mtbf = 7200 + 80000 * d};
    if (strcmp(how, "frequent") == 0) { // hardly longer than a save
        out->step = 0.2 + 0.8 * a;
        out->mtbf = out->save * (1 + 2 * d);
    } else if (strcmp(how, "coarse") == 0) { // few steps between saves
        out->step = 60 + 240 * a;
        out->mtbf = out->step * (3 + 4 * d);
        out->save = out->step * (1 + 2 * b);
    }
}

int drawn_make_rates(const struct draw_from *from, const int64_t *arg,
                     void *out, size_t nbytes)
{
    if (nbytes != sizeof(struct drawn_rates))
        return -1;
    drawn_rates(from->c, from->seed, (int)arg[0], out);
    return 0;
}

struct drawn_ahead drawn_ahead(const struct plan_case *c, uint64_t seed,
                               int trial, int nranks)
{
    const int all = (1 << nranks) - 1;
    const int even = plan_int(c, "even", 0) && is_other(seed, trial, EVEN);
    return (struct drawn_ahead){
        .step = 3 + below(seed, trial, AT, 9),
        .mask = even ? 0 : 1 + below(seed, trial, MASK, all - 1)};
}

int drawn_make_ahead(const struct draw_from *from, const int64_t *arg,
                     void *out, size_t nbytes)
{
    if (nbytes != sizeof(struct drawn_ahead) || from->nranks < 2)
        return -1;
    *(struct drawn_ahead *)out =
        drawn_ahead(from->c, from->seed, (int)arg[0], from->nranks);
    return 0;
}

/* How long the work of a rank that takes longer takes, in percent. */
static int percent_of(const struct plan_case *c, uint64_t seed, int trial)
{
    const int percent = (int)plan_int(c, "percent", 175);
    return is_other(seed, trial, ALSO) ? (int)plan_int(c, "also", percent)
                                       : percent;
}

/* The rank that takes longer than others in a trial, or nranks: none does. */
static int longer(uint64_t seed, int trial, int nranks)
{
    return below(seed, trial, 1, nranks + 1);
}

int drawn_slow(const struct plan_case *c, uint64_t seed, int trial, int nranks)
{
    const int rank = longer(seed, trial, nranks);
    return rank < nranks && percent_of(c, seed, trial) > 125 ? rank : -1;
}

/* The parts of a rank's work in a step of a trial. */
static int parts_of(const struct draw_from *from, int rank, int trial, int step)
{
    const int base = 20, percent = percent_of(from->c, from->seed, trial);
    const int slow = longer(from->seed, trial, from->nranks);
    const int late = below(from->seed, trial, 2 + rank, DRAWN_STEPS);
    int n = rank == slow ? base * percent / 100 : base;
    // Some steps of other ranks take ten times as long, and some of the slow
    // rank's as long as theirs.
    const int turn = (step + late) % DRAWN_STEPS;
    if (rank != slow && turn < plan_int(from->c, "hiccups", 0))
        n *= 10;
    if (rank == slow && turn < plan_int(from->c, "fast", 0))
        n = base;
    return n;
}

int drawn_middle(const struct draw_from *from, int rank, int trial)
{
    int n[DRAWN_STEPS];
    for (int i = 0; i < DRAWN_STEPS; i++) {
        int at = i;
        const int parts = parts_of(from, rank, trial, i);
        for (; at > 0 && n[at - 1] > parts; at--)
            n[at] = n[at - 1];
        n[at] = parts;
    }
    return n[DRAWN_STEPS / 2];
}

int drawn_make_times(const struct draw_from *from, const int64_t *arg,
                     void *out, size_t nbytes)
{
    if (nbytes != DRAWN_STEPS * sizeof(int))
        return -1;
    for (int i = 0; i < DRAWN_STEPS; i++)
        ((int *)out)[i] = parts_of(from, (int)arg[0], (int)arg[1], i);
    return 0;
}

int drawn_flips(const struct plan_case *c, uint64_t seed, int nranks,
                struct drawn_flip out[DRAWN_FLIPS_MOST])
{
    const int n = (int)plan_int(c, "flips", 1);
    const int again = (int)plan_int(c, "again", 0); // this many strike twice
    const int last = (int)plan_int(c, "last", 0);   // one in the last block
    const uint64_t count = (uint64_t)plan_int(c, "count", 5000);
    const int nblocks = (int)((count + DRAWN_BLOCK - 1) / DRAWN_BLOCK);
    int at = 0;
    for (int i = 0; i < n && n <= nblocks; i++) {
        const int first = i * nblocks / n; // flip i may hit blocks from here on
        const int block =
            last && i == n - 1
                ? nblocks - 1
                : first + below(seed, 0, 3 * i, (i + 1) * nblocks / n - first);
        const uint64_t begin = (uint64_t)block * DRAWN_BLOCK;
        const uint64_t left = count - begin;
        const uint64_t in = left < DRAWN_BLOCK ? left : DRAWN_BLOCK;
        struct drawn_flip f = {.rank = below(seed, 0, 3 * i + 1, nranks),
                               .bit = below(seed, 0, 3 * i + 2, 32),
                               .at = begin +
                                     judge_seed(seed, 4096 + (uint64_t)i) % in};
        for (f.round = 0; f.round <= (i < again ? 1 : 0); f.round++)
            out[at++] = f;
    }
    return at;
}

int drawn_make_flips(const struct draw_from *from, const int64_t *arg,
                     void *out, size_t nbytes)
{
    struct drawn_flip all[DRAWN_FLIPS_MOST] = {{0}};
    (void)arg;
    if (nbytes != sizeof all)
        return -1;
    for (int i = drawn_flips(from->c, from->seed, from->nranks, all);
         i < DRAWN_FLIPS_MOST; i++)
        all[i].rank = -1; // none
    memcpy(out, all, sizeof all);
    return 0;
}
