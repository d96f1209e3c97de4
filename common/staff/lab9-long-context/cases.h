/*
 * cases.h: what the files of lab 9's cases have in common
 */
#ifndef LAB9_CASES_H
#define LAB9_CASES_H

#include "judge_order.h"
#include "lab/lab.h"
#include "lab9.h"

/* The judge doesn't include the contracts, and has its own names for orders. */
_Static_assert((int)ORDER_ZIGZAG == SEQ_ZIGZAG &&
                   (int)ORDER_STRIPED == SEQ_STRIPED,
               "orders have the same numbers");
static inline enum seq_order cases_order(const struct judge_order *o)
{
    return (enum seq_order)(int)o->order;
}

/* A rank's input: order_fill() on the device. */
float *cases_input(struct lab_run *r, size_t count);

/* Part 1 (cases_norms.c). */
ncclResult_t run_norms(struct lab_run *r);
void norms_release(void);

#endif
