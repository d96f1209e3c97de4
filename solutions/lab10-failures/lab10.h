/*
 * lab10.h: When a GPU dies
 *
 * The functions that you write, with their contracts. Functions marked *given*
 * are the kit's. All ranks of a team call a function that takes one, in the
 * same order. Unless a contract says otherwise, work is enqueued on the team's
 * stream, and the host doesn't wait.
 *
 *     part 1   flight_add, flight_diagnose             record.c
 *     part 2   team_wait                               recover.c
 *     part 3   team_shrink, state_agree, team_train    recover.c
 *     part 4   shares_rebuild                          reshard.c
 *     part 5   checkpoint_interval                     checkpoint.c
 *     part 6   checkpoint_save                         checkpoint.c
 *     part 7   straggler_find                          straggler.c
 *     part 8   seal_sum                                seal.c
 *
 * Numbers are such that no sum is rounded, so results don't depend on the order
 * of additions.
 */
#ifndef LAB10_H
#define LAB10_H

#include <cuda_runtime.h> /* cudaStream_t */
#include <nccl.h>         /* ncclComm_t */
#include <stddef.h>       /* size_t */
#include <stdint.h>       /* uint64_t */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- part 1: the flight recorder ----------------------------------------- */

enum { FLIGHT_SLOTS = 16 };

enum flight_op { FLIGHT_ALL_REDUCE, FLIGHT_ALL_GATHER, FLIGHT_REDUCE_SCATTER };

struct flight_call { /* one call of a collective */
    uint64_t number; /* 0 for the first call of this rank */
    enum flight_op op;
    size_t count;
    ncclDataType_t type;
};

/*
 * The last FLIGHT_SLOTS calls of a rank: a ring buffer in which call `number`
 * is in slot number mod FLIGHT_SLOTS.
 *
 *     ncalls = 18    slot   0  1 | 2  3  4 ...  15
 *                    call  16 17 | 2  3  4 ...  15
 */
struct flight {
    uint64_t ncalls; /* so far */
    struct flight_call slot[FLIGHT_SLOTS];
};

/* Record a call; the recorder gives it the next number. */
void flight_add(struct flight *f, enum flight_op op, size_t count,
                ncclDataType_t type);

enum flight_fault {
    FLIGHT_FINE,    /* all ranks made the same calls */
    FLIGHT_DIFFERS, /* a rank made another call than the others */
    FLIGHT_ABSENT   /* a rank made fewer calls than the others */
};

struct flight_report {
    enum flight_fault fault;
    int rank;        /* which; -1 if FLIGHT_FINE */
    uint64_t number; /* number of the first call that differs or is missing; 0
                        if FLIGHT_FINE */
};

/*
 * From the recorders of nranks >= 3 ranks that hang, find the rank at fault. At
 * most one is. Ranks enqueue ahead, so the others need not have made the same
 * number of calls. Calls differ if op, count or type do. If a rank's call
 * differs, that is the fault, even if the rank also made fewer calls. If none
 * differs, either all ranks made as many calls (FLIGHT_FINE) or a single one
 * made the fewest (FLIGHT_ABSENT): a rank may make more calls than others. Some
 * ranks' calls may be overwritten already, but any fault is at a number that
 * all recorders still have, or that the rank at fault has not reached.
 */
struct flight_report flight_diagnose(const struct flight *all, int nranks);

/* ---- parts 2 and 3: notice, shrink, continue ----------------------------- */

struct cluster; /* given: which GPUs fail, and when */

struct team { /* the ranks that train together */
    ncclComm_t comm;
    int rank, nranks; /* in comm */
    cudaStream_t stream;
    struct cluster *cluster;
};

enum team_end {
    TEAM_DONE,   /* the stream has done all its work */
    TEAM_BROKEN, /* the communicator reports an error */
    TEAM_LATE    /* the deadline has passed */
};

/*
 * Block until the team's stream is idle, the communicator has an error, or
 * deadline_us microseconds of MPI_Wtime() have passed, whichever comes first,
 * and set *end. Returns an error only if a call fails otherwise. Leaves no
 * error for cudaGetLastError() to report later.
 */
ncclResult_t team_wait(struct team *t, double deadline_us, enum team_end *end);

/* Given: the ranks of the team, as numbered in it, that don't respond. Some
 * monitor outside the job tells. */
enum { TEAM_MISSING = 4 };
int team_missing(const struct team *t, int missing[TEAM_MISSING]);

/*
 * Leave the missing ranks out: replace t->comm by a communicator of the others,
 * and update t->rank and t->nranks. The other ranks call it; operations of the
 * old communicator may be under way on the stream, and the missing ranks do
 * nothing. Aborts the old communicator. When it returns, the stream is idle.
 */
ncclResult_t team_shrink(struct team *t);

struct state {    /* what is trained: every rank has a replica */
    size_t count; /* elements of each array */
    int step;     /* steps that are complete */
    float *param, *moment;
    float *old_param, *old_moment; /* copies: values before the last step */
    float *grad;
    int *room;         /* an int of device memory */
    const float *pull; /* this rank's data */
};

/* Given: compute this rank's gradient of the next step into s->grad. Fails on a
 * rank whose GPU dies in that step. */
ncclResult_t state_gradient(struct state *s, struct team *t);

/* Given: s->grad is the sum of all ranks' gradients. Copy the values to
 * old_param and old_moment, make the step and count it. */
ncclResult_t state_update(struct state *s, struct team *t);

/*
 * When a rank fails, some of the others may have completed the step, and some
 * not. Bring all ranks of the team, a new one, to the smallest step of any of
 * them: a rank that is one step ahead undoes its last one. No rank is further
 * ahead. Blocks.
 */
ncclResult_t state_agree(struct team *t, struct state *s);

/*
 * Train until nsteps steps are complete: of each, gradient, sum over the team
 * in s->grad, wait with the deadline, update. When the sum fails or is late,
 * shrink, agree, and continue. A call of NCCL may return the error, too. A sum
 * that is ended leaves no gradient in s->grad. A rank whose own gradient fails
 * returns that error at once. Blocks.
 */
ncclResult_t team_train(struct team *t, struct state *s, int nsteps,
                        double deadline_us);

/* ---- part 4: optimizer state that exists once ------------------------ */

enum { SHARES_ARRAYS = 2 };

/*
 * Vectors of `total` floats, each cut into shares of `each` = ceil(total / n)
 * elements for n ranks; elements from `total` on are zeros. Rank r has share r,
 * and a copy of share (r - 1) mod n.
 *
 *     total 12, n = 4, each = 3:    0 1 2 | 3 4 5 | 6 7 8 | 9 10 11
 *                      n = 3:       0 1 2 3 | 4 5 6 7 | 8 9 10 11
 *     total 10, n = 4, each = 3:    0 1 2 | 3 4 5 | 6 7 8 | 9 - -
 *                      n = 3:       0 1 2 3 | 4 5 6 7 | 8 9 - -      -: a zero
 */
struct shares {
    size_t total, each;
    int rank, nranks;
    float *own[SHARES_ARRAYS], *copy[SHARES_ARRAYS];
};

/*
 * `lost` of the old ranks is gone. Rebuild the shares for the team of the
 * others, which are numbered in their old order: out[i] gets this rank's new
 * share of array i. One group for all messages. No element is sent that its new
 * owner has in its own share or its copy; each other element is sent once. The
 * lost rank's share is that of the copy, and all others come from their owners.
 */
ncclResult_t shares_rebuild(struct team *t, const struct shares *old, int lost,
                            float *const out[SHARES_ARRAYS]);

/* ---- part 5: how often to save ------------------------------------------- */

struct rates { /* in seconds */
    double step, save;
    double restart; /* changes the time, but not which interval is best */
    double mtbf;
};

/*
 * The number of steps, at least 1, between two checkpoints that trains fastest.
 * Saving stops training for `save`. Failures come at random with `mtbf` between
 * them on average, also while saving; each costs a `restart` and the work since
 * the last complete checkpoint: redoing that work is just as likely to fail.
 * May be 0.5 % slower than the best.
 */
long checkpoint_interval(const struct rates *r);

/* ---- part 6: saving behind the steps ------------------------------------- */

struct checkpoint {
    float *staging;   /* device memory: s->param, then s->moment */
    float *file[2];   /* pinned host memory, as large */
    int step[2];      /* s->step of what is in file[i]; -1: nothing */
    int nsaved;       /* calls so far */
    cudaStream_t out; /* for copies to the host */
    cudaEvent_t snapped, written;
};

/*
 * Save the state that the team's stream computes: save number i, from 0, goes
 * to file[i % 2], so that a failure while saving leaves the save before. The
 * stream only copies the state to `staging`; c->out copies it from there to the
 * host, while the next steps run. Event `written` is recorded when that is
 * done.
 */
ncclResult_t checkpoint_save(struct checkpoint *c, struct team *t,
                             const struct state *s);

/* ---- part 7: stragglers -------------------------------------------------- */

struct work { /* what a rank does in each step */
    size_t count;
    float *grad; /* summed over the team */
    float *room; /* device memory for 1 + nranks floats */
    struct load *load;
};
enum { WORK_STEPS = 7 };

/* Given: enqueue this rank's own work of a step. */
ncclResult_t work_do(struct work *w, struct team *t, int step);

/* Given: the middle of n values in order, the smaller one of two. Sorts
 * them. */
float middle_of(float *value, int n);

/*
 * Do WORK_STEPS steps: own work, then an all-reduce of w->grad, in place. Find
 * the rank whose own work takes more than 1.25 times as long as that of the
 * middle rank (middle_of()), and set *slow to it, or to -1 if there is none. A
 * rank's time is the middle of its steps' times: any rank has a slow step now
 * and then, and the slow rank a fast one. At most one rank is slow. All ranks
 * get the same. Blocks.
 */
ncclResult_t straggler_find(struct team *t, struct work *w, int *slow);

/*
 * Leave rank `slow` out, which works but is slow. All ranks call it with the
 * same rank, or with -1, which changes nothing; no operation is under way. On
 * the others t->comm becomes a communicator without it, and t->rank and
 * t->nranks follow. On rank `slow` t->comm becomes NULL. Destroys the old
 * communicator.
 */
ncclResult_t straggler_leave_out(struct team *t, int slow);

/* ---- part 8: silent corruption ------------------------------------------- */

enum { SEAL_BLOCK = 256, SEAL_TRIES = 4 };

struct seal {
    size_t count, nblocks; /* blocks of SEAL_BLOCK elements, the last shorter */
    double *seal;          /* device memory: nblocks doubles, */
    double *total;         /* and again */
    int *bad;              /* nblocks ints */
    int *found;            /* pinned host memory: nblocks ints */
    struct transit *transit;
};

/* Given: the sum of each block of x. */
ncclResult_t seal_blocks(struct seal *s, const float *x, double *out,
                         cudaStream_t stream);
/* Given: bad[i] becomes 1 if the sum of block i of x isn't total[i], else 0. */
ncclResult_t seal_compare(struct seal *s, const float *x, const double *total,
                          int *bad, cudaStream_t stream);
/* Given: what may happen to elements in transit. Call it after each group that
 * sums elements, before comparing. */
ncclResult_t seal_transit(struct seal *s, float *sum, cudaStream_t stream);

/*
 * sum = grad summed over the team, on every rank, though elements may arrive
 * damaged on some. The sum of all ranks' seals is the seal of the sum: sum them
 * in one group with the elements, compare, combine the flags of all ranks, and
 * sum the bad blocks again, until none is bad. A round is a sum and its
 * comparison; the first sum, of all elements, is round 1. If a block is still
 * bad after SEAL_TRIES rounds, return ncclRemoteError. Nothing else is sent: no
 * sum that isn't compared. Blocks.
 */
ncclResult_t seal_sum(struct team *t, struct seal *s, const float *grad,
                      float *sum);

#ifdef __cplusplus
}
#endif
#endif
