/*
 * judge_split.h: how a network is split among ranks, as lab8.h's flat_plan()
 * says, for cases and their judges; and the contents of checkpoints that a case
 * makes up
 */
#ifndef LAB8_JUDGE_SPLIT_H
#define LAB8_JUDGE_SPLIT_H

#include "judge/judge.h"
#include "nn/shape.h"

struct split_unit {
    int first, nlayers;
    size_t count, share, begin; /* as in struct shard_unit */
};

struct split {
    int nranks, nunits;
    struct split_unit unit[NN_MAX_DEPTH];
    size_t total, widest;
};

/* The split of a case's network, whose `per_unit` is 1 by default. */
struct split split_of(const struct plan_case *c, int nranks);

/* The number of ranks in a node, among which a case shards: its `per_node`, or
 * the next smaller number that divides nranks. Without that key, all ranks. */
int split_per_node(const struct plan_case *c, int nranks);

/* The place of float `at` of rank's shares among all units' floats; -1 if it
 * belongs to no matrix. */
long split_place(const struct split *s, int rank, size_t at);

/* The value of float `place` of array i (values, m, v) in the checkpoint that a
 * rank loads. seed: judge_input_seed() of that rank. */
static inline float split_saved(uint64_t seed, int i, long place)
{
    return nn_input(seed, 3 * (size_t)place + (size_t)i);
}

#endif
