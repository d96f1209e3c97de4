/*
 * reach.h: distances between the parts of a node (private to common/topo)
 */
#ifndef COMMLAB_TOPO_REACH_H
#define COMMLAB_TOPO_REACH_H

/* In the order of NCCL_P2P_LEVEL. */
enum reach { REACH_NVL, REACH_PIX, REACH_PXB, REACH_PHB, REACH_SYS };

extern const char *const reach_names[5]; /* "NVL", "PIX"... */

#endif
