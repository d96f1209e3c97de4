/*
 * maxmin.h: max-min fair shares of resources
 *
 * A flow moves at some rate and uses each of its resources in proportion to
 * that rate. Rates are max-min fair: speeding up any flow would slow down one
 * that is no faster. Progressive filling finds them: all rates grow together
 * from 0 until a resource is exhausted or a flow reaches its cap; the flows
 * this stops keep their rate, and the others continue to grow.
 *
 * Sums are taken in the given order of flows and resources, so equal input
 * gives equal bits.
 */
#ifndef COMMLAB_BASE_MAXMIN_H
#define COMMLAB_BASE_MAXMIN_H

struct maxmin_use { /* a flow's use of a resource */
    int resource;
    double weight; /* rate used per unit of the flow's rate; > 0 */
};

enum { MAXMIN_CAP = -1, MAXMIN_OPEN = -2 }; /* maxmin_flow.bound */

struct maxmin_flow {
    const struct maxmin_use *use; /* each resource once */
    int nuses;
    double cap;  /* highest rate that the flow can reach alone; 0: no limit */
    double rate; /* result */
    int bound;   /* result: index of the use that stopped it, or MAXMIN_CAP */
};

struct maxmin_resource {
    double rate;
    /* working state of maxmin_share() */
    double left, weight; /* remaining rate; sum over flows that still grow */
    int nflows;
};

/*
 * Set the rate and the bound of n flows. The flows' uses index `resource`;
 * `touched` lists the m resources in use, each once. Each flow must have a use
 * or a cap.
 */
void maxmin_share(struct maxmin_flow *const *flow, int n,
                  struct maxmin_resource *resource, const int *touched, int m);

#endif
