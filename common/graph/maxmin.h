/*
 * maxmin.h: fair shares of resources
 *
 * A flow moves at some rate and uses each of its resources in proportion to
 * that rate. Rates are max-min fair: no flow can be made faster without making
 * one slower that is not faster already. They are found by progressive filling:
 * all rates grow alike from 0 until a resource is used up or a flow has reached
 * its cap; the flows that this stops keep their rate, the others grow on.
 *
 * Sums are taken in the order in which flows and resources are given, so equal
 * input gives equal bits.
 */
#ifndef COMMLAB_GRAPH_MAXMIN_H
#define COMMLAB_GRAPH_MAXMIN_H

struct maxmin_use { /* a flow's use of a resource */
    int resource;
    double weight; /* of the resource's rate, per unit of the flow's; > 0 */
};

enum { MAXMIN_CAP = -1, MAXMIN_OPEN = -2 }; /* maxmin_flow.bound */

struct maxmin_flow {
    const struct maxmin_use *use; /* each resource once */
    int nuses;
    double cap;  /* the rate it can reach alone, 0: no cap */
    double rate; /* result */
    int bound;   /* result: the use that stopped it, or MAXMIN_CAP */
};

struct maxmin_resource {
    double rate; /* what there is of it */
    /* while rates are found */
    double left, weight; /* not used up; sum over flows that still grow */
    int nflows;
};

/*
 * Set rate and bound of n flows. `resource` is indexed by the flows' uses;
 * `touched` lists the m of them that occur, each once. A flow must have a use
 * or a cap.
 */
void maxmin_share(struct maxmin_flow *const *flow, int n,
                  struct maxmin_resource *resource, const int *touched, int m);

#endif
