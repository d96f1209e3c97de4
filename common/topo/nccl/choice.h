/*
 * choice.h: what NCCL chooses, and the time of that (private to common/topo)
 *
 * For a collective, NCCL's tuner (tuner.h) takes one pair of algorithm and
 * protocol for each range of sizes. If a table was measured over the same ranks
 * (curve.h), it gives the time of that choice, T, and another pair, which
 * NCCL_ALGO and NCCL_PROTO enforce, takes its own time in the model, but no
 * less than T. Otherwise each pair takes its own time (cell.h).
 *
 * NCCL's tuner sometimes changes to the faster pair too late. Times would fall
 * there:
 *
 *       |            / this pair
 *       |   . . . . o---------------- at most this, from here on
 *       |     ____/          ______/ next pair
 *       |  __/    |      ___/
 *       +---------+-----+-----------> bytes
 *                       NCCL's switch
 *
 * A size therefore takes at most as long as the size from which NCCL chooses
 * the next pair, and a little less, so that times also rise with the size. If
 * the links alone need longer than that, the next pair is slowed down instead.
 *
 * Messages use LL or Simple, the one that takes less time in the model.
 */
#ifndef COMMLAB_TOPO_NCCL_CHOICE_H
#define COMMLAB_TOPO_NCCL_CHOICE_H

#include "topo/nccl/curve.h"

enum { CHOICE_RANGES = 64 };

struct choice_pair {
    enum topo_algo algo;
    enum topo_proto proto;
    int free; /* NCCL would choose the same pair if everything were allowed */
};

struct choice_sets { /* what NCCL may choose from */
    int algos, protos;
    double ll; /* bytes up to which it takes LL, and no longer from there on; 0:
                  it chooses */
};

struct choice { /* an operation, with these sets allowed, by size */
    struct choice *next;
    enum topo_op op;
    struct choice_sets sets;
    int n;
    struct choice_range {
        double from; /* bytes; up to the next range */
        struct choice_pair pair;
    } range[CHOICE_RANGES];
};

/*
 * NCCL's choices for a collective, owned by s, by size. Returns 0; 1 if nothing
 * is allowed; -1 if memory runs out.
 */
int choice_of(const struct topo *t, struct shape *s, enum topo_op op,
              struct choice_sets sets, const struct choice **out);

/* The range of a size. */
const struct choice_range *choice_at(const struct choice *c, double nbytes);

/*
 * The time in us of nbytes, from those of each pair: its time, and what its
 * latency and its links take at least. Both must rise with the bytes.
 */
typedef double choice_time(const void *user, const struct choice_pair *pair,
                           double nbytes);
double choice_us(const struct choice *c, choice_time *us, choice_time *least_us,
                 const void *user, double nbytes);

/* The protocol of messages. lines: compare their latencies and bandwidths
 * only. */
enum topo_proto choice_message(const struct topo *t,
                               const struct cell_table *table, double nbytes,
                               int lines);

void choice_drop(struct shape *s); /* free those that s owns */

#endif
