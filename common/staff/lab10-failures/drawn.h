/*
 * drawn.h: what lab 10's cases draw, and what they compute, for ranks and judge
 *
 * Elements are multiples of 2^-10 below 2^13, so that no sum of ranks rounds.
 */
#ifndef LAB10_DRAWN_H
#define LAB10_DRAWN_H

#include <math.h> /* rintf */
#include <stdint.h>

#include "judge/judge.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __CUDACC__
#define DRAWN_FN static inline __host__ __device__
#else
#define DRAWN_FN static inline
#endif

/* The lab's generators. All but the first draw from rank 0's seed. */
enum {
    DRAWN_FLOATS, /* drawn_float() */
    DRAWN_FLIGHT, /* struct drawn_call: calls of rank arg[1] in trial arg[0] */
    DRAWN_RATES,  /* struct drawn_rates: trial arg[0] */
    DRAWN_TIMES,  /* int: parts of each step's work, for rank arg[0] in
                     trial arg[1] */
    DRAWN_FLIPS,  /* struct drawn_flip */
    DRAWN_AHEAD   /* struct drawn_ahead: trial arg[0] */
};

/* From 1 to 5, in steps of 2^-10. */
static inline float drawn_float(uint64_t seed, size_t i)
{
    return 1 + (float)(judge_seed(seed, i) % 4096) / 1024;
}

/* ---- part 1 -------------------------------------------------------------- */

enum { DRAWN_CALLS = 64, DRAWN_TRIALS = 8, DRAWN_SLOTS = 16 };
enum { DRAWN_FINE, DRAWN_DIFFERS, DRAWN_ABSENT }; /* as enum flight_fault */

struct drawn_call {
    int op, type;
    uint64_t count, number;
};

struct drawn_flight { /* a trial: what each rank called */
    int fault, rank;  /* rank: at fault, or -1 */
    int number;
    int ncalls[LAB_MAX_RANKS];
};

/* Draw a trial, and a rank's calls. */
void drawn_flight(const struct plan_case *c, uint64_t seed, int trial,
                  int nranks, struct drawn_flight *out);
void drawn_calls(const struct plan_case *c, uint64_t seed, int trial, int rank,
                 const struct drawn_flight *f,
                 struct drawn_call out[DRAWN_CALLS]);

/* The slots of a recorder after n calls, and a digest of its contents. */
void drawn_record(struct drawn_call slot[DRAWN_SLOTS],
                  const struct drawn_call *call, int n);
double drawn_digest(const struct drawn_call slot[DRAWN_SLOTS], int ncalls);

/* ---- parts 3 and 6: training --------------------------------------------- */

DRAWN_FN float drawn_gradient(float param, float pull, int step)
{
    const float g = 0.25f * param - pull * (float)(1 + step % 3);
    return rintf(g * 1024) / 1024;
}

/* Products by powers of 2 are exact, so a compiler that fuses them with the
 * sums gets the same. */
DRAWN_FN void drawn_update(float *param, float *moment, float grad, int nranks)
{
    *moment = 0.5f * *moment + grad / (float)nranks;
    *param -= 0.25f * *moment;
}

/* ---- part 3: ranks that have to agree on a step -------------------------- */

enum { DRAWN_AGREES = 4 };
struct drawn_ahead { /* a trial */
    int step;        /* the smallest step that a rank has completed */
    int mask;        /* the ranks that have completed one more */
};

/* Every other trial of an `even` case has no rank ahead of another, and no
 * trial of other cases: neither undoing nothing nor undoing always is right. */
struct drawn_ahead drawn_ahead(const struct plan_case *c, uint64_t seed,
                               int trial, int nranks);

/* ---- part 5 -------------------------------------------------------------- */

struct drawn_rates {
    double step, save, restart, mtbf;
};
void drawn_rates(const struct plan_case *c, uint64_t seed, int trial,
                 struct drawn_rates *out);

/* ---- part 7 -------------------------------------------------------------- */

/* A guess is right in one trial of five, with four ranks, or none, that may be
 * slow: in all six trials one guess of 15,625 is. Where a case has `also`, a
 * rank that takes longer takes that percentage in every other trial. */
enum { DRAWN_STEPS = 7, DRAWN_HUNTS = 6 };
/* The slow rank of a trial, or -1. */
int drawn_slow(const struct plan_case *c, uint64_t seed, int trial, int nranks);
/* The middle of a rank's parts of work in the steps of a trial. */
int drawn_middle(const struct draw_from *from, int rank, int trial);

/* ---- part 8 -------------------------------------------------------------- */

enum { DRAWN_FLIPS_MOST = 32, DRAWN_BLOCK = 256, DRAWN_TRIES = 4 };
struct drawn_flip { /* a bit of an element that is inverted on its way */
    int round;      /* 0: the first sum */
    int rank, bit;
    uint64_t at;
};
/* Returns their number. Each is in another block; with `last`, one is in the
 * last block, which may be shorter. */
int drawn_flips(const struct plan_case *c, uint64_t seed, int nranks,
                struct drawn_flip out[DRAWN_FLIPS_MOST]);

/* The generators, for judge_lab.draws. */
draw_fn drawn_make_floats, drawn_make_flight, drawn_make_rates,
    drawn_make_times, drawn_make_flips, drawn_make_ahead;

#ifdef __cplusplus
}
#endif
#endif
