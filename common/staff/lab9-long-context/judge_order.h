/*
 * judge_order.h: where a rank's rows are in the sequence, as lab9.h says, for
 * cases and their judges
 */
#ifndef LAB9_JUDGE_ORDER_H
#define LAB9_JUDGE_ORDER_H

#include "judge/judge.h"

enum order_kind { ORDER_PLAIN, ORDER_ZIGZAG, ORDER_STRIPED };

struct order { /* of a case's sequence */
    enum order_kind order;
    int nranks, rows; /* of each rank */
    int per_node;     /* ranks that share a node's rows; 1: none do */
    int heads, width;
};

/* Of a case on any number of ranks; with a `per_node` that does not divide it,
 * the next smaller one that does. heads_each: heads for each rank. */
struct order order_of(const struct plan_case *c, int nranks);

/* "plain", "zigzag", "striped"; -1: none of them. */
int order_named(const char *name);

/* The position in the sequence of row i of a rank. */
int order_place(const struct order *o, int rank, int i);

size_t order_block(const struct order *o); /* floats in a block */

/* A rank's input, from its seed: numbers up to 4 with all bits of fp32, so that
 * rows that were rounded on their way are found. */
void order_fill(float *out, size_t count, uint64_t seed);

/* The request for it (judge/draw.h). */
struct draw_ask order_draw(void);

/* Of scores: keeps those of random inputs near 1. */
float order_scale(int width);

/* Pairs of a row of this rank and a row of the sequence that it sees. */
double order_pairs(const struct order *o, int rank);

#endif
