/*
 * order.h: what lab9.h, the cases and the judge have in common
 */
#ifndef LAB9_ORDER_H
#define LAB9_ORDER_H

/* Which rows of the sequence a rank has: see seq_places(). */
enum seq_order { SEQ_PLAIN, SEQ_ZIGZAG, SEQ_STRIPED };

/* Blocks that a function may allocate besides the rooms it is given. */
enum { SEQ_EXTRA = 2 };

#endif
