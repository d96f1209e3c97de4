/*
 * bill.h: what an operation uses of each resource, summed up
 *
 * A kernel or a copy of many pieces touches few resources many times. Amounts
 * are added in the order in which they are charged, so equal operations cost the
 * same to the last digit.
 */
#ifndef COMMLAB_GRAPH_BILL_H
#define COMMLAB_GRAPH_BILL_H

#include "graph/maxmin.h"

/* A zeroed struct is an empty bill. */
struct bill {
    struct maxmin_use *use; /* each resource once */
    int n, room;
};

/* Begin a new one; its memory is used again. */
void bill_clear(struct bill *b);
void bill_release(struct bill *b);

/* -1: no memory. */
int bill_charge(struct bill *b, int resource, double amount);

#endif
