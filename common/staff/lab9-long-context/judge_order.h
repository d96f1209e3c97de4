/*
 * judge_order.h: where a rank's rows are in the sequence, as lab9.h says, for
 * cases and their judges
 */
#ifndef LAB9_JUDGE_ORDER_H
#define LAB9_JUDGE_ORDER_H

#include "judge/judge.h"

enum order_kind { ORDER_PLAIN, ORDER_ZIGZAG, ORDER_STRIPED };

struct judge_order { /* how a case orders its sequence */
    enum order_kind order;
    int nranks, rows; /* rows: per rank */
    int per_node;     /* ranks that share a node's rows; 1: none do */
    int heads, width;
};

/* The order of a case on nranks ranks. If its `per_node` doesn't divide nranks,
 * the next smaller number that does. heads_each: heads for each rank. */
struct judge_order order_of(const struct plan_case *c, int nranks);

/* The position in the sequence of row i of a rank. */
int order_place(const struct judge_order *o, int rank, int i);

size_t order_block(const struct judge_order *o); /* floats in a block */

/* A rank's input, from its seed: numbers up to 4 that use all bits of fp32, so
 * that rows that were rounded in transit differ. */
void order_fill(float *out, size_t count, uint64_t seed);

/* The request for it (judge/draw.h). */
struct draw_ask order_draw(void);

/* The scale of scores, which keeps those of random inputs near 1. */
float order_scale(int width);

/* The number of pairs of a row of this rank and a row of the sequence that it
 * sees. */
double order_pairs(const struct judge_order *o, int rank);

#endif
