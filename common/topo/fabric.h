/*
 * fabric.h: switches between nodes (private to common/topo)
 *
 * NICs lead to leaf switches, whose uplinks lead to all spine switches:
 *
 *        spine 0     spine 1     ...       uplink u of a leaf leads to spine u,
 *          | \\        / |                  and a spine has one port for each
 *        leaf 0      leaf 1      ...       leaf
 *        | | | |     | | | |
 *         NICs        NICs
 *
 * A leaf has `ports` NICs and ports / over uplinks, each as fast as a NIC. In a
 * fat-tree, a leaf holds all NICs of its nodes; on rails, a group of `ports`
 * nodes has a leaf for each NIC number. NICs at the same leaf reach each other
 * without uplinks. A flow between leaves is divided over `paths` subflows
 * (queue pairs), and a hash of its NICs and the seed chooses each subflow's
 * uplink, as in ECMP, so some uplinks get more load than others. With as many
 * paths as uplinks, packets are sprayed or routed adaptively, and all uplinks
 * get the same load. A crossbar has no such switches.
 */
#ifndef COMMLAB_TOPO_FABRIC_H
#define COMMLAB_TOPO_FABRIC_H

#include "topo/machine.h"

/* Lay out the leaves. Returns the number of their links, which are
 * all resources. */
int fabric_count(struct topo *t);

/* Fill in these resources, which are the machine's last ones. */
void fabric_build(struct topo *t);

/*
 * Add `share` bytes from a GPU to one of another node to work[], by resource.
 */
void fabric_load(const struct topo *t, int32_t from, int32_t to, double share,
                 double *work);

/*
 * The same from each of n GPUs, which are sorted, to each GPU of another node.
 * Returns 0, or -1 if memory runs out.
 */
int fabric_exchange(const struct topo *t, const int32_t *place, int n,
                    double share, double *work);

#endif
