/*
 * bill.h: the amounts of each resource that an operation uses
 *
 * A kernel, or a copy of many pieces, touches few resources many times. Amounts
 * are summed in the order of the calls, so equal operations cost the same to
 * the last digit.
 */
#ifndef COMMLAB_GRAPH_BILL_H
#define COMMLAB_GRAPH_BILL_H

#include "base/maxmin.h"

/* A zeroed struct is an empty tally. */
struct bill {
    struct maxmin_use *use; /* lists each resource once */
    int n, room;
};

/* Empty the tally, but keep its memory. */
void bill_clear(struct bill *b);
void bill_release(struct bill *b);

/* Returns -1 if memory runs out. */
int bill_charge(struct bill *b, int resource, double amount);

#endif
